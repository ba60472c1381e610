//===- Conditions.cpp - and, or, not, where -------------------------------===//
#include "Arithmetic.h"
#include "Expressions.h"
#include "FunctionScope.h"
#include "Generator.h"
#include "Literals.h"
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
  mlir::Value first = condition(operands[0], form, gen.expressions.emitValue(operands[0], builder.getI1Type()));
  if (!first)
    return mlir::failure();
  if (operands.size() == 1)
    return Values{first};
  auto combine = [&](mlir::Value rest) -> mlir::FailureOr<Values> {
    mlir::Value both[] = {first, rest};
    if (!toOneShape(form, {operands[0], operands[1]}, both))
      return mlir::failure();
    return Values{isAnd ? make<arith::AndIOp>(form, both[0], both[1]).getResult()
                        : make<arith::OrIOp>(form, both[0], both[1]).getResult()};
  };
  if (isa<mlir::VectorType>(first.getType())) {
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
  mlir::Value value = condition((*form)[1], form, gen.expressions.emitValue((*form)[1], builder.getI1Type()));
  if (!value)
    return mlir::failure();
  mlir::TypedAttr ones = builder.getBoolAttr(true);
  if (auto shaped = dyn_cast<mlir::ShapedType>(value.getType()))
    ones = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(ones));
  return Values{make<arith::XOrIOp>(form, value, make<arith::ConstantOp>(form, ones))};
}

/// (where condition a b)
mlir::FailureOr<Values> Arithmetic::emitWhere(const Form *form, mlir::Type hint) {
  mlir::Value holds = condition((*form)[1], form, gen.expressions.emitValue((*form)[1], builder.getI1Type()));
  SmallVector<mlir::Value> values;
  if (!holds || !operandsOfOneType(form->items().drop_front(2), hint, values, form))
    return mlir::failure();
  mlir::Type type = values[0].getType();
  if (isTile(holds.getType()) || isTile(type)) {
    if (!mlir::getElementTypeOrSelf(type).isIntOrIndexOrFloat()) {
      error("type-mismatch", (*form)[2], "`where` chooses numbers by a tile, not " + mlir::debugString(type));
      return mlir::failure();
    }
    mlir::Value all[] = {holds, values[0], values[1]};
    if (!toOneShape(form, form->items().drop_front(), all))
      return mlir::failure();
    return Values{make<arith::SelectOp>(form, all[0], all[1], all[2])};
  }
  return Values{make<arith::SelectOp>(form, holds, values[0], values[1])};
}
} // namespace lispier
