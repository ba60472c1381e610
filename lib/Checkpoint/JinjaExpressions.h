//===- JinjaExpressions.h - expressions of templates -----------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_JINJAEXPRESSIONS_H
#define LISPIER_LIB_CHECKPOINT_JINJAEXPRESSIONS_H

#include "JinjaLexer.h"

namespace lispier::jinja {
/// Parses the expressions of one block; throws Error.
class ExpressionParser {
public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  const Token &peek() const { return tokens[at]; }
  Token take() { return tokens[at].kind == Token::End ? tokens[at] : tokens[at++]; }
  bool isOperator(std::string_view text) const { return peek().kind == Token::Operator && peek().text == text; }
  bool isName(std::string_view text) const { return peek().kind == Token::Name && peek().text == text; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  [[noreturn]] void unexpected(const std::string &wanted) const;
  std::string name();
  void end() const;

  ExpressionPtr expression();
  ExpressionPtr disjunction();
  /// `a, b` is a tuple; `a` alone is `a`.
  ExpressionPtr tuple();
  /// A block's text through the filters that follow; `named`: the first without `|`.
  ExpressionPtr bodyFilters(bool named);

private:
  struct Depth;
  ExpressionPtr make(Expression::Kind kind) const;
  template <typename Operand>
  ExpressionPtr binary(Expression::Kind kind, std::initializer_list<const char *> operators, Operand operand);
  ExpressionPtr negation();
  /// An operator that compares, without its operands; null if there is none here.
  ExpressionPtr comparisonOperator();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr unary(bool withFilters);
  ExpressionPtr primary();
  static int64_t integer(const Token &token);
  ExpressionPtr postfix(ExpressionPtr value);
  void subscript(Expression &outer);
  void arguments(Expression &call);
  ExpressionPtr filters(ExpressionPtr value, bool named = false);
  bool beginsArgument() const;

  std::vector<Token> tokens;
  size_t at = 0;
  int nested = 0;
};
} // namespace lispier::jinja
#endif
