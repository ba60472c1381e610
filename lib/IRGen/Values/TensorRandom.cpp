//===- TensorRandom.cpp - random-bits, uniform and normal -----------------===//
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011): ten rounds make four words of a
// counter and a key, so that each element has its own number, whatever the order in
// which elements are computed. Key: the seed. Counter: the number of the block of
// four words, and the stream. An element that takes k words has the words k i to
// k i + k - 1 of its stream, where i is its place in row-major order.
//
//===----------------------------------------------------------------------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <array>
#include <numbers>

using namespace llvm;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace math = mlir::math;

namespace lispier {
namespace {
/// The ops that make the number of one element, at the insertion point.
class RandomNumbers {
public:
  RandomNumbers(mlir::OpBuilder &builder, mlir::Location place) : b(builder), place(place) {}

  using Words = std::array<mlir::Value, 4>;
  /// Four words, i32, of a counter's and a key's 64-bit halves.
  Words philox(mlir::Value block, mlir::Value stream, mlir::Value seed);
  /// The word, or with `number` 2 the pair of words, at a place that is counted in words, or in pairs.
  SmallVector<mlir::Value> chosen(const Words &words, mlir::Value at, unsigned number);
  mlir::Value bits(mlir::Type type, ArrayRef<mlir::Value> words);
  /// In [0, 1), or with `isAbove` in (0, 1]: as many bits of the words as the type has digits.
  mlir::Value uniform(mlir::FloatType type, ArrayRef<mlir::Value> words, bool isAbove = false);
  /// Box and Muller 1958, of two uniform numbers.
  mlir::Value normal(mlir::FloatType type, ArrayRef<mlir::Value> words);
  mlir::Value integer(mlir::Type type, int64_t value) {
    return arith::ConstantOp::create(b, place, b.getIntegerAttr(type, value));
  }

private:
  mlir::Value low(mlir::Value wide) { return arith::TruncIOp::create(b, place, b.getI32Type(), wide); }
  mlir::Value high(mlir::Value wide) {
    return low(arith::ShRUIOp::create(b, place, wide, integer(b.getI64Type(), 32)));
  }
  mlir::Value wide(mlir::Value word) { return arith::ExtUIOp::create(b, place, b.getI64Type(), word); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return arith::XOrIOp::create(b, place, x, y); }
  mlir::Value number(mlir::FloatType type, double value) {
    return arith::ConstantOp::create(b, place, b.getFloatAttr(type, value));
  }

  mlir::OpBuilder &b;
  mlir::Location place;
};

RandomNumbers::Words RandomNumbers::philox(mlir::Value block, mlir::Value stream, mlir::Value seed) {
  constexpr int kRounds = 10;
  constexpr int64_t kFactors[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kWeyl[] = {0x9E3779B9, 0xBB67AE85};
  mlir::Type word = b.getI32Type(), twice = b.getI64Type();
  Words c = {low(block), high(block), low(stream), high(stream)};
  mlir::Value key[] = {low(seed), high(seed)};
  for (int round = 0; round < kRounds; ++round) {
    mlir::Value first = arith::MulIOp::create(b, place, wide(c[0]), integer(twice, kFactors[0]));
    mlir::Value second = arith::MulIOp::create(b, place, wide(c[2]), integer(twice, kFactors[1]));
    mlir::Value keys[2];
    for (int i : {0, 1})
      keys[i] = arith::AddIOp::create(b, place, key[i], integer(word, int32_t(kWeyl[i] * uint32_t(round))));
    c = {either(either(high(second), c[1]), keys[0]), low(second), either(either(high(first), c[3]), keys[1]),
         low(first)};
  }
  return c;
}

SmallVector<mlir::Value> RandomNumbers::chosen(const Words &words, mlir::Value at, unsigned number) {
  auto bit = [&](int64_t mask) -> mlir::Value {
    mlir::Value masked = arith::AndIOp::create(b, place, at, integer(at.getType(), mask));
    return arith::CmpIOp::create(b, place, arith::CmpIPredicate::ne, masked, integer(at.getType(), 0));
  };
  auto select = [&](mlir::Value condition, mlir::Value x, mlir::Value y) -> mlir::Value {
    return arith::SelectOp::create(b, place, condition, x, y);
  };
  mlir::Value isOdd = bit(1);
  if (number == 2)
    return {select(isOdd, words[2], words[0]), select(isOdd, words[3], words[1])};
  return {select(bit(2), select(isOdd, words[3], words[2]), select(isOdd, words[1], words[0]))};
}

mlir::Value RandomNumbers::bits(mlir::Type type, ArrayRef<mlir::Value> words) {
  if (words.size() == 1)
    return words[0];
  mlir::Value above = arith::ShLIOp::create(b, place, wide(words[1]), integer(type, 32));
  return arith::OrIOp::create(b, place, above, wide(words[0]));
}

mlir::Value RandomNumbers::uniform(mlir::FloatType type, ArrayRef<mlir::Value> words, bool isAbove) {
  mlir::Value number = bits(words.size() == 1 ? b.getI32Type() : b.getI64Type(), words);
  mlir::Type integers = number.getType();
  int64_t digits = type.getFPMantissaWidth();
  number = arith::ShRUIOp::create(b, place, number, integer(integers, 32 * words.size() - digits));
  if (isAbove)
    number = arith::AddIOp::create(b, place, number, integer(integers, 1));
  mlir::FloatType computed = type.getWidth() < 32 ? cast<mlir::FloatType>(b.getF32Type()) : type;
  number = arith::SIToFPOp::create(b, place, computed, number);
  number = arith::MulFOp::create(b, place, number, this->number(computed, std::ldexp(1.0, -digits)));
  return computed == type ? number : arith::TruncFOp::create(b, place, type, number); // Exact.
}

mlir::Value RandomNumbers::normal(mlir::FloatType type, ArrayRef<mlir::Value> words) {
  mlir::FloatType computed = type.getWidth() < 32 ? cast<mlir::FloatType>(b.getF32Type()) : type;
  size_t half = words.size() / 2;
  mlir::Value log = math::LogOp::create(b, place, uniform(computed, words.take_front(half), /*isAbove=*/true));
  mlir::Value square = arith::MulFOp::create(b, place, log, number(computed, -2));
  mlir::Value turn = uniform(computed, words.drop_front(half));
  mlir::Value angle = arith::MulFOp::create(b, place, turn, number(computed, 2 * std::numbers::pi));
  mlir::Value result =
      arith::MulFOp::create(b, place, math::SqrtOp::create(b, place, square), math::CosOp::create(b, place, angle));
  return computed == type ? result : arith::TruncFOp::create(b, place, type, result);
}
} // namespace

/// The sizes of a tensor to be made: a vector, or a tensor that has them. nullopt after an error.
std::optional<Sizes> TensorForms::sizesLike(const Form *form, const Form *place) {
  if (place->isVector())
    return gen.sizes.read(form, place);
  mlir::Value value = gen.evaluator->emitValue(place);
  if (value && isTensor(value))
    return gen.sizes.sizes(place, value);
  if (value)
    error("tensor-size", place,
          "`" + form->head() + "` takes the sizes of its result, [n m], or a tensor that has them, not " +
              typeText(value.getType()));
  return std::nullopt;
}

/// A seed or a stream: an integer, or a tensor of one, which is added to `inputs`. False after an error.
bool TensorForms::addCounter(const Form *form, const Form *place, ArrayRef<Size> shape, Inputs &inputs,
                             mlir::Value &value) {
  value = gen.evaluator->emitValue(place, builder.getI64Type());
  if (!value)
    return false;
  mlir::Type type = value.getType();
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (element.isIntOrIndex() && !element.isInteger(1) && (tensor || type == element) &&
      !(tensor && (!tensor.hasStaticShape() || tensor.getNumElements() != 1))) {
    if (tensor && tensor.getRank() > 0) {
      value = withoutUnits(place, value, SmallBitVector(tensor.getRank(), true));
      inputs.maps.push_back(mlir::AffineMap::get(shape.size(), 0, &context));
      inputs.tensors.push_back(value);
    } else if (tensor)
      addInput(place, value, shape, inputs);
    return true;
  }
  error("type-mismatch", place,
        "the seed and the stream of `" + form->head() + "` are integers, or tensors of one integer, not " +
            typeText(type));
  return false;
}

/// (random-bits type [size ...] :seed s :stream n), and so uniform and normal.
mlir::FailureOr<Values> TensorForms::emitRandom(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"seed", "stream"}, 2, 2);
  mlir::Type element = call ? elementType(call->operands[0]) : mlir::Type();
  if (!element)
    return mlir::failure();
  if (gen.values.makesTiles()) {
    error("tile-operand", form, "`" + form->head() + "` makes a tensor, and this is code of a kernel")
        .withHint("the kernel can take the tensor as an argument; a formula of tensors computes the numbers where it "
                  "uses them");
    return mlir::failure();
  }
  bool areBits = kind == SpecialForm::RandomBits;
  if (areBits ? !element.isInteger(32) && !element.isInteger(64) : !isa<mlir::FloatType>(element)) {
    error("type-mismatch", call->operands[0],
          "`" + form->head() + "` makes numbers of " + (areBits ? "i32 or i64" : "a float type") + ", not of " +
              mlir::debugString(element));
    return mlir::failure();
  }
  if (!call->get("seed")) {
    error("macro-shape", form, "`" + form->head() + "` needs a seed")
        .withHint("the same seed and stream give the same numbers: write :seed 1");
    return mlir::failure();
  }
  std::optional<Sizes> sizes = sizesLike(form, call->operands[1]);
  if (!sizes)
    return mlir::failure();
  Inputs inputs;
  mlir::Value seed, stream;
  if (!addCounter(form, call->get("seed"), *sizes, inputs, seed) ||
      (call->get("stream") && !addCounter(form, call->get("stream"), *sizes, inputs, stream)))
    return mlir::failure();
  mlir::Value init = empty(form, *sizes, element);
  SmallVector<mlir::utils::IteratorType> iterators(sizes->size(), mlir::utils::IteratorType::parallel);
  SmallVector<mlir::Value> extents; // Of the dimensions but the first, outside of the body.
  for (Size size : drop_begin(*sizes, sizes->empty() ? 0 : 1))
    extents.push_back(gen.sizes.value(form, size));
  mlir::ValueRange results =
      generic(form, inputs, init, builder.getMultiDimIdentityMap(sizes->size()), iterators,
              [&](mlir::ValueRange numbers) -> Values {
                auto counter = [&](mlir::Value value) -> mlir::Value {
                  if (value && isTensor(value)) {
                    value = numbers.front();
                    numbers = numbers.drop_front();
                  }
                  return value ? gen.arithmetic.convert(value, builder.getI64Type(), form)
                               : make<arith::ConstantOp>(form, builder.getI64IntegerAttr(0)).getResult();
                };
                mlir::Value key = counter(seed), other = counter(stream);
                return {randomNumber(form, kind, element, extents, sizes->size(), key, other)};
              });
  return resultOf(results.empty() ? mlir::Value() : results[0]);
}

/// In the body of an op: the number of the element at its place.
mlir::Value TensorForms::randomNumber(const Form *form, SpecialForm kind, mlir::Type element,
                                      ArrayRef<mlir::Value> extents, unsigned rank, mlir::Value seed,
                                      mlir::Value stream) {
  mlir::Value at;
  for (unsigned i : seq(rank)) {
    mlir::Value here = make<linalg::IndexOp>(form, i);
    at = at ? make<arith::AddIOp>(form, make<arith::MulIOp>(form, at, extents[i - 1]), here).getResult() : here;
  }
  RandomNumbers random(builder, location(form));
  mlir::Type wide = builder.getI64Type();
  at = at ? make<arith::IndexCastOp>(form, wide, at).getResult() : random.integer(wide, 0);
  unsigned words = (element.getIntOrFloatBitWidth() > 32 ? 2 : 1) * (kind == SpecialForm::Normal ? 2 : 1);
  mlir::Value block = at;
  if (words < 4)
    block = make<arith::ShRUIOp>(form, at, random.integer(wide, words == 1 ? 2 : 1));
  RandomNumbers::Words all = random.philox(block, stream, seed);
  SmallVector<mlir::Value> own =
      words == 4 ? SmallVector<mlir::Value>(all.begin(), all.end()) : random.chosen(all, at, words);
  return kind == SpecialForm::RandomBits ? random.bits(element, own)
         : kind == SpecialForm::Uniform  ? random.uniform(cast<mlir::FloatType>(element), own)
                                         : random.normal(cast<mlir::FloatType>(element), own);
}
} // namespace lispier
