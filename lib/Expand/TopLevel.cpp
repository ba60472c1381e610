//===- TopLevel.cpp - top-level forms: files and definitions --------------===//
#include "Expander.h"
#include "Shapes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier {
namespace {
bool isFunctionOp(StringRef head) { return head == "func.func" || head == "llvm.func" || head == "gpu.func"; }

/// The symbol that an op such as (func.func {:sym_name "f"} ...) defines, or null.
const Form *symbolName(const Form *form) {
  if (form->size() < 2 || !(*form)[1]->isMap())
    return nullptr;
  const Form *name = (*form)[1]->get("sym_name");
  return name && (name->isString() || name->isSymbol()) ? name : nullptr;
}

/// Whether `form` is a declaration (a function without a body, an external global), which may be repeated.
bool isDeclaration(const Form *form) {
  if (form->isCall("extern-fn"))
    return true;
  if (!form->head().ends_with(".func"))
    return form->head() == "llvm.mlir.global" && (*form)[1]->get("value") == nullptr && form->size() == 2;
  return llvm::all_of(form->items().drop_front(2), [](const Form *item) {
    return (item->isCall("region") || item->isCall("do")) && item->size() == 1;
  });
}

bool isVariadic(const Form *form) {
  if (!form->isCall("extern-fn") || form->size() != 3 || !(*form)[2]->isCall("->") || (*form)[2]->size() != 3)
    return false;
  const Form *arguments = (*(*form)[2])[1];
  return arguments->isVector() && arguments->size() && arguments->items().back()->isSymbol("...");
}
} // namespace

void Expander::expandFiles(unsigned bufferId) {
  loadPrelude();
  SourceFile &main = *modules.loadMain(bufferId);
  evaluated = context.evaluate ? &main : nullptr;
  for (size_t i = 0; i < modules.order.size(); ++i)
    expandFile(*modules.order[i]);
  if (evaluated && !diags.hasErrors())
    evaluate(main);
}

Program Expander::run(unsigned bufferId) {
  expandFiles(bufferId);
  Program program;
  program.buffer = bufferId;
  program.evaluates = context.evaluate;
  for (SourceFile *source : modules.order)
    if (source->inProgram && !stopped)
      append_range(program.forms, source->core);
  program.library = expandLibrary();
  program.docs = std::move(docs);
  if (!stopped)
    addExportedInstances(program);
  return program;
}

std::vector<const Form *> Expander::runDeferred(unsigned bufferId) {
  defersTemplates = true;
  expandFiles(bufferId);
  std::vector<const Form *> templates;
  for (SourceFile *source : modules.order)
    if (source->inProgram)
      copy_if(source->core, std::back_inserter(templates),
              [](const Form *form) { return form->isCall("deftemplate"); });
  return templates;
}

const Form *Expander::expandTemplateBody(const Form *form) {
  const SpecialFormInfo *info = findSpecialForm(form->head());
  return expandItems(form, info->firstCode, info->operands == FormOperands::Statements);
}

Program Expander::expandTemplates(ArrayRef<const Form *> chosen, const MacroMachine &machine) {
  interpreter.setMachine(&machine);
  work = 0;
  Program program;
  for (SourceFile *source : modules.order) {
    auto isChosen = [&](const Form *form) { return is_contained(chosen, form); };
    if (!source->inProgram || none_of(source->core, isChosen))
      continue;
    file = source;
    for (const Form *form : source->core)
      if (!form->isCall("deftemplate"))
        program.forms.push_back(form);
      else if (isChosen(form) && !stopped)
        program.forms.push_back(expandTemplateBody(form));
  }
  interpreter.setMachine(nullptr);
  return program;
}

/// Loads the macros of the language. They are parsed from source for every program, not kept in a precompiled form.
void Expander::loadPrelude() {
  ReadOptions options;
  options.allDialectsRequired = true;
  for (const PreludeFile &source : preludeMacroFiles()) {
    unsigned buffer =
        diags.sourceMgr().AddNewSourceBuffer(MemoryBuffer::getMemBuffer(source.text, source.name, false), SMLoc());
    for (const Form *form : readForms(buffer, arena, diags, options)) {
      assert(form->isCall("defmacro") && form->size() >= 5 &&
             "a prelude macro has a name, a shape, parameters and a body");
      Macro macro{(*form)[1]->text(), form, (*form)[2]->text(), (*form)[3], form->items().drop_front(4),
                  /*prelude=*/true};
      preludeMacros[macro.name] = macro;
    }
  }
}

/// Makes the forms between definitions the body of `main`.
void Expander::evaluate(SourceFile &source) {
  if (!expression.empty()) {
    file = &source;
    SMRange range(expression.front()->range().Start, expression.back()->range().End);
    SmallVector<const Form *> items{arena.symbol("defn", range), arena.symbol("main", range), arena.vector({}, range)};
    append_range(items, expression);
    const Form *main = arena.list(items, range);
    surveyForm(main);
    expandTop(main);
  } else if (!source.functions.contains("main")) {
    diags
        .error("main-missing", source.forms.empty() ? SMRange() : source.forms.back()->range(),
               "there is nothing to evaluate")
        .withHint("an expression comes after the definitions");
  }
}

void Expander::expandFile(SourceFile &target) {
  if (target.expanded || target.expanding)
    return;
  SourceFile *outer = std::exchange(file, &target);
  target.expanding = true;
  if (target.readable) {
    survey(target.forms);
    expandTopForms(target.forms);
  }
  target.expanding = false;
  target.expanded = true;
  file = outer;
}

/// Collects functions and structs before any form is expanded, so that calls may precede definitions.
void Expander::survey(Forms forms) {
  for (const Form *form : forms) {
    if (form->isCall("module") || form->isCall("do"))
      survey(form->items().drop_front());
    else
      surveyForm(form);
  }
}

void Expander::surveyForm(const Form *form) {
  const Form *name = nullptr;
  bool named = form->size() > 1 && (*form)[1]->isSymbol();
  if (form->isCall("defn") || form->isCall("extern-fn"))
    name = named ? (*form)[1] : nullptr;
  else if (isFunctionOp(form->head()))
    name = symbolName(form);
  else if (form->isCall("defstruct") && named)
    defineStruct(form);
  else if (form->isCall("defrecord") && named)
    interpreter.records.try_emplace((*form)[1]->text(), form);
  if (!name || name->text().empty())
    return;
  if (const SpecialFormInfo *special = findSpecialForm(name->text()); special && special->reserved()) {
    error("macro-shape", name, "`" + name->text() + "` is reserved and cannot be a function");
    return;
  }
  file->functions.insert(name->text());
  functionIsVariadic[name->text()] |= isVariadic(form);
}

void Expander::defineStruct(const Form *form) {
  Struct type{form, {}};
  for (const Form *field : form->items().drop_front(2))
    if (field->isVector() && field->size() == 2 && (*field)[0]->isSymbol())
      type.fields.push_back((*field)[0]->text());
  structs[(*form)[1]->text()] = std::move(type);
}

void Expander::expandTopForms(Forms forms) {
  for (const Form *form : forms)
    if (!stopped)
      expandTop(form);
}

void Expander::expandTop(const Form *form) {
  if (!form->isList() || form->size() == 0 || !(*form)[0]->isSymbol()) {
    if (isEvaluated())
      return expression.push_back(form);
    error("parse-head", form,
          form->isList() ? Twine("a form begins with the name of what it does")
                         : describe(form->kind()) + " means nothing at the top level")
        .withHint("the top level holds definitions such as (defn name [parameters] body), and ops");
    return;
  }
  const Form *head = (*form)[0];
  if (const Macro *macro = findMacro(head, head->text())) {
    if (const Form *result = expandMacro(*macro, form))
      expandTop(result);
    return;
  }
  const SpecialFormInfo *info = findSpecialForm(head->text());
  if (!info) {
    bool isCode = !symbolName(form) || head->text() == "func.call";
    if (isCode && isEvaluated())
      return expression.push_back(form);
    if (isCode && inModule)
      return expandStatement(form, statements);
    return emitTop(expandForm(form));
  }
  if (!checkShape(*info, form, diags))
    return;
  switch (info->form) {
  case SpecialForm::Module:
    return expandModule(form);
  case SpecialForm::Do:
    return expandTopForms(form->items().drop_front());
  case SpecialForm::RequireDialect:
    return;
  case SpecialForm::Require:
    if (form->expansion() && context.followRequires)
      error("macro-shape", form, "`require` must stand in the file itself, a macro cannot add it");
    return;
  case SpecialForm::RequireMacros:
    return importMacros(form);
  case SpecialForm::Defmacro:
    return defineMacro(form);
  case SpecialForm::Defn:
  case SpecialForm::Defkernel:
    return emitTop(expandDefn(form));
  case SpecialForm::Deftile:
    return emitTop(expandDeftile(form));
  case SpecialForm::Deftemplate:
    return emitTop(defersTemplates ? form : expandTemplateBody(form));
  default:
    break;
  }
  if (info->place != FormPlace::Function)
    emitTop(form);
  else if (isEvaluated())
    expression.push_back(form);
  else if (inModule)
    expandStatement(form, statements);
  else
    error("parse-head", form, "`" + info->name + "` stands inside a function, not at the top level")
        .withHint("(defn main [] ...) has what a program does");
}

/// Hoists definitions to the top level. Other ops stay in a `module` form, by which IRGen recognises them.
void Expander::expandModule(const Form *form) {
  Forms items = form->items().drop_front();
  if (!items.empty() && items[0]->isMap()) {
    emitTop(items[0]); // The attributes of the module.
    items = items.drop_front();
  }
  bool around = std::exchange(inModule, true);
  expandTopForms(items);
  emitStatements();
  inModule = around;
}

void Expander::emitStatements() {
  if (statements.empty())
    return;
  SmallVector<const Form *> items{arena.symbol("module", statements.front()->range())};
  items.append(statements.begin(), statements.end());
  SMRange range{statements.front()->range().Start, statements.back()->range().End};
  statements.clear();
  file->core.push_back(arena.list(items, range));
}

void Expander::emitTop(const Form *core) {
  emitStatements();
  if (core->expansion())
    surveyForm(core); // Functions and structs generated by macros.
  bool named = core->size() > 1 && (*core)[1]->isSymbol();
  if ((core->isCall("defn") || core->isCall("defkernel") || core->isCall("deftile") || core->isCall("extern-fn") ||
       core->isCall("def-string") || core->isCall("defstruct") || core->isCall("defrecord")) &&
      named)
    declareSymbol((*core)[1]->text(), core);
  else if (const Form *name = symbolName(core); name && core->head() != "func.call")
    declareSymbol(name->text(), core);
  file->core.push_back(core);
}

void Expander::declareSymbol(StringRef name, const Form *form) {
  name.consume_front("@");
  file->symbols[name] = form->range();
  if (isDeclaration(form))
    return;
  auto [first, isNew] = definitions.try_emplace(form->isCall("defstruct") ? ("struct " + name).str() : name.str(),
                                                std::pair(form->range(), file->path));
  if (isNew)
    return;
  const auto &[place, path] = first->second;
  error("mod-dup-symbol", form,
        "`" + name + "` is defined twice" + (path == file->path ? "" : ", in " + path + " and in " + file->path))
      .note(place, "the first definition");
}

//===----------------------------------------------------------------------===//
// Macros of the user.
//===----------------------------------------------------------------------===//

void Expander::importMacros(const Form *form) {
  for (const Form *path : form->items().drop_front()) {
    if (path->isString())
      importFile(path);
    else
      error("macro-shape", path, "`require-macros` expects the path of a file, not " + describe(path->kind()))
          .withHint("(require-macros \"./macros.lisp\")");
  }
}

/// Imports all macros that the file defines; its code is used only if it is also required.
void Expander::importFile(const Form *path) {
  if (!context.followRequires)
    return;
  SourceFile *source = modules.loadMacros(path, *file);
  if (!source)
    return;
  if (source->expanding) {
    error("mod-cycle", path, "files require each other's macros: " + file->path + " and " + source->path);
    return;
  }
  for (SourceFile *needed : modules.closure(*source)) {
    if (needed->inProgram) {
      expandFile(*needed);
      continue;
    }
    // A file used only for its macros may repeat definitions of the program.
    auto definedOutside = std::exchange(definitions, {});
    expandFile(*needed);
    definitions = std::move(definedOutside);
  }
  for (const auto &entry : source->macros)
    file->macros[entry.getKey()] = entry.getValue();
}

void Expander::defineMacro(const Form *form) {
  const Form *name = (*form)[1];
  const SpecialFormInfo *special = name->isSymbol() ? findSpecialForm(name->text()) : nullptr;
  if (!name->isSymbol() || name->text().front() == '^' || (special && special->reserved())) {
    error("macro-shape", name,
          name->isSymbol() ? "`" + name->text() + "` is reserved and cannot be a macro"
                           : "a macro's name is a symbol, not " + describe(name->kind()).str());
    return;
  }
  if (form->size() == 2)
    return defineCompiled(form);
  bool documented = (*form)[2]->isString();
  size_t at = documented ? 3 : 2;
  if (at + 1 >= form->size() || !(*form)[at]->isVector()) {
    error("macro-shape", form, "the macro `" + name->text() + "` needs a vector of parameters and a body")
        .withHint("(defmacro name [a b & rest] body ...), or (defmacro name) for a compiled function");
    return;
  }
  Forms parameters = (*form)[at]->items();
  for (auto [i, parameter] : enumerate(parameters)) {
    bool good = parameter->isSymbol("&") ? i + 2 == parameters.size() : parameter->isSymbol() || parameter->isVector();
    if (!good) {
      error("macro-shape", parameter,
            parameter->isSymbol("&") ? "one name comes after `&`, for the rest of the operands"
                                     : "a parameter is a name or a vector of names");
      return;
    }
  }
  file->macros[name->text()] =
      Macro{name->text(), form, documented ? (*form)[2]->text() : "", (*form)[at], form->items().drop_front(at + 1)};
}

void Expander::defineCompiled(const Form *form) {
  StringRef name = (*form)[1]->text();
  std::string why;
  if (!file->functions.contains(name)) {
    std::vector<std::string> known;
    for (const auto &entry : file->functions)
      known.push_back(entry.getKey().str());
    error("macro-unknown", form, "there is no function `" + name + "` to be a macro").withHint(didYouMean(name, known));
    return;
  }
  if (!context.macros)
    why = "compiled macros cannot run here";
  if (diags.hasErrors())
    return;                       // The function's own file has errors.
  std::vector<const Form *> seen; // Core forms expanded so far, and those of required files.
  SmallVector<SourceFile *> required = modules.closure(*file);
  for (SourceFile *source : modules.order)
    if ((source->inProgram && file->inProgram) || is_contained(required, source))
      append_range(seen, source->core);
  bool defined = context.macros && context.macros->define(name, seen, diags, why);
  if (!defined && !diags.hasErrors())
    error("macro-shape", form, "the function `" + name + "` cannot be a macro: " + why)
        .withHint("a compiled macro is (defn name [(: arguments !llvm.ptr)] -> !llvm.ptr ...)");
  if (defined)
    file->macros[name] = Macro{name, form, "", nullptr, {}};
}

const Form *Expander::callCompiled(const Macro &macro, const Form *call, const Expansion *by) {
  std::string why;
  const Form *arguments = arena.list(call->items().drop_front(), call->range(), call->expansion());
  const Form *result = context.macros->call(macro.name, arguments, arena, by, why);
  if (!result)
    error("macro-null", call, "the macro `" + macro.name + "` yields nothing" + (why.empty() ? "" : ": " + why))
        .note(macro.definition->range(), "the macro is defined here");
  else if (result->height() > kMaxNesting) {
    error("macro-depth", call,
          "the macro `" + macro.name + "` makes forms that nest deeper than " + Twine(kMaxNesting));
    return nullptr;
  }
  return result;
}

TemplateLibrary::TemplateLibrary(unsigned bufferId, const ExpandContext &given)
    : context(given), expander(std::make_unique<Expander>(context)), heads(expander->runDeferred(bufferId)) {}
TemplateLibrary::~TemplateLibrary() = default;

Program TemplateLibrary::expand(ArrayRef<const Form *> chosen, const MacroMachine &machine) {
  return expander->expandTemplates(chosen, machine);
}
} // namespace lispier
