//===- ConvertHostVectors.cpp - vector ops of host code to LLVM -----------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

namespace lispier {
#define GEN_PASS_DEF_CONVERTHOSTVECTORS
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
void addConversion(OpPassManager &passes) {
  ConvertVectorToLLVMPassOptions options;
  options.x86Vector = true;
  options.amx = true;
  passes.addPass(
      createConvertVectorToLLVMPass(options)); // Includes progressive lowerings, which convert-to-llvm lacks.
}

struct ConvertHostVectors : lispier::impl::ConvertHostVectorsBase<ConvertHostVectors> {
  using ConvertHostVectorsBase::ConvertHostVectorsBase;

  ConvertHostVectors() {
    OpPassManager eachFunction(ModuleOp::getOperationName()), module(ModuleOp::getOperationName());
    addConversion(eachFunction.nest<func::FuncOp>());
    addConversion(module);
    functions = eachFunction;
    whole = module;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    auto add = [&](const auto &option) {
      for (const OpPassManager &passes : option)
        passes.getDependentDialects(registry);
    };
    add(functions);
    add(whole);
  }

  void runOnOperation() override {
    bool needsModule = getOperation()
                           .walk([](Operation *op) {
                             bool isVectorOp = isa_and_nonnull<vector::VectorDialect>(op->getDialect());
                             return isa<vector::PrintOp>(op) || (isVectorOp && !op->getParentOfType<func::FuncOp>())
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
    for (OpPassManager &passes : needsModule ? *whole : *functions)
      if (failed(runPipeline(passes, getOperation())))
        return signalPassFailure();
  }
};
} // namespace
