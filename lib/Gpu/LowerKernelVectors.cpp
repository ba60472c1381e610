//===- LowerKernelVectors.cpp - lower vector ops to one dimension ---------===//
//
// Before: any op of the vector dialect. After: no multi-dimensional reductions, no
// transfers of several rows, which are unrolled, and in-bounds transfers of one row are vector.load and vector.store,
// to which AlignVectors, the next pass, adds alignments. What is computed of one element is computed as that.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERKERNELVECTORS
#include "lispier/Gpu/Passes.h.inc"

namespace {
bool isSingle(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() && vector.getNumElements() == 1;
}

/// Computes a vector of one element as that element. LLVM 22 ends where it takes such vectors of 8 or 16 bits apart.
void computeElement(Operation *op) {
  OpBuilder b(op);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isSingle(operand.getType())) {
      SmallVector<int64_t> first(cast<VectorType>(operand.getType()).getRank(), 0);
      mapping.map(operand, vector::ExtractOp::create(b, op->getLoc(), operand, first).getResult());
    }
  Operation *element = b.clone(*op, mapping);
  element->getResult(0).setType(getElementTypeOrSelf(op->getResult(0).getType()));
  op->getResult(0).replaceAllUsesWith(
      vector::BroadcastOp::create(b, op->getLoc(), op->getResult(0).getType(), element->getResult(0)));
  op->erase();
}

struct LowerKernelVectors : impl::LowerKernelVectorsBase<LowerKernelVectors> {
  void runOnOperation() override {
    RewritePatternSet rows(&getContext());
    populateVectorToSCFConversionPatterns(rows, VectorTransferToSCFOptions().enableFullUnroll());
    RewritePatternSet patterns(&getContext());
    auto order = vector::VectorMultiReductionLowering::InnerReduction;
    vector::populateVectorMultiReductionLoweringPatterns(patterns, order);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
    if (failed(apply(std::move(rows))) || failed(apply(std::move(patterns))))
      return signalPassFailure();
    SmallVector<Operation *> single;
    getOperation()->walk([&](Operation *op) {
      if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isSingle(op->getResult(0).getType()))
        single.push_back(op);
    });
    llvm::for_each(single, computeElement);
  }

  /// Applies patterns to the few ops that they are for, and to those that they make.
  LogicalResult apply(RewritePatternSet patterns) {
    SmallVector<Operation *> lowered;
    getOperation()->walk([&](Operation *op) {
      if (isa<vector::TransferReadOp, vector::TransferWriteOp, vector::MultiDimReductionOp>(op))
        lowered.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(lowered, std::move(patterns), config);
  }
};
} // namespace
} // namespace lispier
