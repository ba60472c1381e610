//===- JinjaLexer.h - the tokens of a block of a template ------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_JINJALEXER_H
#define LISPIER_LIB_CHECKPOINT_JINJALEXER_H

#include "Jinja.h"

namespace lispier::jinja {
struct Token {
  enum Kind { Name, Text, Integer, Float, Operator, End } kind;
  size_t offset;
  std::string text;
};

/// Splits the inside of {{ }} or {% %} into tokens, up to the closing mark.
class Lexer {
public:
  Lexer(std::string_view source, size_t at) : source(source), at(at) {}

  std::vector<Token> tokens(std::string_view closing);
  /// Where the closing mark is.
  size_t position() const { return at; }

private:
  Token next();
  Token number();
  Token string(char quote);
  /// Appends what the escape after a backslash stands for, as in Python.
  void escape(std::string &text);

  std::string_view source;
  size_t at;
};

inline bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
} // namespace lispier::jinja
#endif
