//===- Normalizer.cpp - what a tokenizer makes of text first --------------===//
#include "lispier/Checkpoint/Normalizer.h"
#include "lispier/Checkpoint/CharacterMap.h"
#include "lispier/Checkpoint/Utf8.h"

using namespace lispier;

namespace {
/// Applies one step of each kind.
struct StepOf {
  std::string operator()(UnicodeForm form) const { return toForm(text, form); }
  std::string operator()(Normalizer::Lowercase) const { return toLowercase(text); }
  std::string operator()(const Replacement &replacement) const { return replacement(text); }
  std::string operator()(const std::shared_ptr<const CharacterMap> &map) const { return (*map)(text); }
  std::string operator()(const Normalizer::Spaced &spaced) const {
    if (!spaced.pattern)
      return std::string(text);
    std::string result;
    Pattern::Search search(*spaced.pattern);
    size_t done = 0;
    for (size_t begin, end; search.find(text, done, begin, end); done = end)
      result.append(text.substr(done, begin - done)).append(" ").append(text.substr(begin, end - begin)).append(" ");
    return result.append(text.substr(done));
  }
  std::string operator()(const Normalizer::Prepend &prefix) const {
    return text.empty() ? "" : prefix.text + std::string(text);
  }
  std::string operator()(Normalizer::Strip strip) const {
    size_t begin = text.size(), end = 0; // Of what is kept.
    for (size_t at = 0, length; at < text.size(); at += length) {
      length = nextUtf8(text.substr(at)).length;
      if (isWhiteSpace(codePoint(text.substr(at, length))))
        continue;
      begin = std::min(begin, at);
      end = at + length;
    }
    begin = strip.left ? begin : 0;
    end = strip.right ? end : text.size();
    return begin < end ? std::string(text.substr(begin, end - begin)) : "";
  }

  std::string_view text;
};
} // namespace

std::string Replacement::operator()(std::string_view text) const {
  std::string result;
  if (pattern) {
    Pattern::Search search(*pattern);
    size_t done = 0;
    for (size_t begin, end; search.find(text, done, begin, end); done = end)
      result.append(text.substr(done, begin - done)).append(to);
    return result.append(text.substr(done));
  }
  if (from.empty()) // As after an error in the file.
    return std::string(text);
  for (size_t found; (found = text.find(from)) != std::string::npos; text.remove_prefix(found + from.size()))
    result.append(text.substr(0, found)).append(to);
  return result.append(text);
}

std::string Normalizer::operator()(std::string_view text) const {
  std::string result(text);
  for (const Step &step : steps)
    result = std::visit(StepOf{result}, step);
  return result;
}
