//===- PreferRegisters.cpp - kernels of tensor cores want registers -------===//
//
// Before: kernels of the LLVM and nvvm dialects. After: those with matrix products
// say that one block a multiprocessor is enough.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PREFERREGISTERS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
/// Tensor cores are kept busy by loads ahead of their use, which takes registers, not by many warps: one block a
/// multiprocessor is enough. Without the word ptxas moves each load behind the product before its own.
void preferRegisters(LLVM::LLVMFuncOp kernel) {
  StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
  bool multiplies = kernel->hasAttr(NVVM::NVVMDialect::getMaxntidAttrName()) &&
                    kernel.walk([](NVVM::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (multiplies && !kernel->hasAttr(name))
    kernel->setAttr(name, Builder(kernel.getContext()).getI32IntegerAttr(1));
}

struct PreferRegisters : impl::PreferRegistersBase<PreferRegisters> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      preferRegisters(kernel);
  }
};
} // namespace
} // namespace lispier
