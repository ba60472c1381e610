//===- Functions.cpp - function definitions, declarations, calls ----------===//
#include "Functions.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/OpDraft.h"
#include "Core/OpenTypes.h"
#include "Core/Operations.h"
#include "Core/RecordTypes.h"
#include "Core/Regions.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Generics.h"
#include "InPlace.h"
#include "Print.h"
#include "Records.h"
#include "TensorSignatures.h"
#include "lispier/Syntax/OtherNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace lispier {
namespace {
/// Functions that MLIR's lowerings declare as llvm.func: a func.func of the same name would clash.
bool isLlvmRuntime(StringRef name) {
  return is_contained({"printI64", "printU64", "printF16", "printBF16", "printF32", "printF64", "printString",
                       "printOpen", "printClose", "printComma", "printNewline"},
                      name);
}

/// Corrects the declaration of known C functions: printf is variadic even where an older program declares it otherwise.
void declareAsC(FunctionInfo &info, mlir::OpBuilder &builder) {
  info.isLlvm |= isLlvmRuntime(info.name);
  if (info.name != "printf" || info.isVariadic || info.type.getNumInputs() == 0 ||
      !isa<mlir::LLVM::LLVMPointerType>(info.type.getInput(0)))
    return;
  info.type = builder.getFunctionType(info.type.getInput(0), info.type.getResults());
  info.isVariadic = info.isLlvm = true;
}
} // namespace

void FunctionGenerator::unknownFunction(const Form *form, StringRef name) {
  SmallVector<std::string> names;
  for (auto &function : gen.functionTable.known)
    names.push_back(function.first().str());
  for (auto &generic : gen.generics.known)
    names.push_back(generic.first.str());
  error("call-unknown", form, "there is no function `" + name + "`").withHint(hintFor(name, names));
}

std::optional<FunctionInfo> FunctionGenerator::functionOfForm(const Form *form) {
  FunctionInfo info;
  info.form = form;
  if (form->isCall("extern-fn")) {
    if (form->size() != 3 || !(*form)[1]->isSymbol()) {
      error("macro-shape", form, "`extern-fn` takes a name and a function type")
          .withHint("write (extern-fn name (-> [argument-types] [result-types]))");
      return std::nullopt;
    }
    auto signature = gen.types.parseSignature((*form)[2]);
    if (failed(signature))
      return std::nullopt;
    info.name = (*form)[1]->text().str();
    info.type = builder.getFunctionType(signature->inputs, signature->results);
    info.isVariadic = info.isLlvm = signature->isVariadic;
    declareAsC(info, builder);
    return info;
  }
  if (form->isCall("defn")) {
    auto parts = partsOfDefn(form);
    if (!parts)
      return std::nullopt;
    info.name = parts->name->text().str();
    info.type = parts->type;
    info.inputs = parts->inputs;
    info.results = parts->resultTypes;
    info.hasBody = true;
    gen.signatures.declareResults(info.name, *parts);
    return info;
  }
  if (!form->isCall(mlir::func::FuncOp::getOperationName()) &&
      !form->isCall(mlir::LLVM::LLVMFuncOp::getOperationName()))
    return std::nullopt;
  const Form *map = form->size() > 1 && (*form)[1]->isMap() ? (*form)[1] : nullptr;
  const Form *name = map ? map->get("sym_name") : nullptr, *type = map ? map->get("function_type") : nullptr;
  if (!name || !type)
    return std::nullopt; // The op's verifier reports what is missing.
  StringRef text = name->text();
  text.consume_front("@");
  info.name = text.str();
  mlir::Type parsed = gen.types.parseType(type);
  if (!parsed)
    return std::nullopt;
  if (auto function = dyn_cast<mlir::FunctionType>(parsed))
    info.type = function;
  else if (auto function = dyn_cast<mlir::LLVM::LLVMFunctionType>(parsed)) {
    SmallVector<mlir::Type> results;
    if (!isa<mlir::LLVM::LLVMVoidType>(function.getReturnType()))
      results.push_back(function.getReturnType());
    info.type = builder.getFunctionType(function.getParams(), results);
    info.isVariadic = function.isVarArg();
  } else
    return std::nullopt;
  info.isLlvm = form->isCall(mlir::LLVM::LLVMFuncOp::getOperationName());
  for (const Form *item : form->items().drop_front())
    info.hasBody |= (item->isCall("region") || item->isCall("do")) && item->size() > 1;
  if (!info.hasBody)
    declareAsC(info, builder);
  return info;
}

std::optional<FunctionGenerator::DefnShape> FunctionGenerator::shapeOfDefn(const Form *form) {
  DefnShape parts;
  ArrayRef<const Form *> items = form->items().drop_front();
  auto shape = [&](const Form *at, const Twine &message) {
    error("macro-shape", at, message).withHint("write (defn name [(: parameter type) ...] -> type body ...)");
    return std::nullopt;
  };
  if (items.size() < 2 || !items[0]->isSymbol())
    return shape(form, "`defn` needs a name and parameters");
  parts.name = items[0];
  items = items.drop_front();
  if (items[0]->isString() && items.size() > 1)
    items = items.drop_front(); // A doc string.
  if (form->isCall("deftile"))
    items = items.drop_front(); // Its options.
  if (!items[0]->isVector())
    return shape(items[0], Twine("the parameters of `defn` are a vector, not ") + describe(items[0]->kind()));
  parts.parameters = items[0];
  items = items.drop_front();
  if (!items.empty() && items[0]->isSymbol("->")) {
    if (items.size() < 2)
      return shape(form, "the result type after `->` is missing");
    parts.results = items[1];
    items = items.drop_front(2);
  }
  if (items.size() > 1 && items[0]->isString())
    items = items.drop_front();
  parts.body = items;
  return parts;
}

bool FunctionGenerator::hasBody(const Form *form, const DefnShape &shape) {
  if (shape.body.empty()) // (do) leaves nothing.
    error("macro-shape", form, "`" + shape.name->text() + "` has no body")
        .withHint("write (defn name [(: parameter type) ...] -> type body ...)");
  return !shape.body.empty();
}

std::optional<FunctionGenerator::DefnParts> FunctionGenerator::partsOfDefn(const Form *form) {
  auto shape = shapeOfDefn(form);
  if (!shape)
    return std::nullopt;
  DefnParts parts{*shape, {}, {}, {}};
  bool ok = true;
  for (const Form *parameter : parts.parameters->items()) {
    if (!parameter->isCall(":") || parameter->size() != 3 || !(*parameter)[1]->isSymbol()) {
      StringRef name = parameter->isSymbol() ? parameter->text() : StringRef("name");
      error("parse-block-arg", parameter,
            parameter->isSymbol() ? "the parameter `" + name + "` needs a type" : Twine("a parameter is (: name type)"))
          .withHint("write (: " + name + " type)");
      ok = false;
      continue;
    }
    parts.inputs.push_back(gen.signatures.parameterType(parameter));
    ok &= bool(parts.inputs.back());
  }
  if (parts.results) {
    auto types = gen.types.parseTypes(parts.results);
    ok &= succeeded(types);
    if (succeeded(types))
      parts.resultTypes = std::move(*types);
  }
  if (!hasBody(form, parts) || !ok)
    return std::nullopt;
  SmallVector<mlir::Type> inputs, results;
  RecordTypes::flatten(parts.inputs, inputs);
  RecordTypes::flatten(parts.resultTypes, results);
  for (unsigned i : InPlace::inoutParameters(parts.parameters->items()))
    RecordTypes::flatten(parts.inputs[i], results); // Its last value.
  parts.type = builder.getFunctionType(inputs, results);
  return parts;
}

void FunctionGenerator::defineDefn(const Form *form) {
  if (GenericFunction *generic = gen.generics.find((*form)[1]->text()); generic && generic->form == form)
    return gen.generics.define(*generic);
  FunctionInfo *info = nullptr;
  for (auto &entry : gen.functionTable.known)
    if (entry.second.form == form)
      info = &entry.second;
  auto parts = info ? partsOfDefn(form) : std::nullopt;
  if (!parts)
    return; // Reported by the first walk.
  mlir::NamedAttrList attributes;
  attributes.set(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  auto function = mlir::func::FuncOp::create(builder, location(form), info->name, parts->type, attributes);
  info->op = function;
  bool shows = evaluates && info->name == "main" && !parts->results;
  if (functionBody(function, parts->parameters->items(), parts->inputs, parts->body, form, parts->results,
                   /*infersResults=*/shows))
    (void)gen.generics.attachRule(info->name, function, parts->inputs, parts->resultTypes);
}

void FunctionGenerator::inferResults(mlir::ValueRange returned) {
  mlir::Block *block = builder.getInsertionBlock();
  if (inferring && block && block->getParentOp() == inferring) {
    inferredResults.assign(returned.getTypes().begin(), returned.getTypes().end());
    SmallVector<mlir::Type> types;
    RecordTypes::flatten(inferredResults, types);
    append_range(types, gen.inPlace.parameterTypes());
    inferring.setType(builder.getFunctionType(inferring.getArgumentTypes(), types));
  }
}

bool FunctionGenerator::functionBody(mlir::func::FuncOp function, ArrayRef<const Form *> parameters,
                                     ArrayRef<mlir::Type> types, ArrayRef<const Form *> body, const Form *form,
                                     const Form *results, bool infersResults,
                                     ArrayRef<std::pair<StringRef, mlir::Type>> constants) {
  SaveAndRestore inferred(inferring, infersResults ? function : mlir::func::FuncOp());
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::FunctionType type = function.getFunctionType();
  mlir::Block *entry = &function.getBody().emplaceBlock();
  Scope scope(gen.scope.scopes);
  gen.scope.everDefined.clear();
  gen.scope.labels.emplace_back();
  for (const auto &[parameter, declared] : zip(parameters, types)) {
    SmallVector<mlir::Type> parts;
    RecordTypes::flatten(declared, parts);
    entry->addArguments(parts, SmallVector<mlir::Location>(parts.size(), location(parameter)));
  }
  for (auto [name, constantType] : constants)
    entry->addArgument(constantType, function.getLoc());
  builder.setInsertionPointToEnd(entry);
  StringMap<SMRange> seen;
  SmallVector<mlir::ValueRange> values;                   // The arguments of each parameter.
  SmallVector<std::pair<StringRef, mlir::Value>> records; // By parameter.
  mlir::ValueRange rest = entry->getArguments();
  for (const auto &[parameter, declared] : zip(parameters, types)) {
    auto record = dyn_cast<RecordType>(declared);
    size_t count = record ? record.parts().size() : 1;
    values.push_back(rest.take_front(count));
    rest = rest.drop_front(count);
    const Form *name = parameter->isCall(":") ? (*parameter)[1] : parameter;
    if (record)
      records.push_back({name->text(), gen.recordTypes.pack(parameter, record, values.back())});
    gen.scope.bind(name, Values{record ? records.back().second : values.back().front()});
    auto [old, isNew] = seen.try_emplace(name->text(), name->range());
    if (!isNew && !name->text().starts_with("_"))
      error("parse-block-arg", name, "two parameters are called `" + name->text() + "`")
          .note(old->second, "the first is here");
  }
  for (auto [constant, value] : zip(constants, rest))
    gen.scope.scopes.insert(constant.first, Binding{Values{value}, form->range()});
  gen.inPlace.enter(function, parameters, types, values);
  if (!gen.signatures.enter(function.getName(), parameters, values))
    return false;
  for (auto [name, record] : records)
    gen.records.nameSizes(record, name);
  // (block ...) items make a body of several blocks.
  if (any_of(body, [](const Form *item) { return item->isCall("block"); })) {
    error("parse-head", body[0], "the body of `defn` has no blocks")
        .withHint("write (func.func {...} (region (block ...) ...)) for blocks with labels");
    gen.scope.labels.pop_back();
    return false;
  }
  size_t known = infersResults ? 0 : type.getNumResults() - gen.inPlace.parameterTypes().size();
  mlir::Type hint = known == 1 ? type.getResult(0) : mlir::Type();
  auto last = gen.evaluator->emitBody(body, hint);
  gen.scope.labels.pop_back();
  if (failed(last))
    return false;
  if (gen.regions.isTerminated()) {
    RecordTypes::eraseIn(function);
    return true;
  }
  builder.setInsertionPointToEnd(entry);
  if (evaluates && function.getName() == "main" && infersResults && !showLast(*last, body.back()))
    return false;
  inferResults(*last);
  if (!returnLast(function, *last, body.back(), results))
    return false;
  RecordTypes::eraseIn(function);
  gen.signatures.findResults(function);
  return true;
}

/// For Program::evaluates: prints the tensors of the last form, and leaves the number that `main` returns, if any.
bool FunctionGenerator::showLast(Values &last, const Form *place) {
  auto others = gen.print.printShaped(place, RecordTypes::flatten(last));
  if (failed(others))
    return false;
  last = std::move(*others);
  if (last.empty())
    return true;
  last.resize(1);
  gen.openTypes.settle(last.front());
  // The result of a call such as printf, a number of characters, is not of interest.
  if (auto call = last.front().getDefiningOp<mlir::LLVM::CallOp>(); call && call.getVarCalleeType())
    last.clear();
  return true;
}

bool FunctionGenerator::returnLast(mlir::func::FuncOp function, Values &last, const Form *place, const Form *results) {
  Values written = gen.inPlace.finalValues();
  last = RecordTypes::flatten(last);
  ArrayRef<mlir::Type> types = function.getFunctionType().getResults().drop_back(written.size());
  SmallVector<mlir::Value> returned;
  if (types.empty()) {
    if (FunctionInfo *info = gen.functionTable.find(function.getName()); info && !last.empty())
      info->lastType = last.front().getType();
  } else if (last.size() < types.size()) {
    error("type-mismatch", place,
          "`" + nameOfSymbol(function.getName()) + "` returns " + Twine(types.size()) +
              (types.size() == 1 ? " value" : " values") + ", and its last form has " +
              (last.empty() ? "none" : Twine(last.size())))
        .withHint("end the function with (func.return value ...)");
    return false;
  } else
    returned.append(last.begin(), last.begin() + types.size());
  for (auto [i, value] : enumerate(returned)) {
    const Form *declared = results && results->isVector() && i < results->size() ? (*results)[i] : results;
    if (declared && !declared->isCall("tensor"))
      declared = nullptr; // Of a record, all of whose parts are results.
    value = gen.literalValues.asExpected(value, types[i]);
    value = value ? gen.signatures.returned(function, place, value, types[i], declared) : value;
    if (!value)
      return false;
  }
  for (const auto &[value, wanted] : zip(returned, types))
    if (value.getType() != wanted) {
      error("type-mismatch", place,
            "`" + nameOfSymbol(function.getName()) + "` returns " + typeText(wanted) + ", and its last form has type " +
                typeText(value.getType()))
          .withHint(
              !isTensor(wanted) ? "(cast " + mlir::debugString(wanted) + " value) converts"
              : mlir::getElementTypeOrSelf(wanted) == mlir::getElementTypeOrSelf(value.getType())
                  ? std::string("correct the sizes after `->`, or leave `->` out: the result follows from the body")
                  : "(cast " + mlir::debugString(mlir::getElementTypeOrSelf(wanted)) + " value) converts");
      return false;
    }
  append_range(returned, written);
  mlir::func::ReturnOp::create(builder, location(place), returned);
  return true;
}

void FunctionGenerator::defineExternFn(const Form *form) {
  FunctionInfo *info = (*form)[1]->isSymbol() ? gen.functionTable.find((*form)[1]->text()) : nullptr;
  if (!info || info->op || info->hasBody || info->form != form)
    return;
  info->op = gen.functionTable.declareOp(*info, form);
}

void FunctionGenerator::defineFunc(const Form *form) {
  std::string name;
  if (form->size() > 1 && (*form)[1]->isMap())
    if (const Form *symbol = (*form)[1]->get("sym_name"))
      name = StringRef(symbol->text()).ltrim('@').str();
  FunctionInfo *info = gen.functionTable.find(name);
  if (info && info->form != form)
    return; // Another form defines it; the first walk reported conflicts.
  gen.scope.everDefined.clear();
  if (info && !info->hasBody && info->isLlvm && form->isCall(mlir::func::FuncOp::getOperationName())) {
    info->op = gen.functionTable.declareOp(*info, form);
    return;
  }
  mlir::Block *body = module->getBody();
  auto results = gen.ops.emitOp(form);
  if (failed(results) || body->empty() || !info)
    return;
  mlir::Operation *op = &body->back();
  info->op = op;
  auto function = dyn_cast<mlir::func::FuncOp>(op);
  if (!function || !function.isExternal())
    return;
  if (function->getAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName()) == builder.getBoolAttr(false))
    function->removeAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName());
  else if (hasMemref(function.getFunctionType()))
    function->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
}

mlir::FailureOr<Values> FunctionGenerator::emitCall(const Form *form, FunctionInfo &callee,
                                                    ArrayRef<const Form *> arguments) {
  SmallVector<mlir::Value> values;
  bool ok = true;
  if (!arguments.empty() && arguments[0]->isMap()) // (f {:result T} ...): ignored, since the function's type is known.
    arguments = arguments.drop_front();
  mlir::FunctionType type = callee.type;
  std::string name = callee.name;
  SmallVector<mlir::Type> resultTypes(callee.results), types(callee.inputs);
  if (types.empty())
    append_range(types, type.getInputs());
  SmallVector<unsigned> inouts;
  if (const Form *given = definitionOf(name))
    inouts = InPlace::inoutParameters(shapeOfDefn(given)->parameters->items());
  SmallVector<InPlace::Argument> written;
  for (const auto &[i, argument] : enumerate(arguments)) {
    if (argument->isKeyword()) {
      error("call-keyword", argument, "`" + name + "` takes no keywords")
          .note(callee.form ? callee.form->range() : SMRange(), "`" + name + "` is defined here")
          .withHint("a function declares them after its parameters: [a b & {:" + argument->text() + " default}]");
      return mlir::failure();
    }
    values.push_back(is_contained(inouts, i)
                         ? gen.inPlace.argument(argument, name, i, written)
                         : gen.evaluator->emitValue(argument, i < types.size() ? types[i] : mlir::Type()));
    ok &= bool(values.back());
  }
  if (const Form *given = ok ? definitionOf(name) : nullptr) {
    ArrayRef<const Form *> parameters = shapeOfDefn(given)->parameters->items();
    if (!gen.signatures.checkCall(form, name, parameters, values, arguments) ||
        !gen.inPlace.checkApart(written, values, arguments))
      return mlir::failure();
    for (auto [i, value] : enumerate(values))
      if (i < types.size())
        value = gen.signatures.fitted(arguments[i], value, types[i], "argument " + Twine(i + 1) + " of `" + name + "`");
  }
  FunctionInfo *known = gen.functionTable.find(name); // Look it up again: inserting may have moved the table's entries.
  if (!ok || !gen.functionTable.checkCall(form, *known, values, arguments))
    return mlir::failure();
  Values parts = RecordTypes::flatten(values);
  SmallVector<mlir::Value> flat(parts.begin(), parts.end());
  auto results = gen.functionTable.callValues(form, *known, flat);
  if (failed(results))
    return results;
  mlir::ValueRange all(*results);
  gen.inPlace.storeResults(form, written, all.take_back(written.size()));
  Values own = gen.signatures.calledResults(form, all.drop_back(written.size()));
  return resultTypes.empty() ? own : gen.recordTypes.grouped(form, own, resultTypes);
}

std::optional<mlir::FailureOr<Values>> FunctionGenerator::emitCallOp(OpDraft &draft, mlir::Type hint) {
  auto symbol = dyn_cast_if_present<mlir::FlatSymbolRefAttr>(draft.attributes.get("callee"));
  if (!symbol)
    return std::nullopt; // "needs the attribute :callee" comes from the op.
  if (GenericFunction *generic = gen.generics.find(symbol.getValue()))
    return gen.generics.emitCall(draft.form, *generic, draft.operandForms, hint);
  FunctionInfo *callee = gen.functionTable.find(symbol.getValue());
  if (!callee && gen.functionTable.nested.contains(symbol.getValue())) {
    mlir::Operation *around = builder.getInsertionBlock()->getParentOp();
    auto above = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(around, symbol);
    if (above && !draft.resultTypes)
      draft.resultTypes.emplace(above.getFunctionType().getResults());
    return std::nullopt;
  }
  if (!callee) {
    const Form *given = draft.map ? draft.map->get("callee") : nullptr;
    unknownFunction(given ? given : draft.form, symbol.getValue());
    return mlir::FailureOr<Values>(mlir::failure());
  }
  if (draft.resultTypes && ArrayRef<mlir::Type>(*draft.resultTypes) != callee->type.getResults()) {
    std::string types;
    for (mlir::Type type : callee->type.getResults())
      types += (types.empty() ? "" : ", ") + mlir::debugString(type);
    const Form *given = draft.map ? draft.map->get("result") : nullptr;
    error("call-type", given ? given : draft.form,
          "`" + callee->name + "` returns " + (types.empty() ? "nothing" : types) + ", not what `:result` says")
        .note(callee->form ? callee->form->range() : SMRange(), "`" + callee->name + "` is defined here");
    return mlir::FailureOr<Values>(mlir::failure());
  }
  // A call with other attributes than the callee is left to the generic path.
  if (draft.attributes.getAttrs().size() > 1 && !callee->isLlvm) {
    draft.resultTypes.emplace(callee->type.getResults());
    return std::nullopt;
  }
  SmallVector<const Form *> arguments;
  for (const Form *item : draft.operandForms)
    if (item->isVector())
      append_range(arguments, item->items());
    else
      arguments.push_back(item);
  return emitCall(draft.form, *callee, arguments);
}

/// A function without `->` has the results that it returns.
bool FunctionGenerator::completeReturn(OpDraft &draft) {
  bool isOwn = true;
  for (auto [i, value] : enumerate(draft.operands))
    isOwn &= gen.inPlace.checkReturned(i < draft.places.size() ? draft.places[i] : draft.form, value);
  inferResults(draft.operands);
  Values flat = RecordTypes::flatten(draft.operands);
  draft.operands.assign(flat.begin(), flat.end());
  append_range(draft.operands, gen.inPlace.finalValues());
  return isOwn;
}

/// The `defn` of a function with tensors among its parameters, or null.
const Form *FunctionGenerator::definitionOf(StringRef name) {
  FunctionInfo *info = gen.functionTable.find(name);
  if (!info || !info->form || !info->form->isCall("defn") ||
      none_of(info->type.getInputs(), [](mlir::Type type) { return isTensor(type); }))
    return nullptr;
  return info->form;
}

} // namespace lispier
