//===- ScoreReader.cpp - how attention changes scores ----------------------===//
//
// By which factor a score that is seen differs from the product of query and key, and
// whether nn.attention takes the operands.
//
//===----------------------------------------------------------------------===//
#include "ScoreReader.h"
#include "TensorFormulas.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace lispier {
/// Which size of q, k, v or the result the number is.
ScoreReader::Size ScoreReader::kindOfSize(Value number) {
  if (auto known = sizes.find(number); known != sizes.end())
    return known->second;
  auto find = [&] {
    for (auto [heads, size] : {std::pair(&found.q, Size::Tokens), std::pair(&found.k, Size::Keys),
                               std::pair(&found.v, Size::Keys), std::pair(&found.result, Size::Tokens)})
      for (auto [at, kind] : {std::pair(heads->order.front(), size), std::pair(heads->order.back(), Size::HeadSize)})
        if ((heads->hasTokens || kind == Size::HeadSize) && isKnownSizeOf(number, heads->tensor, at))
          return kind;
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return difference && kindOfSize(difference.getLhs()) != Size::None && kindOfSize(difference.getRhs()) != Size::None
               ? Size::Difference
               : Size::None;
  };
  Size kind = find();
  return sizes[number] = kind;
}

/// The operands as [tokens, heads, size]; false if nn.attention takes none like these: of one element type, with the
/// numbers of a head one after the other, as many of values as of keys.
bool ScoreReader::nameHeads() {
  unsigned outer = op.outerLoops(), result = 3 + op.getOthers().size();
  Type element = getElementTypeOrSelf(op.getQuery());
  if (op.getInits().size() != 1 || outer == 0 || outer > 2 || !(element.isF32() || element.isBF16()) ||
      op.staticSize(op.headSize()) != op.staticSize(op.valueSize()) || !op.changedScore().getType().isF32() ||
      !op.scoreArgument().getType().isF32())
    return false;
  auto name = [&](AttentionHeads &heads, unsigned operand, Value tensor, unsigned first, unsigned last, bool shares) {
    heads.hasTokens = !rowsAreHeads || first != op.tokens();
    SmallVector<unsigned> loops;
    if (heads.hasTokens)
      loops.push_back(first);
    for (unsigned loop = 0; loop < (shares ? 1 : outer); ++loop)
      loops.push_back(loop);
    if (!heads.hasTokens)
      loops.push_back(first);
    loops.push_back(last);
    heads.tensor = tensor;
    for (unsigned loop : loops)
      if (std::optional<unsigned> dimension = op.dimensionOf(operand, loop))
        heads.order.push_back(*dimension);
    return getElementTypeOrSelf(tensor) == element && heads.order.size() == loops.size() &&
           op.mapOf(operand).getNumResults() == loops.size() && heads.fitsKernels();
  };
  bool shares = outer == 2 && !op.dimensionOf(1, 1); // Else the two are batches and heads.
  return name(found.q, 0, op.getQuery(), op.tokens(), op.headSize(), false) &&
         name(found.k, 1, op.getKey(), op.positions(), op.headSize(), shares) &&
         name(found.v, 2, op.getValue(), op.positions(), op.valueSize(), shares) &&
         name(found.result, result, op.getInits()[0], op.tokens(), op.valueSize(), false);
}

bool ScoreReader::mayBeHeads() {
  bool differs = !op.indexArgument(op.tokens()).use_empty();
  for (unsigned i = 0; i < op.getOthers().size(); ++i)
    differs |= op.dimensionOf(3 + i, op.tokens()).has_value();
  return op.outerLoops() == 1 && !differs;
}

std::optional<KernelAttention> ScoreReader::read() {
  for (bool asHeads : {false, true}) {
    found = {}, rowsAreHeads = asHeads;
    sizes.clear(), sizeNodes.clear();
    Ref seen = nullptr;
    if ((asHeads && !mayBeHeads()) || !nameHeads())
      return std::nullopt;
    product = forms.variable(op.scoreArgument().getType());
    score = forms.changedScore(op, product);
    if (readMask(seen) && readScale(seen))
      return found;
  }
  return std::nullopt;
}

std::optional<KernelAttention> kernelAttentionOf(group::AttentionOp op) { return ScoreReader(op).read(); }

//===----------------------------------------------------------------------===//
// The scale
//===----------------------------------------------------------------------===//

namespace {
using Ref = ScalarForm::Ref;

/// Whether the number is F32 and from outside; what is in memory, only kernels read.
bool isFromOutside(Ref form) {
  return form->kind == ScalarForm::Kind::Number && form->type.isF32() &&
         !form->value.getDefiningOp<tensor::ExtractOp>();
}
} // namespace

bool ScoreReader::isHeadSize(Ref form) {
  bool isConverted = form->is<arith::SIToFPOp>() || form->is<arith::UIToFPOp>();
  return isConverted && form->operands[0]->kind == ScalarForm::Kind::Number &&
         kindOfSize(form->operands[0]->value) == Size::HeadSize;
}

bool ScoreReader::readScale(Ref seen) {
  Factors scale = factorsOf(seen);
  auto *own = llvm::find(scale.others, product);
  if (own == scale.others.end() || !scale.isModerate || !(scale.constant > 0) || !std::isfinite(scale.constant))
    return false;
  scale.others.erase(own);
  if (scale.others.empty() && scale.divisors.empty()) {
    int64_t size = op.staticSize(op.headSize());
    bool isUsual = !ShapedType::isDynamic(size) && std::fabs(scale.constant * std::sqrt(double(size)) - 1) < 1e-6;
    found.scale = isUsual ? std::nullopt : std::optional(scale.constant);
    return true;
  }
  if (scale.others.size() + scale.divisors.size() != 1 || scale.constant != 1)
    return false;
  Ref other = scale.others.empty() ? scale.divisors[0] : scale.others[0];
  bool isRoot = scale.others.empty() ? other->is<math::SqrtOp>() : other->is<math::RsqrtOp>();
  if (isRoot && isHeadSize(other->operands[0]))
    return true; // found.scale stays the usual one.
  if (scale.others.empty() || !isFromOutside(other))
    return false;
  found.scaleValue = other->value;
  found.scale = 1;
  return true;
}
} // namespace lispier
