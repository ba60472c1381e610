//===- FoldedNumbers.cpp - arithmetic of numbers while compiling ----------===//
#include "FoldedNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace lispier {
namespace {
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double negative(double x) { return -x; }

using RealFunction = double (*)(double);
/// The function of one number that a form computes; null for other forms.
RealFunction functionOf(StringRef head) {
  return StringSwitch<RealFunction>(head)
      .Case("exp", std::exp)
      .Case("log", std::log)
      .Case("sqrt", std::sqrt)
      .Case("rsqrt", reciprocalRoot)
      .Case("sin", std::sin)
      .Case("cos", std::cos)
      .Case("tanh", std::tanh)
      .Case("erf", std::erf)
      .Case("sigmoid", logistic)
      .Case("floor", std::floor)
      .Case("ceil", std::ceil)
      .Case("abs", std::fabs)
      .Case("neg", negative)
      .Default(nullptr);
}
} // namespace

bool isArithmetic(StringRef head) {
  return is_contained({"+", "-", "*", "/", "%", "min", "max", "pow"}, head) || functionOf(head);
}

std::optional<int64_t> foldedIntegers(StringRef head, ArrayRef<int64_t> numbers) {
  int64_t result = numbers[0];
  bool isNegated = numbers.size() == 1 && (head == "-" || head == "neg" || (head == "abs" && result < 0));
  if (isNegated)
    return result == INT64_MIN ? std::nullopt : std::optional(-result);
  if (head == "abs" && numbers.size() == 1)
    return result;
  for (int64_t number : numbers.drop_front()) {
    bool overflows = false;
    if (head == "+")
      overflows = AddOverflow(result, number, result);
    else if (head == "-")
      overflows = SubOverflow(result, number, result);
    else if (head == "*")
      overflows = MulOverflow(result, number, result);
    else if ((head == "/" || head == "%") && number != 0 && number != -1)
      result = head == "/" ? result / number : result % number;
    else if (head == "min")
      result = std::min(result, number);
    else if (head == "max")
      result = std::max(result, number);
    else
      return std::nullopt;
    if (overflows)
      return std::nullopt;
  }
  return result;
}

std::optional<double> foldedReals(StringRef head, ArrayRef<double> numbers) {
  if (RealFunction function = functionOf(head))
    return numbers.size() == 1 ? std::optional(function(numbers[0])) : std::nullopt;
  if (numbers.empty() || !isArithmetic(head))
    return std::nullopt;
  double result = numbers[0];
  if (head == "-" && numbers.size() == 1)
    return -result;
  for (double number : numbers.drop_front())
    result = head == "+"     ? result + number
             : head == "-"   ? result - number
             : head == "*"   ? result * number
             : head == "/"   ? result / number
             : head == "%"   ? std::fmod(result, number)
             : head == "min" ? std::fmin(result, number)
             : head == "max" ? std::fmax(result, number)
                             : std::pow(result, number);
  return result;
}
} // namespace lispier
