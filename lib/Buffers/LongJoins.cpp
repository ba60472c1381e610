//===- LongJoins.cpp - tensors that are joined of many parts --------------===//
#include "LongJoins.h"
#include "lispier/Device/ReducedViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace lispier {
namespace {
/// To compare fewer is no work.
constexpr size_t kManyParts = 16;

/// The insertions into a tensor that begins without elements, the first one first, if `last` is the last of them.
SmallVector<tensor::InsertSliceOp> joinThatEndsWith(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> join;
  if (last->hasOneUse())
    if (auto next = dyn_cast<tensor::InsertSliceOp>(*last->user_begin()); next && next.getDest() == last.getResult())
      return join;
  for (auto op = last; op; op = op.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (op->getBlock() != last->getBlock() || (op != last && !op->hasOneUse()) || !op.hasUnitStride())
      break;
    join.push_back(op);
  }
  if (join.empty() || !join.back().getDest().getDefiningOp<tensor::EmptyOp>())
    return {};
  std::reverse(join.begin(), join.end());
  return join;
}

/// Whether `end` is the sum of the two.
bool isSumOf(OpFoldResult end, OpFoldResult begin, OpFoldResult size) {
  std::optional<int64_t> first = getConstantIntValue(begin), second = getConstantIntValue(size);
  if (std::optional<int64_t> whole = getConstantIntValue(end))
    return first && second && *first + *second == *whole;
  if (first == 0)
    return end == size;
  auto sum = cast<Value>(end).getDefiningOp<arith::AddIOp>();
  auto isOperand = [](Value operand, OpFoldResult wanted) { return isEqualConstantIntOrValue(operand, wanted); };
  return sum && ((isOperand(sum.getLhs(), begin) && isOperand(sum.getRhs(), size)) ||
                 (isOperand(sum.getLhs(), size) && isOperand(sum.getRhs(), begin)));
}

/// Whether each part begins where the one before it ends, along one dimension, so that no two overlap.
bool followEachOther(ArrayRef<tensor::InsertSliceOp> join) {
  auto isNext = [](tensor::InsertSliceOp before, tensor::InsertSliceOp after) {
    for (auto [begin, size, next] :
         llvm::zip(before.getMixedOffsets(), before.getMixedSizes(), after.getMixedOffsets()))
      if (next != begin && isSumOf(next, begin, size))
        return true;
    return false;
  };
  for (size_t i = 1; i < join.size(); ++i)
    if (!isNext(join[i - 1], join[i]))
      return false;
  return true;
}

void store(ArrayRef<tensor::InsertSliceOp> join) {
  tensor::InsertSliceOp first = join.front(), last = join.back();
  auto empty = first.getDest().getDefiningOp<tensor::EmptyOp>();
  OpBuilder b(empty);
  Location loc = empty.getLoc();
  auto type = MemRefType::get(empty.getType().getShape(), empty.getType().getElementType());
  Value memory = memref::AllocOp::create(b, loc, type, empty.getDynamicSizes(), b.getI64IntegerAttr(64));
  for (tensor::InsertSliceOp op : join) {
    b.setInsertionPoint(op);
    Value part = device::reducedView(b, op.getLoc(), memory, op.getSourceType().getShape(), op.getMixedOffsets(),
                                     op.getMixedSizes(), op.getMixedStrides());
    auto stored = bufferization::MaterializeInDestinationOp::create(b, op.getLoc(), op.getSource(), part);
    stored.setRestrict(true);
    stored.setWritable(true);
  }
  Value whole = bufferization::ToTensorOp::create(b, last.getLoc(), last.getType(), memory, /*restrict=*/true,
                                                  /*writable=*/true);
  last.getResult().replaceAllUsesWith(whole);
  for (tensor::InsertSliceOp op : llvm::reverse(join))
    op.erase();
}
} // namespace

void storeLongJoins(ModuleOp module) {
  SmallVector<SmallVector<tensor::InsertSliceOp>> joins;
  module.walk([&](tensor::InsertSliceOp op) {
    SmallVector<tensor::InsertSliceOp> join = joinThatEndsWith(op);
    if (join.size() > kManyParts && followEachOther(join))
      joins.push_back(std::move(join));
  });
  for (ArrayRef<tensor::InsertSliceOp> join : joins)
    store(join);
}

uint64_t countInsertionsBefore(ModuleOp module) {
  llvm::DenseMap<Operation *, uint64_t> before;
  uint64_t all = 0;
  module.walk([&](tensor::InsertSliceOp op) {
    Operation *dest = op.getDest().getDefiningOp();
    auto found = before.find(dest);
    all += before[op] = found == before.end() ? 0 : found->second + 1;
  });
  return all;
}
} // namespace lispier
