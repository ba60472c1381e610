//===- Expander.cpp - forms inside functions to core forms ----------------===//
#include "Expander.h"
#include "Shapes.h"
#include "lispier/Expand/TensorLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lispier {
namespace {
/// Limit on the forms walked for one program. Only macros with exponential growth reach it.
constexpr size_t kMaxWork = 2'000'000;
constexpr unsigned kMaxExpansions = 100;

unsigned depthOf(const Expansion *expansion) {
  unsigned depth = 0;
  for (; expansion; expansion = expansion->parent)
    ++depth;
  return depth;
}
} // namespace

Expander::Expander(ExpandContext &context)
    : context(context), arena(context.arena), diags(context.diags), modules(context),
      interpreter(arena, diags, context.files) {}

Diag &Expander::error(StringRef code, const Form *at, const Twine &message) {
  return diags.error(code, at->range(), message).backtrace(at->expansion());
}

/// Copies a form with other items.
const Form *Expander::with(const Form *form, Forms items) {
  if (items == form->items())
    return form;
  if (form->isVector())
    return arena.vector(items, form->range(), form->expansion());
  return form->isMap() ? arena.map(items, form->range(), form->expansion())
                       : arena.list(items, form->range(), form->expansion());
}

//===----------------------------------------------------------------------===//
// Macro calls.
//===----------------------------------------------------------------------===//

/// Symbols written by the language's own macros ignore the user's definitions (hygiene).
const Macro *Expander::findMacro(const Form *head, StringRef name) const {
  bool fromPrelude = interpreter.isPreludeSymbol(head);
  if (!fromPrelude)
    if (auto own = file->macros.find(name); own != file->macros.end())
      return &own->second;
  if (!fromPrelude && file->functions.contains(name))
    return nullptr;
  auto prelude = preludeMacros.find(name);
  return prelude == preludeMacros.end() ? nullptr : &prelude->second;
}

/// Symbols of the library of tensors ignore them, too.
bool Expander::yields(const SpecialFormInfo &info, const Form *head) const {
  if (info.reserved() || interpreter.isPreludeSymbol(head) || isInLibrary)
    return false;
  return file->functions.contains(info.name) || (info.yields() && functionIsVariadic.contains(info.name));
}

const Form *Expander::expandMacro(const Macro &macro, const Form *call) {
  if (depthOf(call->expansion()) >= kMaxExpansions) {
    reportDepth(macro, call);
    return nullptr;
  }
  const Expansion *by = arena.expansion(macro.name, call->range(), call->expansion(), macro.prelude);
  const Form *result;
  if (!macro.parameters) {
    result = callCompiled(macro, call, by);
  } else if (!fits(macro.parameters, call->size() - 1)) {
    reportArity(macro, call);
    return nullptr;
  } else {
    result = interpreter.expand(macro, call, by, [&](StringRef name) -> const Macro * {
      auto own = file->macros.find(name);
      return own != file->macros.end() && own->second.parameters ? &own->second : nullptr;
    });
  }
  if (result && result->isNil()) {
    error("macro-null", call, "the macro `" + macro.name + "` yields nothing")
        .note(macro.definition ? macro.definition->range() : SMRange(), "the macro is defined here")
        .withHint("a macro that has nothing to say returns (do)");
    return nullptr;
  }
  return result;
}

void Expander::reportArity(const Macro &macro, const Form *call) {
  Diag &diag = error("macro-arity", call, "`" + macro.name + "` " + arityMessage(macro.parameters, call->size() - 1));
  diag.withHint(macro.shape.empty() ? "its parameters are " + macro.parameters->str()
                                    : "expected " + macro.shape.str());
  if (!macro.prelude)
    diag.note(macro.definition->range(), "the macro is defined here");
}

void Expander::reportDepth(const Macro &macro, const Form *call) {
  stopped = true;
  std::string chain = macro.name.str();
  const Expansion *outermost = call->expansion();
  unsigned shown = 0;
  for (const Expansion *e = call->expansion(); e; outermost = e, e = e->parent)
    if (++shown <= 5)
      chain = e->macro.str() + " -> " + chain;
  diags
      .error("macro-depth", outermost->call,
             "macro calls nest deeper than " + Twine(kMaxExpansions) + ": ... -> " + chain)
      .note(call->range(), "the innermost call is here")
      .withHint("a macro that calls itself must reach a case where it does not");
}

/// (require-dialect ...) takes effect in the reader and leaves no core form.
void Expander::expandStatement(const Form *form, SmallVectorImpl<const Form *> &out) {
  const Form *core = expandForm(form);
  if (core->isCall("require-dialect"))
    return;
  if (!core->isCall("do")) {
    out.push_back(core);
    return;
  }
  for (const Form *item : core->items().drop_front()) // Already expanded; a `do` inside is flattened, too.
    out.push_back(item);
}

const Form *Expander::expandItems(const Form *form, size_t first, bool isBody) {
  SmallVector<const Form *, 8> items(form->items().take_front(first));
  for (const Form *item : form->items().drop_front(std::min(first, form->size()))) {
    if (isBody)
      expandStatement(item, items);
    else
      items.push_back(expandForm(item));
  }
  return with(form, items);
}

const Form *Expander::expandForm(const Form *form) {
  if (stopped)
    return form;
  if (++work > kMaxWork || depth > 2 * kMaxNesting) {
    stopped = true;
    error("macro-depth", form, "macros make too many forms, or forms that nest too deep");
    return form;
  }
  ++depth;
  scope_exit leave([&] { --depth; });
  switch (form->kind()) {
  case FormKind::Symbol:
    return resolveAlias(form);
  case FormKind::Vector:
    return expandItems(form, 0, /*isBody=*/false);
  case FormKind::Map:
    return resolveAliases(form);
  case FormKind::List:
    return expandList(form);
  default:
    return form;
  }
}

const Form *Expander::expandList(const Form *form) {
  while (true) {
    if (form->size() == 0) {
      error("parse-head", form, "an empty list means nothing").withHint("a form is (name operand ...)");
      return form;
    }
    const Form *head = (*form)[0];
    if (head->isKeyword()) // (:field record)
      return expandItems(form, 1, /*isBody=*/false);
    if (!head->isSymbol()) {
      error("parse-head", head, "a form begins with the name of what it does, not with " + describe(head->kind()));
      return form;
    }
    const Macro *macro = findMacro(head, head->text());
    if (!macro)
      return expandHead(form, head);
    const Form *result = expandMacro(*macro, form);
    if (!result || stopped)
      return arena.list({arena.symbol("do", form->range())}, form->range());
    if (!result->isList())
      return expandForm(result);
    form = result;
  }
}

/// Expands a list whose head is not a macro.
const Form *Expander::expandHead(const Form *form, const Form *head) {
  StringRef name = head->text();
  if (const SpecialFormInfo *info = findSpecialForm(name)) {
    if (!yields(*info, head))
      return expandSpecial(*info, form);
    return callFunction(expandItems(form, 1, /*isBody=*/false), name);
  }
  if (name == "unquote" || name == "unquote-splice") {
    error("macro-shape", form, "`~` stands outside any quasi-quote");
    return form;
  }
  const Form *member = resolveAlias(head);
  if (interpreter.records.contains(member->text()) && form->size() <= 3 &&
      form->items().back()->isMap()) { // Its values are code.
    SmallVector<const Form *> items(form->items());
    items.front() = member;
    items.back() = expandItems(items.back(), 0, /*isBody=*/false);
    return with(form, items);
  }
  if (member == head) {
    const Form *core = expandItems(form, 1, /*isBody=*/false);
    return name.substr(0, name.find('<')).contains('/') ? structAccess(core, name) : core;
  }
  checkMember(head);
  const Form *core = expandItems(form, 1, /*isBody=*/false);
  if (member->text().contains('/'))
    return structAccess(replaceHead(core, member->text()), member->text());
  return findSpecialForm(member->text()) ? callFunction(core, member->text()) : replaceHead(core, member->text());
}

const Form *Expander::replaceHead(const Form *form, StringRef name) {
  SmallVector<const Form *> items(form->items());
  items[0] = arena.symbol(name, items[0]->range(), items[0]->expansion());
  return with(form, items);
}

/// Builds an explicit func.call, which cannot be mistaken for a special form or an op of a used dialect.
const Form *Expander::callFunction(const Form *form, StringRef name) {
  SMRange range = (*form)[0]->range();
  const Expansion *by = form->expansion();
  bool variadic = functionIsVariadic.lookup(name);
  const Form *callee = arena.symbol(("@" + name).str(), range, by);
  SmallVector<const Form *> items{arena.symbol(variadic ? "llvm.call" : "func.call", range, by),
                                  arena.map({arena.keyword("callee", range, by), callee}, range, by)};
  items.append(form->items().begin() + 1, form->items().end());
  return arena.list(items, form->range(), by);
}

//===----------------------------------------------------------------------===//
// Special forms.
//===----------------------------------------------------------------------===//

const Form *Expander::expandSpecial(const SpecialFormInfo &info, const Form *form) {
  if (!checkShape(info, form, diags))
    return form;
  if (info.place == FormPlace::Top) {
    error("parse-head", form, "`" + info.name + "` stands at the top level, not inside another form");
    return form;
  }
  switch (info.form) {
  case SpecialForm::RequireDialect:
  case SpecialForm::FunctionType:
    return form;
  case SpecialForm::Typed: {
    const Form *items[] = {(*form)[0], expandForm((*form)[1]), (*form)[2]};
    return with(form, items);
  }
  case SpecialForm::With: {
    const Form *items[] = {(*form)[0], expandForm((*form)[1]), expandFields((*form)[2])};
    return with(form, items);
  }
  case SpecialForm::Quasiquote:
    return expandTemplate(form, 0);
  case SpecialForm::SourcePath:
    return sourcePath(form);
  case SpecialForm::New:
    checkNew(form);
    break;
  case SpecialForm::Launch: {
    SmallVector<const Form *> items(form->items());
    unsigned map = items[1]->isMap() ? 1 : 2;
    items[map] = expandLaunchMap(items[map]);
    if (map == 2)
      items[1] = resolveAlias(items[1]);
    return expandItems(with(form, items), map + 1, /*isBody=*/map == 1);
  }
  default:
    break;
  }
  const Form *core = expandItems(form, info.firstCode, info.operands == FormOperands::Statements);
  if (info.form == SpecialForm::New && resolveAlias((*form)[1]) != (*form)[1]) {
    SmallVector<const Form *> items(core->items());
    items[1] = resolveAlias(items[1]);
    return with(core, items);
  }
  return core;
}

/// Of {:field value :field {:field value}}, the values are code.
const Form *Expander::expandFields(const Form *map) {
  if (!map->isMap())
    return expandForm(map);
  SmallVector<const Form *> items(map->items());
  for (size_t i = 1; i < items.size(); i += 2)
    items[i] = expandFields(items[i]);
  return with(map, items);
}

/// Resolves a path relative to the source file, independent of the working directory.
const Form *Expander::sourcePath(const Form *form) {
  const Form *relative = (*form)[1];
  SmallString<256> path(sys::path::parent_path(file->path));
  sys::path::append(path, relative->text());
  sys::fs::make_absolute(path);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return arena.list({arena.symbol("cstring", form->range(), form->expansion()),
                     arena.string(path, relative->range(), relative->expansion())},
                    form->range(), form->expansion());
}

/// Keeps the header, moves the documentation string to `docs` and expands the body.
const Form *Expander::expandDefn(const Form *form) {
  SmallVector<const Form *> items(form->items());
  if (items[2]->isString()) {
    docs[(isInLibrary ? kTensorLibrary + items[1]->text() : items[1]->text()).str()] = items[2]->text();
    items.erase(items.begin() + 2);
  }
  SmallVector<const Form *> parameters(items[2]->items());
  for (const Form *&parameter : parameters)
    if (parameter->isMap()) // The default values of keywords may name functions of other files.
      parameter = resolveAliases(parameter);
  items[2] = with(items[2], parameters);
  const Form *plain = with(form, items);
  return expandItems(plain, (*plain)[3]->isSymbol("->") ? 5 : 3, /*isBody=*/true);
}

/// The core form is (deftile name {options} [parameters] body ...).
const Form *Expander::expandDeftile(const Form *form) {
  SmallVector<const Form *> items(form->items());
  if (items[2]->isString())
    items.erase(items.begin() + 2);
  if (!items[2]->isMap())
    items.insert(items.begin() + 2, arena.map({}, items[1]->range(), items[1]->expansion()));
  return expandItems(with(form, items), 4, /*isBody=*/true);
}

/// Launch sizes and constants are code, unlike the attributes of an op. A constant (f x :among [1 2]) becomes
/// (among (f x) [1 2]), so that the operands of `f` can be checked.
const Form *Expander::expandLaunchMap(const Form *map) {
  SmallVector<const Form *> items(map->items());
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!items[i]->isKeyword("const") || !items[i + 1]->isMap())
      continue;
    SmallVector<const Form *> constants(items[i + 1]->items());
    for (size_t k = 1; k < constants.size(); k += 2) {
      const Form *value = constants[k];
      if (!value->isList() || value->size() < 3 || !(*value)[value->size() - 2]->isKeyword("among"))
        continue;
      Forms call = value->items().drop_back(2);
      const Form *head = arena.symbol("among", call[0]->range(), value->expansion());
      const Form *expression = call.size() == 1 ? call[0] : with(value, call);
      constants[k] = arena.list({head, expression, value->items().back()}, value->range(), value->expansion());
    }
    items[i + 1] = expandItems(with(items[i + 1], constants), 0, /*isBody=*/false);
  }
  return expandItems(with(map, items), 0, /*isBody=*/false);
}

/// In a quasi-quote inside a function, only unquoted forms are code.
const Form *Expander::expandTemplate(const Form *form, unsigned level) {
  if (!form->isList() && !form->isVector() && !form->isMap())
    return form;
  bool unquotes = (form->isCall("unquote") || form->isCall("unquote-splice")) && form->size() == 2;
  if (unquotes && level == 1)
    return expandItems(form, 1, /*isBody=*/false);
  unsigned inner = form->isCall("quasiquote") ? level + 1 : unquotes ? level - 1 : level;
  SmallVector<const Form *> items;
  for (const Form *item : form->items())
    items.push_back(expandTemplate(item, inner));
  return with(form, items);
}

//===----------------------------------------------------------------------===//
// Structs and the names of required files.
//===----------------------------------------------------------------------===//

const Form *Expander::structAccess(const Form *form, StringRef name) {
  auto [owner, field] = name.split('/');
  auto found = structs.find(owner);
  if (found == structs.end()) {
    if (!context.followRequires) // The struct may be defined in a file that was not loaded.
      return form;
    std::vector<std::string> known;
    for (const auto &entry : structs)
      known.push_back(entry.getKey().str());
    for (const auto &entry : file->aliases)
      known.push_back(entry.getKey().str());
    error("macro-unknown", (*form)[0], "`" + owner + "` is no struct and no required file or dialect")
        .withHint(didYouMean(owner, known));
    return form;
  }
  const Struct &type = found->second;
  bool stores = field.consume_back("!"), isSize = field == "size" && !stores && !is_contained(type.fields, field);
  if (!isSize && !is_contained(type.fields, field)) {
    error("macro-unknown", (*form)[0],
          "the struct `" + owner + "` has no field `" + field + "`; its fields are " + join(type.fields, ", "))
        .note(type.definition->range(), "the struct is defined here");
    return form;
  }
  size_t wanted = isSize ? 0 : stores ? 2 : 1;
  if (form->size() - 1 != wanted)
    error("macro-arity", form,
          "`" + name + "` takes " + Twine(wanted) + (wanted == 1 ? " operand" : " operands") + ", got " +
              Twine(form->size() - 1))
        .withHint(isSize   ? "expected (" + name + ")"
                  : stores ? "expected (" + name + " pointer value)"
                           : "expected (" + name + " pointer)");
  return form;
}

void Expander::checkNew(const Form *form) {
  StringRef name = resolveAlias((*form)[1])->text();
  auto found = structs.find(name);
  if (found == structs.end()) {
    if (!context.followRequires)
      return;
    std::vector<std::string> known;
    for (const auto &entry : structs)
      known.push_back(entry.getKey().str());
    error("macro-unknown", (*form)[1], "there is no struct `" + name + "`").withHint(didYouMean(name, known));
    return;
  }
  size_t given = form->size() - 2, fields = found->second.fields.size();
  if (given != 0 && given != fields)
    error("macro-arity", form, "`" + name + "` has " + Twine(fields) + " fields, got " + Twine(given) + " values")
        .note(found->second.definition->range(), "the struct is defined here");
}

/// Resolves `m/f`, or `@m/f`, to `f` if `m` is the alias of a required file. A symbol that a macro generated is
/// resolved with the aliases of the macro's file.
const Form *Expander::resolveAlias(const Form *symbol) {
  StringRef name = symbol->text();
  bool reference = name.consume_front("@");
  size_t slash = name.substr(0, name.find('<')).find('/', 1);
  if (slash == StringRef::npos)
    return symbol;
  const SourceFile *scope = symbol->expansion() ? modules.fileOf(symbol->loc()) : file;
  if (!scope || !scope->aliases.contains(name.substr(0, slash)))
    return symbol;
  return arena.symbol(((reference ? "@" : "") + name.substr(slash + 1)).str(), symbol->range(), symbol->expansion());
}

/// Resolves aliases in an attribute map: it is not code, but may name functions of other files.
const Form *Expander::resolveAliases(const Form *form) {
  if (form->isSymbol())
    return resolveAlias(form);
  if (form->size() == 0)
    return form;
  SmallVector<const Form *> items;
  for (const Form *item : form->items())
    items.push_back(resolveAliases(item));
  return with(form, items);
}

/// Reports a name m/f that the required file does not define.
void Expander::checkMember(const Form *symbol) {
  auto [alias, member] = symbol->text().split('/');
  const SourceFile *scope = symbol->expansion() ? modules.fileOf(symbol->loc()) : file;
  const SourceFile *target = scope->aliases.lookup(alias);
  StringRef wanted = member.split('/').first;
  if (!target || !target->readable || !target->expanded || target->symbols.contains(wanted))
    return;
  std::vector<std::string> known;
  for (const auto &entry : target->symbols)
    known.push_back(entry.getKey().str());
  Diag &diag = error("call-unknown", symbol, "the file " + target->path + " defines no `" + wanted + "`");
  if (target->macros.contains(wanted))
    diag.withHint("it is a macro there; macros come with (require-macros \"...\")");
  else
    diag.withHint(didYouMean(wanted, known));
}

Program expand(unsigned bufferId, ExpandContext &context) { return Expander(context).run(bufferId); }
} // namespace lispier
