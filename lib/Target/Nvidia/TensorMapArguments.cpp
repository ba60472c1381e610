//===- TensorMapArguments.cpp - tensor maps as pointers -------------------===//
//
// Before: kernels with parameters of type !nvgpu.tensormap.descriptor. After: the
// parameters are !llvm.ptr, with casts before their uses, which the conversion of
// nvgpu to nvvm removes. The kernel's shared memory is aligned as bulk tensor copies
// require.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TENSORMAPARGUMENTS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
/// A tile's alignment in bytes: 128, or the period of its swizzle pattern.
int64_t alignmentFor(nvgpu::TensorMapDescriptorType type) {
  return int64_t(128) << static_cast<unsigned>(type.getSwizzle());
}

void usePointers(gpu::GPUFuncOp kernel) {
  int64_t alignment = 0;
  SmallVector<Type> types(kernel.getArgumentTypes());
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (auto [i, type] : llvm::enumerate(types)) {
    auto description = dyn_cast<nvgpu::TensorMapDescriptorType>(type);
    if (!description)
      continue;
    alignment = std::max(alignment, alignmentFor(description));
    BlockArgument argument = kernel.getArgument(i);
    auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(cast.getResult(0), cast);
    type = LLVM::LLVMPointerType::get(kernel.getContext());
    argument.setType(type);
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  for (unsigned i = 0, count = alignment ? kernel.getNumWorkgroupAttributions() : 0; i < count; ++i)
    kernel.setWorkgroupAttributionAttr(i, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(alignment));
}

struct TensorMapArguments : impl::TensorMapArgumentsBase<TensorMapArguments> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        usePointers(kernel);
  }
};
} // namespace
} // namespace lispier
