//===- DropAsyncTokens.cpp - remove async tokens from gpu ops -------------===//
//
// Before: gpu ops with async tokens as operands and results, which branches, loops
// and functions may carry. After: the same ops without tokens. There is one in-order
// queue, so that work is executed in the order of the ops.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_DROPASYNCTOKENS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Sets the size of one group of operands or results; nothing for ops that have no such groups.
void emptySegment(Operation *op, StringRef name, bool isLast) {
  auto sizes = dyn_cast_if_present<DenseI32ArrayAttr>(op->getInherentAttr(name).value_or(Attribute()));
  if (!sizes || sizes.empty())
    return;
  SmallVector<int32_t> now(sizes.asArrayRef());
  (isLast ? now.back() : now.front()) = 0;
  op->setInherentAttr(StringAttr::get(op->getContext(), name), DenseI32ArrayAttr::get(op->getContext(), now));
}

/// Dependencies are the first operands of every such op (AsyncOpInterface::addAsyncDependency).
void dropDependencies(gpu::AsyncOpInterface op) {
  unsigned count = op.getAsyncDependencies().size();
  if (!count)
    return;
  op->eraseOperands(0, count);
  emptySegment(op, "operandSegmentSizes", /*isLast=*/false);
}

/// The token is the last result. Remaining uses only pass it on, so that any constant can replace it.
void dropToken(gpu::AsyncOpInterface op) {
  Value token = op.getAsyncToken();
  if (!token)
    return;
  OpBuilder builder(op);
  if (!token.use_empty())
    token.replaceAllUsesWith(arith::ConstantIntOp::create(builder, op->getLoc(), false, 1));
  if (isa<gpu::WaitOp>(op)) // An async wait only creates a token.
    return op->erase();
  emptySegment(op, "resultSegmentSizes", /*isLast=*/true);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResults().drop_back().getTypes());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *plain = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getResults(), plain->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
}

bool isToken(Type type) { return isa<gpu::AsyncTokenType>(type); }

bool carriesToken(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), isToken))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isToken))
        return true;
  return false;
}

struct DropAsyncTokens : impl::DropAsyncTokensBase<DropAsyncTokens> {
  void runOnOperation() override {
    SmallVector<gpu::AsyncOpInterface> ops;
    bool isCarried = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp>(op))
        return WalkResult::skip();
      if (auto async = dyn_cast<gpu::AsyncOpInterface>(op))
        ops.push_back(async);
      else
        isCarried |= carriesToken(op);
      return WalkResult::advance();
    });
    for (gpu::AsyncOpInterface op : ops)
      dropDependencies(op);
    for (gpu::AsyncOpInterface op : ops)
      dropToken(op);
    if (!isCarried)
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([](gpu::AsyncTokenType type) { return IntegerType::get(type.getContext(), 1); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
} // namespace lispier
