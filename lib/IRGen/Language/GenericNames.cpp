//===- GenericNames.cpp - names in functions without types ----------------===//
//
// A generic function that no call generates has no types, but its names are known:
// this walk reports heads and values that nothing defines. It follows what binds
// names in core forms; what else is wrong appears with the types of a call.
//
//===----------------------------------------------------------------------===//
#include "ConstantForms.h"
#include "Core/FunctionTable.h"
#include "Core/Messages.h"
#include "Core/Operations.h"
#include "Core/RecordTypes.h"
#include "Core/StringGlobals.h"
#include "Core/Types.h"
#include "Expressions.h"
#include "Generator.h"
#include "Generics.h"
#include "Program.h"
#include "lispier/Tile/Tile.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace lispier {
namespace {
/// Checks the names of one function's body.
class NameChecker : public LanguagePart {
public:
  NameChecker(Generator &gen, GenericFunction &generic) : LanguagePart(gen), generic(generic) {}
  bool run();

private:
  void visit(const Form *form);
  void visitAll(ArrayRef<const Form *> forms) {
    for (auto [i, form] : enumerate(forms))
      if (i == 0 || !isChoice(forms[i - 1], form))
        visit(form);
  }
  /// Whether the form is the value of :precision, or the `set` of (add-at ... :with set), and no name. One that is no
  /// precision may be a constant's name.
  static bool isChoice(const Form *keyword, const Form *value) {
    if (!keyword->isKeyword() || !value->isSymbol())
      return false;
    return keyword->text() == "precision" ? tile::symbolizePrecision(value->text()).has_value()
                                          : keyword->text() == "with" && value->isSymbol("set");
  }
  void visitScope(ArrayRef<const Form *> forms);
  void visitList(const Form *form);
  void visitCollective(const Form *form);
  bool visitBinding(const Form *form, SpecialForm kind);
  void visitHead(const Form *form);
  void use(const Form *symbol);
  void bind(const Form *target);
  bool isBound(StringRef name) const { return is_contained(names, name); }

  GenericFunction &generic;
  bool inRecord = false;          ///< The values of (Record {:field value}) are code.
  SmallVector<StringRef> names;   ///< Visible at this place, innermost last.
  StringMap<SMRange> everDefined; ///< For names that are used outside their scope.
};

/// Whether a symbol is a name that somebody has to define, and not a type, a label, a reference or an op.
bool isPlainName(StringRef text) {
  return text.find_first_of("<>.!@^#%/:") == StringRef::npos && text != "&" &&
         !is_contained({"inf", "+inf", "-inf", "nan", "_"}, text);
}

bool NameChecker::run() {
  unsigned errorsBefore = diags.errors();
  for (const GenericFunction::Parameter &parameter : generic.parameters) {
    names.push_back(parameter.name->text());
    for (const Form *dimension : TypeReader::dimensions(parameter.form))
      if (TypeReader::isSizeName(dimension))
        names.push_back(dimension->text());
  }
  for (const GenericFunction::Keyword &keyword : generic.keywords)
    names.push_back(keyword.name->text());
  visitAll(generic.body);
  return diags.errors() == errorsBefore;
}

/// Makes the names of `target`, a symbol, (: name type) or a vector of symbols, visible.
void NameChecker::bind(const Form *target) {
  if (target->isVector()) {
    for (const Form *item : target->items())
      bind(item);
    return;
  }
  const Form *name = target->isCall(":") && target->size() > 1 ? (*target)[1] : target;
  if (!name->isSymbol())
    return;
  for (const GenericFunction::Keyword &keyword : generic.keywords)
    if (keyword.name->text() == name->text())
      error("parse-def", name,
            "`" + name->text() + "` is a constant of `" + generic.name + "`, and cannot name a value")
          .note(keyword.name->range(), "the keyword is here")
          .withHint("choose another name");
  generic.locals.insert(name->text());
  names.push_back(name->text());
  everDefined.try_emplace(name->text(), name->range());
}

void NameChecker::visitScope(ArrayRef<const Form *> forms) {
  size_t visible = names.size();
  visitAll(forms);
  names.truncate(visible);
}

void NameChecker::visit(const Form *form) {
  if (form->isSymbol())
    use(form);
  else if (form->isVector())
    visitAll(form->items());
  else if (form->isMap() && inRecord)
    for (size_t i = 1; i < form->size(); i += 2)
      visit((*form)[i]);
  else if (form->isList() && form->size())
    visitList(form);
}

void NameChecker::use(const Form *symbol) {
  StringRef name = symbol->text();
  if (!isPlainName(name) || isBound(name) || gen.strings.named.count(name) || gen.constants.isCallable(name) ||
      gen.types.readType(name))
    return;
  Diag &diag = error("name-undefined", symbol, "`" + name + "` is not defined");
  if (auto found = everDefined.find(name); found != everDefined.end()) {
    diag.message = ("`" + name + "` is not visible here").str();
    diag.note(found->second, "it is defined here, in another region or later");
    return;
  }
  SmallVector<std::string> near;
  for (StringRef visible : names)
    near.push_back(visible.str());
  diag.withHint(didYouMean(name, near));
}

/// Visits forms that bind names; false for all others.
bool NameChecker::visitBinding(const Form *form, SpecialForm kind) {
  ArrayRef<const Form *> items = form->items().drop_front();
  size_t visible = names.size();
  auto pairs = [&](const Form *vector, bool bindsEach) {
    for (size_t i = 0; i + 1 < vector->size(); i += 2) {
      visit((*vector)[i + 1]);
      if (bindsEach)
        bind((*vector)[i]);
    }
    for (size_t i = 0; !bindsEach && i + 1 < vector->size(); i += 2)
      bind((*vector)[i]);
  };
  auto range = [&](const Form *vector) {
    if (vector->size() == 0)
      return;
    visitAll(vector->items().drop_front());
    bind((*vector)[0]);
  };
  switch (kind) {
  case SpecialForm::Def:
    visit(items[1]);
    bind(items[0]);
    return true; // Visible in what follows.
  case SpecialForm::Let:
    pairs(items[0], /*bindsEach=*/true);
    break;
  case SpecialForm::Parallel:
    pairs(items[0], /*bindsEach=*/false);
    break;
  case SpecialForm::For:
    range(items[0]);
    break;
  case SpecialForm::ForEach:
    pairs(items[0], /*bindsEach=*/false);
    break;
  case SpecialForm::Fold:
    pairs(items[0], /*bindsEach=*/false);
    if (items[1]->size() % 2 == 0 && (items[1]->size() == 2 || (*items[1])[2]->isSymbol()))
      pairs(items[1], /*bindsEach=*/false); // Elements, or a range with a name as its end.
    else
      range(items[1]);
    items = items.drop_front();
    break;
  case SpecialForm::Loop:
    if (items[0]->isMap())
      items = items.drop_front();
    pairs(items[0], /*bindsEach=*/false);
    break;
  case SpecialForm::Block:
    if (!items.empty() && items[0]->isSymbol() && items[0]->text().starts_with("^"))
      items = items.drop_front();
    if (items.empty() || !items[0]->isVector()) {
      visitAll(items);
      return true; // What a block of a region defines is visible in the blocks after it.
    }
    bind(items[0]);
    visitAll(items.drop_front());
    return true;
  default:
    return false;
  }
  visitAll(items.drop_front());
  names.truncate(visible);
  return true;
}

/// Reports a head that nothing defines.
void NameChecker::visitHead(const Form *form) {
  const Form *head = (*form)[0];
  StringRef name = head->text();
  if (isBound(name) || name.contains('/') || gen.functionTable.find(name) || gen.generics.find(name) ||
      gen.recordTypes.find(name))
    return;
  if (head->isOpName()) {
    (void)gen.ops.registeredOp(head, name);
    return;
  }
  if (none_of(gen.program.usedDialects, [&](const std::string &dialect) {
        return mlir::RegisteredOperationName::lookup(dialect + "." + name.str(), &context).has_value();
      }))
    gen.expressions.unknownForm(head);
}

/// Visits all but the names of axes of the mesh, and how a collective combines.
void NameChecker::visitCollective(const Form *form) {
  if (form->isCall("rank") || form->isCall("ranks"))
    return;
  ArrayRef<const Form *> items = form->items().drop_front();
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i]->isKeyword() && (items[i]->text() == "over" || items[i]->text() == "by"))
      ++i;
    else
      visit(items[i]);
}

void NameChecker::visitList(const Form *form) {
  if ((*form)[0]->isKeyword()) // (:field record)
    return visitAll(form->items().drop_front());
  if (!(*form)[0]->isSymbol() || form->isCall("quasiquote"))
    return;
  const SpecialFormInfo *special = findSpecialForm(form->head());
  if (!special) {
    visitHead(form);
    SaveAndRestore record(inRecord, gen.recordTypes.find(form->head()) != nullptr);
    return visitScope(form->items().drop_front());
  }
  if (special->form == SpecialForm::UseDialect)
    return gen.program.useDialect(form);
  if (special->form == SpecialForm::FunctionType || special->form == SpecialForm::RequireDialect)
    return;
  if (special->form == SpecialForm::Typed)
    return visit((*form)[1]);
  if (special->form == SpecialForm::With) {
    visit((*form)[1]);
    SaveAndRestore record(inRecord, true);
    return visit((*form)[2]);
  }
  if (special->form >= SpecialForm::Rank && special->form <= SpecialForm::FromRank)
    return visitCollective(form);
  if (special->form == SpecialForm::Launch && !(*form)[1]->isMap()) // A kernel's name.
    return visitScope(form->items().drop_front(2));
  if (!visitBinding(form, special->form))
    visitScope(form->items().drop_front(special->firstCode));
}
} // namespace

/// Whether the names in a function are defined; what is not is reported once. A function whose parameters all have
/// types is generated whether it is called or not, and reports more then.
bool GenericFunctions::checkNames(GenericFunction &generic) {
  using Names = GenericFunction::Names;
  if (generic.names == Names::Unchecked && generic.isTyped())
    return true;
  if (generic.names == Names::Unchecked) {
    auto calls = std::exchange(frames, {}); // The messages concern no call.
    bool isGood = NameChecker(gen, generic).run();
    frames = std::move(calls);
    generic.names = isGood ? Names::Good : Names::Bad;
  }
  return generic.names == Names::Good;
}

void GenericFunctions::checkUncalled() {
  SmallVector<GenericFunction *> all; // A check may declare functions of the library.
  for (auto &generic : known)
    all.push_back(generic.second.get());
  for (GenericFunction *generic : all)
    checkNames(*generic);
}
} // namespace lispier
