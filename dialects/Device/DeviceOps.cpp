//===- DeviceOps.cpp - download and replay --------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "lispier/Device/DeviceOps.cpp.inc"

namespace lispier::device {
LogicalResult DownloadOp::verify() {
  auto from = cast<ShapedType>(getSource().getType()), to = cast<ShapedType>(getType());
  if (isa<TensorType>(from) != isa<TensorType>(to) || from.getElementType() != to.getElementType() ||
      from.getShape() != to.getShape())
    return emitOpError("has a result of other type, ") << to << ", than its source, " << from;
  if (auto memory = dyn_cast<MemRefType>(to); memory && !memory.getLayout().isIdentity())
    return emitOpError("allocates contiguous memory, not ") << to;
  return success();
}

/// A tensor is a value, which takes no memory until bufferization.
void DownloadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<TensorType>(getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0));
  effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0));
}

/// Nothing is yielded.
void YieldOp::build(OpBuilder &, OperationState &) {}

void ReplayOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody());
  else
    successors.emplace_back(getOperation(), getResults());
}

void ReplayOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(/*lb=*/1, /*ub=*/1);
}

LogicalResult ReplayOp::verifyRegions() {
  if (getBody().getNumArguments())
    return emitOpError("has a body without arguments; it uses what is defined around it");
  return success();
}

namespace {
/// Drops results that are unused, or that the body has from outside, such as memory that it writes.
struct DropReplayResults : OpRewritePattern<ReplayOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReplayOp replay, PatternRewriter &rewriter) const override {
    if (!replay.getBody().hasOneBlock())
      return failure();
    Operation *yield = replay.getBody().front().getTerminator();
    SmallVector<Value> kept, keptResults;
    for (auto [result, yielded] : llvm::zip(replay.getResults(), yield->getOperands())) {
      if (!replay.getBody().isAncestor(yielded.getParentRegion()))
        rewriter.replaceAllUsesWith(result, yielded);
      if (result.use_empty())
        continue;
      kept.push_back(yielded);
      keptResults.push_back(result);
    }
    if (kept.size() == replay.getNumResults())
      return failure();
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(kept); });
    auto smaller = ReplayOp::create(rewriter, replay.getLoc(), ValueRange(kept).getTypes());
    smaller->setDiscardableAttrs(replay->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(replay.getBody(), smaller.getBody(), smaller.getBody().end());
    for (auto [before, after] : llvm::zip(keptResults, smaller.getResults()))
      rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(replay);
    return success();
  }
};
} // namespace

void ReplayOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropReplayResults>(context);
}

void ReplayOp::inlineBody(llvm::function_ref<void(OpBuilder &)> atEnd) {
  IRRewriter rewriter(getContext());
  SmallVector<YieldOp> ends(getBody().getOps<YieldOp>());
  if (atEnd)
    for (YieldOp end : ends) {
      OpBuilder builder(end);
      atEnd(builder);
    }
  Block *first = &getBody().front();
  if (getBody().hasOneBlock() && ends.size() == 1) {
    SmallVector<Value> results(ends.front().getResults());
    rewriter.eraseOp(ends.front());
    rewriter.inlineBlockBefore(first, getOperation());
    return rewriter.replaceOp(*this, results);
  }
  // The ops after this one become a block, whose arguments are the results.
  Block *before = getOperation()->getBlock();
  Block *after = rewriter.splitBlock(before, std::next(getOperation()->getIterator()));
  SmallVector<Location> places(getNumResults(), getLoc());
  auto arguments = after->addArguments(getResultTypes(), places);
  SmallVector<Value> results(arguments.begin(), arguments.end());
  for (YieldOp end : ends) {
    rewriter.setInsertionPoint(end);
    rewriter.replaceOpWithNewOp<cf::BranchOp>(end, after, end.getResults());
  }
  rewriter.inlineRegionBefore(getBody(), after);
  rewriter.setInsertionPoint(*this);
  cf::BranchOp::create(rewriter, getLoc(), first);
  rewriter.replaceOp(*this, results);
}
} // namespace lispier::device
