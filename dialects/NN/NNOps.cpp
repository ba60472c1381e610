//===- NNOps.cpp - verifiers of the nn ops --------------------------------===//
//
// NNOps.td constrains types and ranks; the verifiers check that sizes agree. Each
// message gives both sizes and both types.
//
//===----------------------------------------------------------------------===//
#include "lispier/NN/NN.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace lispier::nn {
static bool isFloat(Type type) { return type.isF32() || type.isBF16(); }
static bool isF32(Type type) { return type.isF32(); }
static bool isI32(Type type) { return type.isInteger(32); }
static bool isI64(Type type) { return type.isInteger(64); }
} // namespace lispier::nn

#define GET_OP_CLASSES
#include "lispier/NN/NNOps.cpp.inc"

namespace {
/// An operand with its name in the op's description.
struct Named {
  StringRef name;
  Value value;
  MemRefType type() const { return cast<MemRefType>(value.getType()); }
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
LogicalResult EmbeddingOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"tokens", getTokens()}, "T")) || failed(sizes.agree({"wte", getWte()}, "VC")) ||
      failed(sizes.agree({"wpe", getWpe()}, "PC")) || failed(sizes.agree({"position", getPosition()}, "1")) ||
      failed(sizes.agree({"out", getOut()}, "TC")) || failed(fits(*this, sizes)))
    return failure();
  return sameElement(*this, {"wte", getWte()}, {"wpe", getWpe()});
}

LogicalResult LayerNormOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TC")) || failed(sizes.agree({"weight", getWeight()}, "C")) ||
      failed(sizes.agree({"bias", getBias()}, "C")) || failed(sizes.agree({"out", getOut()}, "TC")))
    return failure();
  return sameElement(*this, {"weight", getWeight()}, {"bias", getBias()});
}

namespace {
/// Checks the sizes of the weight, and of bias and residual if present.
template <typename Op> LogicalResult agreeProduct(Sizes &sizes, Op op) {
  if (failed(sizes.agree({"weight", op.getWeight()}, "NK")))
    return failure();
  if (op.getBias() && (failed(sizes.agree({"bias", op.getBias()}, "N")) ||
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

LogicalResult NormLinearOp::verify() {
  for (unsigned group : {0, 1, 2, 3, 4, 5, 8})
    if (getODSOperandIndexAndLength(group).second != 1)
      return emitOpError(
          "takes x, norm_weight, norm_bias, epsilon, normed, weight, bias or none, residual or none, and out");
  Sizes sizes(*this);
  if (failed(sizes.agree({"x", getX()}, "TK")) || failed(sizes.agree({"norm_weight", getNormWeight()}, "K")) ||
      failed(sizes.agree({"norm_bias", getNormBias()}, "K")) ||
      failed(sameElement(*this, {"norm_weight", getNormWeight()}, {"norm_bias", getNormBias()})) ||
      failed(sizes.agree({"normed", getNormed()}, "TK")) || failed(agreeProduct(sizes, *this)))
    return failure();
  if (getX() == getNormed() || getX() == getOut() || getNormed() == getOut())
    return emitOpError("x, normed and out must not be the same memory");
  return sizes.agree({"out", getOut()}, "TN");
}

LogicalResult AttentionOp::verify() {
  Sizes sizes(*this);
  Named qkv{"qkv", getQkv()}, keys{"key_cache", getKeyCache()}, values{"value_cache", getValueCache()};
  Named out{"out", getOut()};
  if (failed(sizes.agree(qkv, "T.")) || failed(sizes.agree(keys, "HPD")) || failed(sizes.agree(values, "HPD")) ||
      failed(sizes.agree({"position", getPosition()}, "1")) || failed(sizes.agree(out, "TC")) ||
      failed(fits(*this, sizes)) || failed(sameElement(*this, keys, values)))
    return failure();
  int64_t heads = sizes.get('H'), headSize = sizes.get('D'), channels = sizes.get('C');
  int64_t columns = qkv.type().getDimSize(1);
  bool headsKnown = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(headSize);
  if (headsKnown && !ShapedType::isDynamic(channels) && heads * headSize != channels)
    return emitOpError() << "out has " << channels << " columns; " << heads << " heads of " << headSize << " are "
                         << heads * headSize;
  if (ShapedType::isDynamic(channels) && headsKnown)
    channels = heads * headSize;
  if (!ShapedType::isDynamic(columns) && !ShapedType::isDynamic(channels) && columns != 3 * channels)
    return emitOpError() << "qkv has " << columns << " columns; queries, keys and values of " << channels
                         << " channels are " << 3 * channels;
  return success();
}

LogicalResult SoftmaxOp::verify() { return sameShape(*this, {"x", getX()}, {"out", getOut()}); }

LogicalResult GeluOp::verify() { return sameShape(*this, {"x", getX()}, {"out", getOut()}); }

LogicalResult AddOp::verify() {
  if (failed(sameShape(*this, {"a", getA()}, {"b", getB()})))
    return failure();
  return sameShape(*this, {"a", getA()}, {"out", getOut()});
}

LogicalResult ArgmaxOp::verify() { return Sizes(*this).agree({"out", getOut()}, "1"); }

LogicalResult SampleOp::verify() {
  Sizes sizes(*this);
  if (failed(sizes.agree({"logits", getLogits()}, "V")) || failed(sizes.agree({"scratch", getScratch()}, "V")) ||
      failed(sizes.agree({"state", getState()}, "1")))
    return failure();
  return sizes.agree({"out", getOut()}, "1");
}
} // namespace lispier::nn
