//===- RowLoops.cpp - loops over rows that an op reads by number ----------===//
#include "RowLoops.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/ReducedViews.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
namespace {
class RowLoops {
public:
  explicit RowLoops(linalg::GenericOp op) : op(op), inner(op.getNumLoops() - 1) {}

  /// Whether the op reads rows by number, and has no other loads.
  bool matches() {
    if (op.getNumLoops() == 0 || op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1 ||
        !op.hasPureBufferSemantics() || !op.getIndexingMapsArray().back().isIdentity() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }))
      return false;
    // A subview of a memref of size 0 does not verify, and there is nothing to compute.
    if (llvm::any_of(op->getOperandTypes(), hasNoElements))
      return false;
    for (Operation &inside : op.getBody()->without_terminator())
      if (isa<device::RequireIndexOp>(inside)) {
        if (!llvm::all_of(inside.getOperands(), [&](Value each) { return isShared(each); }))
          return false;
      } else if (auto load = dyn_cast<memref::LoadOp>(inside); load ? !isRow(load) : !isMemoryEffectFree(&inside)) {
        return false;
      }
    return !op.getBody()->getOps<memref::LoadOp>().empty();
  }

  void rewrite(IRRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> ends;
    for (unsigned loop = 0; loop <= inner; ++loop)
      ends.push_back(memref::DimOp::create(rewriter, loc, op.getDpsInits()[0], loop));
    columns = ends.pop_back_val();
    if (ends.empty()) {
      emitRow(rewriter, {});
    } else {
      SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
      scf::ParallelOp::create(rewriter, loc, begins, ends, steps,
                              [&](OpBuilder &b, Location, ValueRange at) { emitRow(b, at); });
    }
    rewriter.eraseOp(op);
  }

private:
  static bool hasNoElements(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && llvm::is_contained(memref.getShape(), 0);
  }

  bool readsInner(OpOperand &operand) { return op.getMatchingIndexingMap(&operand).isFunctionOfDim(inner); }

  /// Whether all elements of a row share the value.
  bool isShared(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
      return !readsInner(*op.getMatchingOpOperand(argument));
    Operation *made = value.getDefiningOp();
    if (!made || made->getBlock() != op.getBody())
      return true;
    if (auto index = dyn_cast<linalg::IndexOp>(made))
      return index.getDim() != inner;
    return !isa<memref::LoadOp>(made) && llvm::all_of(made->getOperands(), [&](Value each) { return isShared(each); });
  }

  bool isRow(memref::LoadOp load) {
    auto column =
        load.getIndices().empty() ? linalg::IndexOp() : load.getIndices().back().getDefiningOp<linalg::IndexOp>();
    auto [strides, offset] = load.getMemRefType().getStridesAndOffset();
    return column && column.getDim() == inner && strides.back() == 1 && !hasNoElements(load.getMemRefType()) &&
           load.getMemRef().getParentBlock() != op.getBody() &&
           llvm::all_of(load.getIndices().drop_back(), [&](Value index) { return isShared(index); });
  }

  /// The part of a memref from the element at `first` on, of `sizes` that are 1 or the number of columns.
  Value part(OpBuilder &b, Value memref, ArrayRef<OpFoldResult> first, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(first.size(), b.getIndexAttr(1));
    return device::reducedView(b, op.getLoc(), memref, {ShapedType::kDynamic}, first, sizes, strides);
  }

  /// The op on the row at `at`.
  void emitRow(OpBuilder &b, ValueRange at) {
    Location loc = op.getLoc();
    IRMapping shared;
    SmallVector<Value> inputs, from; ///< Rows, and the values in the op's body that they are.
    auto rowOf = [&](OpOperand &operand) {
      SmallVector<OpFoldResult> first, sizes;
      for (AffineExpr each : op.getMatchingIndexingMap(&operand).getResults()) {
        unsigned loop = cast<AffineDimExpr>(each).getPosition();
        first.push_back(loop == inner ? OpFoldResult(b.getIndexAttr(0)) : OpFoldResult(at[loop]));
        sizes.push_back(loop == inner ? OpFoldResult(columns) : OpFoldResult(b.getIndexAttr(1)));
      }
      return part(b, operand.get(), first, sizes);
    };
    for (OpOperand *operand : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(operand);
      if (readsInner(*operand)) {
        inputs.push_back(rowOf(*operand));
        from.push_back(argument);
      } else if (isa<MemRefType>(operand->get().getType())) {
        SmallVector<Value> indices;
        for (AffineExpr each : op.getMatchingIndexingMap(operand).getResults())
          indices.push_back(at[cast<AffineDimExpr>(each).getPosition()]);
        shared.map(argument, memref::LoadOp::create(b, loc, operand->get(), indices).getResult());
      } else {
        shared.map(argument, operand->get());
      }
    }
    SmallVector<Operation *> ofElements;
    for (Operation &inside : op.getBody()->without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(inside); index && index.getDim() != inner)
        shared.map(index.getResult(), at[index.getDim()]);
      else if (auto load = dyn_cast<memref::LoadOp>(inside)) {
        SmallVector<OpFoldResult> first, sizes(load.getIndices().size() - 1, b.getIndexAttr(1));
        for (Value each : load.getIndices().drop_back())
          first.push_back(shared.lookupOrDefault(each));
        first.push_back(b.getIndexAttr(0));
        sizes.push_back(columns);
        inputs.push_back(part(b, load.getMemRef(), first, sizes));
        from.push_back(load);
      } else if (isa<device::RequireIndexOp>(inside) ||
                 (isShared(inside.getResult(0)) && !isa<linalg::IndexOp>(inside))) {
        b.clone(inside, shared);
      } else {
        ofElements.push_back(&inside);
      }
    Value out = rowOf(*op.getDpsInitOperand(0));
    SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(1));
    linalg::GenericOp::create(b, loc, inputs, out, maps, {utils::IteratorType::parallel},
                              [&](OpBuilder &nested, Location, ValueRange elements) {
                                IRMapping mapping(shared);
                                mapping.map(from, elements.drop_back());
                                for (Operation *each : ofElements)
                                  if (isa<linalg::IndexOp>(each))
                                    mapping.map(each->getResult(0),
                                                linalg::IndexOp::create(nested, loc, 0).getResult());
                                  else
                                    nested.clone(*each, mapping);
                                Value result = op.getBody()->getTerminator()->getOperand(0);
                                linalg::YieldOp::create(nested, loc, mapping.lookupOrDefault(result));
                              });
  }

  linalg::GenericOp op;
  unsigned inner; ///< The loop along rows.
  Value columns;
};
} // namespace

bool loopOverRows(linalg::GenericOp op, IRRewriter &rewriter) {
  RowLoops loops(op);
  if (!loops.matches())
    return false;
  loops.rewrite(rewriter);
  return true;
}
} // namespace lispier
