//===- PreTokenizer.cpp - split text into pieces --------------------------===//
#include "lispier/Checkpoint/PreTokenizer.h"
#include "ByteAlphabet.h"
#include "lispier/Checkpoint/Normalizer.h"
#include "lispier/Checkpoint/Utf8.h"

using namespace lispier;
using Behavior = PreTokenizer::Behavior;

namespace {
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

/// Appends the pieces of one piece, given its matches and the text between them in turn.
class Cutter {
public:
  Cutter(Behavior behavior, std::vector<std::string> &out) : behavior(behavior), out(out) {}

  void add(std::string_view part, bool matched) {
    bool joins = !isFirst && (behavior == Behavior::Contiguous           ? matched == lastMatched
                              : behavior == Behavior::MergedWithPrevious ? matched && !lastMatched
                              : behavior == Behavior::MergedWithNext     ? !matched && lastMatched
                                                                         : false);
    if (joins)
      out.back() += part;
    else if (behavior != Behavior::Removed || !matched)
      out.emplace_back(part);
    isFirst = false;
    lastMatched = matched;
  }

private:
  Behavior behavior;
  std::vector<std::string> &out;
  bool isFirst = true, lastMatched = false;
};
} // namespace

Result<PreTokenizer> PreTokenizer::compile(std::string_view pattern) {
  auto compiled = Pattern::compile(pattern);
  if (!compiled)
    return compiled.failure();
  PreTokenizer preTokenizer;
  preTokenizer.add(std::move(*compiled), Behavior::Isolated, /*inverted=*/false);
  return preTokenizer;
}

void PreTokenizer::add(Pattern pattern, Behavior behavior, bool inverted) {
  steps.push_back(Split{std::move(pattern), behavior, inverted});
}

void PreTokenizer::addMarks(std::string mark, Prefix prefix) { steps.push_back(Marks{" ", std::move(mark), prefix}); }
void PreTokenizer::addSpace() { steps.push_back(Marks{" ", " ", Prefix::Always}); }

void PreTokenizer::cut(const Split &split, bool isUtf8, Pieces &pieces) {
  Pattern::Search search(split.pattern);
  Pieces all;
  for (const std::string &piece : pieces) {
    std::string replaced = isUtf8 ? std::string() : sanitised(piece);
    const std::string &clean = isUtf8 ? piece : replaced;
    Cutter cutter(split.behavior, all);
    for (size_t at = 0, begin, end; at < piece.size(); at = end) {
      // If nothing is found, the rest is one piece, so that decoding still restores the text.
      if (!search.find(clean, at, begin, end))
        begin = end = piece.size();
      if (begin > at)
        cutter.add(std::string_view(piece).substr(at, begin - at), split.inverted);
      if (end > begin)
        cutter.add(std::string_view(piece).substr(begin, end - begin), !split.inverted);
    }
  }
  pieces.swap(all);
}

void PreTokenizer::change(const Marks &marks, bool atStart, Pieces &pieces) {
  for (std::string &piece : pieces) {
    piece = Replacement{marks.from, marks.mark, nullptr}(piece);
    bool wanted = marks.prefix == Prefix::Always || (marks.prefix == Prefix::AtStart && atStart);
    if (wanted && !piece.starts_with(marks.mark))
      piece.insert(0, marks.mark);
    atStart = false;
  }
}

std::vector<std::string> PreTokenizer::split(std::string_view text, bool atStart) const {
  static const ByteAlphabet alphabet;
  bool isUtf8 = true;
  for (size_t at = 0; at < text.size() && isUtf8;) {
    Utf8Step step = nextUtf8(text.substr(at));
    isUtf8 = step.kind == Utf8Step::Character;
    at += step.length;
  }
  Pieces pieces;
  if (!text.empty())
    pieces.emplace_back(text);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i == spelling)
      for (std::string &piece : pieces)
        piece = alphabet.encode(piece);
    if (auto *split = std::get_if<Split>(&steps[i]))
      cut(*split, isUtf8, pieces);
    else
      change(std::get<Marks>(steps[i]), atStart, pieces);
  }
  if (spelling < steps.size())
    for (std::string &piece : pieces)
      piece = alphabet.decode(piece).value_or(piece);
  return pieces;
}
