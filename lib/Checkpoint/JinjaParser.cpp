//===- JinjaParser.cpp - text of a template to nodes ----------------------===//
#include "JinjaExpressions.h"
#include <algorithm>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr int kMostNested = 100; ///< Bounds the recursion on hostile templates.

bool isMark(std::string_view text) { return text == "{{" || text == "{%" || text == "{#"; }

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
      addText(result, nextMark());
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

  size_t nextMark() const {
    size_t end = at;
    while (end < source.size() && !isMark(source.substr(end, 2)))
      ++end;
    return end;
  }

  /// Adds the text up to the mark at `end`, as trim_blocks, lstrip_blocks and `-` leave it.
  void addText(Body &result, size_t end) {
    size_t begin = at;
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
    if (keyword == "call")
      return callBlock(add(result, Node::Call, offset), std::move(block));
    if (keyword == "with")
      return withBlock(add(result, Node::Scope, offset), std::move(block));
    if (keyword == "filter")
      return filterBlock(add(result, Node::Filter, offset), std::move(block));
    if (keyword == "raw")
      return rawBlock(result, offset, std::move(block));
    if (keyword == "generation") { // Marks what the model has said, for training.
      block.end();
      return bodyOf(add(result, Node::Scope, offset), "endgeneration");
    }
    static constexpr std::string_view kOtherFiles[] = {"include", "import", "from", "extends", "block"};
    if (std::find(std::begin(kOtherFiles), std::end(kOtherFiles), keyword) != std::end(kOtherFiles))
      throw Error{offset, "block '" + keyword + "' is not supported: a model's template is one file"};
    if (keyword != "break" && keyword != "continue")
      throw Error{offset, "block '" + keyword +
                              "' is not supported; expected 'if', 'for', 'set', 'macro', 'call', 'with', 'filter', "
                              "'raw', 'generation', 'break' or 'continue'"};
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

  /// The parameters of a macro, and what they are if they are not given.
  static void parameters(Node &node, ExpressionParser &block) {
    block.expect("(");
    while (!block.isOperator(")")) {
      node.names.push_back(block.name());
      node.conditions.push_back(block.accept("=") ? block.expression() : nullptr);
      if (!block.accept(","))
        break;
    }
    block.expect(")");
  }

  /// A body that is a macro's: loops around it do not count.
  void macroBody(Node &node, const char *last) {
    int outer = std::exchange(loops, 0);
    std::string ending;
    node.bodies.push_back(body(ending, {last}));
    if (closing.back().peek().kind != Token::End) // {% endmacro name %}
      closing.back().name();
    closing.back().end();
    loops = outer;
  }

  void macroBlock(Node &node, ExpressionParser block) {
    node.names.push_back(block.name());
    parameters(node, block);
    block.end();
    macroBody(node, "endmacro");
  }

  void callBlock(Node &node, ExpressionParser block) {
    node.names.push_back("caller");
    if (block.isOperator("("))
      parameters(node, block);
    node.expression = block.expression();
    if (node.expression->kind != Expression::Call)
      throw Error{node.expression->offset, "block 'call' without a call of a macro"};
    auto caller = std::make_unique<Expression>();
    caller->kind = Expression::Name;
    caller->name = kBodyText;
    node.expression->keywords.emplace_back("caller", std::move(caller));
    block.end();
    macroBody(node, "endcall");
  }

  void withBlock(Node &node, ExpressionParser block) {
    while (block.peek().kind == Token::Name) {
      node.names.push_back(block.name());
      block.expect("=");
      node.conditions.push_back(block.expression());
      if (!block.accept(","))
        break;
    }
    block.end();
    bodyOf(node, "endwith");
  }

  void filterBlock(Node &node, ExpressionParser block) {
    node.filter = block.bodyFilters(/*named=*/true);
    block.end();
    bodyOf(node, "endfilter");
  }

  /// Text up to {% endraw %}, whatever it is.
  void rawBlock(Body &result, size_t offset, ExpressionParser block) {
    block.end();
    if (at >= 4 && source.substr(at - 3, 3) == "%}\n" && source[at - 4] != '-')
      --at; // trim_blocks does not hold for it.
    size_t end = at, word;
    do {
      end = source.find("{%", end);
      if (end == std::string_view::npos)
        throw Error{offset, "the template ends before 'endraw'"};
      word = end += 2;
      word += word < source.size() && (source[word] == '-' || source[word] == '+');
      while (word < source.size() && isSpace(source[word]))
        ++word;
    } while (!source.substr(word).starts_with("endraw"));
    addText(result, end - 2);
    at = word;
    ExpressionParser last = open("%}");
    last.expect("endraw");
    last.end();
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
    if (block.isName("recursive"))
      throw Error{block.peek().offset, "a loop that is 'recursive' is not supported; expected a macro"};
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
    if (block.isOperator("|"))
      node.filter = block.bodyFilters(/*named=*/false);
    if (!node.filter && block.accept("=")) {
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
