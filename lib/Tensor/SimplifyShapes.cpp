//===- SimplifyShapes.cpp - dimensions of size 1, and equal sizes ---------===//
//
// Before: elementwise ops and reductions on tensors of any shape, such as the means
// of rows with a dimension of 1 that :keep left. After: without dimensions of 1, so
// that a mean has the rows of the sum that it comes from; sizes of results are
// sizes of operands. What groups compare are loops and values, not sizes.
//
//===----------------------------------------------------------------------===//
#include "TensorRoles.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lispier {
#define GEN_PASS_DEF_SIMPLIFYSHAPES
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Products keep their dimensions, by which kernels are chosen.
SmallVector<unsigned> droppedDims(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics())
    return {};
  TensorRole role = roleOf(generic);
  if (role != TensorRole::Elementwise && role != TensorRole::Reduction)
    return {};
  return llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops()));
}

struct SimplifyShapes : impl::SimplifyShapesBase<SimplifyShapes> {
  void runOnOperation() override {
    if (!getOperation().walk([](linalg::LinalgOp op) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    linalg::ControlDropUnitDims control;
    control.controlFn = droppedDims;
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldUnitExtentDimsPatterns(patterns, control);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns); // Destinations are made in the shape that is left.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
