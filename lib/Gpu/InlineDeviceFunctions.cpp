//===- InlineDeviceFunctions.cpp - what kernels call, into the kernels ----===//
//
// Before: kernels call functions beside them. After: they call nothing that has
// a body. LowerGroupOps must see the kernel around a reduction, and a vendor's
// bare pointers cannot hand a memref of unknown sizes to a function. Upstream's
// inliner does not serve: the gpu dialect never allows code into its functions.
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
/// Whatever may stand in a function may stand in a kernel.
struct IntoKernels : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};

/// Several blocks have no place in a structured op but inside scf.execute_region.
void makeRoomForBlocks(func::CallOp call) {
  if (isa<FunctionOpInterface>(call->getParentOp()))
    return;
  OpBuilder builder(call);
  auto room = scf::ExecuteRegionOp::create(builder, call.getLoc(), call.getResultTypes());
  call.replaceAllUsesWith(room.getResults());
  Block *block = builder.createBlock(&room.getRegion());
  call->moveBefore(block, block->end());
  scf::YieldOp::create(builder, call.getLoc(), call.getResults());
}

class Inliner {
public:
  explicit Inliner(gpu::GPUModuleOp kernels) : symbols(kernels), interface(kernels.getContext()) {}

  /// Inlines every call in `function`, after the calls in what it calls.
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
                                      << "` is part of a circle, and kernels have no stack for it; write a loop";
    if (failed(flatten(callee)))
      return failure();
    if (!llvm::hasSingleElement(callee.getBody()))
      makeRoomForBlocks(call);
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee, &callee.getBody())))
      return call.emitOpError("of `") << call.getCallee() << "` does not fit its parameters";
    call.erase();
    return success();
  }

  SymbolTable symbols;
  IntoKernels interface;
  InlinerConfig config;
  llvm::DenseMap<Operation *, bool> done; ///< False while the calls in a function are being inlined.
};

struct InlineDeviceFunctions : impl::InlineDeviceFunctionsBase<InlineDeviceFunctions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.setPrivate(); // Only kernels could call it, so SymbolDCE may take it.
    Inliner inliner(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(inliner.flatten(kernel)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace lispier
