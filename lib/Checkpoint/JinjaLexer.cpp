//===- JinjaLexer.cpp - the tokens of a block of a template ---------------===//
#include "JinjaLexer.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <cctype>
#include <charconv>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr size_t kMostTokens = 2000; ///< Of a block: bounds the recursion on chains of operators.

bool isNameCharacter(char c) { return std::isalnum(static_cast<uint8_t>(c)) || c == '_'; }
} // namespace

std::vector<Token> Lexer::tokens(std::string_view closing) {
  std::vector<Token> result;
  int open = 0; // A closing mark within brackets is not one: {{ {'a': {}} }}.
  for (;;) {
    while (at < source.size() && isSpace(source[at]))
      ++at;
    if (at == source.size())
      throw Error{at, "the template ends before '" + std::string(closing) + "'"};
    std::string_view rest = source.substr(at);
    if (open == 0 &&
        (rest.starts_with(closing) || ((rest[0] == '-' || rest[0] == '+') && rest.substr(1).starts_with(closing)))) {
      result.push_back({Token::End, at, ""});
      return result;
    }
    if (result.size() == kMostTokens)
      throw Error{at, "a block of more than " + std::to_string(kMostTokens) + " tokens"};
    result.push_back(next());
    const std::string &text = result.back().text;
    if (result.back().kind == Token::Operator)
      open += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
    open = std::max(open, 0);
  }
}

Token Lexer::next() {
  size_t begin = at;
  char c = source[at];
  if (std::isdigit(static_cast<uint8_t>(c)))
    return number();
  if (c == '\'' || c == '"')
    return string(c);
  if (isNameCharacter(c)) {
    while (at < source.size() && isNameCharacter(source[at]))
      ++at;
    return {Token::Name, begin, std::string(source.substr(begin, at - begin))};
  }
  for (std::string_view two : {"//", "**", "==", "!=", "<=", ">="})
    if (source.substr(at).starts_with(two)) {
      at += 2;
      return {Token::Operator, begin, std::string(two)};
    }
  if (std::string_view("+-*/%~<>=.,:|()[]{}").find(c) == std::string_view::npos)
    throw Error{at, "a character that no expression has"};
  ++at;
  return {Token::Operator, begin, std::string(1, c)};
}

Token Lexer::number() {
  size_t begin = at;
  auto digits = [&] {
    while (at < source.size() && std::isdigit(static_cast<uint8_t>(source[at])))
      ++at;
  };
  digits();
  auto digitAt = [&](size_t place) {
    return place < source.size() && std::isdigit(static_cast<uint8_t>(source[place]));
  };
  bool isFloat = at < source.size() && source[at] == '.' && digitAt(at + 1);
  if (isFloat) {
    ++at;
    digits();
  }
  if (at < source.size() && (source[at] == 'e' || source[at] == 'E')) {
    size_t sign = at + 1 < source.size() && (source[at + 1] == '-' || source[at + 1] == '+');
    if (digitAt(at + 1 + sign)) {
      isFloat = true;
      at += 1 + sign;
      digits();
    }
  }
  return {isFloat ? Token::Float : Token::Integer, begin, std::string(source.substr(begin, at - begin))};
}

Token Lexer::string(char quote) {
  Token token{Token::Text, at++, ""};
  for (; at < source.size() && source[at] != quote; ++at) {
    if (source[at] != '\\') {
      token.text += source[at];
      continue;
    }
    if (++at == source.size())
      break;
    escape(token.text);
  }
  if (at >= source.size())
    throw Error{token.offset, "a string without its closing quote"};
  ++at;
  return token;
}

void Lexer::escape(std::string &text) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeant = "\a\b\f\n\r\t\v\\'\"", kCodes = "xuU";
  static constexpr size_t kDigits[] = {2, 4, 8};
  char c = source[at];
  if (size_t known = kLetters.find(c); known != std::string_view::npos) {
    text += kMeant[known];
    return;
  }
  size_t kind = kCodes.find(c);
  if (kind == std::string_view::npos) { // Stays as it is; but octal numbers do not.
    if (std::isdigit(static_cast<uint8_t>(c)))
      throw Error{at - 1, "the escape \\" + std::string(1, c) + " is not supported"};
    text += std::string("\\") + (c == '\n' ? "" : std::string(1, c));
    if (c == '\n')
      text.pop_back();
    return;
  }
  std::string_view digits = source.substr(at + 1, kDigits[kind]);
  uint32_t code = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr != digits.data() + kDigits[kind] ||
      code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    throw Error{at - 1, "an escape that is no character"};
  appendUtf8(code, text);
  at += kDigits[kind];
}
