//===- RoundedValues.cpp - 16-bit floats between a kernel's ops -----------===//
#include "RoundedValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
template <typename Op> bool mayContract(Op op) {
  return op.getFastmath() && bitEnumContainsAll(*op.getFastmath(), arith::FastMathFlags::contract);
}

/// The rounding of result `i` that may be left out for ops that read it as a wider number; null if there is none.
arith::TruncFOp roundingOf(linalg::GenericOp op, unsigned i) {
  auto rounding = op.getBody()->getTerminator()->getOperand(i).getDefiningOp<arith::TruncFOp>();
  return rounding && rounding->getBlock() == op.getBody() && mayContract(rounding) ? rounding : nullptr;
}

/// The number that the op's body takes for the operand, if it is one that the body only widens to `wide`.
BlockArgument widenedNumber(OpOperand &use, Type wide) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || !op.isDpsInput(&use))
    return nullptr;
  BlockArgument number = op.getMatchingBlockArgument(&use);
  bool isWidened = llvm::all_of(number.getUsers(), [&](Operation *user) {
    auto widening = dyn_cast<arith::ExtFOp>(user);
    return widening && widening.getType() == wide && mayContract(widening);
  });
  return isWidened ? number : nullptr;
}

void keepWide(linalg::GenericOp op, unsigned i) {
  arith::TruncFOp rounding = roundingOf(op, i);
  OpResult result = op->getResult(i);
  OpOperand &init = *op.getDpsInitOperand(i);
  BlockArgument old = op.getMatchingBlockArgument(&init);
  if (!rounding || result.use_empty() || !old.use_empty())
    return;
  Type wide = rounding.getIn().getType();
  SmallVector<BlockArgument> numbers;
  for (OpOperand &use : result.getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    numbers.push_back(widenedNumber(use, wide));
    if (!numbers.back())
      return;
  }
  OpBuilder b(op);
  SmallVector<OpFoldResult> sizes;
  if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>())
    sizes = empty.getMixedSizes();
  else
    sizes = tensor::getMixedSizes(b, op.getLoc(), init.get());
  init.set(tensor::EmptyOp::create(b, op.getLoc(), sizes, wide));
  result.setType(cast<RankedTensorType>(result.getType()).clone(wide));
  old.setType(wide);
  op.getBody()->getTerminator()->setOperand(i, rounding.getIn());
  if (rounding->use_empty())
    rounding->erase();
  for (BlockArgument number : numbers) {
    number.setType(wide);
    for (Operation *widening : llvm::make_early_inc_range(number.getUsers())) {
      widening->getResult(0).replaceAllUsesWith(number);
      widening->erase();
    }
  }
}
} // namespace

void keepWideInside(group::KernelOp kernel) {
  for (linalg::GenericOp op : kernel.getBody().getOps<linalg::GenericOp>())
    for (unsigned i : llvm::seq(op.getNumResults()))
      keepWide(op, i);
}

SmallVector<arith::TruncFOp> roundingsIn(group::KernelOp kernel) {
  SmallVector<arith::TruncFOp> roundings;
  kernel->walk([&](arith::TruncFOp op) {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() == 16)
      roundings.push_back(op);
  });
  return roundings;
}
} // namespace lispier
