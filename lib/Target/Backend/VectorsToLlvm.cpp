//===- VectorsToLlvm.cpp - vector ops that the gpu conversion does not know --===//
//
// Before: kernels with vector ops. After: all that are left are such that the
// conversion of the gpu dialect converts too, which are nearly all there are.
// Upstream's convert-vector-to-llvm, whose patterns visit all ops of a kernel
// twice, runs only where there are others.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Backend/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_VECTORSTOLLVM
#include "lispier/Target/Backend/Passes.h.inc"

namespace {
bool isShort(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || (vector.getRank() == 1 && !vector.isScalable());
}

/// Whether it takes a pattern of convert-vector-to-llvm's own to convert `op`.
bool isUnknown(Operation *op) {
  if (!isa<vector::VectorDialect>(op->getDialect()))
    return false;
  if (!llvm::all_of(op->getOperandTypes(), isShort) || !llvm::all_of(op->getResultTypes(), isShort))
    return true;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isa<VectorType>(broadcast.getSourceType());
  return !isa<vector::LoadOp, vector::StoreOp, vector::ExtractOp, vector::InsertOp, vector::FromElementsOp,
              vector::ToElementsOp, vector::FMAOp, vector::BitCastOp, vector::ShuffleOp, vector::ReductionOp>(op);
}

struct VectorsToLlvm : impl::VectorsToLlvmBase<VectorsToLlvm> {
  using VectorsToLlvmBase::VectorsToLlvmBase;

  VectorsToLlvm() {
    OpPassManager passes(gpu::GPUModuleOp::getOperationName());
    passes.addPass(createSharedVectors()); // The next pass supports numeric memory spaces only.
    passes.addPass(createConvertVectorToLLVMPass());
    conversion = passes;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
    for (const OpPassManager &passes : conversion)
      passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (failed(shuffleSlices()))
      return signalPassFailure();
    bool any = getOperation()
                   .walk([](Operation *op) { return isUnknown(op) ? WalkResult::interrupt() : WalkResult::advance(); })
                   .wasInterrupted();
    for (OpPassManager &passes : *conversion)
      if (any && failed(runPipeline(passes, getOperation())))
        return signalPassFailure();
  }

  /// Of the registers of fragments.
  LogicalResult shuffleSlices() {
    SmallVector<Operation *> slices;
    getOperation().walk([&](Operation *op) {
      if (isa<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(op))
        slices.push_back(op);
    });
    if (slices.empty())
      return success();
    RewritePatternSet patterns(&getContext());
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(slices, std::move(patterns), config);
  }
};
} // namespace
} // namespace lispier
