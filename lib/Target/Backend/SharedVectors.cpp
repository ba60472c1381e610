//===- SharedVectors.cpp - vectors in the memory of a block ---------------===//
//
// Before: vector.load and vector.store of memory in the gpu dialect's spaces.
// After: the LLVM dialect's, in spaces by number. Upstream's vector conversion
// runs before the gpu conversion and knows numbers only.
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
/// The same on NVIDIA's and AMD's chips. Private memory of a kernel has no space of its own here: both vendors'
/// conversions bring it to the stack first.
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
