//===- InlineTemplates.cpp - templates take the place of their calls ------===//
//
// Runs right after lispier-select-templates; lispier-outline-parallel relies on it:
// what an outlined body captures goes through memory, where no constant is seen.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/InliningUtils.h"

namespace lispier {
#define GEN_PASS_DEF_INLINETEMPLATES
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
constexpr llvm::StringLiteral kTemplate = "lispier.template";

/// Templates may call templates; deeper than this they call each other.
constexpr unsigned kMaxDepth = 8;

void cloneBody(OpBuilder &builder, Region *body, Block *at, Block *after, IRMapping &mapping, bool) {
  body->cloneInto(at->getParent(), after->getIterator(), mapping);
}

/// Whether a call was replaced.
bool inlineCalls(ModuleOp module) {
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  SymbolTable symbols(module);
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    auto caller = call->getParentOfType<func::FuncOp>();
    if (callee && callee->hasAttr(kTemplate) && !callee.isExternal() && !(caller && caller->hasAttr(kTemplate)))
      calls.push_back({call, callee});
  });
  InlinerInterface interface(module.getContext());
  bool changed = false;
  for (auto [call, callee] : calls)
    if (succeeded(inlineCall(interface, cloneBody, call, callee, &callee.getBody(), /*shouldCloneInlinedRegion=*/true))) {
      call.erase();
      changed = true;
    }
  return changed;
}

struct InlineTemplates : lispier::impl::InlineTemplatesBase<InlineTemplates> {
  void runOnOperation() override {
    for (unsigned depth = 0; depth < kMaxDepth && inlineCalls(getOperation()); ++depth) {
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr(kTemplate) && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }
};
} // namespace
