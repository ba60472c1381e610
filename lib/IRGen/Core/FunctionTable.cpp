//===- FunctionTable.cpp - functions that calls find by name --------------===//
#include "FunctionTable.h"
#include "CoreParts.h"
#include "StringGlobals.h"
#include "Types.h"
#include "ValueTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

std::optional<mlir::FunctionType> valueFunctionType(StringRef name, mlir::OpBuilder &builder) {
  auto typeOf = [&](char letter) -> mlir::Type {
    switch (letter) {
    case 'p':
      return mlir::LLVM::LLVMPointerType::get(builder.getContext());
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

bool hasMemref(mlir::FunctionType type) {
  auto isMemref = [](mlir::Type t) { return isa<mlir::BaseMemRefType>(t); };
  return any_of(type.getInputs(), isMemref) || any_of(type.getResults(), isMemref);
}

void FunctionTable::declare(FunctionInfo info) {
  auto [entry, isNew] = known.try_emplace(info.name, info);
  if (isNew)
    return;
  FunctionInfo &old = entry->second;
  bool sameType = old.type == info.type;
  if (old.hasBody && info.hasBody)
    error("mod-dup-symbol", info.form, "two functions are called `" + info.name + "`")
        .note(old.form->range(), "the first is here");
  else if (!sameType && !(old.isVariadic || info.isVariadic))
    error("mod-dup-symbol", info.form,
          "`" + info.name + "` is declared with another type here: " + mlir::debugString(info.type))
        .note(old.form->range(), "it has type " + mlir::debugString(old.type) + " here");
  else if (info.hasBody || (info.isVariadic && !old.isVariadic))
    old = info;
}

FunctionInfo *FunctionTable::find(StringRef name) {
  auto found = known.find(name);
  if (found != known.end())
    return &found->second;
  std::optional<mlir::FunctionType> type = valueFunctionType(name, builder); // The declaration is created on first use.
  if (!type)
    return nullptr;
  return &declareRuntime(name, *type, /*isVariadic=*/false, nullptr);
}

mlir::Operation *FunctionTable::runtimeFunction(StringRef name, mlir::FunctionType type, bool isVariadic,
                                                const Form *form) {
  FunctionInfo *info = find(name);
  return info ? info->op : declareRuntime(name, type, isVariadic, form).op;
}

FunctionInfo &FunctionTable::declareRuntime(StringRef name, mlir::FunctionType type, bool isVariadic,
                                            const Form *form) {
  FunctionInfo fresh;
  fresh.name = name.str();
  fresh.type = type;
  fresh.form = form;
  fresh.isVariadic = fresh.isLlvm = isVariadic;
  FunctionInfo &info = known.try_emplace(name, fresh).first->second;
  mlir::OpBuilder::InsertionGuard guard(builder);
  // After the string globals and earlier implicit declarations, before the program's own forms.
  builder.setInsertionPoint(module->getBody(),
                            std::next(module->getBody()->begin(), gen.strings.count + runtimeCount++));
  info.op = declareOp(info, form);
  return info;
}

mlir::Operation *FunctionTable::declareOp(FunctionInfo &info, const Form *form) {
  if (info.isLlvm) {
    mlir::Type type = gen.types.llvmFunctionType({SmallVector<mlir::Type>(info.type.getInputs()),
                                                  SmallVector<mlir::Type>(info.type.getResults()), info.isVariadic},
                                                 form);
    if (!type)
      return nullptr;
    return mlir::LLVM::LLVMFuncOp::create(builder, location(form), info.name, type);
  }
  auto function = mlir::func::FuncOp::create(builder, location(form), info.name, info.type);
  function.setPrivate();
  if (hasMemref(info.type))
    function->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  return function;
}

/// What to write for a parameter of another type; empty if nothing is known.
static std::string hintFor(mlir::Type given, mlir::Type wanted) {
  if (given.isIntOrIndexOrFloat() && wanted.isIntOrIndexOrFloat())
    return "(cast " + typeText(wanted) + " value) converts";
  auto memory = dyn_cast<mlir::MemRefType>(given), parameter = dyn_cast<mlir::MemRefType>(wanted);
  if (memory && parameter && memory.getElementType() == parameter.getElementType() &&
      memory.getMemorySpace() == parameter.getMemorySpace() &&
      succeeded(mlir::verifyCompatibleShape(memory, parameter)))
    return "(memref.cast {:result " + typeText(wanted) + "} memory) converts; a parameter without a type takes any";
  return isTensor(given) && isa<mlir::BaseMemRefType>(wanted) ? "(to-memref tensor) is memory with its numbers" : "";
}

bool FunctionTable::checkCall(const Form *form, const FunctionInfo &callee, mlir::ValueRange arguments,
                              ArrayRef<const Form *> places) {
  ArrayRef<mlir::Type> types = callee.inputs.empty() ? callee.type.getInputs() : ArrayRef(callee.inputs);
  size_t wanted = types.size();
  auto defined = [&](Diag &diag) {
    if (callee.form && callee.form->range().isValid())
      diag.note(callee.form->range(), "`" + callee.name + "` is defined here: " + mlir::debugString(callee.type));
    return false;
  };
  auto place = [&](size_t i) { return i < arguments.size() && places.size() == arguments.size() ? places[i] : form; };
  if (callee.isVariadic ? arguments.size() < wanted : arguments.size() != wanted)
    return defined(error("call-arity", place(wanted),
                         "`" + callee.name + "` takes " + (callee.isVariadic ? "at least " : "") + Twine(wanted) +
                             (wanted == 1 ? " argument" : " arguments") + ", not " + Twine(arguments.size())));
  for (size_t i = 0; i < wanted; ++i)
    if (mlir::Type type = arguments[i].getType(); type != types[i])
      return defined(error("call-type", place(i),
                           "argument " + Twine(i + 1) + " of `" + callee.name + "` has type " + typeText(type) +
                               ", not " + typeText(types[i]))
                         .withHint(hintFor(type, types[i])));
  return true;
}

mlir::FailureOr<Values> FunctionTable::callValues(const Form *form, FunctionInfo &callee,
                                                  SmallVectorImpl<mlir::Value> &values) {
  if (!callee.isLlvm)
    return Values(make<mlir::func::CallOp>(form, callee.name, callee.type.getResults(), values).getResults());
  for (size_t i = callee.type.getNumInputs(); i < values.size(); ++i)
    values[i] = promote(values[i], form);
  mlir::Type type = gen.types.llvmFunctionType({SmallVector<mlir::Type>(callee.type.getInputs()),
                                                SmallVector<mlir::Type>(callee.type.getResults()), callee.isVariadic},
                                               form);
  if (!type)
    return mlir::failure();
  auto call = make<mlir::LLVM::CallOp>(form, cast<mlir::LLVM::LLVMFunctionType>(type), callee.name, values);
  return Values(call->getResults());
}

mlir::Value FunctionTable::promote(mlir::Value value, const Form *form) {
  mlir::Type type = value.getType();
  if (auto real = dyn_cast<mlir::FloatType>(type); real && real.getWidth() < 64)
    return make<mlir::arith::ExtFOp>(form, builder.getF64Type(), value);
  if (type.isIndex())
    return make<mlir::arith::IndexCastOp>(form, builder.getI64Type(), value);
  if (type.isInteger(1))
    return make<mlir::arith::ExtUIOp>(form, builder.getI32Type(), value);
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    return make<mlir::arith::ExtSIOp>(form, builder.getI32Type(), value);
  return value;
}
} // namespace lispier
