//===- PreferRegisters.cpp - registers for tensor core kernels ------------===//
//
// Before: kernels in the LLVM and nvvm dialects. After: those with mma.sync, and those
// whose warps hand on registers, of which ptxas must know how many a thread has at the
// launch, request at least one block per multiprocessor, nvvm.minctasm = 1.
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
/// Tensor cores are kept busy by loads ahead of their use, which takes registers, rather than by many warps. Without
/// the attribute ptxas saves registers: it moves each load after the preceding product.
void preferRegisters(LLVM::LLVMFuncOp kernel) {
  StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
  bool multiplies =
      kernel->hasAttr(NVVM::NVVMDialect::getMaxntidAttrName()) &&
      kernel
          .walk([](Operation *op) {
            return isa<NVVM::MmaOp, NVVM::SetMaxRegisterOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
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
