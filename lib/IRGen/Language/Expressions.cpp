//===- Expressions.cpp - forms inside functions, names and scopes ---------===//
#include "Expressions.h"
#include "Core/Attributes.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/OpDraft.h"
#include "Core/OpenTypes.h"
#include "Core/Operations.h"
#include "Core/RecordTypes.h"
#include "Core/StringGlobals.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "FormTable.h"
#include "Functions.h"
#include "Generator.h"
#include "Generics.h"
#include "InPlace.h"
#include "Kernels.h"
#include "Program.h"
#include "Records.h"
#include "Structs.h"
#include "TilePrograms.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/Syntax/OtherNames.h"

using namespace llvm;

namespace lispier {
mlir::FailureOr<Values> ExpressionGenerator::emitList(const Form *form, mlir::Type hint) {
  if (form->size() == 0) {
    error("parse-head", form, "an empty list has no meaning")
        .withHint("write (op operand ...) or (function argument ...)");
    return mlir::failure();
  }
  const Form *head = (*form)[0];
  if (head->isKeyword())
    return gen.records.emitField(form);
  if (!head->isSymbol()) {
    error("parse-head", head,
          Twine("a list begins with the name of an op, a form or a function, not with ") + describe(head->kind()));
    return mlir::failure();
  }
  StringRef name = head->text();
  const SpecialFormInfo *special = findSpecialForm(name);
  if (special && special->yields() && !gen.scope.inTileProgram && !usedDialectsWith(name).empty())
    return emitUnqualified(form, hint);
  if (special) // Expand turns calls of a user's function of this name into func.call.
    return emitSpecial(form, *special, hint);
  if (name.contains('/'))
    if (auto access = gen.structs.structAccess(form))
      return *access;
  if (RecordInfo *record = gen.recordTypes.find(name))
    return gen.records.emitRecord(form, *record);
  if (GenericFunction *generic = gen.generics.find(name))
    return gen.generics.emitCall(form, *generic, form->items().drop_front(), hint);
  if (FunctionInfo *function = gen.functionTable.find(name))
    return gen.functions.emitCall(form, *function, form->items().drop_front());
  if (head->isOpName())
    return gen.ops.emitOp(form, hint);
  return emitUnqualified(form, hint);
}

std::optional<mlir::FailureOr<Values>> ExpressionGenerator::emitCall(OpDraft &draft, mlir::Type hint) {
  return gen.functions.emitCallOp(draft, hint);
}

bool ExpressionGenerator::completeReturn(OpDraft &draft) { return gen.functions.completeReturn(draft); }

bool ExpressionGenerator::isRepeated(StringRef code, SMRange range, const Twine &message) {
  return gen.generics.isRepeated(code, range, message);
}

void ExpressionGenerator::noteUses(Diag &diag) {
  gen.generics.noteCalls(diag);
  if (diag.severity == Severity::Error)
    gen.tilePrograms.noteLaunch(diag);
}

void ExpressionGenerator::noteCallee(Diag &diag, const Form *form) {
  StringRef name = form->head();
  const Form *map = form->size() > 1 && (*form)[1]->isMap() ? (*form)[1] : nullptr;
  if (const Form *callee = map ? map->get("callee") : nullptr) // (func.call {:callee @name} ...)
    name = callee->text().ltrim('@');
  GenericFunction *generic = gen.generics.find(name);
  auto known = gen.functionTable.known.find(name);
  const Form *definition = generic                                  ? generic->form
                           : known != gen.functionTable.known.end() ? known->second.form
                                                                    : nullptr;
  if (!definition || !definition->isCall("defn"))
    return;
  diag.note(definition->range(), "`" + name + "` is defined here");
  mlir::Type last = generic ? mlir::Type() : known->second.lastType;
  if (last)
    diag.withHint("its last form has type " + typeText(last) + ": write -> " + mlir::debugString(last) +
                  " after its parameters to return it");
  else
    diag.withHint("write -> type after its parameters to return the value of its last form");
}

/// The used dialects that have an op `name`.
SmallVector<std::string> ExpressionGenerator::usedDialectsWith(StringRef name) {
  SmallVector<std::string> homes;
  for (const std::string &dialect : gen.program.usedDialects)
    if (mlir::RegisteredOperationName::lookup(dialect + "." + name.str(), &context))
      homes.push_back(dialect);
  return homes;
}

mlir::FailureOr<Values> ExpressionGenerator::emitUnqualified(const Form *form, mlir::Type hint) {
  const Form *head = (*form)[0];
  StringRef name = head->text();
  SmallVector<std::string> homes = usedDialectsWith(name);
  if (homes.size() == 1)
    return gen.ops.emitOp(form, hint, homes[0] + "." + name.str());
  if (homes.empty() && gen.scope.scopes.count(name)) {
    Binding binding = gen.scope.scopes.lookup(name);
    if (!binding.values.empty())
      error("parse-head", head,
            "`" + name + "` is a value of type " + mlir::debugString(binding.values[0].getType()) +
                ", and not a function")
          .note(binding.range, "it is bound here");
    return mlir::failure();
  }
  if (homes.size() > 1) {
    error("parse-head", head, "`" + name + "` is an op of two used dialects: " + homes[0] + " and " + homes[1])
        .withHint("write `" + homes[0] + "." + name + "` or `" + homes[1] + "." + name + "`");
    return mlir::failure();
  }
  unknownForm(head);
  return mlir::failure();
}

void ExpressionGenerator::unknownForm(const Form *head) {
  StringRef name = head->text();
  SmallVector<std::string> names;
  for (const SpecialFormInfo &info : specialForms())
    names.push_back(info.name.str());
  for (auto &function : gen.functionTable.known)
    names.push_back(function.first().str());
  for (auto &generic : gen.generics.known)
    names.push_back(generic.first.str());
  for (auto &function : gen.generics.library)
    names.push_back(function.first().str());
  for (const std::string &dialect : gen.program.usedDialects)
    for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect(dialect))
      names.push_back(op.stripDialect().str());
  Diag &diag = error("parse-head", head, "unknown form `" + name + "`");
  if (std::string hint = hintFor(name, names); !hint.empty())
    diag.withHint(hint);
  else
    diag.withHint("a list begins with a special form, a macro, a function of the program or an op such as arith.addi");
}

mlir::FailureOr<Values> ExpressionGenerator::emitSpecial(const Form *form, const SpecialFormInfo &info,
                                                         mlir::Type hint) {
  size_t operands = form->size() - 1;
  if (operands < info.minOperands || operands > info.maxOperands) {
    error("macro-arity", form, "`" + info.name + "` does not take " + Twine(operands) + " operands")
        .withHint("write " + info.syntax);
    return mlir::failure();
  }
  if (FunctionForm generate = functionForm(info.form))
    return generate(gen, {form, info, hint});
  error("parse-head", form, "`" + info.name + "` stands at the top level").withHint("move it out of the function");
  return mlir::failure();
}

mlir::FailureOr<Values> ExpressionGenerator::lookup(const Form *symbol, bool typed) {
  StringRef name = symbol->text();
  if (gen.scope.scopes.count(name)) {
    Binding binding = gen.scope.scopes.lookup(name);
    if (binding.values.empty())
      return mlir::failure();
    return binding.values.size() == 1 ? resultOf(gen.inPlace.read(symbol, binding.values[0]))
                                      : mlir::FailureOr<Values>(binding.values);
  }
  if (auto text = gen.strings.named.find(name); text != gen.strings.named.end())
    return Values{gen.strings.addressOf(text->second, symbol)};
  if (name == "+inf" || name == "-inf" || name == "nan") {
    error("name-undefined", symbol, "`" + name + "` needs a type").withHint("write (: " + name + " f32)");
    return mlir::failure();
  }
  Diag &diag = error("name-undefined", symbol, "`" + name + "` is not defined");
  if (auto found = gen.scope.everDefined.find(name); found != gen.scope.everDefined.end()) {
    diag.message = ("`" + name + "` is not visible here").str();
    diag.note(found->second, "it is defined here, in another region or later");
    return mlir::failure();
  }
  if (gen.generics.find(name)) {
    diag.withHint("`" + name + "` is a generic function: call it with (" + name +
                  " argument ...), or pass its name to another generic function");
    return mlir::failure();
  }
  if (gen.functionTable.find(name)) {
    diag.withHint("`" + name + "` is a function: call it with (" + name +
                  " argument ...), or take its address with (func.constant {:value @" + name + " :result type})");
    return mlir::failure();
  }
  SmallVector<std::string> names;
  for (auto &entry : gen.scope.everDefined)
    names.push_back(entry.first().str());
  if (std::string hint = hintFor(name, names); !hint.empty())
    diag.withHint(hint);
  else if (typed)
    diag.withHint("(: " + name +
                  " type) checks the type of a value that there is; a parameter is declared in the vector "
                  "of defn, defkernel or a block: [(: " +
                  name + " type)]");
  return mlir::failure();
}

mlir::FailureOr<Values> ExpressionGenerator::emitDef(const Form *form) {
  return bindNames((*form)[1], (*form)[2], "parse-def");
}

/// Binds one name to an expression's value, or a vector of names to all its values. Returns them, so that a body may
/// end with a `def`.
mlir::FailureOr<Values> ExpressionGenerator::bindNames(const Form *target, const Form *expression, StringRef code) {
  SmallVector<const Form *> names;
  if (target->isSymbol())
    names.push_back(target);
  else if (target->isVector())
    append_range(names, target->items());
  bool isShape = target->isSymbol() || target->isVector();
  for (const Form *name : names)
    isShape &= name->isSymbol();
  if (!isShape) {
    error(code, target, "a value is named with a symbol, several with a vector of symbols")
        .withHint("write name value, or [a b] value");
    return mlir::failure();
  }
  // One name for the vector [1 2 3] would be its first value, silently.
  bool isVectorForOne = target->isSymbol() && expression->isVector();
  auto values = isVectorForOne ? gen.evaluator->emitResults(expression) : emit(expression);
  bool ok = succeeded(values);
  if (ok && target->isSymbol() && values->empty()) {
    Diag &diag = noValue(expression);
    if (diag.hint.empty())
      diag.withHint("write it without a name");
    ok = false;
  } else if (ok && target->isVector() && values->size() != names.size()) {
    std::string types;
    for (mlir::Value value : *values)
      types += (types.empty() ? "" : ", ") + typeText(value.getType());
    error(code, target,
          Twine(names.size()) + " names for " + Twine(values->size()) + " values" +
              (types.empty() ? "" : ": " + types));
    ok = false;
  }
  for (const auto &[i, name] : enumerate(names)) {
    gen.scope.bind(name, ok ? Values{(*values)[i]} : Values{});
    if (ok && (*values)[i].getType().isIntOrIndex() && !name->text().contains('%')) // Not a macro's (gensym).
      nameSize((*values)[i], name->text());
  }
  if (!ok)
    return mlir::failure();
  return target->isSymbol() ? Values{values->front()} : *values;
}

mlir::FailureOr<Values> ExpressionGenerator::emitLet(const Form *form, mlir::Type hint) {
  const Form *bindings = (*form)[1];
  if (!bindings->isVector()) {
    error("parse-let", bindings, Twine("the bindings of `let` are a vector, not ") + describe(bindings->kind()))
        .withHint("write (let [name value ...] body ...)");
    return mlir::failure();
  }
  if (bindings->size() % 2) {
    error("parse-let", bindings->items().back(), "this name has no value")
        .withHint("write (let [name value ...] body ...)");
    return mlir::failure();
  }
  Scope scope(gen.scope.scopes);
  bool ok = true;
  for (size_t i = 0; i + 1 < bindings->size(); i += 2) {
    ok &= succeeded(bindNames((*bindings)[i], (*bindings)[i + 1], "parse-let"));
  }
  auto last = emitBody(form->items().drop_front(2), hint);
  if (!ok)
    return mlir::failure();
  return last;
}

mlir::FailureOr<Values> ExpressionGenerator::emitTyped(const Form *form) {
  const Form *value = (*form)[1];
  mlir::Type type = gen.types.parseType((*form)[2]);
  if (!type)
    return mlir::failure();
  bool isLiteral = value->isNumber() || value->isBool() || value->isSymbol("+inf") || value->isSymbol("-inf") ||
                   (value->isSymbol("nan") && !gen.scope.scopes.count("nan")) ||
                   (value->isSymbol("inf") && !gen.scope.scopes.count("inf"));
  if (isLiteral) {
    mlir::TypedAttr attribute = gen.literals.literal(value, type);
    if (!attribute)
      return mlir::failure();
    return Values{make<mlir::arith::ConstantOp>(form, attribute)};
  }
  if (value->isVector() || (value->isSymbol() && value->text().starts_with("dense<"))) {
    if (auto shaped = dyn_cast<mlir::ShapedType>(type);
        shaped && shaped.hasStaticShape() && value->isVector() && !gen.attributes.checkShape(value, shaped, 0))
      return mlir::failure();
    mlir::Attribute dense =
        value->isVector() ? gen.attributes.denseElements(value, type)
                          : gen.attributes.parseAttributeText(value->text().str() + " : " + mlir::debugString(type));
    if (auto elements = dyn_cast_if_present<mlir::ElementsAttr>(dense))
      return Values{make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(elements))};
    error("type-literal-range", value, value->str() + " is no literal of type " + mlir::debugString(type));
    return mlir::failure();
  }
  auto values = value->isSymbol() ? lookup(value, /*typed=*/true) : emit(value, type);
  if (succeeded(values) && values->size() == 1)
    values = resultOf(gen.literalValues.asExpected(values->front(), type));
  if (failed(values))
    return mlir::failure();
  if (values->empty()) {
    noValue(value);
    return mlir::failure();
  }
  gen.openTypes.settle(values->front(), type);
  if (values->front().getType() != type) {
    error("type-mismatch", form,
          "the value has type " + mlir::debugString(values->front().getType()) + ", not " + mlir::debugString(type))
        .withHint("(cast " + mlir::debugString(type) + " value) converts");
    return mlir::failure();
  }
  return values;
}
} // namespace lispier
