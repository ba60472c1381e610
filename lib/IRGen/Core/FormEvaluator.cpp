//===- FormEvaluator.cpp - the values of forms ----------------------------===//
#include "FormEvaluator.h"
#include "CoreParts.h"
#include "FunctionScope.h"
#include "LiteralValues.h"
#include "Literals.h"
#include "NumberTypes.h"
#include "OpenTypes.h"
#include "Regions.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;

namespace lispier {
/// A number, a boolean, or an infinity or NaN where floats are expected, of the type that `hint` says.
mlir::FailureOr<Values> FormEvaluator::emitLiteral(const Form *form, mlir::Type hint) {
  return resultOf(gen.literalValues.constant(form, literalType(form, hint, builder)));
}

mlir::FailureOr<Values> FormEvaluator::emit(const Form *form, mlir::Type hint) {
  auto values = emitForm(form, hint);
  if (failed(values) || values->size() != 1 || !values->front())
    return values;
  return resultOf(gen.literalValues.asExpected(values->front(), hint));
}

mlir::FailureOr<Values> FormEvaluator::emitForm(const Form *form, mlir::Type hint) {
  switch (form->kind()) {
  case FormKind::Symbol: {
    bool isFloat = hint && isa<mlir::FloatType>(mlir::getElementTypeOrSelf(hint)) && !isa<mlir::BaseMemRefType>(hint);
    return isFloat && gen.literals.isLiteral(form) ? emitLiteral(form, hint) : emitName(form); // -inf is a symbol.
  }
  case FormKind::Number:
  case FormKind::Bool:
    return emitLiteral(form, hint);
  case FormKind::List:
    return emitList(form, hint);
  case FormKind::Vector: {
    Values all;
    bool ok = true;
    for (const Form *item : form->items()) {
      auto values = emit(item);
      if (failed(values))
        ok = false;
      else if (!values->empty())
        all.push_back(values->front());
    }
    if (!ok)
      return mlir::failure();
    return all;
  }
  case FormKind::Map:
  case FormKind::Keyword:
  case FormKind::String:
  case FormKind::Nil:
    error("parse-head", form, Twine(describe(form->kind())) + " is not a value here")
        .withHint(form->isString() ? "(cstring \"text\") is a pointer to a text" : "");
    return mlir::failure();
  }
  return mlir::failure();
}

mlir::FailureOr<Values> FormEvaluator::emitResults(const Form *form, mlir::Type hint) {
  auto values = emit(form, hint);
  if (failed(values))
    return values;
  if (form->isVector() && values->size() > 1) {
    std::string sizes;
    for (const Form *level = form; level->isVector(); level = (*level)[0]) {
      sizes += " " + std::to_string(level->size());
      if (level->size() == 0)
        break;
    }
    error("name-no-value", form, "a vector is several values, and one is expected here")
        .withHint("a tensor of numbers is written with its type: (: " + form->str() + " (tensor" + sizes + " f32))");
    return mlir::failure();
  }
  if (values->empty()) {
    noValue(form);
    return mlir::failure();
  }
  return values;
}

Diag &FormEvaluator::noValue(const Form *form) {
  Diag &diag = error("name-no-value", form,
                     "`" + (form->isList() ? form->head() : StringRef(form->text())) + "` produces no value");
  if (form->isList())
    noteCallee(diag, form);
  return diag;
}

mlir::Value FormEvaluator::emitOpenValue(const Form *form, mlir::Type hint) {
  auto values = emitResults(form, hint);
  return failed(values) ? mlir::Value() : values->front();
}

mlir::Value FormEvaluator::emitValue(const Form *form, mlir::Type hint) {
  mlir::Value value = emitOpenValue(form, hint);
  if (value)
    gen.openTypes.settle(value, hint);
  return value;
}

mlir::FailureOr<Values> FormEvaluator::emitBody(ArrayRef<const Form *> forms, mlir::Type hint) {
  gen.scope.foreseeNames(forms);
  mlir::FailureOr<Values> last = Values{};
  bool ok = true;
  for (const auto &[i, form] : enumerate(forms)) {
    if (!gen.regions.statementAllowed(form))
      return mlir::failure();
    bool isLast = i + 1 == forms.size();
    if (!isLast && (form->isNumber() || form->isString())) {
      error("parse-head", form, Twine(describe(form->kind())) + " alone does nothing");
      ok = false;
      continue;
    }
    gen.scope.unused = isLast ? nullptr : form;
    last = emit(form, isLast ? hint : mlir::Type());
    ok &= succeeded(last);
  }
  if (!ok)
    return mlir::failure();
  return last;
}

mlir::FailureOr<Values> FormEvaluator::emitInside(mlir::Block *block, ArrayRef<const Form *> body, mlir::Type hint) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (!block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block->back());
  else
    builder.setInsertionPointToEnd(block);
  Scope scope(gen.scope.scopes);
  gen.scope.labels.emplace_back();
  auto values = emitBody(body, hint);
  gen.scope.labels.pop_back();
  return values;
}

mlir::Value FormEvaluator::emitLoopBound(const Form *form) {
  mlir::Value value = emitValue(form, builder.getIndexType());
  return value ? toLoopBound(form, value) : mlir::Value();
}

mlir::Value FormEvaluator::toLoopBound(const Form *form, mlir::Value value) {
  if (value.getType().isIndex())
    return value;
  if (value.getType().isInteger())
    return make<mlir::arith::IndexCastOp>(form, builder.getIndexType(), value);
  error("type-mismatch", form, "a loop bound is an index or an integer, not " + mlir::debugString(value.getType()));
  return {};
}
} // namespace lispier
