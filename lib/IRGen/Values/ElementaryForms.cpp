//===- ElementaryForms.cpp - exp, tanh, pow and others by short names -----===//
#include "Arithmetic.h"
#include "Core/LiteralValues.h"
#include "Core/NumberTypes.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueKind.h"
#include "ValueParts.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace lispier {
/// The op of a function; `values` have one type, whose elements are floats.
mlir::Value Arithmetic::elementary(const Form *form, SpecialForm kind, mlir::ValueRange values) {
  mlir::Value x = values[0];
  switch (kind) {
  case SpecialForm::Exp:
    return make<math::ExpOp>(form, x);
  case SpecialForm::Log:
    return make<math::LogOp>(form, x);
  case SpecialForm::Log1p:
    return make<math::Log1pOp>(form, x);
  case SpecialForm::Expm1:
    return make<math::ExpM1Op>(form, x);
  case SpecialForm::Sqrt:
    return make<math::SqrtOp>(form, x);
  case SpecialForm::Rsqrt:
    return make<math::RsqrtOp>(form, x);
  case SpecialForm::Sin:
    return make<math::SinOp>(form, x);
  case SpecialForm::Cos:
    return make<math::CosOp>(form, x);
  case SpecialForm::Tanh:
    return make<math::TanhOp>(form, x);
  case SpecialForm::Erf:
    return make<math::ErfOp>(form, x);
  case SpecialForm::Floor:
    return make<math::FloorOp>(form, x);
  case SpecialForm::Ceil:
    return make<math::CeilOp>(form, x);
  case SpecialForm::Round:
    return make<math::RoundEvenOp>(form, x);
  case SpecialForm::Abs:
    return make<math::AbsFOp>(form, x);
  case SpecialForm::Pow:
    return make<math::PowFOp>(form, x, values[1]);
  case SpecialForm::Sigmoid: {
    mlir::Value ones = gen.literalValues.constant(form, x.getType(), 1);
    mlir::Value below = make<arith::AddFOp>(form, ones, make<math::ExpOp>(form, make<arith::NegFOp>(form, x)));
    return make<arith::DivFOp>(form, ones, below);
  }
  default:
    return {};
  }
}

mlir::FailureOr<Values> Arithmetic::emitElementary(const Form *form, SpecialForm kind, mlir::Type hint) {
  bool takesIntegers = kind == SpecialForm::Abs;
  if (!takesIntegers && !(hint && isa<mlir::FloatType>(mlir::getElementTypeOrSelf(hint))))
    hint = defaultType(/*isFraction=*/true, builder); // (exp 1) is no integer.
  SmallVector<mlir::Value> values;
  if (!operandsOfOneType(form->items().drop_front(), hint, values, form))
    return mlir::failure();
  auto *tensor = find_if(values, [](mlir::Value value) { return isTensor(value); });
  if (auto *given =
          find_if(values, [&](mlir::Value value) { return isTensor(value) && !gen.literalValues.isLiteral(value); });
      given != values.end())
    tensor = given;
  mlir::Type type = tensor == values.end() ? values[0].getType() : tensor->getType();
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (tensor != values.end() && (isa<mlir::FloatType>(element) || (takesIntegers && element.isIntOrIndex()))) {
    bool isContinuous = !is_contained({SpecialForm::Floor, SpecialForm::Ceil, SpecialForm::Round}, kind);
    auto width = isContinuous ? ValueKind::Width::AtF32 : ValueKind::Width::AtF32Rounded;
    mlir::Value result =
        gen.tensors.elementwise(form, form->items().drop_front(), values, width, [&](mlir::ValueRange numbers) {
          return element.isIntOrIndex() ? make<math::AbsIOp>(form, numbers[0]).getResult()
                                        : elementary(form, kind, numbers);
        });
    return resultOf(result);
  }
  bool isMemory = isa<mlir::BaseMemRefType>(type);
  if (takesIntegers && element.isIntOrIndex() && !isMemory)
    return Values{make<math::AbsIOp>(form, values[0])};
  if (isa<mlir::FloatType>(element) && !isMemory) {
    // Targets have few functions of 16-bit floats, and those are inexact.
    bool isNarrow = element.getIntOrFloatBitWidth() < 32 && !takesIntegers;
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    mlir::Type wide = shaped ? mlir::Type(shaped.clone(builder.getF32Type())) : builder.getF32Type();
    if (isNarrow)
      for (mlir::Value &value : values)
        value = make<arith::ExtFOp>(form, wide, value);
    mlir::Value result = elementary(form, kind, values);
    if (!result)
      return mlir::failure();
    return Values{isNarrow ? make<arith::TruncFOp>(form, type, result).getResult() : result};
  }
  Diag &diag = error("type-mismatch", (*form)[1],
                     "`" + form->head() + "` works on " + (takesIntegers ? "numbers" : "floats") +
                         " and vectors of them, not on " + typeText(type));
  if (element.isIntOrIndex() && !isMemory) {
    diag.withHint("(cast f32 value) converts");
  }
  return mlir::failure();
}
} // namespace lispier
