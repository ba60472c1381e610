//===- SharedVectors.cpp - vector accesses to the gpu dialect's spaces ----===//
//
// Before: vector.load and vector.store of memory in the gpu dialect's memory spaces.
// After: llvm.load and llvm.store in numbered address spaces. Upstream's vector
// conversion runs before the gpu conversion and supports numbered spaces only.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Backend/Passes.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SHAREDVECTORS
#include "lispier/Target/Backend/Passes.h.inc"

namespace {
/// These numbers are the same for NVIDIA and AMD. Private memory is not among them: both vendors' conversions put it on
/// the stack first.
unsigned spaceNumber(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Global:
    return 1;
  case gpu::AddressSpace::Workgroup:
    return 3;
  case gpu::AddressSpace::Private:
    return 5;
  }
  llvm_unreachable("all spaces are listed");
}

bool hasNamedSpace(MemRefType type) { return isa_and_nonnull<gpu::AddressSpaceAttr>(type.getMemorySpace()); }

struct SharedVectors : impl::SharedVectorsBase<SharedVectors> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    populateGpuMemorySpaceAttributeConversions(types, spaceNumber);
    RewritePatternSet patterns(&getContext());
    populateVectorToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalOp<vector::LoadOp>([](vector::LoadOp op) { return !hasNamedSpace(op.getMemRefType()); });
    target.addDynamicallyLegalOp<vector::StoreOp>(
        [](vector::StoreOp op) { return !hasNamedSpace(op.getMemRefType()); });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
