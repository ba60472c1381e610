//===- ReducedViews.cpp - parts of memrefs, of lower rank -----------------===//
#include "lispier/Device/ReducedViews.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier::device {
SmallVector<ReassociationIndices> groupsOfKept(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  bool hasKept = false; // In the last group.
  for (unsigned d = 0; d < dropped.size(); ++d) {
    if (groups.empty() || (!dropped.test(d) && hasKept))
      groups.emplace_back();
    hasKept |= !dropped.test(d);
    groups.back().push_back(d);
  }
  if (dropped.all())
    groups.clear();
  return groups;
}

namespace {
/// Whether what is left of the sizes without either of these is the same. Dimensions of size 1 can be exchanged.
bool leaveTheSame(ArrayRef<OpFoldResult> sizes, const llvm::SmallBitVector &some, const llvm::SmallBitVector &others) {
  SmallVector<OpFoldResult> left, right;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!some.test(d))
      left.push_back(size);
    if (!others.test(d))
      right.push_back(size);
  }
  return left == right;
}
} // namespace

Value reducedView(OpBuilder &b, memref::SubViewOp view) {
  SmallVector<OpFoldResult> sizes = view.getMixedSizes();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(isa<Value>(size) ? ShapedType::kDynamic : *getConstantIntValue(size));
  auto lacking = computeRankReductionMask(shape, view.getType().getShape());
  if (!lacking)
    return view;
  llvm::SmallBitVector dropped(sizes.size());
  for (unsigned d : *lacking)
    dropped.set(d);
  if (leaveTheSame(sizes, dropped, view.getDroppedDims()))
    return view;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(view);
  Location loc = view.getLoc();
  Value whole =
      memref::SubViewOp::create(b, loc, view.getSource(), view.getMixedOffsets(), sizes, view.getMixedStrides());
  Value part = memref::CollapseShapeOp::create(b, loc, whole, groupsOfKept(dropped));
  if (part.getType() != view.getType())
    part = memref::CastOp::create(b, loc, view.getType(), part);
  view.replaceAllUsesWith(part);
  view.erase();
  return part;
}

Value reducedView(OpBuilder &b, Location loc, Value memref, ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  MemRefType type =
      memref::SubViewOp::inferRankReducedResultType(shape, cast<MemRefType>(memref.getType()), offsets, sizes, strides);
  return reducedView(b, memref::SubViewOp::create(b, loc, type, memref, offsets, sizes, strides));
}
} // namespace lispier::device
