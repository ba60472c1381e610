//===- ConstantTensors.cpp - tensors of one number ------------------------===//
#include "ConstantTensors.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// A kernel that reads nothing, and whose only result is new memory.
bool isConstant(group::KernelOp kernel) {
  return kernel.getInputs().empty() && kernel->getNumResults() == 1 && kernel.getInits().size() == 1 &&
         kernel.getInits().front().getDefiningOp<tensor::EmptyOp>();
}

/// Whether the use may become memory that is written: the op's own, or that of which it is given the value.
bool isWritten(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user))
    return loop.getTiedLoopRegionIterArg(&use) != nullptr;
  if (auto kernel = dyn_cast<group::KernelOp>(user))
    return kernel.isDpsInit(&use);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
    return &use == &insert.getDestMutable();
  return isa<bufferization::MaterializeInDestinationOp>(user);
}
} // namespace

void fillWhereWritten(ModuleOp module) {
  module.walk([](group::KernelOp kernel) {
    if (!isConstant(kernel))
      return;
    SmallVector<OpOperand *> written;
    for (OpOperand &use : kernel->getUses())
      if (isWritten(use) && (!kernel->hasOneUse() || use.getOwner()->getBlock() != kernel->getBlock()))
        written.push_back(&use);
    for (OpOperand *use : written) {
      OpBuilder b(use->getOwner());
      Operation *empty = b.clone(*kernel.getInits().front().getDefiningOp());
      auto own = cast<group::KernelOp>(b.clone(*kernel));
      own.getInitsMutable().assign(empty->getResult(0));
      use->set(own->getResult(0));
    }
    if (kernel->use_empty())
      kernel->erase();
  });
}
} // namespace lispier
