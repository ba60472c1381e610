//===- AttentionPattern.cpp - attention among tensor ops --------------------===//
//
// The skeleton is found by following operands: two contractions, with elementwise ops and
// the two reductions of a softmax between them. What these compute, their formulas say:
// masked scores of which positions are minus infinity, by which factor the others are
// scaled, and whether the weights are their softmax.
//
//===----------------------------------------------------------------------===//
#include "AttentionConversions.h"
#include "AttentionFinder.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"

using namespace mlir;

namespace lispier {
std::optional<Attention> AttentionFinder::find() {
  std::optional<BatchProduct> product = BatchProduct::of(end);
  if (!product)
    return std::nullopt;
  // As nn.attention computes it, if it is that.
  for (bool kernel : {true, false})
    for (unsigned weights : {0, 1})
      for (unsigned token : llvm::seq<unsigned>(0, product->own[weights].size()))
        if (findScores(end.getDpsInputOperand(weights)->get()) && nameDimensions(*product, weights, token) &&
            (kernel ? isAsKernel() : isAnyChange()))
          return found;
  return std::nullopt;
}

/// Follows the weights back to one contraction, through elementwise ops and reductions.
bool AttentionFinder::findScores(Value weightsTensor) {
  weights = weightsTensor;
  scores = maximum = nullptr;
  found = Attention();
  SmallVector<Value> pending{weights};
  while (!pending.empty()) {
    auto op = pending.pop_back_val().getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getBlock() != end->getBlock() || !op.hasPureTensorSemantics() || !found.ops.insert(op))
      continue;
    TensorRole role = roleOf(op);
    if (role == TensorRole::Other || (role == TensorRole::Contraction && scores))
      return false;
    if (role == TensorRole::Contraction) {
      scores = op;
      pending.push_back(op.getDpsInits()[0]);
      continue;
    }
    if (role == TensorRole::Reduction)
      for (Operation &inside : op.getBlock()->without_terminator())
        if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inside) && op->getNumResults() == 1) {
          Value sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
          maximum = op;
          maskedScore = inside.getOperand(inside.getOperand(0) == sofar ? 1 : 0);
        }
    append_range(pending, op->getOperands());
  }
  if (!scores || !maximum)
    return false;
  found.product = end, found.maximum = maximum, found.score = maskedScore;
  found.ops.insert(end);
  if (Operation *fill = end.getDpsInits()[0].getDefiningOp())
    found.ops.insert(fill);
  return true;
}

bool AttentionFinder::nameDimensions(BatchProduct product, unsigned weightsOperand, unsigned tokenLoop) {
  sizes.clear();
  sizeNodes.clear();
  std::optional<BatchProduct> first = BatchProduct::of(scores);
  ArrayRef<unsigned> rows = product.own[weightsOperand];
  if (!first || product.own[1 - weightsOperand].size() != 1)
    return false;
  unsigned ofTokens = rows[tokenLoop], size = product.own[1 - weightsOperand][0];
  OpOperand *values = end.getDpsInputOperand(1 - weightsOperand);
  AttentionHeads::Order weightLoops{ofTokens, product.batch, product.k}, resultLoops{ofTokens, product.batch, size};
  if (rows.size() == 2) {
    weightLoops.push_back(rows[1 - tokenLoop]);
    resultLoops.insert(resultLoops.begin() + 2, rows[1 - tokenLoop]);
  }
  AttentionHeads::Order own = product.placesOf(*end.getDpsInputOperand(weightsOperand), weightLoops);
  found.v = {values->get(), product.placesOf(*values, {product.k, product.batch, size})};
  found.result = {end->getResult(0), product.placesOf(*end.getDpsInitOperand(0), resultLoops)};
  std::optional<SmallVector<unsigned>> made = loopDimsOf(scores, *scores.getDpsInitOperand(0));
  if (own.empty() || found.v.order.empty() || found.result.order.empty() || made->size() != own.size())
    return false;
  tokenAt = own[0], headAt = own[1], positionAt = own[2];
  sharedAt = own.size() == 4 ? std::optional(own[3]) : std::nullopt;
  unsigned token = (*made)[tokenAt], position = (*made)[positionAt];
  unsigned queries = llvm::is_contained(first->own[0], token) ? 0 : 1;
  AttentionHeads::Order ofQueries{token, first->batch, first->k};
  if (sharedAt)
    ofQueries.insert(ofQueries.begin() + 2, (*made)[*sharedAt]);
  if ((*made)[headAt] != first->batch || first->own[queries].size() != rows.size() ||
      !llvm::is_contained(first->own[queries], token) || first->own[1 - queries] != ArrayRef(position))
    return false;
  auto headsOf = [&](unsigned operand, ArrayRef<unsigned> loops) {
    OpOperand *factor = scores.getDpsInputOperand(operand);
    return AttentionHeads{factor->get(), first->placesOf(*factor, loops)};
  };
  found.q = headsOf(queries, ofQueries);
  found.k = headsOf(1 - queries, {position, first->batch, first->k});
  return !found.q.order.empty() && !found.k.order.empty();
}

bool AttentionFinder::isAsKernel() {
  Ref seen = nullptr;
  if (!readForms() || !isSoftmax() || !readMask(seen) || !readScale(seen))
    return false;
  followOperands(found);
  followResult(found);
  return found.isKernel = fitsKernels();
}

/// What changes a score costs so much in the loop over positions, other than what is made of the score itself.
constexpr int64_t kMostInputCost = 8;

/// Leaves to other kernels what does not depend on the scores and is not cheap, such as a bias that is a product.
bool AttentionFinder::leaveInputs() {
  llvm::SetVector<Operation *> kept;
  SmallVector<Operation *> pending{end, end.getDpsInits()[0].getDefiningOp()};
  auto dependsOnScores = [&](auto &self, Operation *op) -> bool {
    return op == scores ||
           (op && op != end && found.ops.contains(op) &&
            llvm::any_of(op->getOperands(), [&](Value each) { return self(self, each.getDefiningOp()); }));
  };
  while (!pending.empty()) {
    auto op = dyn_cast_or_null<linalg::LinalgOp>(pending.pop_back_val());
    if (!op || !found.ops.contains(op) || kept.contains(op))
      continue;
    bool isCheap = roleOf(op) == TensorRole::Elementwise && elementCost(op) <= kMostInputCost;
    if (op != end && !isCheap && !dependsOnScores(dependsOnScores, op))
      continue;
    kept.insert(op);
    for (Value operand : op->getOperands())
      pending.push_back(operand.getDefiningOp());
  }
  found.ops = std::move(kept);
  return found.ops.contains(scores) && found.ops.contains(maximum);
}

/// Whether the weights are the softmax of any function of each score.
bool AttentionFinder::isAnyChange() {
  auto isFloat = [](const AttentionHeads &heads) { return isa<FloatType>(getElementTypeOrSelf(heads.tensor)); };
  if (!leaveInputs() || !readForms() || !isSoftmax() || !isFloat(found.v) ||
      getElementTypeOrSelf(found.q.tensor) != getElementTypeOrSelf(found.k.tensor))
    return false;
  followResult(found);
  return true;
}

/// What nn.attention takes: one element type, and the numbers of a head one after the other.
bool AttentionFinder::fitsKernels() const {
  Type element = getElementTypeOrSelf(found.q.tensor);
  return (element.isF32() || element.isBF16()) &&
         llvm::all_of(ArrayRef<const AttentionHeads *>{&found.q, &found.k, &found.v, &found.result},
                      [&](const AttentionHeads *heads) {
                        return getElementTypeOrSelf(heads->tensor) == element && heads->fitsKernels();
                      });
}
std::optional<Attention> matchAttention(linalg::LinalgOp product) { return AttentionFinder(product).find(); }
} // namespace lispier
