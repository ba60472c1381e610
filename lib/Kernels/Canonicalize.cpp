//===- Canonicalize.cpp - canonicalize structured control flow ------------===//
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lispier {
#define GEN_PASS_DEF_CANONICALIZE
#include "lispier/Kernels/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
struct Canonicalize : lispier::impl::CanonicalizeBase<Canonicalize> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(all));
    return success();
  }

  void runOnOperation() override {
    if (getOperation()->hasAttr(lispier::nn::kTemplate))
      return;
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), *patterns, config); // Like upstream's, it need not converge.
  }

  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace
