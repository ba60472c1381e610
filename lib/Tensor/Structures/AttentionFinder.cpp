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
      if (nameProduct(operand) && findSoftmax() && nameScores() && findChain() && findLogSums()) {
        for (Operation *op : found.chain)
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
  std::optional<WeightsPlace> placeOf(Value tensor);
  bool findChain();
  bool findLogSums();
  bool takeRowValue(Value value);
  void followOperand(PlacedTensor &operand, int last, bool scales);
  void followOperands();
  void followResult();

  FoundAttention found;
  ScalarForms forms;
  Value weights;
  Ref score = nullptr, logSum = nullptr;
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
  std::optional<WeightsPlace> ofMaximum = placeOf(found.maximum->getResult(0));
  if (!ofMaximum || found.rows.empty())
    return false;
  found.maximumPlace = *ofMaximum;
  Type type = getElementTypeOrSelf(op->getResult(0)), ofWeights = getElementTypeOrSelf(weights);
  if (ofWeights != type)
    found.rounded = ofWeights;
  return type.getIntOrFloatBitWidth() >= 32 && getElementTypeOrSelf(found.product->getResult(0)) == type;
}

/// For each dimension of a tensor that depends on the scores, the dimension of the weights whose index it has.
std::optional<WeightsPlace> AttentionFinder::placeOf(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  for (Ref node : type ? ScalarForms::nodesOf(forms.element(tensor)) : SmallVector<Ref>()) {
    if (node->kind != ScalarForm::Kind::Element || node->value != found.scores->getResult(0))
      continue;
    WeightsPlace place(type.getRank(), kFirst);
    for (auto [at, weightsDimension] : llvm::zip(node->operands, found.scoresPlace))
      if (at->kind == ScalarForm::Kind::Place)
        place[at->number] = weightsDimension;
    bool isWhole = llvm::all_of(llvm::enumerate(place), [&](auto each) {
      return each.value() != kFirst || type.getDimSize(each.index()) == 1;
    });
    return isWhole ? std::optional(place) : std::nullopt;
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
      found.chain.insert(op);
    return depends[op] = isOne;
  };
  return visit(visit, weights) &&
         llvm::all_of(found.chain, [](Operation *op) { return op->getNumResults() == 1 && isMemoryEffectFree(op); });
}

/// Whether all that is needed of the inside elsewhere are the log-sum-exp's of the rows.
bool AttentionFinder::findLogSums() {
  return llvm::all_of(found.chain, [&](Operation *op) {
    return llvm::all_of(op->getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return found.chain.contains(user) || (user == found.product && use.get() == weights) ||
             takeRowValue(op->getResult(0));
    });
  });
}

/// Takes a value that has one element for each row, perhaps in another shape, for a result if it is the log-sum-exp,
/// whose rows are in the same order as those of the others; else all that is made of it has to be.
bool AttentionFinder::takeRowValue(Value value) {
  std::optional<WeightsPlace> place = placeOf(value);
  if (!place || llvm::is_contained(*place, found.positions))
    return false;
  auto rows = [](const WeightsPlace &of) { return llvm::filter_to_vector(of, [](int at) { return at != kFirst; }); };
  int rank = cast<RankedTensorType>(weights.getType()).getRank();
  if (int(rows(*place).size()) == rank - 1 && forms.element(value, placesIn(forms, *place)) == logSum) {
    if (llvm::any_of(found.logSums, [&](const PlacedTensor &each) { return each.tensor == value; }))
      return true;
    bool isAlike = found.logSums.empty() || rows(found.logSums.front().place) == rows(*place);
    found.logSums.push_back({value, *place});
    return isAlike && getElementTypeOrSelf(value) == getElementTypeOrSelf(found.scores->getResult(0));
  }
  return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
    return found.chain.contains(user) || (user->getBlock() == found.product->getBlock() && user->getNumResults() == 1 &&
                                          isMemoryEffectFree(user) && takeRowValue(user->getResult(0)));
  });
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
