//===- Overwrites.cpp - ops that may take an operand's memory -------------===//
#include "Overwrites.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// The values whose memory the op takes, memrefs as the tensors that are read of them.
SmallVector<Value> overwrittenBy(Operation *op) {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (isa<TensorType>(value.getType()) && !value.getDefiningOp<tensor::EmptyOp>())
      values.push_back(value);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::InsertSliceOp, tensor::InsertOp>([&](auto insertion) { add(insertion.getDest()); })
      .Case<scf::ForOp, scf::WhileOp>([&](auto loop) {
        for (Value init : loop.getInits())
          add(init);
      })
      .Case<bufferization::MaterializeInDestinationOp>([&](auto write) {
        for (Operation *user : write.getDest().getUsers())
          if (isa<bufferization::ToTensorOp>(user))
            add(user->getResult(0));
      })
      .Default([&](Operation *other) { // Of what is no nn op either, no operand is written.
        for (OpOperand &operand : other->getOpOperands())
          if (nn::writes(nn::accessOf(operand)))
            add(operand.get());
      });
  return values;
}

bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
      op);
}
} // namespace

void forEachReaderBefore(Operation *op, llvm::function_ref<void(Operation *)> visit) {
  SmallVector<Value> values = overwrittenBy(op);
  llvm::SmallPtrSet<Operation *, 8> seen{op};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
      if (!reader || !reader->isBeforeInBlock(op) || !seen.insert(user).second)
        continue;
      if (isView(user))
        values.push_back(user->getResult(0));
      else
        visit(reader);
    }
}

bool isOverwrittenBetween(Operation *reader, Operation *end) {
  bool found = false;
  for (Operation *op = reader->getNextNode(); op && op != end && !found; op = op->getNextNode())
    forEachReaderBefore(op, [&](Operation *before) { found |= before == reader; });
  return found;
}
} // namespace lispier
