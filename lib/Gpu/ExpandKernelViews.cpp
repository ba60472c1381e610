//===- ExpandKernelViews.cpp - views as offsets and strides ---------------===//
//
// Before: memref.subview and reshapes in kernels. After: arithmetic of affine, and
// casts to the offset, sizes and strides that it computes. The pass applies upstream's
// patterns to such ops only, since upstream's visits all ops of a kernel.
//
//===----------------------------------------------------------------------===//
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDKERNELVIEWS
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct ExpandKernelViews : impl::ExpandKernelViewsBase<ExpandKernelViews> {
  void runOnOperation() override {
    SmallVector<Operation *> views;
    getOperation().walk([&](Operation *op) {
      if (isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::ExtractStridedMetadataOp,
              memref::ExtractAlignedPointerAsIndexOp>(op))
        views.push_back(op);
    });
    if (views.empty())
      return;
    RewritePatternSet patterns(&getContext());
    memref::populateExpandStridedMetadataPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(views, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
