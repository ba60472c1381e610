//===- LinalgToParallel.cpp - linalg on memrefs -> scf.parallel -----------===//
//
// Before: linalg ops on memrefs. After: for each op one scf.parallel over its
// parallel dimensions, which contains scf.for loops with the attribute
// device.reduction over the others, so that one op is one launch.
// PromoteAccumulators, the next pass, uses the attribute.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LINALGTOPARALLEL
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// The order of the loops: parallel dimensions first, the one that indexes the output's last dimension last among them,
/// so that adjacent threads write adjacent elements; then the reductions.
SmallVector<unsigned> launchOrder(linalg::GenericOp op) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (output.getNumResults() != 0)
    if (auto last = dyn_cast<AffineDimExpr>(output.getResults().back())) {
      auto *found = llvm::find(parallel, last.getPosition());
      if (found != parallel.end())
        std::rotate(found, found + 1, parallel.end());
    }
  llvm::append_range(parallel, reductions);
  return parallel;
}

/// Wraps `op` in an scf.parallel of one iteration.
void wrapInParallel(RewriterBase &rewriter, Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ParallelOp::create(rewriter, loc, ValueRange(zero), ValueRange(one), ValueRange(one));
  rewriter.moveOpBefore(op, loop.getBody()->getTerminator());
}

LogicalResult lowerToParallel(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return op.emitOpError("has no scalar meaning to make a loop of");
    generic = *made;
  }
  rewriter.setInsertionPoint(generic);
  if (SmallVector<unsigned> order = launchOrder(generic); !llvm::equal(order, llvm::seq<unsigned>(0, order.size()))) {
    FailureOr<linalg::GenericOp> ordered = linalg::interchangeGenericOp(rewriter, generic, order);
    if (succeeded(ordered))
      generic = *ordered;
  }
  if (generic.getNumParallelLoops() == 0)
    wrapInParallel(rewriter, generic);
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToParallelLoops(rewriter, generic);
  if (failed(loops))
    return generic.emitOpError("cannot be lowered to loops");
  for (Operation *loop : *loops)
    if (isa<scf::ForOp>(loop))
      loop->setAttr(device::kReduction, rewriter.getUnitAttr());
  rewriter.eraseOp(generic);
  return success();
}

struct LinalgToParallel : impl::LinalgToParallelBase<LinalgToParallel> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        ops.push_back(linalgOp);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      if (!op.hasPureBufferSemantics()) {
        op.emitOpError("works on tensors; bufferize it before it becomes loops");
        return signalPassFailure();
      }
      if (failed(lowerToParallel(rewriter, op)))
        return signalPassFailure();
    }
    if (ops.empty())
      return;
    // Merge equal index computations: PromoteAccumulators compares indices as values.
    RewritePatternSet patterns(&getContext());
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, &getContext());
    memref::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
} // namespace lispier
