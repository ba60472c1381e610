//===- CombineInPlace.cpp - collectives in the memory of their operand ----===//
#include "CombineInPlace.h"
#include "lispier/Comm/Comm.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// Whether the memory of the tensor is its own: memory that is only read, or of a caller, would be copied first.
bool hasOwnMemory(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return isa<scf::ForOp>(argument.getOwner()->getParentOp());
  return isa<DestinationStyleOpInterface, scf::ForOp, scf::IfOp, tensor::InsertSliceOp>(tensor.getDefiningOp());
}

bool isLastUse(Operation *op, Value tensor) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    Operation *around = op->getBlock()->findAncestorOpInBlock(*user);
    return user == op || isa<tensor::DimOp>(user) || (around && around->isBeforeInBlock(op));
  });
}
} // namespace

void combineInPlace(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa<comm::AllReduceOp, comm::FromRankOp>(op) || op->getNumResults() == 0)
      return;
    Value in = op->getOperand(comm::kInOperand), out = op->getOperand(comm::kOutOperand);
    if (out.getDefiningOp<tensor::EmptyOp>() && in.getType() == out.getType() && hasOwnMemory(in) && isLastUse(op, in))
      op->setOperand(comm::kOutOperand, in);
  });
}
} // namespace lispier
