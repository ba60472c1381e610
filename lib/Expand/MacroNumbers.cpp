//===- MacroNumbers.cpp - arithmetic and comparisons for macros -----------===//
//
// Numbers are exact integers of 64 bits, else doubles. The table at the end of the
// file lists name, number of arguments and implementation.
//
//===----------------------------------------------------------------------===//
#include "MacroNumbers.h"
#include "MacroTime.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <charconv>
#include <cmath>

using namespace llvm;

namespace lispier {
namespace {
using Operands = ArrayRef<Value>;
constexpr unsigned kAnyCount = Native::kAny;

struct Number {
  bool exact = true;
  int64_t integer = 0;
  double real = 0;
  double value() const { return exact ? double(integer) : real; }
};

std::optional<Number> parseNumber(StringRef text) {
  Number number;
  StringRef digits = text;
  bool negative = digits.consume_front("-");
  unsigned radix = digits.consume_front("0x") ? 16 : digits.consume_front("0b") ? 2 : 10;
  uint64_t magnitude = 0;
  if (!digits.getAsInteger(radix, magnitude) && magnitude <= (negative ? uint64_t(1) << 63 : uint64_t(INT64_MAX))) {
    number.integer = negative ? int64_t(0 - magnitude) : int64_t(magnitude);
    return number;
  }
  number.exact = false;
  if (text.getAsDouble(number.real))
    return std::nullopt;
  return number;
}

const Form *makeNumber(MacroInterpreter &in, const Number &number) {
  if (number.exact)
    return in.number(itostr(number.integer));
  char digits[40];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, number.real);
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return in.number(text);
}

std::optional<Number> asNumber(MacroInterpreter &in, Value value, const Form *at) {
  if (value.form && value.form->isNumber())
    if (std::optional<Number> number = parseNumber(value.form->text()))
      return number;
  in.fail("macro-shape", at,
          "a number is needed here, not " + (value.form ? "`" + value.form->str() + "`" : "a function"));
  return std::nullopt;
}

} // namespace

std::optional<int64_t> asInteger(MacroInterpreter &in, Value value, const Form *at) {
  std::optional<Number> number = asNumber(in, value, at);
  if (number && !number->exact) {
    in.fail("macro-shape", at, "an integer is needed here, not " + value.form->text());
    return std::nullopt;
  }
  return number ? std::optional<int64_t>(number->integer) : std::nullopt;
}

namespace {
template <typename Exact, typename Real>
Value foldNumbers(MacroInterpreter &in, Operands arguments, const Form *at, Number start, Exact exact, Real real) {
  for (Value argument : arguments) {
    std::optional<Number> next = asNumber(in, argument, at);
    if (!next)
      return {};
    int64_t result;
    if (start.exact && next->exact && !exact(start.integer, next->integer, result)) {
      start.integer = result;
      continue;
    }
    start = {false, 0, real(start.value(), next->value())};
    if (!std::isfinite(start.real))
      return in.fail("macro-shape", at, "the result is no finite number");
  }
  return makeNumber(in, start);
}

Value add(MacroInterpreter &in, Operands arguments, const Form *at) {
  return foldNumbers(in, arguments, at, {}, AddOverflow<int64_t>, [](double a, double b) { return a + b; });
}
Value multiply(MacroInterpreter &in, Operands arguments, const Form *at) {
  return foldNumbers(in, arguments, at, {true, 1, 0}, MulOverflow<int64_t>, [](double a, double b) { return a * b; });
}
Value subtract(MacroInterpreter &in, Operands arguments, const Form *at) {
  std::optional<Number> first = asNumber(in, arguments[0], at);
  if (!first)
    return {};
  bool negates = arguments.size() == 1;
  return foldNumbers(in, negates ? arguments : arguments.drop_front(), at, negates ? Number() : *first,
                     SubOverflow<int64_t>, [](double a, double b) { return a - b; });
}
/// Division: an integer if the remainder is 0, else a double.
Value divide(MacroInterpreter &in, Operands arguments, const Form *at) {
  std::optional<Number> first = asNumber(in, arguments[0], at);
  if (!first)
    return {};
  auto exact = [](int64_t a, int64_t b, int64_t &result) {
    if (b == 0 || b == -1 || a % b)
      return true;
    result = a / b;
    return false;
  };
  return foldNumbers(in, arguments.drop_front(), at, *first, exact, [](double a, double b) { return a / b; });
}
/// The remainder that has the sign of the divisor.
Value mod(MacroInterpreter &in, Operands arguments, const Form *at) {
  std::optional<int64_t> a = asInteger(in, arguments[0], at);
  std::optional<int64_t> b = a ? asInteger(in, arguments[1], at) : std::nullopt;
  if (!b)
    return {};
  if (*b == 0)
    return in.fail("macro-shape", at, "`mod` by zero");
  int64_t rest = *b == -1 ? 0 : *a % *b;
  return makeNumber(in, {true, rest && (rest < 0) != (*b < 0) ? rest + *b : rest, 0});
}

/// Quotient rounded towards negative infinity, so that a = b (quotient a b) + (mod a b).
Value quotient(MacroInterpreter &in, Operands arguments, const Form *at) {
  std::optional<int64_t> a = asInteger(in, arguments[0], at);
  std::optional<int64_t> b = a ? asInteger(in, arguments[1], at) : std::nullopt;
  if (!b)
    return {};
  if (*b == 0)
    return in.fail("macro-shape", at, "`quotient` by zero");
  if (*b == -1)
    return *a == INT64_MIN ? in.fail("macro-shape", at, "the quotient does not fit 64 bits")
                           : Value(makeNumber(in, {true, -*a, 0}));
  return makeNumber(in, {true, *a / *b - (*a % *b != 0 && (*a < 0) != (*b < 0)), 0});
}

template <typename Compare> Value compare(MacroInterpreter &in, Operands arguments, const Form *at, Compare holds) {
  std::optional<Number> left = asNumber(in, arguments[0], at);
  for (size_t i = 1; left && i < arguments.size(); ++i) {
    std::optional<Number> right = asNumber(in, arguments[i], at);
    if (!right)
      return {};
    bool ordered =
        left->exact && right->exact ? holds(left->integer, right->integer) : holds(left->value(), right->value());
    if (!ordered)
      return in.boolean(false);
    left = right;
  }
  return left ? Value(in.boolean(true)) : Value();
}
Value less(MacroInterpreter &in, Operands a, const Form *at) {
  return compare(in, a, at, [](auto x, auto y) { return x < y; });
}
Value greater(MacroInterpreter &in, Operands a, const Form *at) {
  return compare(in, a, at, [](auto x, auto y) { return x > y; });
}
Value lessEqual(MacroInterpreter &in, Operands a, const Form *at) {
  return compare(in, a, at, [](auto x, auto y) { return x <= y; });
}
Value greaterEqual(MacroInterpreter &in, Operands a, const Form *at) {
  return compare(in, a, at, [](auto x, auto y) { return x >= y; });
}

bool same(Value a, Value b) {
  if (!a.form || !b.form)
    return a.function == b.function;
  if (a.form->isNumber() && b.form->isNumber()) {
    std::optional<Number> x = parseNumber(a.form->text()), y = parseNumber(b.form->text());
    if (x && y)
      return x->exact && y->exact ? x->integer == y->integer : x->value() == y->value();
  }
  return equal(a.form, b.form);
}
Value isEqual(MacroInterpreter &in, Operands arguments, const Form *at) {
  for (Value other : arguments.drop_front())
    if (!same(arguments[0], other))
      return in.boolean(false);
  return in.boolean(true);
}
/// (read-number "32"): the number that the text is; nil if it is none.
Value readNumber(MacroInterpreter &in, Operands arguments, const Form *at) {
  const Form *text = arguments[0].form;
  if (!text || !text->isString())
    return in.fail("macro-shape", at,
                   "a string is needed here, not " + (text ? "`" + text->str() + "`" : "a function"));
  std::optional<Number> number = parseNumber(text->text());
  return number ? Value(makeNumber(in, *number)) : in.nil();
}
Value isNot(MacroInterpreter &in, Operands arguments, const Form *at) { return in.boolean(!arguments[0].truthy()); }

constexpr Native kNumberFunctions[] = {
    {"=", 1, kAnyCount, isEqual},
    {"not", 1, 1, isNot},
    {"<", 1, kAnyCount, less},
    {">", 1, kAnyCount, greater},
    {"<=", 1, kAnyCount, lessEqual},
    {">=", 1, kAnyCount, greaterEqual},
    {"+", 0, kAnyCount, add},
    {"-", 1, kAnyCount, subtract},
    {"*", 0, kAnyCount, multiply},
    {"/", 2, kAnyCount, divide},
    {"mod", 2, 2, mod},
    {"quotient", 2, 2, quotient},
    {"read-number", 1, 1, readNumber},
};
} // namespace

ArrayRef<Native> macroNumberFunctions() { return kNumberFunctions; }
} // namespace lispier
