//===- JinjaExpressions.cpp - expressions of templates --------------------===//
#include "JinjaExpressions.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace lispier;
using namespace lispier::jinja;

/// Bounds the recursion on hostile templates.
static constexpr int kMostNestedExpressions = 100;

struct ExpressionParser::Depth {
  explicit Depth(ExpressionParser &parser) : parser(parser) {
    if (++parser.nested > kMostNestedExpressions)
      throw Error{parser.peek().offset, "the expression is nested too deeply"};
  }
  ~Depth() { --parser.nested; }
  ExpressionParser &parser;
};

bool ExpressionParser::accept(std::string_view text) {
  bool found = isOperator(text) || isName(text);
  at += found;
  return found;
}

void ExpressionParser::expect(std::string_view text) {
  if (!accept(text))
    unexpected("'" + std::string(text) + "'");
}

void ExpressionParser::unexpected(const std::string &wanted) const {
  throw Error{peek().offset, (peek().kind == Token::End ? "the end of the block" : "'" + peek().text + "'") +
                                 std::string(" where ") + wanted + " is expected"};
}

std::string ExpressionParser::name() {
  if (peek().kind != Token::Name)
    unexpected("a name");
  return take().text;
}

void ExpressionParser::end() const {
  if (peek().kind != Token::End)
    unexpected("the end of the block");
}

ExpressionPtr ExpressionParser::expression() {
  Depth inner(*this);
  ExpressionPtr value = disjunction();
  while (isName("if")) {
    ExpressionPtr result = make(Expression::Conditional);
    take();
    result->parts.push_back(disjunction());
    result->parts.push_back(std::move(value));
    result->parts.push_back(accept("else") ? expression() : nullptr);
    value = std::move(result);
  }
  return value;
}

ExpressionPtr ExpressionParser::disjunction() {
  return binary(Expression::Or, {"or"},
                [this] { return binary(Expression::And, {"and"}, [this] { return negation(); }); });
}

ExpressionPtr ExpressionParser::tuple() {
  ExpressionPtr first = expression();
  if (!isOperator(","))
    return first;
  ExpressionPtr list = make(Expression::TupleOf);
  list->parts.push_back(std::move(first));
  while (accept(","))
    if (peek().kind != Token::End && !isOperator(")"))
      list->parts.push_back(expression());
  return list;
}

ExpressionPtr ExpressionParser::bodyFilters(bool named) {
  ExpressionPtr text = make(Expression::Name);
  text->name = kBodyText;
  return filters(std::move(text), named);
}

ExpressionPtr ExpressionParser::make(Expression::Kind kind) const {
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->offset = peek().offset;
  return result;
}

template <typename Operand>
ExpressionPtr ExpressionParser::binary(Expression::Kind kind, std::initializer_list<const char *> operators,
                                       Operand operand) {
  ExpressionPtr left = operand();
  for (;;) {
    auto found = std::find_if(operators.begin(), operators.end(),
                              [&](const char *text) { return isOperator(text) || isName(text); });
    if (found == operators.end())
      return left;
    ExpressionPtr result = make(kind);
    result->name = take().text;
    result->parts.push_back(std::move(left));
    result->parts.push_back(operand());
    left = std::move(result);
  }
}

ExpressionPtr ExpressionParser::negation() {
  Depth inner(*this);
  if (!isName("not"))
    return comparison();
  ExpressionPtr result = make(Expression::Not);
  take();
  result->parts.push_back(negation());
  return result;
}

ExpressionPtr ExpressionParser::comparisonOperator() {
  static constexpr const char *kOperators[] = {"==", "!=", "<", "<=", ">", ">="};
  bool isNotIn = isName("not") && at + 1 < tokens.size() && tokens[at + 1].text == "in";
  if (!isNotIn && !isName("in") &&
      std::none_of(std::begin(kOperators), std::end(kOperators), [&](auto *text) { return isOperator(text); }))
    return nullptr;
  ExpressionPtr result = make(Expression::Binary);
  result->name = take().text;
  if (isNotIn) {
    take();
    result->name = "not in";
  }
  return result;
}

ExpressionPtr ExpressionParser::comparison() {
  ExpressionPtr first = sum(), operation = comparisonOperator();
  if (!operation)
    return first;
  ExpressionPtr second = sum(), next = comparisonOperator();
  if (!next) {
    operation->parts.push_back(std::move(first));
    operation->parts.push_back(std::move(second));
    return operation;
  }
  ExpressionPtr chain = make(Expression::Chain);
  for (ExpressionPtr *part : {&first, &operation, &second})
    chain->parts.push_back(std::move(*part));
  for (; next; next = comparisonOperator()) {
    chain->parts.push_back(std::move(next));
    chain->parts.push_back(sum());
  }
  return chain;
}

ExpressionPtr ExpressionParser::sum() {
  return binary(Expression::Binary, {"+", "-"}, [this] {
    return binary(Expression::Binary, {"~"}, [this] {
      return binary(Expression::Binary, {"*", "/", "//", "%"}, [this] {
        return binary(Expression::Binary, {"**"}, [this] { return unary(/*withFilters=*/true); });
      });
    });
  });
}

ExpressionPtr ExpressionParser::unary(bool withFilters) {
  Depth inner(*this);
  ExpressionPtr value;
  if (isOperator("-")) {
    value = make(Expression::Negate);
    take();
    value->parts.push_back(unary(/*withFilters=*/false));
  } else if (accept("+")) {
    value = unary(/*withFilters=*/false);
  } else {
    value = postfix(primary());
  }
  return withFilters ? filters(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::primary() {
  Token token = peek();
  ExpressionPtr result = make(Expression::Constant);
  if (accept("(")) {
    result = isOperator(")") ? make(Expression::TupleOf) : tuple();
    expect(")");
  } else if (accept("[")) {
    result->kind = Expression::ListOf;
    while (!isOperator("]")) {
      result->parts.push_back(expression());
      if (!accept(","))
        break;
    }
    expect("]");
  } else if (accept("{")) {
    result->kind = Expression::MapOf;
    while (!isOperator("}")) {
      result->parts.push_back(expression());
      expect(":");
      result->parts.push_back(expression());
      if (!accept(","))
        break;
    }
    expect("}");
  } else if (token.kind == Token::Text) {
    while (peek().kind == Token::Text) // Adjacent strings are one.
      result->value = Value::of(result->value.text + take().text);
  } else if (token.kind == Token::Integer || token.kind == Token::Float) {
    take();
    result->value =
        token.kind == Token::Float ? Value::of(std::strtod(token.text.c_str(), nullptr)) : Value::of(integer(token));
  } else if (token.kind == Token::Name) {
    take();
    if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False") {
      result->value = Value::of(token.text[0] == 't' || token.text[0] == 'T');
    } else if (token.text == "none" || token.text == "None") {
      result->value = Value::none();
    } else {
      result->kind = Expression::Name;
      result->name = token.text;
    }
  } else {
    unexpected("a value");
  }
  return result;
}

int64_t ExpressionParser::integer(const Token &token) {
  int64_t value = 0;
  if (std::from_chars(token.text.data(), token.text.data() + token.text.size(), value).ec != std::errc())
    throw Error{token.offset, "an integer that is too large"};
  return value;
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr value) {
  for (;;) {
    ExpressionPtr outer = make(Expression::Attribute);
    if (accept(".")) {
      outer->name = name();
    } else if (isOperator("[")) {
      subscript(*outer);
    } else if (isOperator("(")) {
      outer->kind = Expression::Call;
    } else {
      return value;
    }
    outer->parts.insert(outer->parts.begin(), std::move(value));
    if (outer->kind == Expression::Call)
      arguments(*outer);
    value = std::move(outer);
  }
}

void ExpressionParser::subscript(Expression &outer) {
  expect("[");
  auto part = [&] { return isOperator(":") || isOperator("]") ? nullptr : expression(); };
  outer.kind = Expression::Item;
  outer.parts.push_back(part());
  if (isOperator(":")) {
    outer.kind = Expression::Slice;
    for (int i = 0; i < 2; ++i)
      outer.parts.push_back(accept(":") ? part() : nullptr);
  } else if (!outer.parts[0]) {
    unexpected("an index");
  }
  expect("]");
}

void ExpressionParser::arguments(Expression &call) {
  expect("(");
  while (!isOperator(")")) {
    if (peek().kind == Token::Name && at + 1 < tokens.size() && tokens[at + 1].kind == Token::Operator &&
        tokens[at + 1].text == "=") {
      std::string keyword = name();
      expect("=");
      call.keywords.emplace_back(keyword, expression());
    } else {
      call.parts.push_back(expression());
    }
    if (!accept(","))
      break;
  }
  expect(")");
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr value, bool named) {
  for (;;) {
    ExpressionPtr outer = make(Expression::Filter);
    bool negated = false;
    if (std::exchange(named, false) || accept("|")) {
      outer->name = name();
      if (!isFilter(outer->name))
        throw Error{outer->offset, "filter '" + outer->name + "' is not supported"};
    } else if (accept("is")) {
      outer->kind = Expression::Test;
      negated = accept("not");
      outer->name = name();
      if (!isTest(outer->name))
        throw Error{outer->offset, "test '" + outer->name + "' is not supported"};
    } else {
      return value;
    }
    outer->parts.push_back(std::move(value));
    if (isOperator("("))
      arguments(*outer);
    else if (outer->kind == Expression::Test && beginsArgument())
      outer->parts.push_back(postfix(primary())); // `is divisibleby 3`
    value = std::move(outer);
    if (negated) {
      ExpressionPtr result = make(Expression::Not);
      result->parts.push_back(std::move(value));
      value = std::move(result);
    }
  }
}

bool ExpressionParser::beginsArgument() const {
  static constexpr std::string_view kWords[] = {"else", "or", "and", "is", "if", "in", "not"};
  return peek().kind == Token::Text || peek().kind == Token::Integer || peek().kind == Token::Float ||
         isOperator("[") || isOperator("{") ||
         (peek().kind == Token::Name &&
          std::find(std::begin(kWords), std::end(kWords), peek().text) == std::end(kWords));
}
