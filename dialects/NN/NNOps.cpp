//===- NNOps.cpp - verifiers of the nn ops --------------------------------===//
//
// NNOps.td constrains types and ranks; the verifiers check that sizes agree. Each
// message gives both sizes and both types.
//
//===----------------------------------------------------------------------===//
#include "lispier/NN/NN.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "lispier/NN/NNOps.cpp.inc"

namespace {
/// An operand with its name in the op's description.
struct Named {
  StringRef name;
  Value value;
  ShapedType type() const { return cast<ShapedType>(value.getType()); }
  Type element() const { return type().getElementType(); }
};

/// The sizes seen so far, by letter. A dynamic size agrees with every size.
class Sizes {
public:
  explicit Sizes(Operation *op) : op(op) {}

  /// Checks the sizes of `operand` against `letters`, one per dimension; '1' is the size one, '.' any size.
  LogicalResult agree(const Named &operand, StringRef letters) {
    for (auto [dimension, letter] : llvm::enumerate(letters)) {
      int64_t size = operand.type().getDimSize(dimension);
      if (ShapedType::isDynamic(size) || letter == '.')
        continue;
      if (letter == '1') {
        if (size != 1)
          return op->emitOpError() << operand.name << " must hold 1 element, not " << size << " (" << operand.type()
                                   << ")";
        continue;
      }
      auto [seen, inserted] = first.try_emplace(letter, std::pair(operand, size));
      auto [other, otherSize] = seen->second;
      if (!inserted && otherSize != size)
        return op->emitOpError() << StringRef(&letter, 1) << " differs: " << other.name << " has " << otherSize << " ("
                                 << other.type() << "), " << operand.name << " has " << size << " (" << operand.type()
                                 << ")";
    }
    return success();
  }

  /// The static size of a letter, or dynamic if no operand has one.
  int64_t get(char letter) const {
    auto found = first.find(letter);
    return found == first.end() ? ShapedType::kDynamic : found->second.second;
  }

private:
  Operation *op;
  llvm::DenseMap<char, std::pair<Named, int64_t>> first;
};

LogicalResult sameElement(Operation *op, const Named &a, const Named &b) {
  if (a.element() == b.element())
    return success();
  return op->emitOpError() << a.name << " and " << b.name << " have different element types, " << a.element() << " and "
                           << b.element();
}

LogicalResult sameShape(Operation *op, const Named &a, const Named &b) {
  if (succeeded(verifyCompatibleShape(a.type(), b.type())))
    return success();
  return op->emitOpError() << a.name << " and " << b.name << " have different shapes, " << a.type() << " and "
                           << b.type();
}

/// position[0] is at least 0, so T tokens need at least T positions.
LogicalResult fits(Operation *op, const Sizes &sizes) {
  int64_t tokens = sizes.get('T'), positions = sizes.get('P');
  if (ShapedType::isDynamic(tokens) || ShapedType::isDynamic(positions) || tokens <= positions)
    return success();
  return op->emitOpError() << "has " << tokens << " tokens for " << positions << " positions";
}
} // namespace

namespace lispier::nn {
LogicalResult LayerNormOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TC")) || failed(sizes.agree({"weight", getWeight()}, "C")) ||
      failed(sizes.agree({"bias", getBias()}, "C")) || failed(sizes.agree({"out", getOut()}, "TC")))
    return failure();
  return sameElement(*this, {"weight", getWeight()}, {"bias", getBias()});
}

namespace {
/// Checks the sizes of the weight, and of bias and residual if present.
template <typename Op> LogicalResult agreeProduct(Sizes &sizes, Op op, char rows = 'N') {
  const char weight[] = {rows, 'K', 0}, bias[] = {rows, 0};
  if (failed(sizes.agree({"weight", op.getWeight()}, weight)))
    return failure();
  if (op.getBias() && (failed(sizes.agree({"bias", op.getBias()}, bias)) ||
                       failed(sameElement(op, {"weight", op.getWeight()}, {"bias", op.getBias()}))))
    return failure();
  if (op.getResidual() && (failed(sizes.agree({"residual", op.getResidual()}, "TN")) ||
                           failed(sameElement(op, {"residual", op.getResidual()}, {"out", op.getOut()}))))
    return failure();
  return success();
}
} // namespace

LogicalResult LinearOp::verify() {
  // The verifier also runs on incomplete generic IR, where any operand segment may be empty.
  for (unsigned group : {0, 1, 4})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes x, weight, bias or none, residual or none, and out");
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TK")) || failed(agreeProduct(sizes, *this)))
    return failure();
  if (getX() == getOut())
    return emitOpError("x and out must not be the same memory: a row of x is read until its last output is written");
  return sizes.agree({"out", getOut()}, "TN");
}

namespace {
/// Checks the parameters and the result of a normalisation of x.
template <typename Op> LogicalResult checkNormWeights(Op op, Sizes &sizes) {
  Named weight{"norm_weight", op.getNormWeight()}, bias{"norm_bias", op.getNormBias()};
  return success(succeeded(sizes.agree(weight, "K")) &&
                 (!bias.value || (succeeded(sizes.agree(bias, "K")) && succeeded(sameElement(op, weight, bias)))));
}
template <typename Op> LogicalResult checkNorm(Op op, Sizes &sizes) {
  return failed(checkNormWeights(op, sizes)) ? failure() : sizes.agree({"normed", op.getNormed()}, "TK");
}
} // namespace

LogicalResult NormLinearOp::verify() {
  for (unsigned group : {0, 1, 3, 4, 5, 8})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes x, norm_weight, norm_bias or none, epsilon, normed, weight, bias or none, residual or "
                         "none, and out");
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TK")) || failed(checkNorm(*this, sizes)) ||
      failed(agreeProduct(sizes, *this, getGated() ? 'M' : 'N')) || failed(sizes.agree({"out", getOut()}, "TN")))
    return failure();
  if (getGated() && sizes.get('T') != 1)
    return emitOpError() << "gated takes one row, and x is " << getX().getType();
  if (getGated() && !ShapedType::isDynamic(sizes.get('M')) && !ShapedType::isDynamic(sizes.get('N')) &&
      sizes.get('M') != 2 * sizes.get('N'))
    return emitOpError() << "gated takes a weight of " << 2 * sizes.get('N') << " rows, twice the columns of out, not "
                         << sizes.get('M');
  if (getX() == getNormed() || getX() == getOut() || getNormed() == getOut())
    return emitOpError("x, normed and out must not be the same memory");
  return success();
}

LogicalResult NormProductOp::verify() {
  for (unsigned group : {0, 1, 2, 3, 4, 5, 8})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes x, norm_weight, norm_bias, epsilon, factors, weight, bias or none, residual or none, "
                         "and out");
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TK")) || failed(checkNormWeights(*this, sizes)) ||
      failed(agreeProduct(sizes, *this, 'N')) || failed(sizes.agree({"out", getOut()}, "TN")))
    return failure();
  if (getX() == getOut())
    return emitOpError("x and out must not be the same memory");
  return success();
}

namespace {
/// Checks the sizes and element types of the products of one row, which read `x`.
template <typename Op> LogicalResult checkLinears(Op op, Sizes &sizes) {
  Named weight{"weight", op.getWeight()}, out{"out", op.getOut()};
  if (bool(op.getWeight3()) != bool(op.getOut3()))
    return op.emitOpError() << "has " << (op.getOut3() ? "out3, but no weight3" : "weight3, but no out3");
  if (op.getBias3() && !op.getWeight3())
    return op.emitOpError("has bias3, but no weight3");
  auto agree = [&](Named rows, Named bias, Named result, StringRef letter) {
    if (!rows.value)
      return success();
    if (failed(sizes.agree(rows, (letter + "K").str())) || failed(sameElement(op, weight, rows)) ||
        failed(sizes.agree(result, ("1" + letter).str())) || failed(sameElement(op, out, result)))
      return failure();
    return success(!bias.value || (succeeded(sizes.agree(bias, letter)) && succeeded(sameElement(op, weight, bias))));
  };
  if (failed(agree(weight, {"bias", op.getBias()}, out, "N")) ||
      failed(agree({"weight2", op.getWeight2()}, {"bias2", op.getBias2()}, {"out2", op.getOut2()}, "M")) ||
      failed(agree({"weight3", op.getWeight3()}, {"bias3", op.getBias3()}, {"out3", op.getOut3()}, "L")))
    return failure();
  if (!isa<MemRefType>(op.getOut2().getType()) || (op.getOut3() && !isa<MemRefType>(op.getOut3().getType())))
    return op.emitOpError("out2 and out3 must be memrefs");
  SmallVector<Value, 4> memories{op.getX(), op.getOut(), op.getOut2()};
  if (op.getOut3())
    memories.push_back(op.getOut3());
  for (auto [i, memory] : llvm::enumerate(memories))
    if (llvm::is_contained(ArrayRef(memories).drop_front(i + 1), memory))
      return op.emitOpError("x, out, out2 and out3 must not be the same memory");
  return success();
}
} // namespace

LogicalResult LinearsOp::verify() {
  for (unsigned group : {0, 1, 2, 7, 9})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes x, weight, weight2, weight3 or none, bias, bias2, bias3 or none, out2, out3 or none, "
                         "and out");
  Sizes sizes(*this);
  return failed(sizes.agree({"x", getX()}, "1K")) ? failure() : checkLinears(*this, sizes);
}

LogicalResult NormLinearsOp::verify() {
  for (unsigned group : {0, 1, 3, 4, 5, 6, 11, 13})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes x, norm_weight, norm_bias or none, epsilon, normed, weight, weight2, weight3 or none, "
                         "bias, bias2, bias3 or none, out2, out3 or none, and out");
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "1K")) || failed(checkNorm(*this, sizes)) || failed(checkLinears(*this, sizes)))
    return failure();
  if (llvm::is_contained({getX(), getOut(), getOut2(), getOut3()}, getNormed()))
    return emitOpError("normed must not be the memory of x, out, out2 or out3");
  return success();
}

namespace {
/// Checks the numbers of an attention's attributes.
template <typename Op> LogicalResult checkNumbers(Op op) {
  std::optional<uint64_t> window = op.getWindow();
  if (window && int64_t(*window) < 1)
    return op.emitOpError() << "window is " << int64_t(*window) << "; it is a number of positions, at least 1";
  if (window && op.getWindowSize())
    return op.emitOpError("has a window and a window_size; one of them says how many positions a token attends to");
  if (op.getWindowSize() && !op.getPosition())
    return op.emitOpError("has a window_size, but no position of the first token");
  if (std::optional<APFloat> scale = op.getScale();
      scale && (!scale->isFinite() || scale->isNegative() || scale->isZero()))
    return op.emitOpError() << "scale is " << scale->convertToDouble() << "; it is a positive number";
  return success();
}

/// Checks that what limits the positions fits the mask.
LogicalResult checkMask(AttentionOp op) {
  std::optional<uint64_t> window = op.getWindow();
  if ((window || op.getWindowSize()) && op.getMask() != Mask::Causal)
    return op.emitOpError() << (window ? "window" : "window_size") << " needs the mask `causal`, not `"
                            << stringifyMask(op.getMask()) << "`";
  return checkNumbers(op);
}

/// Checks that each head of keys serves equally many heads of queries.
LogicalResult checkGroups(Operation *op, const Sizes &sizes, const Named &q, const Named &k) {
  int64_t heads = sizes.get('H'), groups = sizes.get('G');
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(groups) || (groups > 0 && heads % groups == 0))
    return success();
  return op->emitOpError() << "q has " << heads << " heads (" << q.type() << "), which " << groups
                           << " heads of keys do not divide (" << k.type() << ")";
}
} // namespace

LogicalResult AttentionOp::verify() {
  for (unsigned group : {0, 1, 2, 7})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError(
          "takes q, k, v, key_cache or none, value_cache or none, position or none, window_size or none, "
          "and out");
  Sizes sizes(*this);
  Named q{"q", getQ()}, k{"k", getK()}, v{"v", getV()};
  bool cached = bool(getKeyCache());
  if (cached != bool(getValueCache()))
    return emitOpError() << "has a " << (cached ? "key" : "value") << " cache, but no " << (cached ? "value" : "key")
                         << " cache";
  StringRef tokens = cached ? "TGD" : "SGD"; // What is appended to a cache are the keys of the queries' tokens.
  if (failed(sizes.agree(q, "THD")) || failed(sizes.agree(k, tokens)) || failed(sizes.agree(v, tokens)) ||
      failed(sizes.agree({"out", getOut()}, "THD")) || failed(sameElement(*this, k, v)) ||
      (getPosition() && failed(sizes.agree({"position", getPosition()}, "1"))) ||
      (getWindowSize() && failed(sizes.agree({"window_size", getWindowSize()}, "1"))))
    return failure();
  if (cached) {
    Named keys{"key_cache", getKeyCache()}, values{"value_cache", getValueCache()};
    if (!getPosition())
      return emitOpError("has caches, but no position at which to append to them");
    if (failed(sizes.agree(keys, "GPD")) || failed(sizes.agree(values, "GPD")) || failed(fits(*this, sizes)) ||
        failed(sameElement(*this, keys, values)))
      return failure();
  }
  return failed(checkGroups(*this, sizes, q, k)) ? failure() : checkMask(*this);
}

LogicalResult RotatedAttentionOp::verify() {
  for (unsigned group : {0, 1, 2, 3, 4, 5, 6, 7, 10})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError("takes q, k, v, cosines, sines, rotated, key_cache, value_cache, position or none, "
                         "window_size or none, and out");
  Sizes sizes(*this);
  Named q{"q", getQ()}, k{"k", getK()}, v{"v", getV()}, rotated{"rotated", getRotated()};
  Named keys{"key_cache", getKeyCache()}, values{"value_cache", getValueCache()};
  if (failed(sizes.agree(q, "1HD")) || failed(sizes.agree(k, "1GD")) || failed(sizes.agree(v, "1GD")) ||
      failed(sizes.agree({"cosines", getCosines()}, "1C")) || failed(sizes.agree({"sines", getSines()}, "1C")) ||
      failed(sizes.agree(rotated, "1.D")) || failed(sizes.agree(keys, "GPD")) || failed(sizes.agree(values, "GPD")) ||
      (getPosition() && failed(sizes.agree({"position", getPosition()}, "1"))) ||
      failed(sizes.agree({"out", getOut()}, "1HD")) ||
      (getWindowSize() && failed(sizes.agree({"window_size", getWindowSize()}, "1"))) ||
      failed(sameElement(*this, q, rotated)) || failed(sameElement(*this, k, rotated)) ||
      failed(sameElement(*this, k, v)) || failed(sameElement(*this, keys, values)))
    return failure();
  int64_t pairs = sizes.get('C'), head = sizes.get('D');
  if (!ShapedType::isDynamic(pairs) && !ShapedType::isDynamic(head) && head != 2 * pairs)
    return emitOpError() << "has " << pairs << " cosines for heads of " << head << "; there are two numbers for each";
  return failed(checkGroups(*this, sizes, q, k)) ? failure() : checkNumbers(*this);
}

LogicalResult SoftmaxOp::verify() { return sameShape(*this, {"x", getX()}, {"out", getOut()}); }

LogicalResult GeluOp::verify() { return sameShape(*this, {"x", getX()}, {"out", getOut()}); }

LogicalResult AddOp::verify() {
  if (failed(sameShape(*this, {"a", getA()}, {"b", getB()})))
    return failure();
  return sameShape(*this, {"a", getA()}, {"out", getOut()});
}

LogicalResult AddAtOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"indices", getIndices()}, "N")) || failed(sizes.agree({"rows", getRows()}, "NC")) ||
      failed(sizes.agree({"out", getOut()}, "VC")))
    return failure();
  int64_t rows = sizes.get('N'), table = sizes.get('V'),
          scratch = cast<ShapedType>(getScratch().getType()).getDimSize(0);
  if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(table) && !ShapedType::isDynamic(scratch) &&
      scratch != 2 * (rows + table + 1))
    return emitOpError() << "scratch must hold " << 2 * (rows + table + 1) << " elements, 2 V + 2 N + 2, not "
                         << scratch;
  return success();
}

namespace {
/// Checks the sizes and types of what is put into a table.
template <typename Op> LogicalResult agreeRows(Op op, Sizes &sizes) {
  if (failed(sizes.agree({"indices", op.getIndices()}, "N")) || failed(sizes.agree({"rows", op.getRows()}, "NC")) ||
      failed(sizes.agree({"out", op.getOut()}, "VC")))
    return failure();
  return sameElement(op, {"rows", op.getRows()}, {"out", op.getOut()});
}
} // namespace

LogicalResult SetAtOp::verify() {
  Sizes sizes(*this);
  if (failed(agreeRows(*this, sizes)))
    return failure();
  return sizes.agree({"scratch", getScratch()}, "V");
}

LogicalResult ExtremeAtOp::verify() {
  Sizes sizes(*this);
  return agreeRows(*this, sizes);
}

LogicalResult ArgsortOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "RN")) || failed(sizes.agree({"out", getOut()}, "RK")))
    return failure();
  int64_t rows = sizes.get('R'), elements = sizes.get('N'), places = sizes.get('K'),
          scratch = cast<ShapedType>(getScratch().getType()).getDimSize(0);
  bool known = !ShapedType::isDynamic(elements);
  if (known && !ShapedType::isDynamic(places) && places > elements)
    return emitOpError() << "out has " << places << " places of rows of " << elements << " elements";
  if (known && !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(scratch) &&
      scratch != rows * (3 * elements + 256))
    return emitOpError() << "scratch must hold " << rows * (3 * elements + 256) << " elements, R (3 N + 256), not "
                         << scratch;
  return success();
}

LogicalResult ArgmaxOp::verify() { return Sizes(*this).agree({"out", getOut()}, "1"); }

LogicalResult SampleOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"logits", getLogits()}, "V")) || failed(sizes.agree({"scratch", getScratch()}, "V")) ||
      failed(sizes.agree({"state", getState()}, "1")))
    return failure();
  return sizes.agree({"out", getOut()}, "1");
}

SmallVector<Value> weightsOf(Operation *op) {
  auto present = [](std::initializer_list<Value> weights) {
    return llvm::to_vector(llvm::make_filter_range(weights, [](Value weight) { return bool(weight); }));
  };
  auto ofAll = [&](auto op) {
    return present({op.getWeight(), op.getWeight2(), op.getWeight3(), op.getBias(), op.getBias2(), op.getBias3()});
  };
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](LayerNormOp norm) { return present({norm.getWeight(), norm.getBias()}); })
      .Case([&](LinearOp linear) { return present({linear.getWeight(), linear.getBias()}); })
      .Case([&](NormLinearOp op) {
        return present({op.getNormWeight(), op.getNormBias(), op.getWeight(), op.getBias()});
      })
      .Case([&](NormProductOp op) {
        return present({op.getNormWeight(), op.getNormBias(), op.getWeight(), op.getBias()});
      })
      .Case([&](LinearsOp op) { return ofAll(op); })
      .Case([&](NormLinearsOp op) {
        SmallVector<Value> weights = ofAll(op);
        llvm::append_range(weights, present({op.getNormWeight(), op.getNormBias()}));
        return weights;
      })
      .Default(SmallVector<Value>());
}

void setConstantWeights(Operation *op) {
  llvm::TypeSwitch<Operation *>(op).Case<LayerNormOp, LinearOp, NormLinearOp, NormProductOp, LinearsOp, NormLinearsOp>(
      [](auto weighing) { weighing.setConstantWeights(true); });
}

bool isConstantWeight(Operation *op, Value operand) {
  bool isAsserted = llvm::TypeSwitch<Operation *, bool>(op)
                        .Case<LayerNormOp, LinearOp, NormLinearOp, NormProductOp, LinearsOp, NormLinearsOp>(
                            [](auto weighing) { return weighing.getConstantWeights(); })
                        .Default(false);
  return isAsserted && llvm::is_contained(weightsOf(op), operand);
}
} // namespace lispier::nn
