//===- CombineInPlace.cpp - collectives in the memory of their operand ----===//
#include "CombineInPlace.h"
#include "WrittenArguments.h"
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
/// Lets a collective whose result is the last value of an argument, in another shape or in its own, write there.
/// Upstream looks for the place of a tensor.empty through no reshape.
void makeInArguments(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  SmallVector<unsigned> written = writtenArguments(function);
  Operation *end = function.getBody().front().getTerminator();
  for (auto [value, number] : llvm::zip(end->getOperands().take_back(written.size()), written)) {
    auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
    Value made = expand ? expand.getSrc() : Value(value);
    Operation *op = made.getDefiningOp();
    BlockArgument argument = function.getArgument(number);
    auto isDim = [](Operation *user) { return isa<tensor::DimOp>(user); };
    bool isOnlyWritten = llvm::all_of(argument.getUsers(), isDim);
    if (!op || !comm::isCollective(op) || !isOnlyWritten || !isLastUse(end, value) ||
        !op->getOperand(comm::kOutOperand).getDefiningOp<tensor::EmptyOp>())
      continue;
    OpBuilder b(op);
    Value place = argument;
    if (expand && expand.getType() == argument.getType())
      place = tensor::CollapseShapeOp::create(b, op->getLoc(), place, expand.getReassociationIndices());
    if (place.getType() == made.getType())
      op->setOperand(comm::kOutOperand, place);
    else if (place != argument)
      place.getDefiningOp()->erase();
  }
}
} // namespace

void combineInPlace(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    makeInArguments(function);
  module.walk([](Operation *op) {
    if (!isa<comm::AllReduceOp, comm::FromRankOp>(op) || op->getNumResults() == 0)
      return;
    Value in = op->getOperand(comm::kInOperand), out = op->getOperand(comm::kOutOperand);
    if (out.getDefiningOp<tensor::EmptyOp>() && in.getType() == out.getType() && hasOwnMemory(in) && isLastUse(op, in))
      op->setOperand(comm::kOutOperand, in);
  });
}
} // namespace lispier
