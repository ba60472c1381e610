//===- ValueFfi.cpp - values of the macro language in compiled code -------===//
#include "ValueFfi.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/StringGlobals.h"
#include "Generator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;

namespace lispier {
void ValueFfi::declareValueFfi(const Form *form) {
  const Form *what = (*form)[1];
  if (!what->isKeyword("value-ffi"))
    error("macro-shape", what, "`extern` does not know " + what->str())
        .withHint("write (extern :value-ffi), or (extern-fn name (-> [...] [...])) for one function");
}

mlir::Value ValueFfi::ffiCall(StringRef name, mlir::ValueRange arguments, const Form *form) {
  gen.functionTable.runtimeFunction(name, *valueFunctionType(name, builder), false, form);
  SmallVector<mlir::Value> values(arguments);
  FunctionInfo *callee = gen.functionTable.find(name);
  if (!gen.functionTable.checkCall(form, *callee, values))
    return {};
  auto results = gen.functionTable.callValues(form, *callee, values);
  return succeeded(results) && !results->empty() ? results->front() : mlir::Value();
}

/// Appends items[low], ..., items[high - 1] to a list.
void ValueFfi::pushAll(mlir::Value list, mlir::Value items, mlir::Value low, mlir::Value high, mlir::Value step,
                       const Form *form) {
  auto loop = make<mlir::scf::ForOp>(form, low, high, step);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (mlir::Value item = ffiCall("value_list_get", {items, loop.getInductionVar()}, form))
    ffiCall("value_list_push", {list, item}, form);
}

mlir::FailureOr<Values> ValueFfi::emitQuasiquote(const Form *form) {
  mlir::Value value = quasi((*form)[1], 1);
  if (!value)
    return mlir::failure();
  return Values{value};
}

/// Generates code that builds `form` as a value at run time; `depth` counts the quasi-quotes around it.
mlir::Value ValueFfi::quasi(const Form *form, unsigned depth) {
  auto fromText = [&](StringRef function, StringRef text) {
    return ffiCall(function, gen.strings.address(text, form), form);
  };
  switch (form->kind()) {
  case FormKind::Symbol:
    return fromText("value_symbol_new", form->text());
  case FormKind::String:
    return fromText("value_string_new", form->text());
  case FormKind::Keyword:
    return fromText("value_keyword_new", form->text());
  case FormKind::Number: {
    mlir::Value number = gen.literals.constant(form, builder.getF64Type());
    return number ? ffiCall("value_number_new", number, form) : mlir::Value();
  }
  case FormKind::Bool:
    return ffiCall("value_bool_new", gen.literals.constantInt(form, builder.getI1Type(), form->boolean()), form);
  case FormKind::Nil:
    return ffiCall("value_nil_new", {}, form);
  case FormKind::List:
  case FormKind::Vector:
  case FormKind::Map:
    break;
  }
  if (form->isCall("unquote") && form->size() == 2 && depth == 1)
    return gen.evaluator->emitValue((*form)[1]);
  unsigned inner = form->isCall("quasiquote")                                  ? depth + 1
                   : form->isCall("unquote") || form->isCall("unquote-splice") ? depth - 1
                                                                               : depth;
  mlir::Value list = ffiCall(form->isVector() ? "value_vector_new"
                             : form->isMap()  ? "value_map_new"
                                              : "value_list_new",
                             {}, form);
  if (!list)
    return {};
  for (const Form *item : form->items()) {
    bool splices = item->isCall("unquote-splice") && item->size() == 2 && inner == 1;
    mlir::Value value = splices ? gen.evaluator->emitValue((*item)[1]) : quasi(item, inner);
    if (!value)
      return {};
    if (!splices) {
      ffiCall("value_list_push", {list, value}, item);
      continue;
    }
    // Every element of the spliced list, in order.
    mlir::Value length = ffiCall("value_list_len", value, item);
    mlir::Value zero = gen.literals.constantInt(item, builder.getI64Type(), 0),
                one = gen.literals.constantInt(item, builder.getI64Type(), 1);
    if (!length)
      return {};
    pushAll(list, value, zero, length, one, item);
  }
  return list;
}
} // namespace lispier
