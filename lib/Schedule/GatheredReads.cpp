//===- GatheredReads.cpp - reads at numbers that are data -----------------===//
//
// A GPU reads 0 outside of a tensor. A CPU would read other memory, or end the program
// by a signal.
//
//===----------------------------------------------------------------------===//
#include "GatheredReads.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/ConstantRange.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr unsigned kMostDepth = 8;

/// The numbers that an index of an op's body may have, with loops of these sizes.
llvm::ConstantRange rangeOf(Value index, ArrayRef<int64_t> loops, unsigned depth = 0) {
  using Range = llvm::ConstantRange;
  Range all = Range::getFull(64);
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Range(APInt(64, *constant, /*isSigned=*/true));
  if (auto place = index.getDefiningOp<linalg::IndexOp>()) {
    int64_t size = loops[place.getDim()];
    return ShapedType::isDynamic(size) ? all : Range(APInt(64, 0), APInt(64, size));
  }
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex() || depth == kMostDepth)
    return all;
  Range a = rangeOf(op->getOperand(0), loops, depth + 1), b = rangeOf(op->getOperand(1), loops, depth + 1);
  return llvm::TypeSwitch<Operation *, Range>(op)
      .Case([&](arith::AddIOp) { return a.add(b); })
      .Case([&](arith::SubIOp) { return a.sub(b); })
      .Case([&](arith::MulIOp) { return a.multiply(b); })
      .Case([&](arith::MaxSIOp) { return a.smax(b); })
      .Case([&](arith::MinSIOp) { return a.smin(b); })
      .Default([&](Operation *) { return all; });
}
} // namespace

SmallVector<unsigned> uncheckedDimensions(tensor::ExtractOp extract, linalg::LinalgOp op) {
  auto table = extract.getTensor().getType();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> unchecked;
  if (llvm::is_contained(ranges, 0)) // Nothing is read.
    return unchecked;
  for (auto [dimension, index] : llvm::enumerate(extract.getIndices())) {
    int64_t size = table.getDimSize(dimension);
    bool isKnown = !ShapedType::isDynamic(size);
    llvm::ConstantRange range = rangeOf(index, ranges);
    if (!isKnown || range.getSignedMin().isNegative() || range.getSignedMax().sge(size))
      unchecked.push_back(dimension);
  }
  return unchecked;
}

namespace {
/// Of a place of the op's own, the last one: it is checked once, before the op, and costs nothing in it.
void requirePlaces(linalg::LinalgOp op, tensor::ExtractOp extract, unsigned dimension, unsigned loop) {
  OpBuilder b(op);
  Location loc = extract.getLoc();
  Value range = getValueOrCreateConstantIndexOp(b, loc, op.createLoopRanges(b, loc)[loop].size);
  Value size = tensor::DimOp::create(b, loc, extract.getTensor(), dimension);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, range, zero);
  Value last = arith::SubIOp::create(b, loc, arith::MaxSIOp::create(b, loc, range, one), one);
  Value outside = arith::MinSIOp::create(b, loc, last, size); // The first one that is outside, if one is.
  device::RequireIndexOp::create(b, loc, outside, arith::SelectOp::create(b, loc, isEmpty, one, size), dimension);
}
} // namespace

void requireElements(group::KernelOp kernel) {
  kernel.getBody().walk([&](tensor::ExtractOp extract) {
    auto op = dyn_cast<linalg::LinalgOp>(extract->getParentOp());
    if (!op)
      return;
    for (unsigned dimension : uncheckedDimensions(extract, op)) {
      Value index = extract.getIndices()[dimension];
      if (auto place = index.getDefiningOp<linalg::IndexOp>()) {
        requirePlaces(op, extract, dimension, place.getDim());
        continue;
      }
      OpBuilder b(extract);
      Value size = tensor::DimOp::create(b, extract.getLoc(), extract.getTensor(), dimension);
      device::RequireIndexOp::create(b, extract.getLoc(), index, size, dimension);
    }
  });
}

void readZerosOutside(group::KernelOp kernel) {
  kernel.getBody().walk([](tensor::ExtractOp extract) {
    auto op = dyn_cast<linalg::LinalgOp>(extract->getParentOp());
    if (!op)
      return;
    OpBuilder b(extract);
    Location loc = extract.getLoc();
    Value isInside;
    SmallVector<unsigned> unchecked = uncheckedDimensions(extract, op);
    for (unsigned dimension : unchecked) {
      Value size = tensor::DimOp::create(b, loc, extract.getTensor(), dimension);
      Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, extract.getIndices()[dimension], size);
      isInside = isInside ? arith::AndIOp::create(b, loc, isInside, one).getResult() : one;
    }
    if (!isInside)
      return;
    Value first = arith::ConstantIndexOp::create(b, loc, 0);
    for (unsigned dimension : unchecked) {
      OpOperand &index = extract.getIndicesMutable()[dimension];
      index.set(arith::SelectOp::create(b, loc, isInside, index.get(), first));
    }
    b.setInsertionPointAfter(extract);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(extract.getType()));
    auto found = arith::SelectOp::create(b, loc, isInside, extract, zero);
    extract.getResult().replaceAllUsesExcept(found, found);
  });
}
} // namespace lispier
