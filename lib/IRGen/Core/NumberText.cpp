//===- NumberText.cpp - the exact value of a number's spelling ------------===//
#include "NumberText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace lispier {
bool isSpecialFloat(StringRef text) { return text == "+inf" || text == "-inf" || text == "inf" || text == "nan"; }

std::optional<APInt> exactInteger(StringRef text) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  StringRef rest = digits;
  bool negative = rest.consume_front("-");
  if (!negative)
    rest.consume_front("+");
  unsigned radix = 10;
  if (rest.consume_front("0x") || rest.consume_front("0X"))
    radix = 16;
  else if (rest.consume_front("0b") || rest.consume_front("0B"))
    radix = 2;
  APInt value;
  if (rest.empty() || rest.getAsInteger(radix, value))
    return std::nullopt;
  value = value.zext(value.getBitWidth() + 1);
  if (negative)
    value.negate();
  return value;
}

unsigned bitsOf(const APInt &value) { return value.isNegative() ? value.getSignificantBits() : value.getActiveBits(); }

std::optional<APFloat> exactFloat(StringRef text, const fltSemantics &semantics) {
  if (text == "nan")
    return APFloat::getNaN(semantics);
  if (isSpecialFloat(text))
    return APFloat::getInf(semantics, text.starts_with("-"));
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  if (std::optional<APInt> integer = exactInteger(text)) {
    APFloat value(semantics);
    value.convertFromAPInt(*integer, /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return value;
  }
  APFloat value(semantics);
  auto status = value.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return std::nullopt;
  }
  return value;
}

bool isWhole(const APFloat &real) { return real.isInteger() && std::abs(real.convertToDouble()) < 9.0e15; }
} // namespace lispier
