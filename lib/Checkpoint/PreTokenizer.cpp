//===- PreTokenizer.cpp - split text by a regular expression --------------===//
#define PCRE2_CODE_UNIT_WIDTH 8
#include "lispier/Checkpoint/PreTokenizer.h"
#include "lispier/Checkpoint/Utf8.h"
#include <pcre2.h>

using namespace lispier;

namespace {
/// Unicode's White_Space as the contents of a character class. PCRE2's \s also matches U+180E.
constexpr const char *kSpace = "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{"
                               "2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}"
                               "\\x{205F}\\x{3000}";

/// Replaces \s and \S in the pattern. Fails for \S in a class, which would need the complement.
Result<std::string> spellSpaces(std::string_view pattern) {
  std::string result;
  bool inClass = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    char c = pattern[at];
    if (c != '\\' || at + 1 == pattern.size()) {
      inClass = c == '[' || (inClass && c != ']');
      result += c;
      continue;
    }
    char escaped = pattern[++at];
    if (escaped == 's')
      result += inClass ? std::string(kSpace) : "[" + std::string(kSpace) + "]";
    else if (escaped == 'S' && inClass)
      return Failure{"the tokenizer's pattern has \\S in a class, which is not "
                     "supported: " +
                     std::string(pattern)};
    else if (escaped == 'S')
      result += "[^" + std::string(kSpace) + "]";
    else
      result += {'\\', escaped};
  }
  return result;
}

/// Replaces each byte that is not UTF-8 by U+0001, which is neither letter, number nor space and has one byte, so that
/// positions do not change.
std::string sanitised(std::string_view text) {
  std::string clean(text);
  for (size_t at = 0; at < text.size();) {
    Utf8Step step = nextUtf8(text.substr(at));
    if (step.kind != Utf8Step::Character)
      for (size_t i = 0; i < step.length; ++i)
        clean[at + i] = '\x01';
    at += step.length;
  }
  return clean;
}
} // namespace

void PreTokenizer::Release::operator()(void *compiled) const { pcre2_code_free(static_cast<pcre2_code *>(compiled)); }

Result<PreTokenizer> PreTokenizer::compile(std::string_view pattern) {
  auto spelled = spellSpaces(pattern);
  if (!spelled)
    return spelled.failure();
  int error;
  PCRE2_SIZE offset;
  pcre2_code *compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled->data()), spelled->size(),
                                       PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (!compiled) {
    PCRE2_UCHAR reason[128];
    pcre2_get_error_message(error, reason, sizeof reason);
    return Failure{"the tokenizer's pattern does not compile, " + std::string(reinterpret_cast<char *>(reason)) + ": " +
                   std::string(pattern)};
  }
  PreTokenizer preTokenizer;
  preTokenizer.code.reset(compiled);
  return preTokenizer;
}

std::vector<size_t> PreTokenizer::split(std::string_view text) const {
  std::string clean = sanitised(text);
  auto *subject = reinterpret_cast<PCRE2_SPTR>(clean.data());
  auto *compiled = static_cast<pcre2_code *>(code.get());
  pcre2_match_data *match = pcre2_match_data_create_from_pattern(compiled, nullptr);
  std::vector<size_t> pieces;
  for (size_t at = 0; at < clean.size();) {
    size_t begin = clean.size(), end = clean.size();
    int count =
        match ? pcre2_match(compiled, subject, clean.size(), at, PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, match, nullptr)
              : PCRE2_ERROR_NOMEMORY;
    // If there is no match, or no memory to search, the rest is one piece, so that decoding still restores the text.
    if (count > 0) {
      begin = pcre2_get_ovector_pointer(match)[0];
      end = pcre2_get_ovector_pointer(match)[1];
    }
    if (begin > at)
      pieces.push_back(begin - at);
    if (end > begin)
      pieces.push_back(end - begin);
    at = end;
  }
  pcre2_match_data_free(match);
  return pieces;
}
