//===- AttentionFinder.cpp - attention among linalg ops -------------------===//
#include "AttentionFinder.h"
#include "Formulas/TensorFormulas.h"
#include "lispier/Tensor/Formulas/AttentionFormula.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
namespace {
bool isPlainProduct(linalg::LinalgOp op) {
  if (roleOf(op) != TensorRole::Contraction || !op.hasPureTensorSemantics() || op->hasAttr(tile::kPrecision))
    return false;
  SmallVector<unsigned> summed;
  op.getReductionDims(summed);
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return summed.size() == 1 && fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &each) { return loopDimsOf(op, each).has_value(); });
}

/// Where `of` has each of `loops`; kFirst for what it does not have.
int placeOfLoop(ArrayRef<unsigned> of, unsigned loop) {
  const auto *found = llvm::find(of, loop);
  return found == of.end() ? kFirst : found - of.begin();
}

class AttentionFinder {
public:
  explicit AttentionFinder(linalg::LinalgOp product) : forms(product->getContext()) { found.product = product; }

  std::optional<FoundAttention> find() {
    if (!isPlainProduct(found.product))
      return std::nullopt;
    for (unsigned operand : {0, 1}) {
      FoundAttention empty;
      empty.product = found.product;
      found = empty;
      chain.clear();
      if (nameProduct(operand) && findSoftmax() && nameScores() && findChain() && findLogSums()) {
        for (Operation *op : chain)
          found.places.push_back(op->getLoc());
        found.places.push_back(found.product.getLoc());
        followOperands();
        followResult();
        return found;
      }
    }
    return std::nullopt;
  }

private:
  using Ref = ScalarForm::Ref;

  // Each sets fields of `found`, and returns false if the ops are no attention.
  /// Takes the operand of the product for the weights: sets positions, values and result.
  bool nameProduct(unsigned weightsOperand);
  /// Reads the weights' formula as a softmax: sets the maximum, and `score`, the formula that the softmax is of.
  bool findSoftmax();
  bool isSoftmax(Ref weight, Ref most, Ref scored);
  /// Finds the product that `score` is made of: sets queries, keys and rows.
  bool nameScores();
  bool nameOperands(Ref element);
  std::optional<WeightsPlace> placeOf(linalg::LinalgOp wanted, Value tensor, const WeightsPlace &place);
  bool findChain();
  bool findLogSums();
  std::optional<WeightsPlace> rowPlaceOf(Value value);
  bool isLogSum(Value value, const WeightsPlace &place);
  bool addLogSum(Value value, const WeightsPlace &place);
  bool takeRowUse(OpOperand &use, const WeightsPlace &place);
  void followOperand(PlacedTensor &operand, int last, bool scales);
  void followOperands();
  void followResult();
  SmallVector<Ref> refs(const WeightsPlace &place) {
    return llvm::map_to_vector(place, [&](int each) { return each == kFirst ? forms.index(0) : forms.place(each); });
  }

  FoundAttention found;
  ScalarForms forms;
  Value weights;
  Ref score = nullptr, logSum = nullptr;
  llvm::SetVector<Operation *> chain;             ///< What depends on the scores, up to the weights.
  llvm::MapVector<Value, WeightsPlace> rowValues; ///< Of the chain: m, the sum, and what is between.
};

bool AttentionFinder::nameProduct(unsigned weightsOperand) {
  linalg::LinalgOp op = found.product;
  weights = op->getOperand(weightsOperand);
  OpOperand &values = op->getOpOperand(1 - weightsOperand);
  SmallVector<unsigned> own = *loopDimsOf(op, op->getOpOperand(weightsOperand)), ofValues = *loopDimsOf(op, values),
                        made = *loopDimsOf(op, *op.getDpsInitOperand(0)), summed;
  op.getReductionDims(summed);
  auto type = cast<RankedTensorType>(weights.getType());
  found.positions = placeOfLoop(own, summed[0]);
  if (found.positions == kFirst || own.size() + 1 != op.getNumLoops() || !isa<FloatType>(type.getElementType()) ||
      !isa<FloatType>(getElementTypeOrSelf(values.get())) || type.getDimSize(found.positions) == 0)
    return false;
  auto place = [&](ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(loops, [&](unsigned loop) {
      int at = placeOfLoop(own, loop);
      return at == kFirst ? kValueSize : at;
    });
  };
  found.value = {values.get(), WeightsPlace(place(ofValues))};
  found.result = {op->getResult(0), WeightsPlace(place(made))};
  found.last = op->getResult(0);
  return llvm::is_contained(found.value.place, kValueSize) && llvm::is_contained(found.value.place, found.positions);
}

//===----------------------------------------------------------------------===//
// The softmax
//===----------------------------------------------------------------------===//

bool AttentionFinder::findSoftmax() {
  forms.isLeaf = [](Value tensor) {
    auto made = tensor.getDefiningOp<linalg::LinalgOp>();
    return made && roleOf(made) == TensorRole::Contraction;
  };
  Ref weight = beforeRounding(forms.element(weights)); // To the type of values, which kernels do, too.
  for (Ref most : ScalarForms::nodesOf(weight)) {
    bool isMaximum =
        most->kind == ScalarForm::Kind::Reduce && most->operands.size() == 3 &&
        (most->name == arith::MaximumFOp::getOperationName() || most->name == arith::MaxNumFOp::getOperationName()) &&
        most->operands[1]->constant() && *most->operands[1]->constant() <= kUnseenScore;
    if (!isMaximum)
      continue;
    score = forms.replace(most->operands[0], most->operands[2], forms.place(found.positions));
    if (!isSoftmax(weight, most, score))
      continue;
    found.maximum = cast<linalg::LinalgOp>(most->operands[2]->owner);
    return found.maximum->getBlock() == found.product->getBlock() && found.maximum->getNumResults() == 1;
  }
  return false;
}

/// Whether the weight is exp(score - maximum) / sum exp(score - maximum), or exp(score - maximum - log sum ...).
bool AttentionFinder::isSoftmax(Ref weight, Ref most, Ref scored) {
  Type type = weight->type;
  Ref position = forms.place(found.positions);
  auto make = [&]<typename Op>(std::type_identity<Op>, Ref a, Ref b) { return forms.apply<Op>(type, {a, b}); };
  auto minus = [&](Ref a, Ref b) { return make(std::type_identity<arith::SubFOp>(), a, b); };
  Ref shifted = minus(scored, most), exponential = forms.apply<math::ExpOp>(type, {shifted});
  for (Ref total : ScalarForms::nodesOf(weight)) {
    bool isSum = total->kind == ScalarForm::Kind::Reduce && total->name == arith::AddFOp::getOperationName() &&
                 total->operands.size() == 3 && total->operands[1]->constant() == 0.0 &&
                 total->operands[0] == forms.replace(exponential, position, total->operands[2]);
    if (!isSum)
      continue;
    Ref part = make(std::type_identity<arith::DivFOp>(), forms.constant(type, 1), total);
    Ref logarithm = forms.apply<math::LogOp>(type, {total});
    logSum = make(std::type_identity<arith::AddFOp>(), most, logarithm);
    if (weight == make(std::type_identity<arith::DivFOp>(), exponential, total) ||
        weight == make(std::type_identity<arith::MulFOp>(), exponential, part) ||
        weight == forms.apply<math::ExpOp>(type, {minus(shifted, logarithm)}) ||
        weight == forms.apply<math::ExpOp>(type, {minus(scored, logSum)}))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The scores' product
//===----------------------------------------------------------------------===//

bool AttentionFinder::nameScores() {
  SmallVector<Ref> candidates;
  for (Ref node : ScalarForms::nodesOf(score)) {
    auto made =
        node->kind == ScalarForm::Kind::Element ? node->value.getDefiningOp<linalg::LinalgOp>() : linalg::LinalgOp();
    if (made && made->getBlock() == found.product->getBlock() && isPlainProduct(made))
      candidates.push_back(node);
  }
  for (Ref node : candidates) {
    bool isAlone = llvm::none_of(candidates, [&](Ref other) { return other != node && other->value == node->value; });
    if (isAlone && nameOperands(node))
      return true;
  }
  return false;
}

/// Names queries and keys, if the element is of their product.
bool AttentionFinder::nameOperands(Ref element) {
  auto op = element->value.getDefiningOp<linalg::LinalgOp>();
  int rank = cast<RankedTensorType>(weights.getType()).getRank();
  WeightsPlace made;
  for (Ref at : element->operands) {
    if (at->kind != ScalarForm::Kind::Place || llvm::is_contained(made, int(at->number)))
      return false;
    made.push_back(at->number);
  }
  SmallVector<unsigned> loops = *loopDimsOf(op, *op.getDpsInitOperand(0));
  if (int(made.size()) != rank)
    return false;
  auto placed = [&](OpOperand &operand) {
    PlacedTensor tensor{operand.get(), {}};
    for (unsigned loop : *loopDimsOf(op, operand)) {
      int at = placeOfLoop(loops, loop);
      tensor.place.push_back(at == kFirst ? kHeadSize : made[at]);
    }
    return tensor;
  };
  PlacedTensor first = placed(op->getOpOperand(0)), second = placed(op->getOpOperand(1));
  bool isFirst = llvm::is_contained(second.place, found.positions);
  found.query = isFirst ? first : second, found.key = isFirst ? second : first;
  bool isOne = int(found.query.place.size()) == rank && !llvm::is_contained(found.query.place, found.positions) &&
               llvm::is_contained(found.key.place, found.positions);
  if (!isOne || !isa<FloatType>(getElementTypeOrSelf(found.query.tensor)) ||
      !isa<FloatType>(getElementTypeOrSelf(found.key.tensor)))
    return false;
  found.scores = op, found.scoresPlace = made;
  found.rows.clear(), found.outer.clear();
  for (int at : found.result.place) {
    if (at == kValueSize)
      continue;
    bool ofKeys = llvm::is_contained(found.key.place, at) || llvm::is_contained(found.value.place, at);
    (ofKeys ? found.outer : found.rows).push_back(at);
  }
  WeightsPlace own = llvm::to_vector(llvm::seq(rank));
  std::optional<WeightsPlace> ofMaximum = placeOf(found.maximum, weights, own);
  if (!ofMaximum || found.rows.empty())
    return false;
  found.maximumPlace = *ofMaximum;
  Type type = getElementTypeOrSelf(op->getResult(0)), ofWeights = getElementTypeOrSelf(weights);
  if (ofWeights != type)
    found.rounded = ofWeights;
  return type.getIntOrFloatBitWidth() >= 32 && getElementTypeOrSelf(found.product->getResult(0)) == type;
}

/// The place of the result of `wanted` of which an element is needed for the element of `tensor` at `place`.
std::optional<WeightsPlace> AttentionFinder::placeOf(linalg::LinalgOp wanted, Value tensor, const WeightsPlace &place) {
  Operation *op = tensor.getDefiningOp();
  if (op == wanted.getOperation())
    return place;
  if (std::optional<WeightsPlace> reshaped = placesOfUnitReshape(op)) {
    WeightsPlace source(cast<RankedTensorType>(op->getOperand(0).getType()).getRank(), kFirst);
    for (auto [at, from] : llvm::zip(place, *reshaped))
      if (from != kFirst)
        source[from] = at;
    return placeOf(wanted, op->getOperand(0), source);
  }
  if (isa_and_nonnull<tensor::CastOp>(op))
    return placeOf(wanted, op->getOperand(0), place);
  auto made = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!made || roleOf(made) != TensorRole::Elementwise || made->getBlock() != found.product->getBlock())
    return std::nullopt;
  std::optional<SmallVector<unsigned>> written =
      loopDimsOf(made, *made.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber()));
  for (OpOperand *operand : made.getDpsInputOperands()) {
    std::optional<SmallVector<unsigned>> read = loopDimsOf(made, *operand);
    if (!written || !read || !isa<TensorType>(operand->get().getType()))
      continue;
    WeightsPlace own;
    for (unsigned loop : *read) {
      int at = placeOfLoop(*written, loop);
      own.push_back(at == kFirst ? kFirst : place[at]);
    }
    if (std::optional<WeightsPlace> known = placeOf(wanted, operand->get(), own))
      return known;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What else needs the inside
//===----------------------------------------------------------------------===//

/// Collects the ops from the scores to the weights.
bool AttentionFinder::findChain() {
  llvm::DenseMap<Operation *, bool> depends;
  auto visit = [&](auto &self, Value value) -> bool {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != found.product->getBlock())
      return false;
    if (auto known = depends.find(op); known != depends.end())
      return known->second;
    depends[op] = false;
    bool isOne = op == found.scores.getOperation();
    for (Value operand : op->getOperands())
      isOne |= op != found.scores.getOperation() && self(self, operand);
    if (isOne)
      chain.insert(op);
    return depends[op] = isOne;
  };
  return visit(visit, weights) &&
         llvm::all_of(chain, [](Operation *op) { return op->getNumResults() == 1 && isMemoryEffectFree(op); });
}

/// The place of a value of the chain that has one element for each row, such as m and the sum, perhaps in another
/// shape.
std::optional<WeightsPlace> AttentionFinder::rowPlaceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (std::optional<WeightsPlace> reshaped = placesOfUnitReshape(op)) {
    std::optional<WeightsPlace> from = rowPlaceOf(op->getOperand(0));
    if (!from)
      return std::nullopt;
    return llvm::map_to_vector(*reshaped, [&](int at) { return at == kFirst ? kFirst : (*from)[at]; });
  }
  auto made = dyn_cast<linalg::LinalgOp>(op);
  int rank = cast<RankedTensorType>(weights.getType()).getRank();
  std::optional<WeightsPlace> place = made ? placeOf(made, weights, llvm::to_vector(llvm::seq(rank))) : std::nullopt;
  return place && !llvm::is_contained(*place, found.positions) ? place : std::nullopt;
}

bool AttentionFinder::isLogSum(Value value, const WeightsPlace &place) {
  int proper = llvm::count_if(place, [](int at) { return at != kFirst; });
  return proper == cast<RankedTensorType>(weights.getType()).getRank() - 1 &&
         forms.element(value, refs(place)) == logSum;
}

/// Takes it for a result, whose rows are in the same order as those of the others.
bool AttentionFinder::addLogSum(Value value, const WeightsPlace &place) {
  auto rows = [](const WeightsPlace &of) { return llvm::filter_to_vector(of, [](int at) { return at != kFirst; }); };
  if (llvm::any_of(found.logSums, [&](const PlacedTensor &each) { return each.tensor == value; }))
    return true;
  bool isAlike = found.logSums.empty() || rows(found.logSums.front().place) == rows(place);
  found.logSums.push_back({value, place});
  return isAlike && getElementTypeOrSelf(value) == getElementTypeOrSelf(found.scores->getResult(0));
}

/// Whether all that is needed of the inside elsewhere are the log-sum-exp's of the rows.
bool AttentionFinder::findLogSums() {
  Block *block = found.product->getBlock();
  auto isInside = [&](OpOperand &use) {
    return chain.contains(use.getOwner()) || (use.getOwner() == found.product && use.get() == weights);
  };
  for (Operation *op : chain)
    for (OpOperand &use : op->getUses()) {
      if (isInside(use))
        continue;
      std::optional<WeightsPlace> place =
          use.getOwner()->getBlock() == block ? rowPlaceOf(op->getResult(0)) : std::nullopt;
      if (!place)
        return false;
      if (isLogSum(op->getResult(0), *place)) {
        if (!addLogSum(op->getResult(0), *place))
          return false;
      } else if (!takeRowUse(use, *place)) {
        return false;
      }
    }
  return true;
}

/// Follows a use of a row's value, which is at `place`, to the log-sum-exp.
bool AttentionFinder::takeRowUse(OpOperand &use, const WeightsPlace &place) {
  Operation *op = use.getOwner();
  if (op->getBlock() != found.product->getBlock() || op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return false;
  WeightsPlace own;
  if (std::optional<WeightsPlace> reshaped = placesOfUnitReshape(op)) {
    for (int at : *reshaped)
      own.push_back(at == kFirst ? kFirst : place[at]);
  } else {
    auto made = dyn_cast<linalg::LinalgOp>(op);
    std::optional<SmallVector<unsigned>> written, read;
    if (!made || roleOf(made) != TensorRole::Elementwise || !(written = loopDimsOf(made, *made.getDpsInitOperand(0))) ||
        !(read = loopDimsOf(made, use)))
      return false;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (auto [dimension, loop] : llvm::enumerate(*written)) {
      int at = placeOfLoop(*read, loop);
      if (at == kFirst && type.getDimSize(dimension) != 1)
        return false;
      own.push_back(at == kFirst ? kFirst : place[at]);
    }
  }
  if (isLogSum(op->getResult(0), own))
    return addLogSum(op->getResult(0), own);
  return llvm::all_of(op->getUses(), [&](OpOperand &next) { return takeRowUse(next, own); }) && !op->use_empty();
}

//===----------------------------------------------------------------------===//
// Copies around attention
//===----------------------------------------------------------------------===//

/// Moves the operand to the tensor of which it is a copy, in another order of dimensions or a narrower type, or a
/// multiple, as long as its dimension `last` is the innermost.
void AttentionFinder::followOperand(PlacedTensor &operand, int last, bool scales) {
  while (auto op = operand.tensor.getDefiningOp<linalg::LinalgOp>()) {
    if (!op->hasOneUse() || op->getBlock() != found.product->getBlock() || !op.hasPureTensorSemantics())
      return;
    std::optional<Multiple> multiple = multipleOf(op);
    if (!multiple || multiple->rounds || !(multiple->factor > 0) || (!scales && multiple->factor != 1) ||
        !isa<FloatType>(getElementTypeOrSelf(multiple->operand->get())))
      return;
    WeightsPlace place(operand.place.size());
    for (auto [at, from] : llvm::zip(operand.place, multiple->places))
      place[from] = at;
    if (place.back() != last)
      return;
    found.factor *= multiple->factor;
    operand = {multiple->operand->get(), place};
  }
}

void AttentionFinder::followOperands() {
  followOperand(found.query, kHeadSize, /*scales=*/true);
  followOperand(found.key, kHeadSize, /*scales=*/true);
  followOperand(found.value, kValueSize, /*scales=*/false);
}

/// Moves the result to the last copy of it that is its only use.
void AttentionFinder::followResult() {
  while (found.last.hasOneUse()) {
    auto op = dyn_cast<linalg::LinalgOp>(*found.last.user_begin());
    std::optional<Multiple> multiple =
        op && op->getBlock() == found.product->getBlock() ? multipleOf(op) : std::nullopt;
    if (!multiple || multiple->factor != 1 || multiple->operand->get() != found.last ||
        !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
      return;
    WeightsPlace place = llvm::map_to_vector(multiple->places, [&](unsigned from) { return found.result.place[from]; });
    if (place.back() != kValueSize)
      return;
    found.last = op->getResult(0);
    found.result = {found.last, place};
  }
}
} // namespace

std::optional<FoundAttention> findAttention(linalg::LinalgOp product) { return AttentionFinder(product).find(); }
} // namespace lispier
