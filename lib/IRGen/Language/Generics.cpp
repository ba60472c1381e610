//===- Generics.cpp - functions generated for each call's types -----------===//
#include "Generics.h"
#include "ConstantForms.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/NumberTypes.h"
#include "Core/OpenTypes.h"
#include "Core/RecordTypes.h"
#include "Core/StringGlobals.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Functions.h"
#include "Generator.h"
#include "InPlace.h"
#include "Program.h"
#include "TensorSignatures.h"
#include "Values/TensorSizes.h"
#include "lispier/Expand/TensorLibrary.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
/// Limits on functions that are generated inside each other. Only recursion with ever new types or constants comes
/// there: so many of one function, and bodies of so many nested forms in all (the generator recurses over forms).
constexpr unsigned kMostInstances = 64;
constexpr unsigned kMostNestedForms = 2 * kMaxNesting;
constexpr unsigned kShownCalls = 2;

/// Of a parameter: `name` and (: name inout) have none.
bool hasType(const Form *parameter) {
  return parameter->isCall(":") && !(parameter->size() == 3 && (*parameter)[2]->isSymbol("inout"));
}

/// The part of a symbol that stands for a type or constant, in characters that every assembler takes.
std::string symbolPart(StringRef text) {
  std::string part;
  for (char c : text.take_front(80))
    if (isAlnum(c))
      part += c;
    else if (c == '?')
      part += 'D';
    else if (c == '-')
      part += 'm';
    else if (!part.empty() && part.back() != '_')
      part += '_';
  return StringRef(part).rtrim('_').str();
}

std::string listOf(const GenericFunction &callee) {
  std::string names;
  for (const GenericFunction::Keyword &keyword : callee.keywords)
    names += (names.empty() ? ":" : ", :") + keyword.name->text().str();
  return names;
}
} // namespace

GenericFunction *GenericFunctions::find(StringRef name) {
  if (auto found = known.find(name); found != known.end())
    return found->second.get();
  bool isOfLibrary = name.consume_front(kTensorLibrary);
  auto found = library.find(name);
  if (found == library.end())
    return nullptr;
  bool isOverridden = gen.functionTable.known.contains(name) || gen.functionTable.nested.contains(name) ||
                      any_of(gen.program.usedDialects, [&](const std::string &dialect) {
                        return mlir::RegisteredOperationName::lookup(dialect + "." + name.str(), &context).has_value();
                      });
  if (!isOfLibrary && isOverridden)
    return nullptr;
  StringRef full = (*found->second)[1]->text();
  if (!known.contains(full))
    declare(found->second);
  return known.find(full)->second.get();
}

void GenericFunctions::setLibrary(ArrayRef<const Form *> functions) {
  for (const Form *form : functions)
    library[(*form)[1]->text().drop_front(kTensorLibrary.size())] = form;
}

bool GenericFunctions::declare(const Form *form) {
  if (!form->isCall("defn"))
    return false;
  auto is = [&](const Form *parameters, const Form *results) {
    return gen.signatures.infersResults(parameters, results) ||
           any_of(parameters->items(), [](const Form *parameter) { return !hasType(parameter); });
  };
  const Form *vector = nullptr;
  for (const Form *item : form->items().take_front(4).drop_front(std::min<size_t>(form->size(), 2)))
    if (!vector && item->isVector())
      vector = item;
  if (!vector || !is(vector, nullptr))
    return false;
  auto shape = gen.functions.shapeOfDefn(form);
  if (!shape)
    return true;
  if (!is(shape->parameters, shape->results))
    return false;
  auto generic = std::make_unique<GenericFunction>();
  generic->name = shape->name->text().str();
  generic->form = form;
  generic->results = shape->results;
  generic->body = shape->body;
  if (generic->name == "main") {
    error("main-signature", shape->parameters, "the parameters of `main` have types: no call gives them")
        .withHint("write (defn main [] ...)");
    return true;
  }
  ArrayRef<const Form *> items = shape->parameters->items();
  bool ok = gen.functions.hasBody(form, *shape);
  for (; !items.empty() && !items[0]->isSymbol("&"); items = items.drop_front()) {
    bool isTyped = items[0]->isCall(":") && items[0]->size() == 3 && (*items[0])[1]->isSymbol();
    if (!isTyped && !items[0]->isSymbol()) {
      error("parse-block-arg", items[0], "a parameter is a name or (: name type)");
      return true;
    }
    mlir::Type type = hasType(items[0]) ? gen.signatures.parameterType(items[0]) : mlir::Type();
    ok &= !hasType(items[0]) || type;
    generic->parameters.push_back({isTyped ? (*items[0])[1] : items[0], type, items[0]});
  }
  if (!items.empty())
    ok &= items.size() == 2 && items[1]->isMap() && readKeywords(*generic, items[1]);
  if (!ok)
    generic->names = GenericFunction::Names::Bad;
  StringRef name = shape->name->text();
  known.try_emplace(name, std::move(generic)); // Expand has reported a second function of this name.
  return true;
}

/// The map after `&`: each keyword with the value that it has if a call does not give it.
bool GenericFunctions::readKeywords(GenericFunction &generic, const Form *map) {
  bool ok = true;
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *value = gen.constants.constant((*map)[i + 1], "`:" + (*map)[i]->text() + "`");
    generic.keywords.push_back({(*map)[i], value});
    ok &= value && !namesValue(generic, (*map)[i], value) && !namesSize(generic, (*map)[i]);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// The arguments of a call.
//===----------------------------------------------------------------------===//

/// The function that `item` passes to a parameter, by its name; null if `item` is a value.
const Form *GenericFunctions::passedFunction(const Form *item) {
  if (!item->isSymbol())
    return nullptr;
  if (item->text().starts_with("@"))
    return gen.constants.isCallable(item->text().drop_front()) ? gen.constants.constant(item, "a function") : nullptr;
  bool isValue = gen.scope.scopes.count(item->text()) || gen.strings.named.count(item->text());
  return !isValue && gen.constants.isCallable(item->text()) ? item : nullptr;
}

/// Whether the function `item` can be passed as the parameter.
bool GenericFunctions::takesFunction(const GenericFunction &callee, const GenericFunction::Parameter &parameter,
                                     const Form *item) {
  StringRef name = parameter.name->text();
  if (!parameter.type && !callee.locals.contains(name))
    return true;
  Diag &diag = error("call-type", item, "`" + name + "` of `" + callee.name + "` cannot be a function");
  if (parameter.type)
    diag.note(parameter.name->range(), "it has the type " + mlir::debugString(parameter.type))
        .withHint("a parameter without a type takes functions");
  else
    diag.note(callee.form->range(), "the body gives the name `" + name + "` to another value");
  return false;
}

/// Generates the arguments. A bare number, such as 2 or -inf, for a parameter without a type takes the element type of
/// the first number, vector or tensor among the other arguments that can hold it, as beside them in (+ a b).
bool GenericFunctions::values(GenericFunction &callee, ArrayRef<const Form *> items, mlir::Type hint, Call &call) {
  call.values.assign(items.size(), {});
  call.functions.assign(items.size(), nullptr);
  bool ok = true;
  for (auto [i, item] : enumerate(items)) {
    if ((call.functions[i] = passedFunction(item))) {
      ok &= takesFunction(callee, callee.parameters[i], item);
      continue;
    }
    if (gen.literals.isLiteral(item) && !callee.parameters[i].type)
      continue;
    call.values[i] = TypeReader::isInout(callee.parameters[i].form)
                         ? gen.inPlace.argument(item, callee.name, i, call.written)
                         : gen.evaluator->emitOpenValue(item, callee.parameters[i].type);
    ok &= bool(call.values[i]);
  }
  if (!ok)
    return false;
  ArgumentNumbers numbers;
  for (mlir::Value value : call.values)
    if (value && !gen.openTypes.isOpen(value) && !gen.literalValues.isLiteral(value))
      numbers.consider(value.getType());
  // An integer in a call whose result is a tensor is a size or an index as well as an element.
  numbers.consider(hint, /*integers=*/!isa_and_present<mlir::ShapedType>(hint));
  for (auto [i, item] : enumerate(items)) {
    mlir::Type wanted = callee.parameters[i].type;
    if (call.functions[i])
      continue;
    if (!call.values[i]) {
      auto number = gen.evaluator->emit(item, item->isBool() ? mlir::Type() : numbers.typeFor(isFraction(item)));
      if (failed(number))
        return false;
      call.values[i] = number->front();
    } else if (!wanted && gen.literalValues.isLiteral(call.values[i])) {
      bool isFloat = isa<mlir::FloatType>(mlir::getElementTypeOrSelf(call.values[i].getType()));
      call.values[i] = gen.literalValues.asExpected(call.values[i], numbers.typeFor(isFloat));
      if (!call.values[i])
        return false;
    }
    gen.openTypes.settle(call.values[i], wanted ? wanted : numbers.typeFor(/*isFraction=*/false));
    std::string what = "argument " + std::to_string(i + 1) + " of `" + callee.name + "`";
    call.values[i] = gen.signatures.fitted(
        item, call.values[i],
        wanted && callee.isOpen(callee.parameters[i]) ? RecordTypes::joined(call.values[i].getType(), wanted) : wanted,
        what);
    mlir::Type type = call.values[i].getType();
    if (!wanted || type == wanted || (callee.isOpen(callee.parameters[i]) && type == RecordTypes::joined(type, wanted)))
      continue;
    auto [is, needed] = RecordTypes::differingTexts(type, wanted);
    error("call-type", item, what + " has type " + is + ", not " + needed)
        .note(callee.parameters[i].name->range(),
              "the type of `" + callee.parameters[i].name->text() + "` is given here");
    return false;
  }
  return true;
}

bool GenericFunctions::keyword(GenericFunction &callee, const Form *key, const Form *value, Call &call) {
  auto defined = [&](Diag &diag) {
    diag.note(callee.form->range(), "`" + callee.name + "` is defined here");
    return false;
  };
  auto found = find_if(callee.keywords, [&](auto &known) { return known.name->text() == key->text(); });
  if (found == callee.keywords.end()) {
    SmallVector<std::string> names;
    for (const GenericFunction::Keyword &known : callee.keywords)
      names.push_back(":" + known.name->text().str());
    std::string near = didYouMean((":" + key->text()).str(), names);
    Diag &diag = error("call-keyword", key, "`" + callee.name + "` has no keyword `:" + key->text() + "`");
    diag.withHint(names.empty() ? "it takes no keywords"
                                : "its keywords are " + listOf(callee) + (near.empty() ? "" : "; " + near));
    return defined(diag);
  }
  const Form *&constant = call.constants[found - callee.keywords.begin()];
  if (constant) {
    error("call-keyword", key, "`:" + key->text() + "` is given twice").withHint("its keywords are " + listOf(callee));
    return false;
  }
  if (!value || value->isKeyword()) {
    Diag &diag = error("call-keyword", key, "`:" + key->text() + "` has no value");
    diag.withHint("write :" + key->text() + " " + found->otherwise->str() + ", or another constant; the keywords of `" +
                  callee.name + "` are " + listOf(callee));
    return defined(diag);
  }
  constant = gen.constants.constant(value, "`:" + key->text() + "`");
  return constant && !namesValue(callee, key, constant);
}

/// Reports a symbol that would mean a value of the function in its body.
bool GenericFunctions::namesValue(const GenericFunction &callee, const Form *key, const Form *constant) {
  if (!constant->isSymbol() || gen.constants.isCallable(constant->text()))
    return false;
  bool isParameter = any_of(callee.parameters,
                            [&](const GenericFunction::Parameter &p) { return p.name->text() == constant->text(); });
  if (!isParameter && !callee.locals.contains(constant->text()))
    return false;
  error("call-keyword", constant,
        "`:" + key->text() + "` cannot be `" + constant->text() + "`, the name of a value in `" + callee.name + "`")
      .note(callee.form->range(), "`" + callee.name + "` is defined here");
  return true;
}

/// Reports a keyword with the name of a size of a parameter.
bool GenericFunctions::namesSize(const GenericFunction &callee, const Form *key) {
  for (const GenericFunction::Parameter &parameter : callee.parameters)
    for (const Form *size : TypeReader::dimensions(parameter.form))
      if (size->isSymbol() && size->text() == key->text()) {
        error("parse-block-arg", size, "the size `" + size->text() + "` has the name of a keyword")
            .note(key->range(), "the keyword is here")
            .withHint("the name of a size is an index value in the body: choose another one");
        return true;
      }
  return false;
}

bool GenericFunctions::keywords(GenericFunction &callee, ArrayRef<const Form *> items, Call &call) {
  call.constants.assign(callee.keywords.size(), nullptr);
  bool ok = true;
  for (size_t i = 0; i < items.size();) {
    if (!items[i]->isKeyword()) {
      error("call-arity", items[i], "`" + items[i]->str() + "` comes after the keywords")
          .withHint("write the arguments first: (" + callee.name + " argument ... :keyword value ...)");
      return false;
    }
    const Form *value = i + 1 < items.size() ? items[i + 1] : nullptr;
    ok &= keyword(callee, items[i], value, call);
    i += value && !value->isKeyword() ? 2 : 1;
  }
  for (auto [keyword, constant] : zip(callee.keywords, call.constants))
    if (!constant)
      constant = keyword.otherwise;
  return ok;
}

bool GenericFunctions::arguments(GenericFunction &callee, ArrayRef<const Form *> items, mlir::Type hint, Call &call) {
  auto *first = find_if(items, [](const Form *item) { return item->isKeyword(); });
  ArrayRef<const Form *> positional(items.begin(), first), rest(first, items.end());
  size_t wanted = callee.parameters.size();
  if (positional.size() != wanted) {
    Diag &diag = error("call-arity", positional.size() > wanted ? positional[wanted] : call.form,
                       "`" + callee.name + "` takes " + Twine(wanted) + (wanted == 1 ? " argument" : " arguments") +
                           ", not " + Twine(positional.size()))
                     .note(callee.form->range(), "`" + callee.name + "` is defined here");
    if (size_t(count_if(rest, [](const Form *item) { return !item->isKeyword(); })) * 2 > rest.size())
      diag.withHint("arguments stand before keywords: (" + callee.name + " argument ... :keyword value ...)");
    return false;
  }
  bool ok = keywords(callee, rest, call);
  if (!values(callee, positional, hint, call) || !ok)
    return false;
  SmallVector<const Form *> forms;
  for (const GenericFunction::Parameter &parameter : callee.parameters)
    forms.push_back(parameter.form);
  for (mlir::Value value : call.values)
    call.types.push_back(value ? value.getType() : mlir::Type());
  return gen.signatures.checkCall(call.form, callee.name, forms, call.values, positional) &&
         gen.inPlace.checkApart(call.written, call.values, positional);
}

//===----------------------------------------------------------------------===//
// Calls.
//===----------------------------------------------------------------------===//

/// What makes this instance: "x: vector<4xf32>, f: gelu, axis: -1".
std::string GenericFunctions::describeCall(const GenericFunction &callee, const Call &call) {
  std::string text;
  auto add = [&](StringRef name, const Twine &what) {
    text += (text.empty() ? "" : ", ") + (name + ": " + what).str();
  };
  for (auto [parameter, type, function] : zip(callee.parameters, call.types, call.functions))
    if (function)
      add(parameter.name->text(), function->text());
    else if (callee.isOpen(parameter))
      add(parameter.name->text(), mlir::debugString(type));
  for (auto [keyword, constant] : zip(callee.keywords, call.constants))
    add(keyword.name->text(), constant->str());
  return text;
}

/// `gelu$vector_4xf32`: the name, the types and functions, and the constants that are not the keywords' own values.
/// A name of the program has no `$`.
std::string GenericFunctions::symbolFor(const GenericFunction &callee, const Call &call) {
  std::string symbol = callee.name;
  for (auto [parameter, type, function] : zip(callee.parameters, call.types, call.functions))
    if (function || callee.isOpen(parameter))
      symbol += "$" + symbolPart(function ? function->text().str() : mlir::debugString(type));
  for (auto [keyword, constant] : zip(callee.keywords, call.constants))
    if (!equal(keyword.otherwise, constant))
      symbol += "$" + symbolPart((keyword.name->text() + "_" + constant->str()).str());
  std::string unique = symbol;
  for (unsigned n = 1; !symbols.insert(unique).second; ++n)
    unique = symbol + "$" + std::to_string(n);
  return unique;
}

void GenericFunctions::noteCalls(Diag &diag) {
  // Not those around a function that is generated without a call.
  auto calls = reverse(frames);
  auto end = find_if(calls, [](const Frame &frame) { return frame.call == frame.callee->form; });
  size_t count = std::distance(calls.begin(), end);
  for (auto [i, frame] : enumerate(make_range(calls.begin(), end))) {
    bool isOutermost = i + 1 == count;
    if (i >= kShownCalls && !isOutermost)
      continue;
    if (isOutermost && i > kShownCalls)
      diag.note(SMRange(), "from " + Twine(i - kShownCalls) + " more calls");
    diag.note(frame.call->range(),
              "in this call of `" + frame.callee->name + "`" + (frame.with.empty() ? "" : ", with " + frame.with));
    diag.backtrace(frame.call->expansion());
  }
}

bool GenericFunctions::isRepeated(StringRef code, SMRange range, const Twine &message) {
  if (frames.empty() || !range.isValid())
    return false;
  std::string key = (code + Twine(uintptr_t(range.Start.getPointer())) + message).str();
  return !reported.insert(key).second;
}

/// The types of the arguments that the function writes, whose last values are further results.
SmallVector<mlir::Type> GenericFunctions::writtenTypes(const GenericFunction &callee, const Call &call) {
  SmallVector<mlir::Type> types;
  for (auto [parameter, type] : zip(callee.parameters, call.types))
    if (TypeReader::isInout(parameter.form))
      RecordTypes::flatten(type, types);
  return types;
}

/// Reports recursion that would generate functions without end.
bool GenericFunctions::endless(const GenericFunction &callee, const Call &call) {
  unsigned instances = 0, nesting = 0;
  const Frame *last = nullptr;
  for (const Frame &frame : frames) {
    for (const Form *form : frame.callee->body)
      nesting += form->height() + 1;
    if (frame.callee != &callee)
      continue;
    ++instances;
    last = &frame;
  }
  if (!last || (instances < kMostInstances && nesting < kMostNestedForms))
    return false;
  error("call-type", call.form,
        "`" + callee.name + "` calls itself with new types or constants without end: with " + last->with +
            ", then with " + describeCall(callee, call))
      .withHint("recursion ends where a call has the types and constants of one around it");
  return true;
}

/// The function for a call's types and constants; null after an error, which was reported once.
GenericFunctions::Instance *GenericFunctions::instance(GenericFunction &callee, const Call &call) {
  std::string with = describeCall(callee, call);
  std::string key = callee.name + "(" + with + ")" + (gen.scope.inTileProgram ? " of tiles" : "");
  for (mlir::Type type : call.types) // Records print without the sizes of their parts.
    if (type && isa<RecordType>(type))
      key += " " + utohexstr(uintptr_t(type.getAsOpaquePointer()));
  std::unique_ptr<Instance> &entry = instances[key];
  if (entry)
    return entry->failed ? nullptr : entry.get();
  entry = std::make_unique<Instance>();
  Instance &fresh = *entry;
  fresh.failed = endless(callee, call);
  if (fresh.failed)
    return nullptr;
  frames.push_back({&callee, call.form, with});
  fresh.failed = !generate(callee, call, fresh) || !attachRule(callee, call, fresh);
  frames.pop_back();
  return fresh.failed ? nullptr : &fresh;
}

bool GenericFunctions::generate(GenericFunction &callee, const Call &call, Instance &instance) {
  ConstantForms constants;
  SmallVector<const Form *> names, body;
  SmallVector<mlir::Type> types;
  for (auto [parameter, type, function] : zip(callee.parameters, call.types, call.functions)) {
    if (!function) {
      names.push_back(parameter.form);
      types.push_back(type);
      continue;
    }
    constants[parameter.name->text()] = function;
  }
  for (auto [keyword, constant] : zip(callee.keywords, call.constants))
    constants[keyword.name->text()] = constant;
  for (const Form *form : callee.body) {
    body.push_back(gen.constants.substitute(form, constants));
    if (!body.back())
      return false;
  }
  if (callee.results) {
    const Form *given = gen.constants.substitute(callee.results, constants);
    auto results = given ? gen.types.parseTypes(given) : mlir::FailureOr<SmallVector<mlir::Type>>(mlir::failure());
    if (failed(results))
      return false;
    instance.results = std::move(*results);
  }
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Operation *around = builder.getInsertionBlock()->getParentOp();
  if (around != *module) {
    while (around->getParentOp() && around->getParentOp() != *module)
      around = around->getParentOp();
    builder.setInsertionPoint(around);
  }
  instance.symbol = symbolFor(callee, call);
  SmallVector<mlir::Type> inputs, results;
  RecordTypes::flatten(types, inputs);
  RecordTypes::flatten(instance.results.value_or(SmallVector<mlir::Type>()), results);
  append_range(results, writtenTypes(callee, call));
  auto type = builder.getFunctionType(inputs, results);
  instance.function = mlir::func::FuncOp::create(builder, location(callee.form), instance.symbol, type);
  if (callee.isTyped())
    instance.function->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  else
    instance.function.setPrivate();
  bool infers = !instance.results;
  FunctionScope::Separate separate(gen.scope);
  TensorSizes::Separate separateSizes(gen.sizes);
  InPlace::Separate separateTensors(gen.inPlace);
  if (!gen.functions.functionBody(instance.function, names, types, body, callee.form, callee.results, infers))
    return false;
  ArrayRef<mlir::Type> found = infers ? ArrayRef(gen.functions.inferredResults) : ArrayRef(*instance.results);
  if (instance.isAssumed && found != ArrayRef<mlir::Type>(*instance.results)) {
    auto text = [](ArrayRef<mlir::Type> types) {
      std::string all = join(map_range(types, [](mlir::Type type) { return mlir::debugString(type); }), ", ");
      return all.empty() ? std::string("nothing") : all;
    };
    error("type-mismatch", body.back(),
          "`" + callee.name + "` returns " + text(found) + ", and where it calls itself " + text(*instance.results) +
              " is expected")
        .withHint("give the results after the parameters: -> type");
    return false;
  }
  instance.results = SmallVector<mlir::Type>(found);
  return true;
}

/// The results of a function that calls itself before its body is complete: what the context expects.
bool GenericFunctions::recursiveResults(const GenericFunction &callee, Instance &instance, const Form *form,
                                        mlir::Type hint) {
  bool isUnused = gen.scope.unused == form;
  // Functions of numbers may be called for what they print or store.
  if (!hint && !isUnused && !callee.isOfNumbers()) {
    error("call-type", form, "`" + callee.name + "` calls itself before its results are known")
        .note(callee.form->range(), "`" + callee.name + "` is defined here")
        .withHint("give them after the parameters, -> type, or write the case that ends the recursion first");
    return false;
  }
  instance.isAssumed = true;
  instance.results.emplace();
  if (hint)
    instance.results->push_back(hint);
  return true;
}

mlir::FailureOr<Values> GenericFunctions::emitCall(const Form *form, GenericFunction &callee,
                                                   ArrayRef<const Form *> items, mlir::Type hint) {
  if (!checkNames(callee))
    return mlir::failure();
  if (!items.empty() && items[0]->isMap()) // (f {:result T} ...): ignored, as for other functions.
    items = items.drop_front();
  Call call;
  call.form = form;
  const Form *unused = gen.scope.unused;
  if (!arguments(callee, items, hint, call))
    return mlir::failure();
  gen.scope.unused = unused;
  Instance *found = instance(callee, call);
  if (!found || (!found->results && !recursiveResults(callee, *found, form, hint)))
    return mlir::failure();
  if (mlir::Value literal =
          callee.results || !found->function ? mlir::Value() : gen.literalValues.resultOf(found->function))
    return Values{literal};
  SmallVector<mlir::Value> values;
  copy_if(call.values, std::back_inserter(values), [](mlir::Value value) { return bool(value); });
  SmallVector<mlir::Type> types, resultTypes(*found->results);
  RecordTypes::flatten(resultTypes, types);
  append_range(types, writtenTypes(callee, call));
  mlir::ValueRange results =
      make<mlir::func::CallOp>(form, found->symbol, types, RecordTypes::flatten(values)).getResults();
  gen.inPlace.storeResults(form, call.written, results.take_back(call.written.size()));
  lastTypes = call.types;
  return gen.recordTypes.grouped(form, gen.signatures.calledResults(form, results.drop_back(call.written.size())),
                                 resultTypes);
}

void GenericFunctions::define(GenericFunction &generic) {
  if (!generic.isTyped() || !checkNames(generic))
    return;
  Call call;
  call.form = generic.form;
  for (const GenericFunction::Parameter &parameter : generic.parameters)
    call.types.push_back(parameter.type);
  call.functions.assign(generic.parameters.size(), nullptr);
  (void)instance(generic, call);
}
} // namespace lispier
