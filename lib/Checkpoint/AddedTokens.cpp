//===- AddedTokens.cpp - tokens that are found in text whole --------------===//
#include "lispier/Checkpoint/AddedTokens.h"
#include "lispier/Checkpoint/Utf8.h"

using namespace lispier;

namespace {
bool continues(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

/// The character that ends before byte `at`, which is not 0.
std::string_view characterBefore(std::string_view text, size_t at) {
  size_t begin = at - 1;
  while (begin && continues(text[begin]))
    --begin;
  return text.substr(begin, at - begin);
}

std::string_view characterAt(std::string_view text, size_t at) {
  return text.substr(at, nextUtf8(text.substr(at)).length);
}

/// Whether these bytes, which a character or an invalid part of a text is, are UTF-8.
bool isValid(std::string_view character) {
  Utf8Step step = nextUtf8(character);
  return step.kind == Utf8Step::Character && step.length == character.size();
}

bool isSpace(std::string_view character) { return isValid(character) && isWhiteSpace(codePoint(character)); }

/// A character of words as Unicode's regular expressions (UTS #18) define \w.
bool isWordCharacter(std::string_view character) {
  static const Result<Pattern> word = Pattern::compile(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}])");
  size_t begin, end;
  return word && isValid(character) && Pattern::Search(*word).find(character, 0, begin, end);
}
} // namespace

void AddedTokens::add(AddedToken token) {
  uint32_t node = 0;
  for (char c : token.content) {
    auto [child, isNew] = children.try_emplace(uint64_t(node) << 8 | static_cast<uint8_t>(c), uint32_t(ends.size()));
    if (isNew)
      ends.push_back(-1);
    node = child->second;
  }
  ends[node] = static_cast<int32_t>(tokens.size());
  starts[static_cast<uint8_t>(token.content[0])] = true;
  tokens.push_back(std::move(token));
}

const AddedToken *AddedTokens::longestAt(std::string_view input, size_t at) const {
  const AddedToken *longest = nullptr;
  uint32_t node = 0;
  for (; at < input.size(); ++at) {
    auto child = children.find(uint64_t(node) << 8 | static_cast<uint8_t>(input[at]));
    if (child == children.end())
      break;
    node = child->second;
    if (ends[node] >= 0)
      longest = &tokens[ends[node]];
  }
  return longest;
}

bool AddedTokens::standsAlone(std::string_view input, size_t begin, size_t end) {
  return (begin == 0 || !isWordCharacter(characterBefore(input, begin))) &&
         (end == input.size() || !isWordCharacter(characterAt(input, end)));
}

void AddedTokens::split(std::string_view input, const std::function<void(std::string_view)> &text,
                        const std::function<void(int32_t)> &token) const {
  size_t done = 0; // Bytes that have been handed out.
  for (size_t at = 0; at < input.size();) {
    const AddedToken *found = starts[static_cast<uint8_t>(input[at])] ? longestAt(input, at) : nullptr;
    if (!found) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + found->content.size();
    at = end;
    if (found->singleWord && !standsAlone(input, begin, end))
      continue;
    if (found->leftStrip)
      while (begin > done && isSpace(characterBefore(input, begin)))
        begin -= characterBefore(input, begin).size();
    if (found->rightStrip)
      while (end < input.size() && isSpace(characterAt(input, end)))
        end += characterAt(input, end).size();
    if (begin > done)
      text(input.substr(done, begin - done));
    token(found->id);
    at = done = end;
  }
  if (done < input.size())
    text(input.substr(done));
}
