//===- ValueFfi.cpp - values of the macro language in compiled code -------===//
#include "ValueFfi.h"
#include "Expressions.h"
#include "Functions.h"
#include "Generator.h"
#include "Literals.h"
#include "Print.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;

namespace lispier {
namespace {
/// Name, arguments and result of each function: p pointer, l i64, d f64, b i1, v nothing.
struct FfiFunction {
  StringLiteral name, arguments;
  char returned;
};
constexpr FfiFunction kFfi[] = {
    {"value_list_new", "", 'p'},
    {"value_vector_new", "", 'p'},
    {"value_map_new", "", 'p'},
    {"value_nil_new", "", 'p'},
    {"value_symbol_new", "p", 'p'},
    {"value_string_new", "p", 'p'},
    {"value_keyword_new", "p", 'p'},
    {"value_number_new", "d", 'p'},
    {"value_bool_new", "b", 'p'},
    {"value_list_push", "pp", 'v'},
    {"value_list_first", "p", 'p'},
    {"value_list_rest", "p", 'p'},
    {"value_list_len", "p", 'l'},
    {"value_list_get", "pl", 'p'},
    {"value_is_list", "p", 'b'},
    {"value_is_vector", "p", 'b'},
    {"value_is_symbol", "p", 'b'},
    {"value_is_string", "p", 'b'},
    {"value_is_number", "p", 'b'},
    {"value_is_keyword", "p", 'b'},
    {"value_is_nil", "p", 'b'},
    {"value_symbol_name", "p", 'p'},
    {"value_number_get", "p", 'd'},
    {"value_free", "p", 'v'},
    {"value_clone", "p", 'p'},
    {"value_gensym", "", 'p'},
    {"value_gensym_prefix", "p", 'p'},
    {"value_symbol_arith_addi", "", 'p'},
    {"value_symbol_arith_subi", "", 'p'},
    {"value_symbol_arith_muli", "", 'p'},
    {"value_symbol_arith_divsi", "", 'p'},
    {"value_symbol_func_return", "", 'p'},
    {"value_symbol_def", "", 'p'},
    {"value_symbol_do", "", 'p'},
    {"value_symbol_colon", "", 'p'},
};
} // namespace

void ValueFfi::declareValueFfi(const Form *form) {
  const Form *what = (*form)[1];
  if (!what->isKeyword() || !is_contained({"value-ffi", "gpt2-ffi"}, what->text()))
    error("macro-shape", what, "`extern` does not know " + what->str())
        .withHint("write (extern :value-ffi), or (extern-fn name (-> [...] [...])) for one function");
}

std::optional<mlir::FunctionType> ValueFfi::ffiType(StringRef name) {
  auto typeOf = [&](char letter) -> mlir::Type {
    switch (letter) {
    case 'p':
      return mlir::LLVM::LLVMPointerType::get(&context);
    case 'l':
      return builder.getI64Type();
    case 'd':
      return builder.getF64Type();
    case 'b':
      return builder.getI1Type();
    default:
      return {};
    }
  };
  for (const FfiFunction &function : kFfi) {
    if (function.name != name)
      continue;
    SmallVector<mlir::Type> inputs, results;
    for (char letter : function.arguments)
      inputs.push_back(typeOf(letter));
    if (function.returned != 'v')
      results.push_back(typeOf(function.returned));
    return builder.getFunctionType(inputs, results);
  }
  return std::nullopt;
}

mlir::Value ValueFfi::ffiCall(StringRef name, mlir::ValueRange arguments, const Form *form) {
  gen.functions.runtimeFunction(name, *ffiType(name), false, form);
  SmallVector<mlir::Value> values(arguments);
  FunctionInfo *callee = gen.functions.findFunction(name);
  if (!gen.functions.checkCall(form, *callee, values))
    return {};
  auto made = gen.functions.callValues(form, *callee, values);
  return succeeded(made) && !made->empty() ? made->front() : mlir::Value();
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
    return ffiCall(function, gen.print.stringAddress(text, form), form);
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
    return gen.expressions.emitValue((*form)[1]);
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
    mlir::Value value = splices ? gen.expressions.emitValue((*item)[1]) : quasi(item, inner);
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
