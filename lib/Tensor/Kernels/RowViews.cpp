//===- RowViews.cpp - memrefs as rows -------------------------------------===//
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
Value asRows(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 2)
    return memref;
  if (type.getRank() == 1) {
    SmallVector<OpFoldResult> sizes{b.getIndexAttr(1), memref::getMixedSize(b, loc, memref, 0)};
    return memref::ExpandShapeOp::create(b, loc, {1, type.getDimSize(0)}, memref, {{0, 1}}, sizes);
  }
  ReassociationIndices rows = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  SmallVector<ReassociationIndices> parts{rows, {type.getRank() - 1}};
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, parts) ? collapsed(b, loc, memref, parts) : Value();
}

Value firstRow(OpBuilder &b, Value rows) {
  if (!rows)
    return rows;
  auto type = cast<MemRefType>(rows.getType());
  if (type.getDimSize(0) == 1)
    return rows;
  auto row = MemRefType::get({1, type.getDimSize(1)}, type.getElementType(), type.getLayout(), type.getMemorySpace());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult columns = memref::getMixedSize(b, rows.getLoc(), rows, 1);
  Value first = memref::SubViewOp::create(b, rows.getLoc(), rows, {zero, zero}, {one, columns}, {one, one});
  return memref::CastOp::create(b, rows.getLoc(), row, first);
}

scf::IfOp ifOneRow(OpBuilder &b, Value rows) {
  Location loc = rows.getLoc();
  Value size = memref::DimOp::create(b, loc, rows, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, one);
  return scf::IfOp::create(b, loc, isOne, /*withElseRegion=*/true);
}

void eraseUnused(Value view, Value memref) {
  while (view && view != memref && view.use_empty()) {
    Operation *made = view.getDefiningOp();
    view = made->getOperand(0);
    made->erase();
  }
}

Value sameRows(OpBuilder &b, Value x, memref::AllocOp whole, Value part) {
  SmallVector<Operation *> views;
  for (Value at = part; at != whole; at = views.back()->getOperand(0))
    views.push_back(at.getDefiningOp());
  if (cast<MemRefType>(x.getType()).getShape() != whole.getType().getShape() ||
      !llvm::all_of(views, llvm::IsaPred<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp>))
    return {};
  Value rows = x;
  for (Operation *view : llvm::reverse(views)) {
    auto subview = dyn_cast<memref::SubViewOp>(view);
    if (!subview) {
      rows = asRows(b, part.getLoc(), rows);
      break; // Of a product's x, the last view only.
    }
    SmallVector<OpFoldResult> sizes = subview.getMixedSizes();
    bool isOfRows = subview.getSource() == whole.getResult() && sizes.back() == whole.getMixedSizes().back() &&
                    isConstantIntValue(subview.getMixedOffsets().back(), 0) && subview.hasUnitStride();
    if (!isOfRows)
      return {};
    auto type =
        memref::SubViewOp::inferRankReducedResultType(subview.getType().getShape(), cast<MemRefType>(x.getType()),
                                                      subview.getMixedOffsets(), sizes, subview.getMixedStrides());
    rows = memref::SubViewOp::create(b, part.getLoc(), type, x, subview.getMixedOffsets(), sizes,
                                     subview.getMixedStrides());
  }
  if (rows && cast<MemRefType>(rows.getType()).getShape() == cast<MemRefType>(part.getType()).getShape())
    return rows;
  eraseUnused(rows, x);
  return {};
}
} // namespace lispier
