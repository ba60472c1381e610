//===- RowViews.cpp - memrefs as rows -------------------------------------===//
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Device/ReducedViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
Value asRows(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 2)
    return memref;
  if (type.getRank() == 1)
    return withOneToken(b, loc, memref);
  ReassociationIndices rows = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  SmallVector<ReassociationIndices> parts{rows, {type.getRank() - 1}};
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, parts) ? collapsed(b, loc, memref, parts) : Value();
}

Value withOneToken(OpBuilder &b, Location loc, Value memref) {
  SmallVector<int64_t> shape(cast<MemRefType>(memref.getType()).getShape());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
  SmallVector<ReassociationIndices> parts{{0}};
  for (int64_t dimension = 1; dimension <= int64_t(shape.size()); ++dimension)
    dimension == 1 ? parts[0].push_back(1) : parts.push_back({dimension});
  shape.insert(shape.begin(), 1), sizes.insert(sizes.begin(), b.getIndexAttr(1));
  return memref::ExpandShapeOp::create(b, loc, shape, memref, parts, sizes);
}

Type rowTypeOf(Value rows) {
  auto type = dyn_cast_or_null<MemRefType>(rows ? rows.getType() : Type());
  return type ? MemRefType::get({1, type.getDimSize(1)}, type.getElementType(), type.getLayout(), type.getMemorySpace())
              : Type();
}

Value firstRow(OpBuilder &b, Value rows) {
  Type row = rowTypeOf(rows);
  if (!row || row == rows.getType())
    return rows;
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

llvm::SetVector<Operation *> usersOf(Value memory) {
  llvm::SetVector<Operation *> users;
  SmallVector<Value> aliases{memory};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers())
      if (isa<ViewLikeOpInterface, memref::TransposeOp>(user))
        llvm::append_range(aliases, user->getResults());
      else if (!isa<memref::DimOp>(user))
        users.insert(user);
  return users;
}

bool uses(Operation &op, Value memory) {
  auto usesIt = [&](Operation *inside) {
    auto copy = dyn_cast<memref::CopyOp>(inside);
    if (isa<ViewLikeOpInterface, memref::TransposeOp, memref::DimOp>(inside) ||
        (copy && isSameMemory(copy.getSource(), copy.getTarget())))
      return false;
    return llvm::any_of(inside->getOperands(), [&](Value operand) {
      return isa<BaseMemRefType>(operand.getType()) && rootOf(operand) == rootOf(memory);
    });
  };
  return op.walk([&](Operation *inside) { return usesIt(inside) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

namespace {
/// The dimension of each part that has more than one element, or the first; none if several may have.
std::optional<SmallVector<int64_t>> properDimensions(ArrayRef<ReassociationIndices> parts, MemRefType wide) {
  SmallVector<int64_t> found;
  for (const ReassociationIndices &part : parts) {
    auto proper = llvm::filter_to_vector(part, [&](int64_t each) { return wide.getDimSize(each) != 1; });
    if (proper.size() > 1)
      return std::nullopt;
    found.push_back(proper.empty() ? part.front() : proper[0]);
  }
  return found;
}

bool isPartOrShape(Operation *op) {
  return isa_and_nonnull<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(op) &&
         isa<MemRefType>(op->getOperand(0).getType());
}

/// Makes the part that of its subview.
bool takePart(MemoryPart &part, memref::SubViewOp view) {
  SmallVector<int64_t> kept;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [at, place] : llvm::enumerate(part.places)) {
    OpFoldResult own = view.getMixedOffsets()[at];
    if (place >= 0) {
      OpFoldResult &offset = part.offsets[place];
      std::optional<int64_t> a = getConstantIntValue(offset), b = getConstantIntValue(own);
      if (a != 0 && b != 0 && !(a && b))
        return false;
      offset = a == 0 ? own : b == 0 ? offset : Builder(view.getContext()).getIndexAttr(*a + *b);
      part.sizes[place] = view.getMixedSizes()[at];
    }
    if (!dropped.test(at))
      kept.push_back(place);
  }
  part.places = kept;
  return view.hasUnitStride();
}

/// Makes the part that of its reshape.
bool takeShape(MemoryPart &part, Operation *view) {
  auto expand = dyn_cast<memref::ExpandShapeOp>(view);
  auto collapse = dyn_cast<memref::CollapseShapeOp>(view);
  auto proper = expand ? properDimensions(expand.getReassociationIndices(), expand.getResultType())
                       : properDimensions(collapse.getReassociationIndices(), collapse.getSrcType());
  if (!proper)
    return false;
  SmallVector<int64_t> next(expand ? expand.getResultType().getRank() : proper->size(), -1);
  for (auto [at, dimension] : llvm::enumerate(*proper))
    (expand ? next[dimension] : next[at]) = part.places[expand ? at : dimension];
  part.places = next;
  return true;
}
} // namespace

Value wholeOf(Value memref) {
  while (isPartOrShape(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

std::optional<MemoryPart> partOf(Value view, Value whole) {
  SmallVector<Operation *> views;
  for (Value at = view; at != whole; at = views.back()->getOperand(0)) {
    views.push_back(at.getDefiningOp());
    if (!isPartOrShape(views.back()))
      return std::nullopt;
  }
  int64_t rank = cast<MemRefType>(whole.getType()).getRank();
  MemoryPart part{SmallVector<OpFoldResult>(rank, Builder(view.getContext()).getIndexAttr(0)),
                  {},
                  llvm::to_vector(llvm::seq(rank))};
  for (int64_t dimension : part.places)
    part.sizes.push_back(knownSize(whole, dimension));
  for (Operation *each : llvm::reverse(views)) {
    auto subview = dyn_cast<memref::SubViewOp>(each);
    if (!isa<memref::CastOp>(each) && !(subview ? takePart(part, subview) : takeShape(part, each)))
      return std::nullopt;
  }
  return part;
}

Value sameRows(OpBuilder &b, Value x, memref::AllocOp whole, Value part) {
  Value own = part;
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(own.getDefiningOp()))
    own = own.getDefiningOp()->getOperand(0);
  auto view = own.getDefiningOp<memref::SubViewOp>();
  if (cast<MemRefType>(x.getType()).getShape() != whole.getType().getShape() ||
      (own != whole.getResult() && (!view || view.getSource() != whole.getResult())))
    return {};
  Value rows = x;
  if (view) {
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), sizes = view.getMixedSizes(),
                              strides = view.getMixedStrides();
    if (sizes.back() != whole.getMixedSizes().back() || !isConstantIntValue(offsets.back(), 0) || !view.hasUnitStride())
      return {};
    auto type = memref::SubViewOp::inferRankReducedResultType(view.getType().getShape(), cast<MemRefType>(x.getType()),
                                                              offsets, sizes, strides);
    rows = memref::SubViewOp::create(b, part.getLoc(), type, x, offsets, sizes, strides);
  }
  if (own != part)
    rows = asRows(b, part.getLoc(), rows);
  bool isAlike = rows && cast<MemRefType>(rows.getType()).getShape() == cast<MemRefType>(part.getType()).getShape();
  return isAlike ? rows : Value();
}
} // namespace lispier
