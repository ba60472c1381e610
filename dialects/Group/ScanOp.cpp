//===- ScanOp.cpp - group.scan --------------------------------------------===//
#include "lispier/Group/ScanLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace lispier::group {
LogicalResult ScanOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType());
  if (int64_t dimension = getDimension(); dimension < 0 || dimension >= type.getRank())
    return emitOpError("is along dimension ") << dimension << " of a tensor of " << type.getRank();
  return success();
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInit()));
  return success();
}

ScanOp scanIn(KernelOp kernel) {
  auto found = kernel.getBody().front().getOps<ScanOp>();
  return found.empty() ? ScanOp() : *found.begin();
}

void expandScan(ScanOp op) {
  IRRewriter b(op.getContext());
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getSource().getType());
  int64_t rank = type.getRank(), along = op.getDimension();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, op.getSource());
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  Value count = getValueOrCreateConstantIndexOp(b, loc, sizes[along]);
  sizes[along] = b.getIndexAttr(1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value start = linalg::FillOp::create(b, loc, op.getStart(), empty).getResult(0);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto step = [&](OpBuilder &at, Location, Value i, ValueRange carried) {
    offsets[along] = i;
    if (op.getReverse())
      offsets[along] = arith::SubIOp::create(at, loc, arith::SubIOp::create(at, loc, count, one), i).getResult();
    auto slice = tensor::ExtractSliceOp::create(at, loc, cast<RankedTensorType>(start.getType()), op.getSource(),
                                                offsets, sizes, strides);
    auto combine = [&](OpBuilder &inner, Location, ValueRange elements) {
      Value sum = vector::makeArithReduction(inner, loc, op.getKind(), elements[1], elements[0]);
      linalg::YieldOp::create(inner, loc, sum);
    };
    Value next = linalg::GenericOp::create(at, loc, start.getType(), ValueRange{slice}, ValueRange{carried[1]}, maps,
                                           iterators, combine)
                     .getResult(0);
    Value made = tensor::InsertSliceOp::create(at, loc, op.getExclusive() ? carried[1] : next, carried[0], offsets,
                                               sizes, strides);
    scf::YieldOp::create(at, loc, ValueRange{made, next});
  };
  auto loop = scf::ForOp::create(b, loc, zero, count, one, ValueRange{op.getInit(), start}, step);
  b.replaceOp(op, loop.getResult(0));
}
} // namespace lispier::group
