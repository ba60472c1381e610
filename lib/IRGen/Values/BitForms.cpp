//===- BitForms.cpp - bits of integers and floats ------------------------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueForms.h"
#include "ValueKind.h"
#include "ValueParts.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
namespace {
bool isShift(SpecialForm kind) { return kind == SpecialForm::ShiftLeft || kind == SpecialForm::ShiftRight; }

/// The bits of a type's elements; of an index those that every target has at least.
int64_t bitsOf(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
}
} // namespace

/// A shift by a count that is unsigned: one of all bits or more gives 0, to the right of a negative number -1. Null
/// after an error.
mlir::Value Arithmetic::shifted(const Form *form, SpecialForm kind, mlir::Value value, mlir::Value count) {
  mlir::Type type = value.getType();
  int64_t bits = bitsOf(type);
  APInt known;
  bool isKnown = matchPattern(count, mlir::m_ConstantInt(&known));
  if (isKnown && known.uge(bits)) {
    error("type-literal-range", (*form)[2],
          "`" + form->head() + "` of " + typeText(mlir::getElementTypeOrSelf(type)) + " shifts by 0 to " +
              std::to_string(bits - 1) + ", not by " + toString(known, 10, /*Signed=*/true));
    return {};
  }
  bool isLeft = kind == SpecialForm::ShiftLeft;
  auto shift = [&](mlir::Value by) {
    return isLeft ? make<arith::ShLIOp>(form, value, by).getResult()
                  : make<arith::ShRSIOp>(form, value, by).getResult();
  };
  if (isKnown)
    return shift(count);
  mlir::Value isLess =
      make<arith::CmpIOp>(form, arith::CmpIPredicate::ult, count, gen.literalValues.constant(form, type, bits));
  mlir::Value most = gen.literalValues.constant(form, type, bits - 1);
  mlir::Value result = shift(make<arith::SelectOp>(form, isLess, count, most));
  return isLeft ? make<arith::SelectOp>(form, isLess, result, gen.literalValues.constant(form, type, 0)).getResult()
                : result;
}

mlir::Value Arithmetic::bits(const Form *form, SpecialForm kind, mlir::ValueRange numbers) {
  if (isShift(kind))
    return shifted(form, kind, numbers[0], numbers[1]);
  mlir::Value result = numbers[0];
  for (mlir::Value number : numbers.drop_front())
    result = kind == SpecialForm::BitAnd  ? make<arith::AndIOp>(form, result, number).getResult()
             : kind == SpecialForm::BitOr ? make<arith::OrIOp>(form, result, number).getResult()
                                          : make<arith::XOrIOp>(form, result, number).getResult();
  return result;
}

mlir::FailureOr<Values> Arithmetic::emitBits(const Form *form, SpecialForm kind, mlir::Type hint) {
  if (hint && !mlir::getElementTypeOrSelf(hint).isIntOrIndex())
    hint = {};
  SmallVector<mlir::Value> values;
  ArrayRef<const Form *> operands = form->items().drop_front();
  if (!operandsOfOneType(operands, hint, values, form))
    return mlir::failure();
  for (auto [place, value] : zip(operands, values)) {
    mlir::Type element = value ? mlir::getElementTypeOrSelf(value.getType()) : mlir::Type();
    bool isMemory = value && isa<mlir::BaseMemRefType>(value.getType());
    if (!value || (!isMemory && element.isIntOrIndex() && !(isShift(kind) && element.isInteger(1))))
      continue;
    Diag &diag = error("type-mismatch", place,
                       "`" + form->head() + "` works on integers, and vectors and tensors of them, not on " +
                           typeText(value.getType()));
    if (isa<mlir::FloatType>(element) && !isMemory)
      diag.withHint("(cast i32 value) converts; (bits value) has the bits of a float");
    return mlir::failure();
  }
  return resultOf(
      gen.values.kindOf(values).elementwise(form, operands, values, ValueKind::Width::AsIs,
                                            [&](mlir::ValueRange numbers) { return bits(form, kind, numbers); }));
}

/// The value of the operand, which is a number, or a vector or tensor of numbers; null after an error.
mlir::Value Arithmetic::numbersOf(const Form *form) {
  mlir::Value value = gen.evaluator->emitValue((*form)[1]);
  bool isMemory = value && isa<mlir::BaseMemRefType>(value.getType());
  if (!value || (!isMemory && mlir::getElementTypeOrSelf(value.getType()).isIntOrIndexOrFloat()))
    return value;
  error("type-mismatch", (*form)[1],
        "`" + form->head() + "` works on numbers, and vectors and tensors of them, not on " +
            typeText(value.getType()));
  return {};
}

/// (bits x)
mlir::FailureOr<Values> Arithmetic::emitBitsOf(const Form *form) {
  mlir::Value value = numbersOf(form);
  if (!value)
    return mlir::failure();
  if (mlir::getElementTypeOrSelf(value.getType()).isIntOrIndex())
    return Values{value};
  auto read = [&](mlir::ValueRange numbers) -> mlir::Value {
    mlir::Type type = numbers[0].getType(), bits = builder.getIntegerType(bitsOf(type));
    if (auto shaped = dyn_cast<mlir::ShapedType>(type))
      bits = shaped.clone(bits);
    return make<arith::BitcastOp>(form, bits, numbers[0]);
  };
  // 16-bit floats have bits where memory would hold them.
  return resultOf(gen.values.kindOf(value).elementwise(form, (*form)[1], value, ValueKind::Width::AsIs, read));
}

/// (bit-width x)
mlir::FailureOr<Values> Arithmetic::emitBitWidth(const Form *form) {
  mlir::Value value = numbersOf(form);
  if (!value)
    return mlir::failure();
  return Values{gen.literals.constantInt(form, builder.getIndexType(), bitsOf(value.getType()))};
}
} // namespace lispier
