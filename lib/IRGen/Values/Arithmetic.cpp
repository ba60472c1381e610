//===- Arithmetic.cpp - forms typed by their operands ----------===//
#include "Arithmetic.h"
#include "Core/LiteralValues.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueForms.h"
#include "ValueKind.h"
#include "ValueParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
mlir::Value Arithmetic::arithmetic(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b) {
  mlir::Type element = mlir::getElementTypeOrSelf(a.getType());
  bool isFloat = isa<mlir::FloatType>(element), isBool = element.isInteger(1);
  switch (kind) {
  case SpecialForm::Add:
    return isFloat ? make<arith::AddFOp>(form, a, b).getResult() : make<arith::AddIOp>(form, a, b).getResult();
  case SpecialForm::Sub:
    return isFloat ? make<arith::SubFOp>(form, a, b).getResult() : make<arith::SubIOp>(form, a, b).getResult();
  case SpecialForm::Mul:
    return isFloat ? make<arith::MulFOp>(form, a, b).getResult() : make<arith::MulIOp>(form, a, b).getResult();
  case SpecialForm::Div:
    return isFloat ? make<arith::DivFOp>(form, a, b).getResult() : make<arith::DivSIOp>(form, a, b).getResult();
  case SpecialForm::Rem:
    return isFloat ? make<arith::RemFOp>(form, a, b).getResult() : make<arith::RemSIOp>(form, a, b).getResult();
  case SpecialForm::Min: // Of i1, whose true would be -1, as `and`.
    return isFloat  ? make<arith::MinimumFOp>(form, a, b).getResult()
           : isBool ? make<arith::AndIOp>(form, a, b).getResult()
                    : make<arith::MinSIOp>(form, a, b).getResult();
  case SpecialForm::Max:
    return isFloat  ? make<arith::MaximumFOp>(form, a, b).getResult()
           : isBool ? make<arith::OrIOp>(form, a, b).getResult()
                    : make<arith::MaxSIOp>(form, a, b).getResult();
  default:
    return {};
  }
}

mlir::Value Arithmetic::negated(const Form *form, mlir::Value value) {
  mlir::Type type = value.getType();
  if (isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)))
    return make<arith::NegFOp>(form, value);
  return make<arith::SubIOp>(form, gen.literalValues.constant(form, type, 0), value);
}

mlir::FailureOr<Values> Arithmetic::arithmeticOfTensors(const Form *form, SpecialForm kind,
                                                        ArrayRef<mlir::Value> values) {
  /// An op's kernel takes time to compile that grows faster than its operands.
  constexpr size_t kMostTensors = 32;
  auto width = kind == SpecialForm::Rem ? ValueKind::Width::AtF32Rounded : ValueKind::Width::AtF32;
  auto combine = [&](ArrayRef<const Form *> places, ArrayRef<mlir::Value> some) {
    return gen.tensors.elementwise(form, places, some, width, [&](mlir::ValueRange numbers) {
      if (numbers.size() == 1 && kind == SpecialForm::Sub)
        return negated(form, numbers[0]);
      mlir::Value result = numbers[0];
      for (mlir::Value number : numbers.drop_front())
        result = arithmetic(form, kind, result, number);
      return result;
    });
  };
  SmallVector<const Form *> places; // Of what is combined next: the result so far comes first.
  SmallVector<mlir::Value> some;
  for (auto [place, value] : zip(form->items().drop_front(), values)) {
    places.push_back(place);
    some.push_back(value);
    if (count_if(some, [](mlir::Value each) { return isTensor(each); }) < kMostTensors)
      continue;
    mlir::Value result = combine(places, some);
    if (!result || some.size() == values.size())
      return resultOf(result);
    places.truncate(1);
    some.assign({result});
  }
  return resultOf(some.size() == 1 && values.size() > 1 ? some[0] : combine(places, some));
}

mlir::FailureOr<Values> Arithmetic::emitArithmetic(const Form *form, SpecialForm kind, mlir::Type hint) {
  ArrayRef<const Form *> operands = form->items().drop_front();
  bool isReduction = kind == SpecialForm::Min || kind == SpecialForm::Max;
  if (isReduction && (operands.size() == 1 || any_of(operands, [](const Form *item) { return item->isKeyword(); })))
    return gen.values.emitReduction(form, kind);
  SmallVector<mlir::Value> values;
  if (!operandsOfOneType(operands, hint, values, form))
    return mlir::failure();
  if (hasTensor(values))
    return arithmeticOfTensors(form, kind, values);
  mlir::Type type = values[0].getType();
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat() || isa<mlir::BaseMemRefType>(type)) {
    error("type-mismatch", (*form)[1],
          "`" + form->head() + "` works on numbers and vectors of them, not on " + mlir::debugString(type));
    return mlir::failure();
  }
  if (values.size() == 1 && kind == SpecialForm::Sub)
    return Values{negated(form, values[0])};
  mlir::Value result = values[0];
  for (mlir::Value value : ArrayRef(values).drop_front())
    result = arithmetic(form, kind, result, value);
  return Values{result};
}

/// Compares numbers or vectors of them; null for other types.
mlir::Value Arithmetic::compared(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b) {
  mlir::Type type = a.getType(), element = mlir::getElementTypeOrSelf(type);
  unsigned row = kind == SpecialForm::Less           ? 0
                 : kind == SpecialForm::LessEqual    ? 1
                 : kind == SpecialForm::Greater      ? 2
                 : kind == SpecialForm::GreaterEqual ? 3
                 : kind == SpecialForm::Equal        ? 4
                                                     : 5;
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  constexpr I integers[] = {I::slt, I::sle, I::sgt, I::sge, I::eq, I::ne};
  constexpr I truths[] = {I::ult, I::ule, I::ugt, I::uge, I::eq, I::ne}; // Of i1, whose true would be -1.
  constexpr F floats[] = {F::OLT, F::OLE, F::OGT, F::OGE, F::OEQ, F::UNE};
  if (isa<mlir::FloatType>(element))
    return make<arith::CmpFOp>(form, floats[row], a, b);
  if (element.isIntOrIndex() && !isa<mlir::BaseMemRefType>(type))
    return make<arith::CmpIOp>(form, (element.isInteger(1) ? truths : integers)[row], a, b);
  if (isa<mlir::LLVM::LLVMPointerType>(type) && row >= 4)
    return make<mlir::LLVM::ICmpOp>(form, row == 4 ? mlir::LLVM::ICmpPredicate::eq : mlir::LLVM::ICmpPredicate::ne, a,
                                    b);
  return {};
}

mlir::FailureOr<Values> Arithmetic::emitComparison(const Form *form, SpecialForm kind) {
  SmallVector<mlir::Value> values;
  ArrayRef<const Form *> operands = form->items().drop_front();
  if (!operandsOfOneType(operands, {}, values, form))
    return mlir::failure();
  mlir::Value result = gen.values.kindOf(values).elementwise(
      form, operands, values, ValueKind::Width::AtF32Rounded,
      [&](mlir::ValueRange numbers) { return compared(form, kind, numbers[0], numbers[1]); });
  if (result || hasTensor(values))
    return resultOf(result);
  error("type-mismatch", operands[0],
        "`" + form->head() + "` does not compare " + mlir::debugString(values[0].getType()));
  return mlir::failure();
}
} // namespace lispier
