//===- InlineDeviceFunctions.cpp - inline the functions that kernels call -===//
//
// Before: kernels call functions in their module. After: they call no function
// that has a body. LowerGroupOps must see the kernel that contains a reduction,
// and a memref of dynamic sizes cannot be passed as a bare pointer. Upstream's
// inliner cannot be used, because the gpu dialect does not permit inlining into
// its functions.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_INLINEDEVICEFUNCTIONS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Permits any op to be inlined into a kernel.
struct IntoKernels : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};

/// Wraps a call in scf.execute_region, since a callee with several blocks cannot be inlined into a structured op
/// directly.
void wrapInRegion(func::CallOp call) {
  if (isa<FunctionOpInterface>(call->getParentOp()))
    return;
  OpBuilder builder(call);
  auto inlined = scf::ExecuteRegionOp::create(builder, call.getLoc(), call.getResultTypes());
  call.replaceAllUsesWith(inlined.getResults());
  Block *block = builder.createBlock(&inlined.getRegion());
  call->moveBefore(block, block->end());
  scf::YieldOp::create(builder, call.getLoc(), call.getResults());
}

class Inliner {
public:
  explicit Inliner(gpu::GPUModuleOp kernels) : symbols(kernels), interface(kernels.getContext()) {}

  /// Inlines all calls in `function`, after recursively doing so in the callees.
  LogicalResult flatten(Operation *function) {
    auto [entry, isFirst] = done.try_emplace(function, false);
    if (!isFirst)
      return success();
    SmallVector<func::CallOp> calls;
    function->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (failed(inlineAt(call)))
        return failure();
    done[function] = true;
    return success();
  }

private:
  LogicalResult inlineAt(func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return success();
    if (auto seen = done.find(callee); seen != done.end() && !seen->second)
      return call.emitOpError("of `") << call.getCallee()
                                      << "` is recursive, and kernels have no stack for recursion; write a loop";
    if (failed(flatten(callee)))
      return failure();
    if (!llvm::hasSingleElement(callee.getBody()))
      wrapInRegion(call);
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee, &callee.getBody())))
      return call.emitOpError("of `") << call.getCallee() << "` does not fit its parameters";
    call.erase();
    return success();
  }

  SymbolTable symbols;
  IntoKernels interface;
  InlinerConfig config;
  llvm::DenseMap<Operation *, bool> done; ///< False while a function is being processed, to detect recursion.
};

struct InlineDeviceFunctions : impl::InlineDeviceFunctionsBase<InlineDeviceFunctions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.setPrivate(); // Only kernels can have called it, so SymbolDCE may remove it.
    Inliner inliner(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(inliner.flatten(kernel)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace lispier
