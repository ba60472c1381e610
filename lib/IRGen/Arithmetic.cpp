//===- Arithmetic.cpp - forms typed by their operands ----------===//
#include "Arithmetic.h"
#include "Expressions.h"
#include "Generator.h"
#include "Reductions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
mlir::Value Arithmetic::arithmetic(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b) {
  bool isFloat = isa<mlir::FloatType>(mlir::getElementTypeOrSelf(a.getType()));
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
  case SpecialForm::Min:
    return isFloat ? make<arith::MinimumFOp>(form, a, b).getResult() : make<arith::MinSIOp>(form, a, b).getResult();
  case SpecialForm::Max:
    return isFloat ? make<arith::MaximumFOp>(form, a, b).getResult() : make<arith::MaxSIOp>(form, a, b).getResult();
  default:
    return {};
  }
}

mlir::FailureOr<Values> Arithmetic::emitArithmetic(const Form *form, SpecialForm kind, mlir::Type hint) {
  ArrayRef<const Form *> operands = form->items().drop_front();
  bool isReduction = kind == SpecialForm::Min || kind == SpecialForm::Max;
  if (isReduction && (operands.size() == 1 || any_of(operands, [](const Form *item) { return item->isKeyword(); })))
    return gen.reductions.emitReduction(form, kind);
  SmallVector<mlir::Value> values;
  if (!operandsOfOneType(operands, hint, values, form))
    return mlir::failure();
  mlir::Type type = values[0].getType();
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat() || isa<mlir::BaseMemRefType>(type)) {
    error("type-mismatch", (*form)[1],
          "`" + form->head() + "` works on numbers and vectors of them, not on " + mlir::debugString(type));
    return mlir::failure();
  }
  if (values.size() == 1 && kind == SpecialForm::Sub) {
    if (isa<mlir::FloatType>(element))
      return Values{make<arith::NegFOp>(form, values[0])};
    mlir::TypedAttr zero = cast<mlir::TypedAttr>(builder.getZeroAttr(type));
    return Values{make<arith::SubIOp>(form, make<arith::ConstantOp>(form, zero), values[0])};
  }
  mlir::Value result = values[0];
  for (mlir::Value value : ArrayRef(values).drop_front())
    result = arithmetic(form, kind, result, value);
  return Values{result};
}

mlir::FailureOr<Values> Arithmetic::emitComparison(const Form *form, SpecialForm kind) {
  SmallVector<mlir::Value> values;
  if (!operandsOfOneType(form->items().drop_front(), {}, values, form))
    return mlir::failure();
  mlir::Type type = values[0].getType(), element = mlir::getElementTypeOrSelf(type);
  unsigned row = kind == SpecialForm::Less           ? 0
                 : kind == SpecialForm::LessEqual    ? 1
                 : kind == SpecialForm::Greater      ? 2
                 : kind == SpecialForm::GreaterEqual ? 3
                 : kind == SpecialForm::Equal        ? 4
                                                     : 5;
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  constexpr I integers[] = {I::slt, I::sle, I::sgt, I::sge, I::eq, I::ne};
  constexpr F floats[] = {F::OLT, F::OLE, F::OGT, F::OGE, F::OEQ, F::UNE};
  if (isa<mlir::FloatType>(element))
    return Values{make<arith::CmpFOp>(form, floats[row], values[0], values[1])};
  if (element.isIntOrIndex() && !isa<mlir::BaseMemRefType>(type))
    return Values{make<arith::CmpIOp>(form, integers[row], values[0], values[1])};
  if (isa<mlir::LLVM::LLVMPointerType>(type) && row >= 4)
    return Values{make<mlir::LLVM::ICmpOp>(
        form, row == 4 ? mlir::LLVM::ICmpPredicate::eq : mlir::LLVM::ICmpPredicate::ne, values[0], values[1])};
  error("type-mismatch", (*form)[1], "`" + form->head() + "` does not compare " + mlir::debugString(type));
  return mlir::failure();
}
} // namespace lispier
