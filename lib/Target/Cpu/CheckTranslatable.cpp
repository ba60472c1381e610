//===- CheckTranslatable.cpp - nothing is left that LLVM cannot say -------===//
//
// The last pass of the pipeline. Dialects whose ops have a translation of their
// own (amx, x86vector and their like) pass.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"

namespace lispier {
#define GEN_PASS_DEF_CHECKTRANSLATABLE
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
bool isTranslatable(Operation *op) {
  if (isa<UnrealizedConversionCastOp>(op))
    return false;
  return isa<ModuleOp>(op) || op->getDialect()->getRegisteredInterface<LLVMTranslationDialectInterface>();
}

/// Of LLVM's own dialects, or a cast: not what a cast that remains is the trace of. The gpu dialect has a translation,
/// of modules and launches, and its thread_id here has none.
bool isLowered(Operation *op) {
  return isa<UnrealizedConversionCastOp>(op) || (isTranslatable(op) && !isa<gpu::GPUDialect>(op->getDialect()));
}

/// A cast that remains is the trace of an op that no conversion knew: name that op instead.
Operation *culprit(Operation *op) {
  if (!isa<UnrealizedConversionCastOp>(op))
    return op;
  for (Operation *user : op->getUsers())
    if (!isTranslatable(user))
      return culprit(user);
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp(); producer && !isLowered(producer))
      return producer;
  return op;
}

/// Ops outside of functions are legal MLIR, and nothing runs them: what has no effect goes, the rest is an error.
LogicalResult dropLooseOps(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*module.getBody()))) {
    if (isOpTriviallyDead(&op))
      op.erase();
    else if (op.getNumResults() || isa<CallOpInterface>(op))
      return op.emitError("this stands outside of functions, where nothing runs it");
  }
  return success();
}

struct CheckTranslatable : lispier::impl::CheckTranslatableBase<CheckTranslatable> {
  void runOnOperation() override {
    if (failed(dropLooseOps(getOperation())))
      return signalPassFailure();
    for (Operation &symbol : *getOperation().getBody()) {
      WalkResult result = symbol.walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isTranslatable(op))
          return WalkResult::advance();
        op = culprit(op);
        op->emitError() << "`" << op->getName() << "` has no lowering to the CPU";
        return WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        signalPassFailure();
    }
  }
};
} // namespace
