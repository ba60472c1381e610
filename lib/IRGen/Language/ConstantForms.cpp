//===- ConstantForms.cpp - constants that a body is generated with --------===//
#include "ConstantForms.h"
#include "Core/ConstantIntegers.h"
#include "Core/FoldedNumbers.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Generator.h"
#include "Generics.h"

using namespace llvm;

namespace lispier {
const Form *ConstantReader::notConstant(const Form *form, const Twine &what) {
  error("call-keyword", form, what + " is a constant, and `" + form->str() + "` is known only when the program runs")
      .withHint("constants are numbers, booleans, strings, symbols, types, names of functions, and vectors of them");
  return nullptr;
}

const Form *ConstantReader::constant(const Form *form, const Twine &what) {
  switch (form->kind()) {
  case FormKind::Number:
  case FormKind::Bool:
  case FormKind::String:
    return form;
  case FormKind::Symbol:
    if (StringRef name = form->text(); name.consume_front("@") && isCallable(name))
      return arena.symbol(name, form->range(), form->expansion());
    return gen.scope.scopes.count(form->text()) ? knownValue(form, what) : form;
  case FormKind::Vector: {
    SmallVector<const Form *> items;
    for (const Form *item : form->items())
      if (const Form *read = constant(item, what))
        items.push_back(read);
      else
        return nullptr;
    return arena.vector(items, form->range(), form->expansion());
  }
  case FormKind::List:
    break;
  default:
    return notConstant(form, what);
  }
  if (form->isCall(":") && form->size() == 3 && ((*form)[1]->isNumber() || (*form)[1]->isBool()))
    return form;
  return isArithmetic(form->head()) && form->size() > 1 ? arithmetic(form, what) : notConstant(form, what);
}

/// Arithmetic of integers is one if its form has a value in them; else it is one of f64.
const Form *ConstantReader::arithmetic(const Form *form, const Twine &what) {
  SmallVector<int64_t> integers;
  SmallVector<double> numbers;
  for (const Form *item : form->items().drop_front()) {
    const Form *read = item->isList() || item->isSymbol() ? constant(item, what) : item;
    if (!read)
      return nullptr;
    std::optional<int64_t> integer = gen.literals.integerOf(read);
    std::optional<double> number = integer            ? std::optional(double(*integer))
                                   : read->isNumber() ? gen.literals.realOf(read->text())
                                                      : std::nullopt;
    if (!number)
      return notConstant(item->isNumber() ? form : item, what);
    if (integer)
      integers.push_back(*integer);
    numbers.push_back(*number);
  }
  bool areIntegers = integers.size() == numbers.size() &&
                     is_contained({"+", "-", "*", "/", "%", "min", "max", "abs", "neg"}, form->head());
  if (!areIntegers) {
    std::optional<double> value = foldedReals(form->head(), numbers);
    return value ? realNumber(*value, form) : notConstant(form, what);
  }
  std::optional<int64_t> value = foldedIntegers(form->head(), integers);
  return value ? arena.number(std::to_string(*value), form->range(), form->expansion()) : notConstant(form, what);
}

/// The literal that reads as `number`, a fraction.
const Form *ConstantReader::realNumber(double number, const Form *form) {
  if (!std::isfinite(number))
    return arena.symbol(std::isnan(number) ? "nan" : number < 0 ? "-inf" : "+inf", form->range(), form->expansion());
  SmallString<32> text;
  APFloat(number).toString(text, /*FormatPrecision=*/17, /*FormatMaxPadding=*/3);
  if (text.str().find_first_of(".E") == StringRef::npos)
    text += ".0";
  return arena.number(text, form->range(), form->expansion());
}

/// The number of a name whose value is known while compiling, such as a constant of a tile program.
const Form *ConstantReader::knownValue(const Form *name, const Twine &what) {
  Binding binding = gen.scope.scopes.lookup(name->text());
  if (binding.values.size() != 1)
    return notConstant(name, what);
  std::optional<int64_t> number = ConstantIntegers::known(binding.values[0]);
  if (std::optional<double> real = number ? std::nullopt : gen.literalValues.number(binding.values[0]))
    return realNumber(*real, name);
  return number ? arena.number(std::to_string(*number), name->range(), name->expansion()) : notConstant(name, what);
}

bool ConstantReader::isCallable(StringRef name) {
  if (gen.functionTable.find(name) || gen.generics.find(name))
    return true;
  if (const SpecialFormInfo *info = findSpecialForm(name))
    return info->place == FormPlace::Function && info->operands == FormOperands::Values && info->firstCode == 1;
  return name.contains('.') && mlir::RegisteredOperationName::lookup(name, &context);
}

/// A copy of a constant with the location of the name that it replaces.
const Form *ConstantReader::moved(const Form *constant, const Form *to) {
  SMRange range = to->range();
  const Expansion *by = to->expansion();
  SmallVector<const Form *> items;
  for (const Form *item : constant->items())
    items.push_back(moved(item, to));
  switch (constant->kind()) {
  case FormKind::Number:
    return arena.number(constant->text(), range, by);
  case FormKind::Bool:
    return arena.boolean(constant->boolean(), range, by);
  case FormKind::String:
    return arena.string(constant->text(), range, by);
  case FormKind::Symbol:
    return arena.symbol(constant->text(), range, by);
  case FormKind::Vector:
    return arena.vector(items, range, by);
  case FormKind::List:
    return arena.list(items, range, by);
  default:
    return constant;
  }
}

/// Replaces the head of a call by the function that it is bound to.
const Form *ConstantReader::substituteCall(const Form *form, const ConstantForms &constants,
                                           SmallVectorImpl<const Form *> &items) {
  const Form *head = (*form)[0], *callee = constants.lookup(head->text());
  if (!callee->isSymbol()) {
    error("call-unknown", head, "`" + head->text() + "` is " + callee->str() + " here, and not a function");
    return nullptr;
  }
  bool isOwn = gen.functionTable.find(callee->text()) || gen.generics.find(callee->text());
  if (isOwn && findSpecialForm(callee->text())) { // As in Expand: a form's name in front would mean the form.
    items[0] = arena.symbol(mlir::func::CallOp::getOperationName(), head->range(), head->expansion());
    const Form *symbol = arena.symbol(("@" + callee->text()).str(), head->range(), head->expansion());
    items.insert(items.begin() + 1, arena.map({arena.keyword("callee", head->range()), symbol}, head->range()));
  }
  return arena.list(items, form->range(), form->expansion());
}

/// A function's name as an operand becomes @name: the body may have a value of that name.
const Form *ConstantReader::substituteSymbol(const Form *form, const ConstantForms &constants, bool isOperand) {
  StringRef name = form->text();
  bool isReference = name.consume_front("@");
  const Form *constant = constants.lookup(name);
  if (!constant)
    return form;
  if (isReference || (isOperand && constant->isSymbol() && isCallable(constant->text())))
    return arena.symbol("@" + constant->text().str(), form->range(), form->expansion());
  return moved(constant, form);
}

const Form *ConstantReader::substitute(const Form *form, const ConstantForms &constants, bool isOperand) {
  if (constants.empty() || form->isCall("quasiquote"))
    return form;
  if (form->isSymbol())
    return substituteSymbol(form, constants, isOperand);
  if (form->items().empty())
    return form;
  SmallVector<const Form *> items;
  for (auto [i, item] : enumerate(form->items())) {
    const Form *replaced = substitute(item, constants, isOperand && !form->isMap() && !(form->isList() && i == 0));
    if (!replaced)
      return nullptr;
    items.push_back(replaced);
  }
  if (ArrayRef(items) == form->items())
    return form;
  if (form->isVector())
    return arena.vector(items, form->range(), form->expansion());
  if (form->isMap())
    return arena.map(items, form->range(), form->expansion());
  if (items[0] != (*form)[0])
    return substituteCall(form, constants, items);
  return arena.list(items, form->range(), form->expansion());
}
} // namespace lispier
