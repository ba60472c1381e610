//===- Conditions.cpp - and, or, not, where -------------------------------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/Literals.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueForms.h"
#include "ValueKind.h"
#include "ValueParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
/// Checks that the value is an i1 or a tile of i1.
mlir::Value Arithmetic::condition(const Form *place, const Form *form, mlir::Value value) {
  if (value && mlir::getElementTypeOrSelf(value.getType()).isInteger(1) && !isa<mlir::BaseMemRefType>(value.getType()))
    return value;
  if (value)
    error("type-mismatch", place, "a condition of `" + form->head() + "` is an i1, not " + typeText(value.getType()))
        .withHint("compare it: (!= value 0)");
  return {};
}

/// A scalar condition decides whether the rest is evaluated; tiles are combined element by element.
mlir::FailureOr<Values> Arithmetic::emitJunction(const Form *form, ArrayRef<const Form *> operands, SpecialForm kind) {
  bool isAnd = kind == SpecialForm::And;
  if (operands.empty())
    return Values{gen.literals.constantInt(form, builder.getI1Type(), isAnd)};
  mlir::Value first = condition(operands[0], form, gen.evaluator->emitValue(operands[0], builder.getI1Type()));
  if (!first)
    return mlir::failure();
  if (operands.size() == 1)
    return Values{first};
  auto combine = [&](mlir::Value rest) -> mlir::FailureOr<Values> {
    mlir::Value both[] = {first, rest};
    auto body = [&](mlir::ValueRange values) {
      return isAnd ? make<arith::AndIOp>(form, values[0], values[1]).getResult()
                   : make<arith::OrIOp>(form, values[0], values[1]).getResult();
    };
    return resultOf(
        gen.values.kindOf(both).elementwise(form, operands.take_front(2), both, ValueKind::Width::AsIs, body));
  };
  if (isa<mlir::VectorType>(first.getType()) || isTensor(first)) {
    auto rest = emitJunction(form, operands.drop_front(), kind);
    return failed(rest) ? rest : combine(rest->front());
  }
  auto branch = make<mlir::scf::IfOp>(form, mlir::TypeRange(builder.getI1Type()), first, /*addThenBlock=*/true,
                                      /*addElseBlock=*/true);
  mlir::Block *evaluated = isAnd ? branch.thenBlock() : branch.elseBlock();
  mlir::FailureOr<Values> rest;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    Scope scope(gen.scope.scopes);
    gen.scope.labels.emplace_back();
    builder.setInsertionPointToEnd(evaluated);
    rest = emitJunction(form, operands.drop_front(), kind);
    gen.scope.labels.pop_back();
    if (succeeded(rest) && rest->front().getType().isInteger(1)) {
      make<mlir::scf::YieldOp>(form, rest->front());
      builder.setInsertionPointToEnd(isAnd ? branch.elseBlock() : branch.thenBlock());
      make<mlir::scf::YieldOp>(form, gen.literals.constantInt(form, builder.getI1Type(), !isAnd));
      return Values(branch.getResults());
    }
  }
  // A tile: nothing to save, so the rest moves out of the branch.
  branch->getBlock()->getOperations().splice(branch->getIterator(), evaluated->getOperations());
  branch->erase();
  return failed(rest) ? rest : combine(rest->front());
}

mlir::FailureOr<Values> Arithmetic::emitNot(const Form *form) {
  mlir::Value value = condition((*form)[1], form, gen.evaluator->emitValue((*form)[1], builder.getI1Type()));
  if (!value)
    return mlir::failure();
  if (isTensor(value)) {
    value = gen.tensors.elementwise(form, (*form)[1], value, ValueKind::Width::AsIs, [&](mlir::ValueRange number) {
      return make<arith::XOrIOp>(form, number[0], gen.literals.constantInt(form, builder.getI1Type(), 1));
    });
    return resultOf(value);
  }
  mlir::TypedAttr ones = builder.getBoolAttr(true);
  if (auto shaped = dyn_cast<mlir::ShapedType>(value.getType()))
    ones = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(ones));
  return Values{make<arith::XOrIOp>(form, value, make<arith::ConstantOp>(form, ones))};
}

/// (where condition a b)
mlir::FailureOr<Values> Arithmetic::emitWhere(const Form *form, mlir::Type hint) {
  mlir::Value holds = condition((*form)[1], form, gen.evaluator->emitValue((*form)[1], builder.getI1Type()));
  SmallVector<mlir::Value> values;
  ArrayRef<const Form *> operands = form->items().drop_front();
  if (isTensor(holds) && isTensor(hint)) // Of two literals.
    hint = mlir::getElementTypeOrSelf(hint);
  if (!holds || !operandsOfOneType(operands.drop_front(), hint, values, form))
    return mlir::failure();
  values.insert(values.begin(), holds);
  mlir::Type type = values[1] ? values[1].getType() : mlir::Type();
  if (!hasTensor(values) && (isTile(holds.getType()) || isTile(type)) &&
      !mlir::getElementTypeOrSelf(type).isIntOrIndexOrFloat()) {
    error("type-mismatch", (*form)[2], "`where` chooses numbers by a tile, not " + mlir::debugString(type));
    return mlir::failure();
  }
  return resultOf(gen.values.kindOf(values).elementwise(
      form, operands, values, ValueKind::Width::AtF32, [&](mlir::ValueRange operands) {
        return make<arith::SelectOp>(form, operands[0], operands[1], operands[2]).getResult();
      }));
}
} // namespace lispier
