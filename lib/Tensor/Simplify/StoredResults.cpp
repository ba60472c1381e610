//===- StoredResults.cpp - results in the caller's memory -----------------===//
//
// Before: bufferization.materialize_in_destination of a reshaped tensor. After: of
// the tensor itself, in a reshaped view of the memref. Bufferization puts only such a
// tensor where it is stored; another would be computed elsewhere and copied.
//
//===----------------------------------------------------------------------===//
#include "StoredResults.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// Whether nothing else in the function uses the memory of which `memref` is a view: bufferization orders accesses by
/// the memref, not by memory.
bool isOnlyUse(Operation *store, Value memref) {
  SmallVector<Value> views{rootOf(memref)};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else if (user != store && !isa<memref::DimOp>(user))
        return false;
    }
  return true;
}

/// After all of `values`, which dominate `op`.
void setInsertionPointAfterAll(OpBuilder &b, ArrayRef<Value> values, Operation *op) {
  Operation *latest = nullptr;
  for (Value value : values) {
    Operation *made = value.getDefiningOp();
    Operation *here = made ? op->getBlock()->findAncestorOpInBlock(*made) : nullptr;
    if (here && (!latest || latest->isBeforeInBlock(here)))
      latest = here;
  }
  if (latest)
    b.setInsertionPointAfter(latest);
  else
    b.setInsertionPointToStart(op->getBlock());
}

struct StoreBeforeReshape : OpRewritePattern<bufferization::MaterializeInDestinationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(bufferization::MaterializeInDestinationOp store,
                                PatternRewriter &rewriter) const override {
    Operation *reshape = store.getSource().getDefiningOp();
    auto memory = dyn_cast<TypedValue<MemRefType>>(store.getDest());
    if (!memory || !memory.getType().getLayout().isIdentity() || !reshape || !reshape->hasOneUse() ||
        !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape) || !isOnlyUse(store, memory))
      return failure();
    auto stored = cast<RankedTensorType>(store.getSource().getType());
    auto source = cast<TypedValue<RankedTensorType>>(reshape->getOperand(0));
    MemRefType type = memory.getType();
    auto withShape = [&](ArrayRef<int64_t> shape) {
      return MemRefType::get(shape, type.getElementType(), AffineMap(), type.getMemorySpace());
    };
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
    SmallVector<OpFoldResult> sizes;
    if (collapse) {
      sizes = sizesMadeWith(source);
      if (sizes.empty())
        return failure();
    }
    SmallVector<Value> needed{memory};
    for (OpFoldResult size : sizes)
      if (auto value = dyn_cast<Value>(size))
        needed.push_back(value);
    setInsertionPointAfterAll(rewriter, needed, store);
    Location loc = store.getLoc();
    Value view = memory;
    if (type.getShape() != stored.getShape())
      view = memref::CastOp::create(rewriter, loc, withShape(stored.getShape()), view);
    if (collapse)
      view = memref::ExpandShapeOp::create(rewriter, loc, withShape(source.getType().getShape()), view,
                                           collapse.getReassociationIndices(), sizes);
    else
      view = memref::CollapseShapeOp::create(rewriter, loc, view,
                                             cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices());
    rewriter.modifyOpInPlace(store, [&] {
      store.getSourceMutable().assign(source);
      store.getDestMutable().assign(view);
    });
    return success();
  }
};

/// Moves what `op` needs of ops between `first` and it to `first`; and the op itself.
bool moveBefore(Operation *op, Operation *first) {
  SetVector<Operation *> needed;
  SmallVector<Operation *> open{op};
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (!needed.insert(next) || (next != op && (!isPure(next) || next->getNumRegions() > 0)))
      continue;
    next->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *made = operand.getDefiningOp();
            made && made->getBlock() == first->getBlock() && (made == first || first->isBeforeInBlock(made)))
          open.push_back(made);
    });
  }
  if (llvm::any_of(needed, [&](Operation *each) {
        return each != op && (!isPure(each) || each->getNumRegions() > 0 ||
                              llvm::any_of(each->getOperandTypes(), llvm::IsaPred<TensorType>));
      }))
    return false;
  SmallVector<Operation *> sorted(needed.begin(), needed.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *each : sorted)
    each->moveBefore(first);
  return true;
}
} // namespace

void addStoreBeforeReshape(RewritePatternSet &patterns) { patterns.add<StoreBeforeReshape>(patterns.getContext()); }

void checkSizesFirst(Block &block) {
  Operation *first = nullptr; // Of the tensor ops behind which only such, pure ones and checks were.
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<linalg::LinalgOp>(op)) {
      if (!first)
        first = &op;
    } else if (isErrorCheck(&op)) {
      if (first)
        moveBefore(&op, first);
    } else if (!isMemoryEffectFree(&op)) {
      first = nullptr;
    }
  }
}
} // namespace lispier
