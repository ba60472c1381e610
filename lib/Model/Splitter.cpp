//===- Splitter.cpp - GPT-2's pre-tokenisation -----------------------------===//
#define PCRE2_CODE_UNIT_WIDTH 8
#include "lispier/Model/Tokenizer.h"
#include "lispier/Model/Utf8.h"
#include <pcre2.h>

using namespace lispier;

// White space is spelled out: it is Unicode's property White_Space, and PCRE2's \s has U+180E besides.
#define SPACE "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
static constexpr char kPattern[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" SPACE "\\p{L}\\p{N}]+"
                                   "|[" SPACE "]+(?![^" SPACE "])|[" SPACE "]+";
#undef SPACE

void Splitter::Release::operator()(void *compiled) const { pcre2_code_free(static_cast<pcre2_code *>(compiled)); }

Result<Splitter> Splitter::compile() {
  int error;
  PCRE2_SIZE offset;
  pcre2_code *compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPattern), sizeof kPattern - 1,
                                       PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (!compiled)
    return Failure{"PCRE2 does not compile the tokenizer's pattern (error " + std::to_string(error) + " at " +
                   std::to_string(offset) + "); it must be built with Unicode"};
  Splitter splitter;
  splitter.code.reset(compiled);
  return splitter;
}

/// The text with each byte that is not UTF-8 replaced by U+0001, which is neither letter, number nor space
/// and one byte long, so that positions stay.
static std::string sanitised(std::string_view text) {
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

std::vector<size_t> Splitter::split(std::string_view text) const {
  std::string clean = sanitised(text);
  auto *subject = reinterpret_cast<PCRE2_SPTR>(clean.data());
  auto *compiled = static_cast<pcre2_code *>(code.get());
  pcre2_match_data *match = pcre2_match_data_create_from_pattern(compiled, nullptr);
  std::vector<size_t> pieces;
  for (size_t at = 0; at < clean.size();) {
    size_t length = clean.size() - at;
    int count =
        match ? pcre2_match(compiled, subject, clean.size(), at, PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, match, nullptr)
              : PCRE2_ERROR_NOMEMORY;
    // Every character is in some class, so only a lack of memory ends here: the rest is then one piece, and
    // decoding still gives the text back.
    if (count > 0)
      length = pcre2_get_ovector_pointer(match)[1] - at;
    pieces.push_back(length);
    at += length;
  }
  pcre2_match_data_free(match);
  return pieces;
}
