//===- AttentionPattern.cpp - attention among tensor ops ------------------===//
//
// The skeleton is found by following operands: two contractions, with elementwise ops and
// the two reductions of a softmax between them. What these compute is found by evaluating
// them: masked scores of which positions are minus infinity, by which factor the others
// are scaled, and whether the weights are their softmax.
//
//===----------------------------------------------------------------------===//
#include "AttentionPattern.h"
#include "AttentionConversions.h"
#include "BatchProduct.h"
#include "MaskRegions.h"
#include "TensorFormulas.h"
#include "TensorRoles.h"
#include "lispier/Group/Group.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace lispier {
namespace {
/// Scores below are those of positions that are not seen: their weight is 0 beside any real score.
constexpr double kUnseen = -1e30;
constexpr int64_t kFarToken = 1 << 20;
/// Sizes that the ops do not depend on, if they are attention.
constexpr int64_t kKeys = 7, kHeadSize = 16, kOtherHeadSize = 9;

class Finder {
public:
  explicit Finder(linalg::LinalgOp product) : end(product) {}

  std::optional<Attention> find() {
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

private:
  /// Scores are at [head, token, position], in the order of their dimensions; if heads share keys, their number among
  /// those is a dimension of its own, and `head` that of the keys.
  struct Place {
    int64_t head, token, position;
  };
  using Number = PointEvaluator::Number;
  using Compare = std::function<bool(arith::CmpIPredicate predicate, int64_t difference)>;

  bool findScores(Value weightsTensor);
  /// Whether the type says that there is one token: then the mask need not say what others would see.
  bool isOneToken() const { return cast<RankedTensorType>(scores->getResult(0).getType()).getDimSize(tokenAt) == 1; }
  bool nameDimensions(BatchProduct product, unsigned weightsOperand, unsigned tokenLoop);
  bool isAsKernel();
  bool isAnyChange();
  bool leaveInputs();
  bool readMask();
  std::optional<int64_t> firstPosition();
  std::optional<SmallVector<MaskLine>> linesOfMask();
  bool isMaskAsRead(int64_t first);
  /// What the mask is with other sizes and other values of symbols in each round.
  struct Round {
    int64_t keys, tokens;
    llvm::MapVector<Value, int64_t> symbols = {};
    int64_t first = 0;
    std::optional<int64_t> window = std::nullopt;
  };
  bool readRound(Round &round);
  bool matchFirst(ArrayRef<Round> rounds);
  bool matchWindow(ArrayRef<Round> rounds);
  bool holdsFarAway();
  static Value symbolOf(ArrayRef<Round> rounds, llvm::function_ref<std::optional<int64_t>(const Round &)> number);
  bool readScale();
  std::optional<double> scaleFor(int64_t headSize);
  bool isSoftmax();
  bool fitsKernels() const;

  enum class Size { None, Tokens, Keys, HeadSize, Difference };
  Size kindOfSize(Value number);
  std::optional<int64_t> sizeOf(Value number);
  static bool isFromOutside(Value number);
  Number anyElement(Value tensor, ArrayRef<int64_t> index);
  PointEvaluator evaluator(double score);
  /// What is tried for a number from outside.
  int64_t valueOf(Value symbol) {
    return symbols.insert({symbol, firstSymbol + 6 * int64_t(symbols.size())}).first->second;
  }
  PointEvaluator::Index inOrder(Place place) const {
    PointEvaluator::Index index(sharedAt ? 4 : 3);
    index[headAt] = place.head, index[tokenAt] = place.token, index[positionAt] = place.position;
    if (sharedAt)
      index[*sharedAt] = (place.head + place.token) % 2; // What depends on it is something else.
    return index;
  }
  /// The score after scale and mask if it was `score` before; under another mask if comparisons have other outcomes.
  Number masked(Place place, double score, Compare compare = nullptr);
  /// A position that the token sees.
  int64_t seenBy(int64_t token) const {
    return !found.causal ? 0 : token + (found.alignedToEnd ? keys - tokens : found.firstConstant);
  }
  /// -1 if it cannot be told from a few places, else whether the token sees the position.
  int sees(int64_t token, int64_t position) {
    Number value = masked({token % 3, token, position}, 1.0);
    return value && use <= IndexUse::Piecewise ? *value > kUnseen : -1;
  }

  linalg::LinalgOp end, scores, maximum;
  Value weights, maskedScore; ///< The latter in the region of `maximum`.
  unsigned headAt = 0, tokenAt = 0, positionAt = 0;
  std::optional<unsigned> sharedAt;
  llvm::DenseMap<Value, Size> sizes; ///< Numbers are evaluated often.
  /// Sizes and positions that the ops take from outside, with values to try.
  llvm::MapVector<Value, int64_t> symbols;
  double scaleNumber = 1;        ///< Of a scale from outside.
  bool anyChange = false;        ///< Tensors and numbers from outside have some value.
  IndexUse use = IndexUse::None; ///< Of the last masked score.
  double far = 1;                ///< Beyond the constants of the last masked score.
  int64_t keys = kKeys, tokens = 3, headSize = kHeadSize, firstSymbol = 5;
  Attention found;
};

/// Follows the weights back to one contraction, through elementwise ops and reductions.
bool Finder::findScores(Value weightsTensor) {
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

bool Finder::nameDimensions(BatchProduct product, unsigned weightsOperand, unsigned tokenLoop) {
  sizes.clear();
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

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Which size of q, k, v or the scores the number is.
Finder::Size Finder::kindOfSize(Value number) {
  if (auto known = sizes.find(number); known != sizes.end())
    return known->second;
  auto find = [&] {
    for (auto [heads, size] :
         {std::pair(&found.q, Size::Tokens), std::pair(&found.k, Size::Keys), std::pair(&found.v, Size::Keys)})
      for (auto [at, kind] : {std::pair(heads->order.front(), size), std::pair(heads->order.back(), Size::HeadSize)})
        if (isSizeOf(number, heads->tensor, at))
          return kind;
    for (unsigned at : {tokenAt, positionAt})
      if (isSizeOf(number, scores->getResult(0), at))
        return at == tokenAt ? Size::Tokens : Size::Keys;
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return difference && kindOfSize(difference.getLhs()) != Size::None && kindOfSize(difference.getRhs()) != Size::None
               ? Size::Difference
               : Size::None;
  };
  Size kind = find();
  return sizes[number] = kind;
}

/// The size of q, k, v or the scores that the number is, or a difference of two.
std::optional<int64_t> Finder::sizeOf(Value number) {
  switch (kindOfSize(number)) {
  case Size::None:
    return std::nullopt;
  case Size::Tokens:
    return tokens;
  case Size::Keys:
    return keys;
  case Size::HeadSize:
    return headSize;
  case Size::Difference:
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return *sizeOf(difference.getLhs()) - *sizeOf(difference.getRhs());
  }
  llvm_unreachable("all cases return");
}

/// Whether the number is F32, and not computed by ops that have rules.
bool Finder::isFromOutside(Value number) {
  Operation *made = number.getDefiningOp();
  // What is in memory, only kernels read.
  return number.getType().isF32() &&
         !(made && (isa<tensor::ExtractOp>(made) || isa<arith::ArithDialect, math::MathDialect>(made->getDialect())));
}

/// Numbers that differ by place.
Finder::Number Finder::anyElement(Value tensor, ArrayRef<int64_t> index) {
  int64_t hash = valueOf(tensor);
  for (int64_t each : index)
    hash = (31 * hash + 7 * each + 3) % 101;
  Type element = getElementTypeOrSelf(tensor);
  return isa<FloatType>(element) ? hash / 50.0 - 1 : element.isInteger(1) ? double(hash % 3 != 0) : double(hash % 5);
}

/// Every score is `score`, or for a NaN one that differs by place.
PointEvaluator Finder::evaluator(double score) {
  PointEvaluator evaluator;
  evaluator.element = [this, score](Value tensor, ArrayRef<int64_t> index) -> Number {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!tensor.getDefiningOp<linalg::LinalgOp>() && type.hasStaticShape() && type.getNumElements() == 1 &&
        type.getElementType().isInteger(32))
      return valueOf(tensor);
    if (tensor != scores->getResult(0))
      return anyChange && !found.ops.contains(tensor.getDefiningOp()) ? anyElement(tensor, index) : std::nullopt;
    double varied = 0.5 * index[headAt] - 0.7 * index[tokenAt] + 0.3 * ((index[positionAt] * 5) % 7) +
                    (sharedAt ? 0.9 * index[*sharedAt] : 0);
    return std::isnan(score) ? varied : score;
  };
  evaluator.extent = [this](linalg::LinalgOp, unsigned) { return keys; };
  evaluator.scalar = [this](Value number) -> Number {
    if (std::optional<int64_t> known = sizeOf(number))
      return *known;
    if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::TruncIOp>(
            number.getDefiningOp()))
      return std::nullopt; // Of its operand.
    if (anyChange && isa<FloatType>(number.getType()) && !number.getDefiningOp<arith::ConstantOp>())
      return 0.125 * valueOf(number);
    if (isFromOutside(number) && (!found.scaleValue || found.scaleValue == number)) {
      found.scaleValue = number;
      return scaleNumber;
    }
    if (!number.getType().isIntOrIndex() || number.getType().isInteger(1))
      return std::nullopt;
    return valueOf(number);
  };
  return evaluator;
}

Finder::Number Finder::masked(Place place, double score, Compare compare) {
  std::optional<SmallVector<unsigned>> loops = loopDimsOf(maximum, *maximum.getDpsInitOperand(0));
  unsigned rank = sharedAt ? 4 : 3;
  if (!loops || maximum.getNumLoops() != rank || loops->size() != rank - 1)
    return std::nullopt;
  // The scores' dimensions, without the one that is reduced, in their order.
  PointEvaluator::Index index = inOrder(place), own(rank, -1);
  SmallVector<int64_t> kept;
  for (unsigned at = 0; at < rank; ++at)
    if (at != positionAt)
      kept.push_back(index[at]);
  for (auto [loop, at] : llvm::zip(*loops, kept))
    own[loop] = at;
  for (int64_t &at : own)
    if (at < 0)
      at = place.position;
  PointEvaluator evaluate = evaluator(score);
  evaluate.compareIndices = std::move(compare);
  Number value = evaluate.inRegion(maximum, own, maskedScore);
  use = evaluate.indexUse();
  far = evaluate.farPoint();
  return value;
}

//===----------------------------------------------------------------------===//
// Mask, scale, softmax
//===----------------------------------------------------------------------===//

bool Finder::isAsKernel() {
  anyChange = false;
  symbols.clear();
  if (!readMask() || !readScale() || !isSoftmax())
    return false;
  followOperands(found);
  followResult(found);
  return found.isKernel = fitsKernels();
}

/// What changes a score costs so much in the loop over positions, other than what is made of the score itself.
constexpr int64_t kMostInputCost = 8;

/// Leaves to other kernels what does not depend on the scores and is not cheap, such as a bias that is a product.
bool Finder::leaveInputs() {
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
bool Finder::isAnyChange() {
  anyChange = true;
  symbols.clear();
  auto isFloat = [](const AttentionHeads &heads) { return isa<FloatType>(getElementTypeOrSelf(heads.tensor)); };
  if (!leaveInputs() || !isSoftmax() || !isFloat(found.v) ||
      getElementTypeOrSelf(found.q.tensor) != getElementTypeOrSelf(found.k.tensor))
    return false;
  followResult(found);
  return true;
}

/// The last position that token 0 sees, if there is one such that token t sees t more.
std::optional<int64_t> Finder::firstPosition() {
  constexpr int64_t kMost = 128;
  std::optional<int64_t> last;
  for (int64_t position = 0; position < kMost; ++position) {
    int seen = sees(0, position);
    if (seen < 0)
      return std::nullopt;
    if (seen)
      last = position;
  }
  return last && *last + 1 < kMost ? last : std::nullopt;
}

/// What the mask's comparisons compare with 0; nothing if the mask depends on the head, or otherwise on its place.
std::optional<SmallVector<MaskLine>> Finder::linesOfMask() {
  SmallVector<int64_t> at[5];
  // Heads that share keys are numbered by the sum of head and token.
  const Place places[] = {{0, 0, 0}, {0, 2, 0}, {0, 0, 1}, {1, 0, 0}, {2, 0, 0}};
  for (auto [differences, place] : llvm::zip(at, places)) {
    // The comparisons are met in the same order everywhere.
    auto collect = [&differences](arith::CmpIPredicate, int64_t difference) {
      differences.push_back(difference);
      return true;
    };
    if (!masked(place, 1.0, collect) || use > IndexUse::Piecewise || differences.size() != at[0].size())
      return std::nullopt;
  }
  SmallVector<MaskLine> lines;
  for (auto [here, token, position, head, other] : llvm::zip(at[0], at[1], at[2], at[3], at[4])) {
    MaskLine line{isOneToken() ? 0 : (token - here) / 2, position - here, here};
    if (std::abs(line.token) > 1 || std::abs(line.position) > 1 || here != head || here != other)
      return std::nullopt;
    lines.push_back(line);
  }
  return lines;
}

/// Whether the mask is what was found: token t sees all positions, or those up to `first` + t, and of these no more
/// than the window has. The scale is the same for all of them.
bool Finder::isMaskAsRead(int64_t first) {
  int64_t window = found.window.value_or(0);
  std::optional<SmallVector<MaskLine>> lines = linesOfMask();
  Number scale = masked({0, 0, first}, 1.0);
  if (!lines || !scale)
    return false;
  if (found.causal)
    lines->push_back({-1, 1, -first});
  if (window)
    lines->push_back({-1, 1, window - 1 - first});
  return llvm::all_of(placesOfRegions(*lines), [&](auto place) {
    auto [token, position] = place;
    if (token && isOneToken())
      return true;
    int64_t own = first + token;
    bool isSeen = !found.causal || (position <= own && (!window || position > own - window));
    Number value = masked({token % 3, token, position}, 1.0);
    return value && (isSeen ? isNear(*value, *scale) : *value <= kUnseen);
  });
}

/// Reads a causal mask with the round's sizes.
bool Finder::readRound(Round &round) {
  keys = round.keys, tokens = round.tokens;
  std::optional<int64_t> first = firstPosition();
  if (!first)
    return false;
  found.window = std::nullopt;
  int64_t token = isOneToken() ? 0 : kFarToken;
  if (sees(token, 0) != 1) {
    int64_t below = 0, from = token + *first; // Unseen, seen.
    if (sees(token, from) != 1)
      return false;
    while (from - below > 1) {
      int64_t middle = (below + from) / 2;
      (sees(token, middle) == 1 ? from : below) = middle;
    }
    found.window = token + *first - from + 1;
  }
  round.first = *first, round.window = found.window;
  round.symbols = symbols;
  return isMaskAsRead(*first);
}

bool Finder::readMask() {
  if (sees(0, 0) < 0)
    return false;
  if (isMaskAsRead(0))
    return true;
  found.causal = true;
  Round rounds[] = {{7, 3}, {20, 5}, {31, 2}};
  for (auto [number, round] : llvm::enumerate(rounds)) {
    firstSymbol = 5 + 13 * number;
    symbols.clear();
    if (!readRound(round))
      return false;
  }
  keys = kKeys, tokens = 3;
  return matchWindow(rounds) && matchFirst(rounds) && holdsFarAway();
}

/// Whether the mask is also what was found where numbers from outside are none of those that were tried, so that it has
/// the window itself and not, for instance, at most 1000 of it.
bool Finder::holdsFarAway() {
  llvm::MapVector<Value, int64_t> known = symbols;
  bool holds = true;
  for (int64_t number : {int64_t(1), kFarToken + 3, int64_t(1) << 30}) {
    if (found.first)
      symbols[found.first] = number;
    if (found.windowValue) {
      symbols[found.windowValue] = number;
      found.window = number;
    }
    int64_t first = found.first ? number : found.alignedToEnd ? keys - tokens : found.firstConstant;
    holds &= isMaskAsRead(first);
  }
  if (found.windowValue)
    found.window = std::nullopt;
  symbols = std::move(known);
  return holds;
}

/// The symbol that is the number in all rounds; null if there is none.
Value Finder::symbolOf(ArrayRef<Round> rounds, llvm::function_ref<std::optional<int64_t>(const Round &)> number) {
  for (auto &[symbol, value] : rounds[0].symbols)
    if (llvm::all_of(rounds, [&, symbol = symbol](const Round &round) {
          auto known = round.symbols.find(symbol);
          return known != round.symbols.end() && known->second == number(round);
        }))
      return symbol;
  return {};
}

/// What the window is in all rounds.
bool Finder::matchWindow(ArrayRef<Round> rounds) {
  found.window = rounds[0].window;
  if (llvm::all_of(rounds, [&](const Round &round) { return round.window == found.window; }))
    return true;
  found.window = std::nullopt;
  return bool(found.windowValue = symbolOf(rounds, [](const Round &round) { return round.window; }));
}

/// What the position of the first token is in all rounds.
bool Finder::matchFirst(ArrayRef<Round> rounds) {
  found.firstConstant = rounds[0].first;
  if (llvm::all_of(rounds, [&](const Round &round) { return round.first == found.firstConstant; }))
    return true;
  found.firstConstant = 0;
  if (llvm::all_of(rounds, [](const Round &round) { return round.first == round.keys - round.tokens; }))
    return found.alignedToEnd = true;
  found.first = symbolOf(rounds, [](const Round &round) { return round.first; });
  symbols.clear();
  symbols[found.first] = 0; // For what is tried after this.
  return bool(found.first);
}

/// The factor of a score that is seen, if the masked score is a multiple of it.
std::optional<double> Finder::scaleFor(int64_t size) {
  headSize = size;
  Number one = masked({0, 0, seenBy(0)}, 1.0);
  if (!one || !(*one > 0) || !std::isfinite(*one))
    return std::nullopt;
  for (double score : {-30.0, -1.0, 0.0, 0.5, 8.0, 200.0, far, -far})
    for (int64_t token : {0, isOneToken() ? 0 : 2}) {
      Number value = masked({1, token, seenBy(token)}, score);
      if (!value || !isNear(*value, *one * score))
        return std::nullopt;
    }
  return one;
}

bool Finder::readScale() {
  int64_t known = cast<RankedTensorType>(found.q.tensor.getType()).getDimSize(found.q.order.back());
  bool isKnown = !ShapedType::isDynamic(known);
  std::optional<double> scale = scaleFor(isKnown ? known : kHeadSize);
  for (auto &[symbol, value] : symbols)
    if (symbol != found.first)
      value += 7; // The scale depends on no other size.
  std::optional<double> other = scaleFor(isKnown ? known : kOtherHeadSize);
  if (found.scaleValue) {
    scaleNumber = 2.5;
    std::optional<double> larger = scaleFor(isKnown ? known : kHeadSize);
    scaleNumber = 1;
    found.scale = 1;
    return scale && other && larger && isNear(*scale, 1) && isNear(*other, 1) && isNear(*larger, 2.5);
  }
  if (!scale || !other)
    return false;
  if (isNear(*scale, 1 / std::sqrt(double(isKnown ? known : kHeadSize))) &&
      (isKnown || isNear(*other, 1 / std::sqrt(double(kOtherHeadSize)))))
    return true;
  found.scale = scale;
  return isNear(*scale, *other);
}

bool Finder::isSoftmax() {
  int64_t known = cast<RankedTensorType>(weights.getType()).getDimSize(positionAt);
  keys = ShapedType::isDynamic(known) ? kKeys : known;
  constexpr double kVaried = std::numeric_limits<double>::quiet_NaN();
  PointEvaluator evaluate = evaluator(kVaried);
  // Under some other mask: weights that depend on their place otherwise than by the mask of their score differ.
  evaluate.compareIndices = anyOutcome;
  bool isSeen = false;
  for (auto [head, token] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 2), std::pair(1, 3), std::pair(0, 4)}) {
    SmallVector<double> row;
    for (int64_t position = 0; position < keys; ++position) {
      Number score = masked({head, token, position}, kVaried, anyOutcome);
      if (!score)
        return false;
      row.push_back(*score);
    }
    double most = *llvm::max_element(row), total = 0;
    if (most <= kUnseen)
      continue;
    for (double score : row)
      total += std::exp(score - most);
    if (!std::isfinite(most))
      return false;
    for (int64_t position : {int64_t(0), std::min<int64_t>(2, keys - 1), keys - 1}) {
      Number weight = evaluate.at(weights, inOrder({head, token, position}));
      if (!weight || !isNear(*weight, std::exp(row[position] - most) / total))
        return false;
    }
    isSeen = true;
  }
  return isSeen;
}

/// What nn.attention takes: one element type, and the numbers of a head one after the other.
bool Finder::fitsKernels() const {
  Type element = getElementTypeOrSelf(found.q.tensor);
  return (element.isF32() || element.isBF16()) &&
         llvm::all_of(ArrayRef<const AttentionHeads *>{&found.q, &found.k, &found.v, &found.result},
                      [&](const AttentionHeads *heads) {
                        return getElementTypeOrSelf(heads->tensor) == element && heads->fitsKernels();
                      });
}
} // namespace

std::optional<Attention> matchAttention(linalg::LinalgOp product) { return Finder(product).find(); }
} // namespace lispier
