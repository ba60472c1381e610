//===- PreTokenizer.cpp - split text into pieces --------------------------===//
#include "lispier/Checkpoint/PreTokenizer.h"
#include "lispier/Checkpoint/Utf8.h"

using namespace lispier;
using Behavior = PreTokenizer::Behavior;

namespace {
/// A range of bytes.
struct Span {
  size_t begin, end;
};

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
  Cutter(Behavior behavior, std::vector<Span> &out) : behavior(behavior), out(out) {}

  void add(Span span, bool matched) {
    bool joins = !isFirst && (behavior == Behavior::Contiguous           ? matched == lastMatched
                              : behavior == Behavior::MergedWithPrevious ? matched && !lastMatched
                              : behavior == Behavior::MergedWithNext     ? !matched && lastMatched
                                                                         : false);
    if (joins)
      out.back().end = span.end;
    else if (behavior != Behavior::Removed || !matched)
      out.push_back(span);
    isFirst = false;
    lastMatched = matched;
  }

private:
  Behavior behavior;
  std::vector<Span> &out;
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
  splits.push_back({std::move(pattern), behavior, inverted});
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  std::string clean = sanitised(text);
  std::vector<Span> pieces, cut;
  if (!text.empty())
    pieces.push_back({0, text.size()});
  for (const Split &split : splits) {
    Pattern::Search search(split.pattern);
    cut.clear();
    for (Span piece : pieces) {
      std::string_view whole(clean.data() + piece.begin, piece.end - piece.begin);
      Cutter cutter(split.behavior, cut);
      for (size_t at = 0, begin, end; at < whole.size(); at = end) {
        // If nothing is found, the rest is one piece, so that decoding still restores the text.
        if (!search.find(whole, at, begin, end))
          begin = end = whole.size();
        if (begin > at)
          cutter.add({piece.begin + at, piece.begin + begin}, split.inverted);
        if (end > begin)
          cutter.add({piece.begin + begin, piece.begin + end}, !split.inverted);
      }
    }
    pieces.swap(cut);
  }
  std::vector<std::string_view> result;
  result.reserve(pieces.size());
  for (Span piece : pieces)
    result.push_back(text.substr(piece.begin, piece.end - piece.begin));
  return result;
}
