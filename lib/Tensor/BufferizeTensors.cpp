//===- BufferizeTensors.cpp - tensors become memory -----------------------===//
//
// Before: any mix of tensors and memrefs. After: memrefs only, each allocation
// that a tensor needed freed. A pass of its own rather than a run of upstream's
// passes in the pipeline, because the deallocation must see only functions that
// had tensors: in the others the user frees.
//
//===----------------------------------------------------------------------===//
#include "lispier/Tensor/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace lispier {
#define GEN_PASS_DEF_BUFFERIZETENSORS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
bool isTensor(Type type) { return isa<TensorType>(type); }

bool usesTensors(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (llvm::any_of(type.getInputs(), isTensor) || llvm::any_of(type.getResults(), isTensor))
    return true;
  return function
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isTensor) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool launches(func::FuncOp function) {
  return function.walk([](gpu::LaunchOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// What upstream does not say of its op, and the deallocation asks: a kernel may read and write any memory.
struct LaunchEffects : MemoryEffectOpInterface::ExternalModel<LaunchEffects, gpu::LaunchFuncOp> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};

/// Allocations and frees that are in the program already are the user's business.
void markManual(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp>(op))
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation, UnitAttr::get(op->getContext()));
  });
}

void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass()); // arith and math on tensors have no memory.
  pm.addNestedPass<func::FuncOp>(createLinalgElementwiseOpFusionPass());  // Chains of elementwise ops make one loop.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(
      bufferization::createEmptyTensorEliminationPass()); // Results are computed in place of the slice they go to.
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap; // Plain memrefs in signatures.
  options.bufferAlignment = 64;                          // A cache line.
  pm.addPass(bufferization::createOneShotBufferizePass(options));
}

void addDeallocation(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
}

struct BufferizeTensors : lispier::impl::BufferizeTensorsBase<BufferizeTensors> {
  void getDependentDialects(DialectRegistry &registry) const override {
    BufferizeTensorsBase::getDependentDialects(registry);
    OpPassManager all(ModuleOp::getOperationName());
    all.addPass(createGpuKernelOutliningPass());
    addBufferization(all);
    addDeallocation(all.nest<func::FuncOp>());
    addLowering(all);
    all.getDependentDialects(registry);
    registry.addExtension(
        +[](MLIRContext *context, gpu::GPUDialect *) { gpu::LaunchFuncOp::attachInterface<LaunchEffects>(*context); });
  }

  static void addLowering(OpPassManager &pm) {
    pm.addPass(bufferization::createLowerDeallocationsPass());
    pm.addPass(createConvertBufferizationToMemRefPass());
    pm.addPass(createCanonicalizerPass());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (usesTensors(function))
        functions.push_back(function);
    if (functions.empty())
      return;
    for (auto function : functions)
      markManual(function);
    // The deallocation does not follow control flow into a gpu.launch.
    OpPassManager outlining(ModuleOp::getOperationName());
    outlining.addPass(createGpuKernelOutliningPass());
    if (llvm::any_of(functions, launches) && failed(runPipeline(outlining, module)))
      return signalPassFailure();

    OpPassManager bufferization(ModuleOp::getOperationName()), lowering(ModuleOp::getOperationName());
    addBufferization(bufferization);
    addLowering(lowering);
    if (failed(runPipeline(bufferization, module)))
      return signalPassFailure();
    for (auto function : functions) {
      OpPassManager deallocation(func::FuncOp::getOperationName());
      addDeallocation(deallocation);
      if (!function.isExternal() && failed(runPipeline(deallocation, function)))
        return signalPassFailure();
    }
    if (failed(runPipeline(lowering, module)))
      return signalPassFailure();
    module.walk([](Operation *op) { op->removeAttr(bufferization::BufferizationDialect::kManualDeallocation); });
  }
};
} // namespace
