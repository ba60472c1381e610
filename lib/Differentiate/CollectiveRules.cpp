//===- CollectiveRules.cpp - adjoints of collectives ----------------------===//
//
// What each rank adds to a sum has the sum's cotangent, which all ranks have. Where
// the gradient of a value that all have is a partial sum, lispier-check-placements
// adds the parts.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// The tensor divided by the number of ranks along the axes.
Value dividedByRanks(OpBuilder &b, Location loc, Value tensor, ArrayAttr axes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value ranks = comm::SizeOp::create(b, loc, b.getIndexType(), axes);
  ranks = arith::IndexCastOp::create(b, loc, b.getI64Type(), ranks);
  Value count = arith::SIToFPOp::create(b, loc, type.getElementType(), ranks);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor), type.getElementType());
  return linalg::GenericOp::create(b, loc, empty.getType(), tensor, empty, maps, iterators,
                                   [&](OpBuilder &inner, Location at, ValueRange arguments) {
                                     Value quotient = arith::DivFOp::create(inner, at, arguments[0], count);
                                     linalg::YieldOp::create(inner, at, quotient);
                                   })
      ->getResult(0);
}

/// A tensor like the operand of a collective.
Value emptyLike(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor), type.getElementType());
}

LogicalResult refuseExtreme(Operation *op, Reverse &reverse) {
  return reverse.refuse(op, "the greatest or least over ranks has no gradient",
                        "write (stop-gradient ...) around the value if it is to count as a constant");
}

bool isExtreme(comm::Combine by) { return by == comm::Combine::Max || by == comm::Combine::Min; }

/// The parts of the cotangent of all ranks, joined.
Value gathered(Reverse &reverse, Location loc, Value cotangent, Value like, uint64_t dimension, ArrayAttr axes) {
  Value out = emptyLike(reverse.b, loc, like);
  Value whole = comm::AllGatherOp::create(reverse.b, loc, out.getType(), cotangent, out, dimension, axes)->getResult(0);
  return reverse.asType(loc, whole, like.getType());
}
} // namespace

LogicalResult reverseAllReduce(Operation *op, Reverse &reverse) {
  auto reduce = cast<comm::AllReduceOp>(op);
  if (isExtreme(reduce.getBy()))
    return refuseExtreme(op, reverse);
  Value cotangent = reverse.take(op->getResult(0));
  if (reduce.getBy() == comm::Combine::Mean)
    cotangent = dividedByRanks(reverse.b, op->getLoc(), cotangent, reduce.getAxes());
  reverse.add(reduce.getIn(), reverse.asType(op->getLoc(), cotangent, reduce.getIn().getType()));
  return success();
}

LogicalResult reverseAllGather(Operation *op, Reverse &reverse) {
  auto gather = cast<comm::AllGatherOp>(op);
  Value out = emptyLike(reverse.b, op->getLoc(), gather.getIn());
  Value part = comm::OwnPartOp::create(reverse.b, op->getLoc(), out.getType(), reverse.take(op->getResult(0)), out,
                                       gather.getDimension(), gather.getAxes())
                   ->getResult(0);
  reverse.add(gather.getIn(), reverse.asType(op->getLoc(), part, gather.getIn().getType()));
  return success();
}

LogicalResult reverseReduceScatter(Operation *op, Reverse &reverse) {
  auto scatter = cast<comm::ReduceScatterOp>(op);
  if (isExtreme(scatter.getBy()))
    return refuseExtreme(op, reverse);
  Value cotangent = reverse.take(op->getResult(0));
  if (scatter.getBy() == comm::Combine::Mean)
    cotangent = dividedByRanks(reverse.b, op->getLoc(), cotangent, scatter.getAxes());
  reverse.add(scatter.getIn(),
              gathered(reverse, op->getLoc(), cotangent, scatter.getIn(), scatter.getDimension(), scatter.getAxes()));
  return success();
}

LogicalResult reverseOwnPart(Operation *op, Reverse &reverse) {
  auto part = cast<comm::OwnPartOp>(op);
  reverse.add(part.getIn(), gathered(reverse, op->getLoc(), reverse.take(op->getResult(0)), part.getIn(),
                                     part.getDimension(), part.getAxes()));
  return success();
}

LogicalResult reverseAssume(Operation *op, Reverse &reverse) {
  reverse.add(op->getOperand(0), reverse.take(op->getResult(0)));
  return success();
}
} // namespace lispier
