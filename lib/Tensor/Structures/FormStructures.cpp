//===- FormStructures.cpp - structured ops of linalg ops -------------------===//
//
// Before: linalg ops on tensors, as formulas make them. After: group.attention in place
// of those that compute attention, however they are written, so that later passes read
// what it is of its operands.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "Formulas/TensorFormulas.h"
#include "SharedHeads.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace lispier {
#define GEN_PASS_DEF_FORMSTRUCTURES
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
struct FormStructures : impl::FormStructuresBase<FormStructures> {
  using FormStructuresBase::FormStructuresBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<group::KernelOp, gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (auto product = dyn_cast<linalg::LinalgOp>(op)) {
        if (roleOf(product) == TensorRole::Contraction)
          products.push_back(product);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    for (linalg::LinalgOp product : products)
      if (!erased.contains(product))
        if (std::optional<FoundAttention> found = findAttention(product)) {
          convertBeforeReshape(found->last);
          replace(*findAttention(product));
        }
  }

  /// Converts the value before it is reshaped, where the program does so afterwards: then it is made in that type.
  static void convertBeforeReshape(Value value) {
    SmallVector<Operation *> reshapes;
    Value reshaped = value;
    while (reshaped.hasOneUse() && isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(*reshaped.user_begin())) {
      reshapes.push_back(*reshaped.user_begin());
      reshaped = reshapes.back()->getResult(0);
    }
    auto user = !reshapes.empty() && reshaped.hasOneUse() ? dyn_cast<linalg::GenericOp>(*reshaped.user_begin())
                                                          : linalg::GenericOp();
    std::optional<Multiple> multiple = user ? multipleOf(user) : std::nullopt;
    if (!multiple || multiple->factor != 1 ||
        !llvm::equal(multiple->places, llvm::seq<unsigned>(multiple->places.size())))
      return;
    OpBuilder b(user);
    Type element = getElementTypeOrSelf(user->getResult(0));
    auto type = cast<RankedTensorType>(value.getType()).clone(element);
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    Value place = cast<DestinationStyleOpInterface>(value.getDefiningOp()).getDpsInits()[0];
    Value empty = tensor::EmptyOp::create(b, user.getLoc(), tensor::getMixedSizes(b, user.getLoc(), place), element);
    auto made = linalg::GenericOp::create(b, user.getLoc(), type, value, empty, maps, iterators);
    IRMapping mapping;
    user.getRegion().cloneInto(&made.getRegion(), mapping);
    mapping.map(value, made->getResult(0));
    for (Operation *reshape : reshapes) {
      Value result = b.clone(*reshape, mapping)->getResult(0);
      result.setType(cast<RankedTensorType>(result.getType()).clone(element));
      reshaped = result;
    }
    user->getResult(0).replaceAllUsesWith(reshaped);
    user->erase();
    for (Operation *reshape : llvm::reverse(reshapes))
      reshape->erase();
  }

  /// Before the last op that it replaces; if the log-sum-exp is also a result, which others may need earlier, as soon
  /// as its operands are there.
  static void setPlace(OpBuilder &b, FoundAttention found) {
    Operation *last = found.last.getDefiningOp(), *after = found.maximum;
    b.setInsertionPoint(last);
    if (found.logSums.empty())
      return;
    for (Value operand : {found.query.tensor, found.key.tensor, found.value.tensor})
      if (Operation *made = operand.getDefiningOp(); made && made->getBlock() == last->getBlock())
        after = after->isBeforeInBlock(made) ? made : after;
    b.setInsertionPointAfter(after);
  }

  void replace(FoundAttention found) {
    OpBuilder b(found.product);
    setPlace(b, found);
    std::optional<FormedAttention> formed = formAttention(b, found, 0);
    for (unsigned tokens = 1; tokens < found.rows.size() && formed; ++tokens) {
      std::optional<FormedAttention> other = formAttention(b, found, tokens);
      if (likelyTokens(formed->op) < likelyTokens(other->op))
        std::swap(formed, other);
      eraseFormed(*other);
    }
    if (!formed || !comesBeforeUsers(found, *formed))
      return formed ? eraseFormed(*formed) : void();
    for (auto [tensor, made] : llvm::zip(found.logSums, formed->logSums))
      Value(tensor.tensor).replaceAllUsesWith(made);
    Value(found.last).replaceAllUsesWith(formed->result);
    eraseDead(found.last.getDefiningOp());
    for (const PlacedTensor &each : found.logSums)
      if (!erased.contains(each.tensor.getDefiningOp()))
        eraseDead(each.tensor.getDefiningOp());
    shareHeads(formed->op);
  }

  /// Of several dimensions that keys do not have, that of the tokens is the one that a mask compares with positions, or
  /// along which a bias differs with them, or the largest.
  static std::tuple<bool, bool, uint64_t> likelyTokens(group::AttentionOp op) {
    bool isCompared = !op.indexArgument(op.tokens()).use_empty(), isBiased = false;
    for (unsigned i = 0; i < op.getOthers().size(); ++i)
      isBiased |= op.dimensionOf(3 + i, op.tokens()) && op.dimensionOf(3 + i, op.positions());
    return {isCompared, isBiased, uint64_t(op.staticSize(op.tokens()))}; // What only the run knows counts as largest.
  }

  static bool comesBeforeUsers(FoundAttention found, const FormedAttention &formed) {
    for (auto [tensor, made] : llvm::zip(found.logSums, formed.logSums))
      for (Operation *user : tensor.tensor.getUsers())
        if (Operation *here = made.getDefiningOp()->getBlock()->findAncestorOpInBlock(*user);
            here && here->isBeforeInBlock(made.getDefiningOp()))
          return false;
    return true;
  }

  void eraseFormed(const FormedAttention &formed) {
    for (Value each : formed.logSums)
      if (each.getDefiningOp() != formed.op)
        each.getDefiningOp()->erase();
    eraseDead(formed.result.getDefiningOp());
  }

  /// Erases the op, which nothing needs, and what only it needed.
  void eraseDead(Operation *op) {
    if (erased.contains(op) || !isOpTriviallyDead(op))
      return;
    llvm::SmallSetVector<Operation *, 8> makers;
    op->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *made = operand.getDefiningOp(); made && !op->isAncestor(made))
          makers.insert(made);
    });
    erased.insert(op);
    op->erase();
    for (Operation *made : makers)
      eraseDead(made);
  }

  llvm::DenseSet<Operation *> erased; ///< None of them is made again: new ops are attention.
};
} // namespace
} // namespace lispier
