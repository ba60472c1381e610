//===- LowerHostVectors.cpp - lower vector ops to one dimension -----------===//
//
// Before: any op of the vector dialect. After: no multi-dimensional reductions, no
// transfers of several rows and no vector.print. Upstream's passes rewrite a whole
// function several times to find none of these ops in it, so they run where there is one.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERHOSTVECTORS
#include "lispier/Loops/Passes.h.inc"

namespace {
struct LowerHostVectors : impl::LowerHostVectorsBase<LowerHostVectors> {
  using LowerHostVectorsBase::LowerHostVectorsBase;

  LowerHostVectors() {
    OpPassManager reduce(func::FuncOp::getOperationName()), transfer(func::FuncOp::getOperationName());
    reduce.addPass(vector::createLowerVectorMultiReductionPass());
    reductions = reduce;
    // Unrolled, the rows of a transfer stay in registers; a loop would go through memory.
    transfer.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
    transfer.addPass(createConvertVectorToSCFPass()); // Transfers that could not be unrolled.
    transfers = transfer;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerHostVectorsBase::getDependentDialects(registry);
    auto add = [&](const auto &option) {
      for (const OpPassManager &passes : option)
        passes.getDependentDialects(registry);
    };
    add(reductions);
    add(transfers);
  }

  void runOnOperation() override {
    auto has = [&](auto isOne) {
      return getOperation()
          .walk([&](Operation *op) { return isOne(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
    };
    auto run = [&](OpPassManager &passes) { return succeeded(runPipeline(passes, getOperation())); };
    if (has([](Operation *op) { return isa<vector::MultiDimReductionOp>(op); }) && !llvm::all_of(*reductions, run))
      return signalPassFailure();
    if (has([](Operation *op) { return isa<vector::TransferReadOp, vector::TransferWriteOp, vector::PrintOp>(op); }) &&
        !llvm::all_of(*transfers, run))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
