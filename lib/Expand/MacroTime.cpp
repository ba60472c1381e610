//===- MacroTime.cpp - evaluating the bodies of macros --------------------===//
#include "MacroTime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
/// Work limit of one macro call; a macro that exceeds it is assumed to loop forever.
constexpr size_t kMaxMacroWork = 2'000'000;
/// Nesting limit of calls at macro time, low enough for the native stack.
constexpr unsigned kMaxDepth = 800;

size_t fixedCount(const Form *parameters) {
  size_t rest = 0;
  while (rest < parameters->size() && !(*parameters)[rest]->isSymbol("&"))
    ++rest;
  return rest;
}
} // namespace

bool fits(const Form *parameters, size_t given) {
  size_t fixed = fixedCount(parameters);
  return fixed == parameters->size() ? given == fixed : given >= fixed;
}

std::string arityMessage(const Form *parameters, size_t given) {
  size_t fixed = fixedCount(parameters);
  return ("takes " + Twine(fixed) + (fixed == parameters->size() ? "" : " or more") +
          (fixed == 1 ? " argument" : " arguments") + ", got " + Twine(given))
      .str();
}

MacroInterpreter::MacroInterpreter(FormArena &arena, DiagSink &diags, FileLoader &files)
    : arena(arena), diags(diags), loader(files) {
  for (const Native &native : concat<const Native>(macroNumberFunctions(), macroInputFunctions(), macroFunctions())) {
    Function function;
    function.name = native.name;
    function.native = &native;
    natives[native.name] = function;
  }
}

const Form *MacroInterpreter::expand(const Macro &newMacro, const Form *newCall, const Expansion *newBy,
                                     function_ref<const Macro *(StringRef)> newHelpers) {
  macro = &newMacro;
  call = newCall;
  by = newBy;
  helpers = newHelpers;
  work = depth = 0;
  scope_exit forget([&] {
    scopes.clear();
    functions.clear();
  });
  MacroScope &scope = newScope(nullptr);
  SmallVector<Value> arguments(call->items().drop_front().begin(), call->items().end());
  if (!bindAll(macro->parameters, arguments, scope, macro->name, macro->definition))
    return nullptr;
  Value value = evalBody(macro->body, scope, macro->definition);
  return value && work <= kMaxMacroWork ? asForm(value, macro->definition) : nullptr;
}

//===----------------------------------------------------------------------===//
// Messages and limits.
//===----------------------------------------------------------------------===//

Value MacroInterpreter::fail(StringRef code, const Form *at, const Twine &message) {
  Diag &diag = diags.error(code, here(), "in the macro `" + macro->name + "`: " + message);
  if (!macro->prelude)
    diag.note(at->range(), "the macro fails here");
  if (!macro->shape.empty())
    diag.withHint("expected " + macro->shape);
  diag.backtrace(call->expansion());
  return {};
}

Value MacroInterpreter::userError(StringRef message, const Form *place) {
  Diag &diag = diags.error("macro-shape", place ? place->range() : here(), "`" + macro->name + "`: " + message);
  if (!macro->shape.empty())
    diag.withHint("expected " + macro->shape);
  if (!macro->prelude)
    diag.note(macro->definition->range(), "the macro is defined here");
  diag.backtrace(by);
  return {};
}

bool MacroInterpreter::spend(size_t amount, const Form *at) {
  bool had = work <= kMaxMacroWork;
  work += amount;
  if (work <= kMaxMacroWork)
    return true;
  if (had)
    fail("macro-depth", at, "it does not end within " + Twine(kMaxMacroWork) + " steps");
  return false;
}

const Form *MacroInterpreter::asForm(Value value, const Form *at) {
  if (value.function)
    fail("macro-shape", at, "a function is no form; only its results can stand in code");
  return value.form;
}

//===----------------------------------------------------------------------===//
// Creation of forms, with the source location of the running macro call.
//===----------------------------------------------------------------------===//

const Form *MacroInterpreter::list(Forms items) { return limited(arena.list(items, here(), by)); }
const Form *MacroInterpreter::vector(Forms items) { return limited(arena.vector(items, here(), by)); }
const Form *MacroInterpreter::map(Forms items) { return limited(arena.map(items, here(), by)); }
const Form *MacroInterpreter::keyword(StringRef text) { return arena.keyword(text, here(), by); }
const Form *MacroInterpreter::string(StringRef text) { return arena.string(text, here(), by); }
const Form *MacroInterpreter::number(StringRef text) { return arena.number(text, here(), by); }
const Form *MacroInterpreter::boolean(bool value) { return arena.boolean(value, here(), by); }
const Form *MacroInterpreter::nil() { return arena.nil(here(), by); }
const Form *MacroInterpreter::symbol(StringRef text) { return arena.symbol(text, here(), by); }

/// Stops a macro whose forms nest deeper than the reader's limit.
const Form *MacroInterpreter::limited(const Form *form) {
  if (form->height() > kMaxNesting && work <= kMaxMacroWork) {
    fail("macro-depth", macro->definition, "it makes forms that nest deeper than " + Twine(kMaxNesting));
    work = kMaxMacroWork + 1;
  }
  return form;
}

const Form *MacroInterpreter::gensym(StringRef prefix) {
  // `%` is legal inside a name, so that printed core forms can be read, but unusual in source files.
  return symbol((prefix + "%" + Twine(++generated)).str());
}

//===----------------------------------------------------------------------===//
// Names.
//===----------------------------------------------------------------------===//

MacroScope &MacroInterpreter::newScope(const MacroScope *outer) {
  MacroScope &scope = scopes.emplace_back();
  scope.outer = outer;
  return scope;
}

const Value *MacroInterpreter::find(StringRef name, const MacroScope &scope) const {
  for (const MacroScope *s = &scope; s; s = s->outer)
    for (const auto &[bound, value] : reverse(s->names))
      if (bound == name)
        return &value;
  return nullptr;
}

Value MacroInterpreter::evalName(const Form *symbol, const MacroScope &scope) {
  if (const Value *value = find(symbol->text(), scope))
    return *value;
  if (auto native = natives.find(symbol->text()); native != natives.end())
    return &native->second;
  std::vector<std::string> known;
  for (const MacroScope *s = &scope; s; s = s->outer)
    for (const auto &[bound, value] : s->names)
      known.push_back(bound.str());
  for (const auto &native : natives)
    known.push_back(native.getKey().str());
  std::string near = didYouMean(symbol->text(), known);
  return fail("macro-unknown", symbol,
              "`" + symbol->text() + "` is not known while macros run" + (near.empty() ? "" : "; " + near));
}

/// A pattern is a name, or a vector of patterns for the items of a list or vector.
bool MacroInterpreter::bind(const Form *pattern, const Form *value, MacroScope &scope, const Form *at) {
  if (pattern->isSymbol()) {
    scope.names.push_back({pattern->text(), value});
    return true;
  }
  if (!pattern->isVector()) {
    fail("macro-shape", pattern, "a parameter is a name or a vector of names, not " + describe(pattern->kind()));
    return false;
  }
  if (!value->isVector() && !value->isList()) {
    fail("macro-shape", at,
         "the pattern " + pattern->str() + " needs a vector or a list, not " + describe(value->kind()));
    return false;
  }
  SmallVector<Value> items(value->items().begin(), value->items().end());
  return bindAll(pattern, items, scope, pattern->str(), at);
}

bool MacroInterpreter::bindAll(const Form *parameters, ArrayRef<Value> arguments, MacroScope &scope, StringRef name,
                               const Form *at) {
  if (!fits(parameters, arguments.size())) {
    fail("macro-arity", at, "`" + name + "` " + arityMessage(parameters, arguments.size()));
    return false;
  }
  size_t fixed = fixedCount(parameters);
  for (size_t i = 0; i < fixed; ++i) {
    const Form *pattern = (*parameters)[i];
    if (pattern->isSymbol()) {
      scope.names.push_back({pattern->text(), arguments[i]});
      continue;
    }
    const Form *value = asForm(arguments[i], at);
    if (!value || !bind(pattern, value, scope, at))
      return false;
  }
  if (fixed == parameters->size())
    return true;
  SmallVector<const Form *> rest;
  for (Value value : arguments.drop_front(fixed)) {
    const Form *form = asForm(value, at);
    if (!form)
      return false;
    rest.push_back(form);
  }
  return bind(parameters->items().back(), list(rest), scope, at);
}

//===----------------------------------------------------------------------===//
// Evaluation.
//===----------------------------------------------------------------------===//

Value MacroInterpreter::eval(const Form *form, const MacroScope &scope) {
  if (!spend(1, form))
    return {};
  if (depth > kMaxDepth)
    return fail("macro-depth", form, "calls at macro time nest deeper than " + Twine(kMaxDepth));
  ++depth;
  scope_exit leave([&] { --depth; });
  switch (form->kind()) {
  case FormKind::Symbol:
    return evalName(form, scope);
  case FormKind::List:
    return evalList(form, scope);
  case FormKind::Vector:
  case FormKind::Map:
    return evalItems(form, scope);
  default:
    return form;
  }
}

/// Items of a vector, values of a map.
Value MacroInterpreter::evalItems(const Form *form, const MacroScope &scope) {
  SmallVector<const Form *> items;
  for (auto [i, item] : enumerate(form->items())) {
    if (form->isMap() && i % 2 == 0) {
      items.push_back(item);
      continue;
    }
    Value value = eval(item, scope);
    const Form *result = value ? asForm(value, item) : nullptr;
    if (!result)
      return {};
    items.push_back(result);
  }
  return form->isMap() ? map(items) : vector(items);
}

Value MacroInterpreter::evalBody(Forms body, const MacroScope &scope, const Form *at) {
  Value last = nil();
  for (const Form *form : body)
    if (last = eval(form, scope); !last)
      return {};
  return last;
}

Value MacroInterpreter::evalList(const Form *form, const MacroScope &scope) {
  if (form->size() == 0)
    return form;
  StringRef head = form->head();
  if (head == "quote") {
    if (form->size() != 2)
      return fail("macro-arity", form, "`quote` takes 1 argument: (quote form)");
    return (*form)[1];
  }
  if (head == "quasiquote") {
    if (form->size() != 2)
      return fail("macro-arity", form, "`quasiquote` takes 1 argument: (quasiquote form)");
    GeneratedNames fresh;
    return fill((*form)[1], 1, scope, fresh);
  }
  if (head == "unquote" || head == "unquote-splice")
    return fail("macro-shape", form, "`~` stands outside any quasi-quote");
  if (head == "if")
    return evalIf(form, scope);
  if (head == "cond")
    return evalCond(form, scope);
  if (head == "let")
    return evalLet(form, scope);
  if (head == "fn")
    return evalFn(form, scope);
  if (head == "do")
    return evalBody(form->items().drop_front(), scope, form);
  if (head == "and" || head == "or")
    return evalJunction(form, scope, head == "and");
  return evalCall(form, scope);
}

Value MacroInterpreter::evalIf(const Form *form, const MacroScope &scope) {
  if (form->size() != 3 && form->size() != 4)
    return fail("macro-arity", form, "`if` at macro time is (if condition then else)");
  Value condition = eval((*form)[1], scope);
  if (!condition)
    return {};
  if (condition.truthy())
    return eval((*form)[2], scope);
  return form->size() == 4 ? eval((*form)[3], scope) : Value(nil());
}

Value MacroInterpreter::evalCond(const Form *form, const MacroScope &scope) {
  if (form->size() % 2 == 0)
    return fail("macro-arity", form, "`cond` at macro time is (cond condition value ... :else value)");
  for (size_t i = 1; i < form->size(); i += 2) {
    Value condition = eval((*form)[i], scope); // :else is a keyword and therefore true.
    if (!condition)
      return {};
    if (condition.truthy())
      return eval((*form)[i + 1], scope);
  }
  return nil();
}

Value MacroInterpreter::evalLet(const Form *form, const MacroScope &scope) {
  if (form->size() < 3 || !(*form)[1]->isVector() || (*form)[1]->size() % 2)
    return fail("macro-shape", form, "`let` at macro time is (let [name value ...] body ...)");
  MacroScope &inner = newScope(&scope);
  Forms bindings = (*form)[1]->items();
  for (size_t i = 0; i < bindings.size(); i += 2) {
    Value value = eval(bindings[i + 1], inner);
    if (!value)
      return {};
    if (bindings[i]->isSymbol()) {
      inner.names.push_back({bindings[i]->text(), value});
      continue;
    }
    const Form *items = asForm(value, bindings[i + 1]);
    if (!items || !bind(bindings[i], items, inner, bindings[i]))
      return {};
  }
  return evalBody(form->items().drop_front(2), inner, form);
}

Value MacroInterpreter::evalFn(const Form *form, const MacroScope &scope) {
  bool named = form->size() > 1 && (*form)[1]->isSymbol(); // A named fn can call itself.
  size_t parameters = named ? 2 : 1;
  if (form->size() < parameters + 2 || !(*form)[parameters]->isVector())
    return fail("macro-shape", form, "`fn` is (fn [parameter ...] body ...) or (fn name [parameter ...] body ...)");
  MacroScope &own = newScope(&scope);
  Function &function = functions.emplace_back();
  function.name = named ? (*form)[1]->text() : "fn";
  function.parameters = (*form)[parameters];
  function.body = form->items().drop_front(parameters + 1);
  function.scope = &own;
  if (named)
    own.names.push_back({function.name, &function});
  return &function;
}

Value MacroInterpreter::evalJunction(const Form *form, const MacroScope &scope, bool isAnd) {
  Value last = boolean(isAnd);
  for (const Form *operand : form->items().drop_front()) {
    last = eval(operand, scope);
    if (!last || last.truthy() != isAnd)
      return last;
  }
  return last;
}

Value MacroInterpreter::evalCall(const Form *form, const MacroScope &scope) {
  const Form *head = (*form)[0];
  if (head->isSymbol() && !find(head->text(), scope) && !natives.contains(head->text()))
    if (const Macro *helper = helpers(head->text())) {
      MacroScope &inner = newScope(nullptr);
      SmallVector<Value> unexpanded(form->items().drop_front().begin(), form->items().end());
      if (!bindAll(helper->parameters, unexpanded, inner, helper->name, form))
        return {};
      Value expansion = evalBody(helper->body, inner, form);
      const Form *code = expansion ? asForm(expansion, form) : nullptr;
      return code ? eval(code, scope) : Value();
    }
  Value callee = eval(head, scope);
  if (!callee)
    return {};
  if (!callee.function)
    return fail("macro-shape", head, "this is " + describe(callee.form->kind()) + ", only functions can be called");
  SmallVector<Value> arguments;
  for (const Form *argument : form->items().drop_front()) {
    Value value = eval(argument, scope);
    if (!value)
      return {};
    arguments.push_back(value);
  }
  return apply(*callee.function, arguments, form);
}

Value MacroInterpreter::apply(const Function &function, ArrayRef<Value> arguments, const Form *at) {
  if (!spend(1 + arguments.size(), at))
    return {};
  if (const Native *native = function.native) {
    if (arguments.size() >= native->min && arguments.size() <= native->max)
      return native->run(*this, arguments, at);
    return fail("macro-arity", at,
                "`" + native->name + "` takes " + Twine(native->min) +
                    (native->max == native->min ? ""
                     : native->max == ~0u       ? " or more"
                                                : " to " + utostr(native->max)) +
                    (native->max == 1 ? " argument" : " arguments") + ", got " + Twine(arguments.size()));
  }
  MacroScope &scope = newScope(function.scope);
  if (!bindAll(function.parameters, arguments, scope, function.name, at))
    return {};
  return evalBody(function.body, scope, at);
}

//===----------------------------------------------------------------------===//
// Quasi-quotation.
//===----------------------------------------------------------------------===//

/// Copies an atom of a quasi-quote into the expansion. An atom of the language's own macros gets the location of the
/// call, since the user does not see those files.
const Form *MacroInterpreter::copy(const Form *atom) {
  SMRange range = macro->prelude ? here() : atom->range();
  switch (atom->kind()) {
  case FormKind::Symbol: {
    const Form *made = arena.symbol(atom->text(), range, by);
    if (macro->prelude)
      preludeSymbols.insert(made);
    return made;
  }
  case FormKind::Keyword:
    return arena.keyword(atom->text(), range, by);
  case FormKind::String:
    return arena.string(atom->text(), range, by);
  case FormKind::Number:
    return arena.number(atom->text(), range, by);
  case FormKind::Bool:
    return arena.boolean(atom->boolean(), range, by);
  default:
    return arena.nil(range, by);
  }
}

const Form *MacroInterpreter::rebuild(const Form *form, Forms items) {
  SMRange range = macro->prelude ? here() : form->range();
  if (form->isVector())
    return limited(arena.vector(items, range, by));
  return limited(form->isMap() ? arena.map(items, range, by) : arena.list(items, range, by));
}

/// Instantiates a quasi-quoted form. `level` is the number of enclosing quasi-quotes; an unquote decrements it and is
/// evaluated at level 0.
const Form *MacroInterpreter::fill(const Form *form, unsigned level, const MacroScope &scope, GeneratedNames &fresh) {
  if (!spend(1, form))
    return nullptr;
  if (form->isSymbol() && form->text().size() > 1 && form->text().ends_with("#")) {
    const Form *&name = fresh[form->text()];
    if (!name)
      name = gensym(form->text().drop_back());
    return name;
  }
  if (!form->isList() && !form->isVector() && !form->isMap())
    return copy(form);
  bool unquotes = form->isCall("unquote") || form->isCall("unquote-splice");
  if (unquotes && level == 1) {
    if (form->size() != 2)
      return fail("macro-arity", form, "`~` takes one form").form;
    if (form->isCall("unquote-splice"))
      return fail("macro-shape", form, "`~@` puts items into a list or a vector; here is neither").form;
    Value value = eval((*form)[1], scope);
    return value ? asForm(value, form) : nullptr;
  }
  SmallVector<const Form *> items;
  if (!fillItems(form, unquotes ? level - 1 : form->isCall("quasiquote") ? level + 1 : level, scope, fresh, items))
    return nullptr;
  return rebuild(form, items);
}

bool MacroInterpreter::fillItems(const Form *form, unsigned level, const MacroScope &scope, GeneratedNames &fresh,
                                 SmallVectorImpl<const Form *> &out) {
  for (const Form *item : form->items()) {
    if (level == 1 && item->isCall("unquote-splice") && item->size() == 2 && !form->isMap()) {
      Value value = eval((*item)[1], scope);
      const Form *spliced = value ? asForm(value, item) : nullptr;
      if (!spliced)
        return false;
      if (!spliced->isList() && !spliced->isVector() && !spliced->isNil()) {
        fail("macro-shape", item, "`~@` needs a list or a vector, this is " + describe(spliced->kind()));
        return false;
      }
      if (!spend(spliced->size(), item))
        return false;
      out.append(spliced->items().begin(), spliced->items().end());
      continue;
    }
    const Form *filled = fill(item, level, scope, fresh);
    if (!filled)
      return false;
    out.push_back(filled);
  }
  return true;
}
} // namespace lispier
