//===- Shapes.cpp - syntax checks of special forms ------------------------===//
#include "Shapes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace lispier {
namespace {
class ShapeChecker {
public:
  ShapeChecker(const SpecialFormInfo &info, const Form *form, DiagSink &diags) : info(info), form(form), diags(diags) {}
  bool arity();
  bool operands();

private:
  bool fail(StringRef code, const Form *at, const Twine &message);
  bool wrong(const Form *at, const Twine &expected) {
    return fail("macro-shape", at, "`" + info.name + "` expects " + expected + " here, not " + describe(at->kind()));
  }
  const Form *operand(size_t i) const { return (*form)[i]; }
  size_t count() const { return form->size() - 1; }

  bool isName(const Form *f) const {
    return f->isSymbol() && !StringRef("^@!").contains(f->text().front()) && f->text() != ":";
  }
  bool isType(const Form *f) const {
    return f->isSymbol() || f->isString() || f->isCall("tensor") || f->isCall("inout") || f->isCall("list") ||
           f->isCall("record");
  }
  bool isTypes(const Form *f) const {
    return isType(f) || (f->isVector() && llvm::all_of(f->items(), [&](const Form *t) { return isType(t); }));
  }
  bool name(const Form *f) { return isName(f) || wrong(f, "a name"); }
  bool type(const Form *f) { return isType(f) || wrong(f, "a type (a symbol or a string)"); }
  bool text(const Form *f) { return f->isString() || wrong(f, "a string"); }
  bool vector(const Form *f) { return f->isVector() || wrong(f, "a vector"); }
  bool map(const Form *f) { return f->isMap() || wrong(f, "a map of attributes"); }

  bool names(StringRef code, const Form *target);
  bool bindings(StringRef code, const Form *vector, bool patterns);
  bool loopRange(const Form *vector);
  bool foldRange(const Form *vector);
  bool loopName(const Form *f);
  bool argument(const Form *argument, bool needsType, StringMap<const Form *> &seen);
  bool keywords(ArrayRef<const Form *> rest, StringMap<const Form *> &seen);
  bool arguments(const Form *vector, bool needsType);
  bool block();
  bool ifForm();
  bool loop();
  bool defn();
  bool deftemplate();
  bool defkernel();
  bool deftile();
  bool defstruct();
  bool functionType(const Form *f);
  bool print();
  bool exported(const Form *item);

  const SpecialFormInfo &info;
  const Form *form;
  DiagSink &diags;
};

bool ShapeChecker::fail(StringRef code, const Form *at, const Twine &message) {
  diags.error(code, at->range(), message).withHint("expected " + info.syntax).backtrace(at->expansion());
  return false;
}

bool ShapeChecker::arity() {
  unsigned low = info.minOperands, high = info.maxOperands;
  if (count() >= low && count() <= high)
    return true;
  std::string wanted = high == kVariadic ? utostr(low) + " or more"
                       : low == high     ? utostr(low)
                                         : utostr(low) + " to " + utostr(high);
  bool one = low == 1 && (high == 1 || high == kVariadic);
  return fail("macro-arity", form,
              "`" + info.name + "` takes " + wanted + (one ? " operand" : " operands") + ", got " + Twine(count()));
}

/// A binding target: a name, or a vector of names for several results.
bool ShapeChecker::names(StringRef code, const Form *target) {
  if (isName(target))
    return true;
  if (target->isVector() && target->size() && llvm::all_of(target->items(), [&](const Form *f) { return isName(f); }))
    return true;
  return fail(code, target, "a value is bound to a name or to a vector of names, not to " + target->str());
}

bool ShapeChecker::bindings(StringRef code, const Form *f, bool patterns) {
  if (!f->isVector())
    return fail(code, f, "`" + info.name + "` binds names in a vector, not in " + describe(f->kind()));
  if (f->size() % 2)
    return fail(code, f->items().back(), "`" + f->items().back()->str() + "` has no value beside it");
  for (size_t i = 0; i < f->size(); i += 2)
    if (patterns ? !names(code, (*f)[i]) : !loopName((*f)[i]))
      return false;
  return true;
}

/// The variable of a loop: `i`, or (: i type).
bool ShapeChecker::loopName(const Form *f) {
  if (isName(f) || (f->isCall(":") && f->size() == 3 && isName((*f)[1]) && isType((*f)[2])))
    return true;
  return fail("parse-let", f, "a loop variable is a name or (: name type), not " + f->str());
}

bool ShapeChecker::loopRange(const Form *f) {
  if (!f->isVector() || f->size() < 3 || f->size() > 4)
    return fail("macro-shape", f, "the range of a `" + info.name + "` is [i low high] or [i low high step]");
  return loopName((*f)[0]);
}

/// [i low high step?] or [element list ...]
bool ShapeChecker::foldRange(const Form *f) {
  if (!f->isVector() || f->size() == 0 || f->size() % 2 || (f->size() == 4 && !isName((*f)[2])))
    return loopRange(f);
  return bindings("parse-let", f, /*patterns=*/false);
}

bool ShapeChecker::argument(const Form *f, bool needsType, StringMap<const Form *> &seen) {
  bool typed = f->isCall(":") && f->size() == 3 && isName((*f)[1]) && isType((*f)[2]);
  if (!typed && !(isName(f) && !needsType)) {
    if (isName(f))
      return fail("parse-block-arg", f,
                  "the parameter `" + f->text() + "` has no type: write (: " + f->text() + " type)");
    if (!f->isCall(":") || f->size() != 3 || !isName((*f)[1]))
      return fail("parse-block-arg", f, "an argument is written (: name type), not " + f->str());
    const Form *type = (*f)[2];
    diags.error("parse-block-arg", type->range(), type->str() + " is no type")
        .withHint(type->isCall("memref")
                      ? "a memref's type is one word: memref<4xf32>, with ? for a size known later"
                      : "a type is a word, such as f32 or memref<4x?xf32>, or (tensor size ... type)")
        .backtrace(type->expansion());
    return false;
  }
  const Form *argumentName = typed ? (*f)[1] : f;
  auto [first, isNew] = seen.try_emplace(argumentName->text(), argumentName);
  if (isNew || argumentName->text() == "_")
    return true;
  fail("parse-block-arg", argumentName, "the argument `" + argumentName->text() + "` is named twice");
  return false;
}

/// What follows `&` among the parameters of a generic function: a map from keywords to their default values.
bool ShapeChecker::keywords(ArrayRef<const Form *> rest, StringMap<const Form *> &seen) {
  if (rest.size() != 2 || !rest[1]->isMap())
    return fail("parse-block-arg", rest.size() > 2 ? rest[2] : rest.back(),
                "after `&` stands one map of keywords with their default values: & {:axis -1}");
  bool good = true;
  for (size_t i = 0; i < rest[1]->size(); i += 2) {
    const Form *key = (*rest[1])[i];
    if (seen.try_emplace(key->text(), key).second)
      continue;
    good = fail("parse-block-arg", key, "the keyword `:" + key->text() + "` has the name of a parameter");
  }
  return good;
}

bool ShapeChecker::arguments(const Form *f, bool needsType) {
  if (!f->isVector())
    return fail("parse-block-arg", f, "the arguments stand in a vector, this is " + describe(f->kind()));
  StringMap<const Form *> seen;
  bool good = true;
  for (auto [i, item] : enumerate(f->items())) {
    if (item->isSymbol("&") && info.form == SpecialForm::Defn)
      return keywords(f->items().drop_front(i), seen) && good;
    good &= argument(item, needsType, seen);
  }
  return good;
}

bool ShapeChecker::block() {
  size_t i = 1;
  auto isLabel = [&](size_t at) {
    return at <= count() && operand(at)->isSymbol() && operand(at)->text().starts_with("^");
  };
  if (isLabel(i) && operand(i++)->text().size() == 1)
    return fail("parse-label", operand(i - 1), "the label has no name");
  if (i <= count() && operand(i)->isVector())
    if (!arguments(operand(i++), /*needsType=*/false))
      return false;
  for (; i <= count(); ++i)
    if (isLabel(i))
      return fail("parse-label", operand(i), "the label of a block stands before its arguments and statements");
  return true;
}

bool ShapeChecker::ifForm() {
  size_t branches = count() - operand(1)->isMap();
  if (branches >= 2 && branches <= 3)
    return true;
  return fail("macro-arity", form, "`if` takes a condition and one or two branches");
}

bool ShapeChecker::loop() {
  size_t first = operand(1)->isMap() ? 2 : 1;
  if (count() - (first - 1) != 5 || !operand(first + 1)->isKeyword("while") || !operand(first + 3)->isKeyword("do"))
    return fail("macro-shape", form,
                "`loop` needs its variables, then :while and a condition, then :do and the next value");
  return bindings("parse-let", operand(first), /*patterns=*/false);
}

/// (defn name "documentation"? [parameters] (-> types)? body ...)
bool ShapeChecker::defn() {
  if (!name(operand(1)))
    return false;
  size_t i = operand(2)->isString() ? 3 : 2;
  if (i > count())
    return fail("macro-arity", form, "the function `" + operand(1)->text() + "` has no parameters and no body");
  if (!arguments(operand(i), /*needsType=*/false))
    return false;
  if (++i <= count() && operand(i)->isSymbol("->")) {
    if (i == count())
      return fail("macro-shape", operand(i), "`->` needs a type after it");
    if (!isTypes(operand(i + 1)))
      return wrong(operand(i + 1), "a result type, or a vector of them,");
    i += 2;
  }
  if (i > count())
    return fail("macro-arity", form, "the function `" + operand(1)->text() + "` has no body");
  return true;
}

bool ShapeChecker::defkernel() {
  unsigned parameters = count() > 3 && operand(2)->isString() ? 3 : 2;
  if (!name(operand(1)) || !arguments(operand(parameters), /*needsType=*/true))
    return false;
  const Form *after = operand(parameters + 1);
  return !after->isSymbol("->") ||
         fail("macro-shape", after, "a kernel returns nothing: it stores its results in memrefs");
}

/// (deftile name "documentation"? {options}? [parameters] body ...)
bool ShapeChecker::deftile() {
  if (!name(operand(1)))
    return false;
  size_t i = 2;
  if (operand(i)->isString())
    ++i;
  if (i <= count() && operand(i)->isMap())
    ++i;
  if (i > count())
    return fail("macro-arity", form, "the tile program `" + operand(1)->text() + "` has no parameters and no body");
  if (!arguments(operand(i), /*needsType=*/true))
    return false;
  if (++i > count())
    return fail("macro-arity", form, "the tile program `" + operand(1)->text() + "` has no body");
  return !operand(i)->isSymbol("->") ||
         fail("macro-shape", operand(i), "a tile program returns nothing: it stores its results in memrefs");
}

bool ShapeChecker::deftemplate() {
  if (!operand(1)->isOpName())
    return wrong(operand(1), "the name of an op");
  if (!map(operand(2)) || !arguments(operand(3), /*needsType=*/true))
    return false;
  return count() > 3 || fail("macro-arity", form, "the template for `" + operand(1)->text() + "` has no body");
}

bool ShapeChecker::defstruct() {
  if (!name(operand(1)))
    return false;
  StringMap<const Form *> seen;
  for (const Form *field : form->items().drop_front(2)) {
    if (!field->isVector() || field->size() != 2 || !isName((*field)[0]) || !isType((*field)[1]))
      return fail("macro-shape", field, "a field is written [name type], not " + field->str());
    if (!seen.try_emplace((*field)[0]->text(), field).second)
      return fail("macro-shape", field, "the field `" + (*field)[0]->text() + "` is there twice");
  }
  return true;
}

bool ShapeChecker::functionType(const Form *f) {
  if (f->isCall("->") && f->size() == 3 && (*f)[1]->isVector() && (*f)[2]->isVector() && isTypes((*f)[1]) &&
      isTypes((*f)[2]))
    return true;
  return fail("macro-shape", f, "a function type is written (-> [argument-types] [result-types]), not " + f->str());
}

/// A name, or (function type ... :keyword constant ... :as name).
bool ShapeChecker::exported(const Form *item) {
  if (isName(item))
    return true;
  if (!item->isList() || item->size() == 0 || !isName((*item)[0]))
    return wrong(item, "the name of a function, or (function type ...)");
  ArrayRef<const Form *> rest = item->items().drop_front();
  for (; !rest.empty() && !rest.front()->isKeyword(); rest = rest.drop_front())
    if (!type(rest.front()))
      return false;
  for (; !rest.empty(); rest = rest.drop_front(2)) {
    if (!rest.front()->isKeyword() || rest.size() < 2)
      return wrong(rest.front(), "a keyword and its value");
    if (rest.front()->isKeyword("as") && !name(rest[1]))
      return false;
  }
  return true;
}

bool ShapeChecker::print() {
  if (count() == 0)
    return info.form == SpecialForm::Println || fail("macro-arity", form, "`print` needs something to print");
  if (operand(1)->isString() || count() == 1 || operand(2)->isKeyword())
    return true;
  return fail("macro-shape", operand(1),
              "the first operand must be a string literal with printf directives, not " + describe(operand(1)->kind()));
}

bool ShapeChecker::operands() {
  switch (info.form) {
  case SpecialForm::Def:
    return names("parse-def", operand(1));
  case SpecialForm::Let:
    return bindings("parse-let", operand(1), /*patterns=*/true);
  case SpecialForm::Block:
    return block();
  case SpecialForm::Typed:
    return type(operand(2));
  case SpecialForm::FunctionType:
    return functionType(form);
  case SpecialForm::If:
    return ifForm();
  case SpecialForm::For:
    return loopRange(operand(1));
  case SpecialForm::Fold:
    return bindings("parse-let", operand(1), /*patterns=*/false) && foldRange(operand(2));
  case SpecialForm::ForEach:
  case SpecialForm::Parallel:
    return bindings("parse-let", operand(1), /*patterns=*/false);
  case SpecialForm::Loop:
    return loop();
  case SpecialForm::Defn:
    return defn();
  case SpecialForm::Deftemplate:
    return deftemplate();
  case SpecialForm::Defkernel:
    return defkernel();
  case SpecialForm::Deftile:
    return deftile();
  case SpecialForm::Tuned:
    return name(operand(1)) && map(operand(2));
  case SpecialForm::Launch:
    return operand(1)->isMap() ||
           (name(operand(1)) && (operand(2)->isMap() || wrong(operand(2), "a map with :grid and :block")));
  case SpecialForm::Shared:
    return type(operand(1)) && vector(operand(2));
  case SpecialForm::WarpReduce:
  case SpecialForm::BlockReduce:
    return operand(1)->isKeyword() || wrong(operand(1), "what to combine by, such as :add");
  case SpecialForm::Defrecord:
  case SpecialForm::Defstruct:
    return defstruct();
  case SpecialForm::DefString:
    return name(operand(1)) && text(operand(2));
  case SpecialForm::ExternFn:
    return name(operand(1)) && functionType(operand(2));
  case SpecialForm::Extern:
    return operand(1)->isKeyword("value-ffi") ||
           fail("macro-shape", operand(1),
                "the only set of built-in functions is :value-ffi, not " + operand(1)->str());
  case SpecialForm::Export:
    return llvm::all_of(form->items().drop_front(), [&](const Form *item) { return exported(item); });
  case SpecialForm::LinkLibrary:
    return operand(1)->isKeyword() || operand(1)->isString() || wrong(operand(1), "a keyword or a path");
  case SpecialForm::Print:
  case SpecialForm::Println:
    return print();
  case SpecialForm::Cstring:
  case SpecialForm::SourcePath:
    return text(operand(1));
  case SpecialForm::New:
    return name(operand(1));
  case SpecialForm::LoadNpy:
  case SpecialForm::Cast:
    return type(operand(1));
  case SpecialForm::PtrToMemref:
    return type(operand(1)) && vector(operand(3));
  case SpecialForm::DeviceAlloc:
    return type(operand(1)) && vector(operand(2));
  default: // No restriction, or one that depends on types (IRGen).
    return true;
  }
}
} // namespace

bool checkShape(const SpecialFormInfo &info, const Form *form, DiagSink &diags) {
  ShapeChecker checker(info, form, diags);
  return checker.arity() && checker.operands();
}
} // namespace lispier
