//===- JinjaParser.cpp - text of a template to nodes ----------------------===//
#include "JinjaLexer.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr int kMostNested = 100; ///< Bounds the recursion on hostile templates.

bool isMark(std::string_view text) { return text == "{{" || text == "{%" || text == "{#"; }

/// Parses the expressions of one block.
class ExpressionParser {
public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  const Token &peek() const { return tokens[at]; }
  Token take() { return tokens[at].kind == Token::End ? tokens[at] : tokens[at++]; }
  bool isOperator(std::string_view text) const { return peek().kind == Token::Operator && peek().text == text; }
  bool isName(std::string_view text) const { return peek().kind == Token::Name && peek().text == text; }
  bool accept(std::string_view text) {
    bool found = isOperator(text) || isName(text);
    at += found;
    return found;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      unexpected("'" + std::string(text) + "'");
  }
  [[noreturn]] void unexpected(const std::string &wanted) const {
    throw Error{peek().offset, (peek().kind == Token::End ? "the end of the block" : "'" + peek().text + "'") +
                                   std::string(" where ") + wanted + " is expected"};
  }
  std::string name() {
    if (peek().kind != Token::Name)
      unexpected("a name");
    return take().text;
  }
  void end() const {
    if (peek().kind != Token::End)
      unexpected("the end of the block");
  }

  ExpressionPtr expression() {
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
  ExpressionPtr disjunction() {
    return binary(Expression::Or, {"or"},
                  [this] { return binary(Expression::And, {"and"}, [this] { return negation(); }); });
  }
  /// `a, b` is a tuple; `a` alone is `a`.
  ExpressionPtr tuple() {
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

private:
  struct Depth {
    explicit Depth(ExpressionParser &parser) : parser(parser) {
      if (++parser.nested > kMostNested)
        throw Error{parser.peek().offset, "the expression is nested too deeply"};
    }
    ~Depth() { --parser.nested; }
    ExpressionParser &parser;
  };

  ExpressionPtr make(Expression::Kind kind) const {
    auto result = std::make_unique<Expression>();
    result->kind = kind;
    result->offset = peek().offset;
    return result;
  }

  template <typename Operand>
  ExpressionPtr binary(Expression::Kind kind, std::initializer_list<const char *> operators, Operand operand) {
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

  ExpressionPtr negation() {
    Depth inner(*this);
    if (!isName("not"))
      return comparison();
    ExpressionPtr result = make(Expression::Not);
    take();
    result->parts.push_back(negation());
    return result;
  }

  /// An operator that compares, without its operands; null if there is none here.
  ExpressionPtr comparisonOperator() {
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

  ExpressionPtr comparison() {
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

  ExpressionPtr sum() {
    return binary(Expression::Binary, {"+", "-"}, [this] {
      return binary(Expression::Binary, {"~"}, [this] {
        return binary(Expression::Binary, {"*", "/", "//", "%"}, [this] {
          return binary(Expression::Binary, {"**"}, [this] { return unary(/*withFilters=*/true); });
        });
      });
    });
  }

  ExpressionPtr unary(bool withFilters) {
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

  ExpressionPtr primary() {
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

  static int64_t integer(const Token &token) {
    int64_t value = 0;
    if (std::from_chars(token.text.data(), token.text.data() + token.text.size(), value).ec != std::errc())
      throw Error{token.offset, "an integer that is too large"};
    return value;
  }

  ExpressionPtr postfix(ExpressionPtr value) {
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

  void subscript(Expression &outer) {
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

  void arguments(Expression &call) {
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

  ExpressionPtr filters(ExpressionPtr value) {
    for (;;) {
      ExpressionPtr outer = make(Expression::Filter);
      bool negated = false;
      if (accept("|")) {
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

  bool beginsArgument() const {
    static constexpr std::string_view kWords[] = {"else", "or", "and", "is", "if", "in", "not"};
    return peek().kind == Token::Text || peek().kind == Token::Integer || peek().kind == Token::Float ||
           isOperator("[") || isOperator("{") ||
           (peek().kind == Token::Name &&
            std::find(std::begin(kWords), std::end(kWords), peek().text) == std::end(kWords));
  }

  std::vector<Token> tokens;
  size_t at = 0;
  int nested = 0;
};

/// Parses the text and the blocks of a template.
class TemplateParser {
public:
  explicit TemplateParser(std::string_view source) : source(source) {}

  Body parse() {
    std::string ending;
    Body result = body(ending, {});
    return result;
  }

private:
  /// Parses up to one of the blocks `endings`, whose tokens are left in `block`, or, if there are none, to the end.
  Body body(std::string &ending, std::initializer_list<const char *> endings) {
    if (++nested > kMostNested)
      throw Error{at, "blocks are nested too deeply"};
    Body result;
    while (at < source.size()) {
      addText(result);
      if (at == source.size())
        break;
      char mark = source[at + 1];
      size_t offset = at;
      at += 2;
      if (at < source.size() && (source[at] == '-' || source[at] == '+'))
        ++at;
      if (mark == '#') {
        size_t end = source.find("#}", at);
        if (end == std::string_view::npos)
          throw Error{offset, "a comment without '#}'"};
        at = source[end - 1] == '-' || source[end - 1] == '+' ? end - 1 : end;
        closeMark("#}");
      } else if (mark == '{') {
        ExpressionParser block = open("}}");
        Node &node = add(result, Node::Output, offset);
        node.expression = block.tuple();
        block.end();
      } else {
        ExpressionParser block = open("%}");
        std::string keyword = block.name();
        if (std::find(endings.begin(), endings.end(), keyword) != endings.end()) {
          ending = keyword;
          closing.clear();
          closing.push_back(std::move(block));
          --nested;
          return result;
        }
        statement(result, keyword, offset, std::move(block));
      }
    }
    if (endings.size())
      throw Error{at, "the template ends before '" + std::string(*(endings.end() - 1)) + "'"};
    --nested;
    return result;
  }

  static Node &add(Body &body, Node::Kind kind, size_t offset) {
    Node &node = body.emplace_back();
    node.kind = kind;
    node.offset = offset;
    return node;
  }

  /// Adds the text up to the next mark, as trim_blocks, lstrip_blocks and `-` leave it.
  void addText(Body &result) {
    size_t begin = at, end = at;
    while (end < source.size() && !isMark(source.substr(end, 2)))
      ++end;
    std::string_view text = source.substr(begin, end - begin);
    at = end;
    if (end < source.size()) {
      char modifier = end + 2 < source.size() ? source[end + 2] : ' ';
      if (modifier == '-') {
        while (!text.empty() && isSpace(text.back()))
          text.remove_suffix(1);
      } else if (modifier != '+' && source[end + 1] != '{') {
        size_t line = text.rfind('\n') + 1; // 0 if there is none.
        bool blank = std::all_of(text.begin() + line, text.end(), isSpace);
        if (blank && (line > 0 || begin == 0 || source[begin - 1] == '\n'))
          text = text.substr(0, line);
      }
    }
    if (!text.empty())
      add(result, Node::Text, begin).text = text;
  }

  ExpressionParser open(std::string_view closing) {
    Lexer lexer(source, at);
    ExpressionParser block(lexer.tokens(closing));
    at = lexer.position();
    closeMark(closing);
    return block;
  }

  /// Skips a closing mark, and what it removes of the text behind it.
  void closeMark(std::string_view mark) {
    char modifier = source[at] == '-' || source[at] == '+' ? source[at++] : ' ';
    at += mark.size();
    if (modifier == '-')
      while (at < source.size() && isSpace(source[at]))
        ++at;
    else if (modifier != '+' && mark != "}}" && at < source.size() && source[at] == '\n')
      ++at;
  }

  void statement(Body &result, const std::string &keyword, size_t offset, ExpressionParser block) {
    if (keyword == "if")
      return ifBlock(add(result, Node::If, offset), std::move(block));
    if (keyword == "for")
      return forBlock(add(result, Node::For, offset), std::move(block));
    if (keyword == "set")
      return setBlock(add(result, Node::Set, offset), std::move(block));
    if (keyword == "macro")
      return macroBlock(add(result, Node::Macro, offset), std::move(block));
    if (keyword == "generation") { // Marks what the model has said, for training.
      block.end();
      return bodyOf(add(result, Node::Scope, offset), "endgeneration");
    }
    if (keyword != "break" && keyword != "continue")
      throw Error{offset, "block '" + keyword +
                              "' is not supported; expected 'if', 'for', 'set', 'macro', 'generation', 'break' or "
                              "'continue'"};
    block.end();
    if (!loops)
      throw Error{offset, "'" + keyword + "' outside of a loop"};
    add(result, keyword == "break" ? Node::Break : Node::Continue, offset);
  }

  /// The only body of a node, up to the block `last`.
  void bodyOf(Node &node, const char *last) {
    std::string ending;
    node.bodies.push_back(body(ending, {last}));
    closing.back().end();
  }

  void macroBlock(Node &node, ExpressionParser block) {
    node.names.push_back(block.name());
    block.expect("(");
    while (!block.isOperator(")")) {
      node.names.push_back(block.name());
      node.conditions.push_back(block.accept("=") ? block.expression() : nullptr);
      if (!block.accept(","))
        break;
    }
    block.expect(")");
    block.end();
    int outer = std::exchange(loops, 0);
    std::string ending;
    node.bodies.push_back(body(ending, {"endmacro"}));
    if (closing.back().peek().kind != Token::End) // {% endmacro name %}
      closing.back().name();
    closing.back().end();
    loops = outer;
  }

  void ifBlock(Node &node, ExpressionParser block) {
    node.conditions.push_back(block.tuple());
    block.end();
    for (std::string ending; ending != "endif";) {
      bool last = !node.conditions.back();
      node.bodies.push_back(last ? body(ending, {"endif"}) : body(ending, {"elif", "else", "endif"}));
      if (ending == "elif")
        node.conditions.push_back(closing.back().tuple());
      else if (ending == "else")
        node.conditions.push_back(nullptr);
      closing.back().end();
    }
  }

  void forBlock(Node &node, ExpressionParser block) {
    do
      node.names.push_back(block.name());
    while (block.accept(","));
    block.expect("in");
    node.expression = block.disjunction(); // `if` begins the filter.
    if (block.accept("if"))
      node.filter = block.expression();
    block.end();
    std::string ending;
    ++loops;
    node.bodies.push_back(body(ending, {"else", "endfor"}));
    --loops;
    closing.back().end();
    if (ending == "else") {
      node.bodies.push_back(body(ending, {"endfor"}));
      closing.back().end();
    }
  }

  void setBlock(Node &node, ExpressionParser block) {
    do {
      node.names.push_back(block.name());
      if (block.accept("."))
        node.names.back() += "." + block.name();
    } while (block.accept(","));
    if (block.accept("=")) {
      node.expression = block.tuple();
      block.end();
      return;
    }
    block.end();
    bodyOf(node, "endset");
  }

  std::string_view source;
  size_t at = 0;
  int nested = 0, loops = 0;
  std::vector<ExpressionParser> closing; ///< The block that ended the last body, behind its keyword.
};
} // namespace

Body jinja::parse(std::string_view source) { return TemplateParser(source).parse(); }
