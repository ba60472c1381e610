//===- LowerKernelVectors.cpp - lower vector ops to one dimension ---------===//
//
// Before: any op of the vector dialect. After: no multi-dimensional reductions,
// and in-bounds transfers of one row are vector.load and vector.store, to which
// AlignVectors, the next pass, adds alignments.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERKERNELVECTORS
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct LowerKernelVectors : impl::LowerKernelVectorsBase<LowerKernelVectors> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto order = vector::VectorMultiReductionLowering::InnerReduction;
    vector::populateVectorMultiReductionLoweringPatterns(patterns, order);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
