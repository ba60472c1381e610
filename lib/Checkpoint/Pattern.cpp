//===- Pattern.cpp - a regular expression over UTF-8 ----------------------===//
#define PCRE2_CODE_UNIT_WIDTH 8
#include "lispier/Checkpoint/Pattern.h"
#include "lispier/Checkpoint/Quoted.h"
#include <cstring>
#include <pcre2.h>

using namespace lispier;

namespace {
/// Unicode's White_Space as the contents of a character class. PCRE2's \s also matches U+180E.
constexpr const char *kSpace = "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{"
                               "2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}"
                               "\\x{205F}\\x{3000}";
/// Letters whose escapes mean the same in Oniguruma and, with PCRE2_UCP, in PCRE2.
constexpr const char *kSharedEscapes = "pPrntfxdD";

bool isAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Bytes of a pattern that a message shows: those of models have some hundred.
constexpr size_t kShownPattern = 400;

/// Spells an escape for PCRE2; `escaped` is the character after the backslash.
Result<std::string> spellEscape(char escaped, bool inClass, std::string_view pattern) {
  std::string space(kSpace);
  if (escaped == 's')
    return inClass ? space : "[" + space + "]";
  if (escaped == 'S' && !inClass)
    return "[^" + space + "]";
  if (escaped == 'S')
    return Failure{"the tokenizer's pattern has \\S in a class, which is not supported: " +
                   shown(pattern, kShownPattern)};
  if (isAlphanumeric(escaped) && !std::strchr(kSharedEscapes, escaped))
    return Failure{"the tokenizer's pattern has \\" + std::string(1, escaped) +
                   ", which is not supported: " + shown(pattern, kShownPattern)};
  return std::string{'\\', escaped};
}

/// Rewrites the pattern for PCRE2.
Result<std::string> spell(std::string_view pattern) {
  std::string result;
  bool inClass = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      auto escape = spellEscape(pattern[++at], inClass, pattern);
      if (!escape)
        return escape.failure();
      result += *escape;
      continue;
    }
    if (inClass && (c == '[' || pattern.substr(at).starts_with("&&")))
      return Failure{"the tokenizer's pattern has a class within a class, which is not supported: " +
                     shown(pattern, kShownPattern)};
    inClass = c == '[' || (inClass && c != ']');
    result += c;
  }
  return result;
}
} // namespace

void Pattern::Release::operator()(void *compiled) const { pcre2_code_free(static_cast<pcre2_code *>(compiled)); }

Result<Pattern> Pattern::compile(std::string_view pattern) {
  auto spelled = spell(pattern);
  return spelled ? compileSpelled(*spelled, pattern) : spelled.failure();
}

Result<Pattern> Pattern::clusters() { return compileSpelled("\\X", "\\X"); }

Result<Pattern> Pattern::compileSpelled(const std::string &spelled, std::string_view pattern) {
  int error;
  PCRE2_SIZE offset;
  pcre2_code *compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
                                       PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (!compiled) {
    PCRE2_UCHAR reason[128];
    pcre2_get_error_message(error, reason, sizeof reason);
    return Failure{"the tokenizer's pattern does not compile, " + std::string(reinterpret_cast<char *>(reason)) + ": " +
                   shown(pattern, kShownPattern)};
  }
  Pattern result;
  result.code.reset(compiled);
  return result;
}

Result<Pattern> Pattern::literal(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (static_cast<signed char>(c) >= 0 && !isAlphanumeric(c))
      escaped += '\\';
    escaped += c;
  }
  return compile(escaped);
}

bool Pattern::matchesNothing() const {
  Search search(*this);
  auto *data = static_cast<pcre2_match_data *>(search.match.get());
  return data && pcre2_match(static_cast<pcre2_code *>(code.get()), reinterpret_cast<PCRE2_SPTR>(""), 0, 0, 0, data,
                             nullptr) > 0;
}

Pattern::Search::Search(const Pattern &pattern)
    : pattern(pattern),
      match(pcre2_match_data_create_from_pattern(static_cast<pcre2_code *>(pattern.code.get()), nullptr)) {}

void Pattern::Search::Release::operator()(void *match) const {
  pcre2_match_data_free(static_cast<pcre2_match_data *>(match));
}

bool Pattern::Search::find(std::string_view text, size_t at, size_t &begin, size_t &end) {
  auto *data = static_cast<pcre2_match_data *>(match.get());
  if (!data || pcre2_match(static_cast<pcre2_code *>(pattern.code.get()), reinterpret_cast<PCRE2_SPTR>(text.data()),
                           text.size(), at, PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, data, nullptr) <= 0)
    return false;
  begin = pcre2_get_ovector_pointer(data)[0];
  end = pcre2_get_ovector_pointer(data)[1];
  return true;
}
