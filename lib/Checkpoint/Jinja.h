//===- Jinja.h - the part of Jinja that chat templates use -----*- C++ -*-===//
//
// A template is parsed into a tree of nodes and expressions, and rendered with
// variables. trim_blocks and lstrip_blocks are on, as transformers has them. What is
// not supported is an error: of the parser where syntax or the name of a block, filter
// or test shows it, else of the renderer.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_CHECKPOINT_JINJA_H
#define LISPIER_LIB_CHECKPOINT_JINJA_H

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lispier::jinja {
/// Thrown by the parser and the renderer, and caught by ChatTemplate: an error can arise deep in an expression.
struct Error {
  size_t offset; ///< In the template.
  std::string message;
};

class Value;
struct Node;
struct Scope;
using List = std::vector<Value>;
using Map = std::vector<std::pair<std::string, Value>>; ///< In order of insertion, as Python's.

struct JsonStyle {
  int64_t indent = -1; ///< Below 0: all on one line.
  std::string separator = ", ", keySeparator = ": ";
  bool sorted = false; ///< By key.
};

/// A value of a template, as Python has it. Lists and maps are shared; only a namespace and an iterator are ever
/// changed.
class Value {
public:
  enum Kind { Undefined, None, Bool, Integer, Float, Text, Sequence, Mapping, Namespace, Loop, Function, Macro };
  Kind kind = Undefined;
  int64_t integer = 0; ///< Of Bool too.
  double number = 0;
  std::string
      text; ///< Of Text; of Undefined, Function and Macro the name; of a Sequence how it is written, if differently.
  std::shared_ptr<List> list;
  std::shared_ptr<Map> map;
  bool isTuple = false;       ///< Of Sequence: it is written with ( ).
  bool isIterator = false;    ///< Of Sequence: true though empty, and gone through once.
  const Node *node = nullptr; ///< Of Macro.
  Scope *scope = nullptr;     ///< Of Macro: what is around its definition.

  static Value undefined(std::string name);
  static Value none();
  static Value of(bool value);
  static Value of(int64_t value);
  static Value of(double value);
  static Value of(std::string value);
  static Value of(List value);
  static Value tuple(List value);
  static Value iterator(List value);
  static Value of(Map value);
  /// `depth`: of the value within others; too deep is an error.
  static Value of(const nlohmann::ordered_json &value, int depth = 0);

  bool isNumber() const { return kind == Bool || kind == Integer || kind == Float; }
  double asDouble() const { return kind == Float ? number : double(integer); }
  bool truth() const;
  bool equals(const Value &other) const;
  const char *kindName() const;
  /// The member of a map or namespace, or null.
  Value *member(std::string_view key) const;
  /// As Python's json.dumps(ensure_ascii=False) writes it. `depth` times the style's indent is the indentation of the
  /// line that it begins in.
  std::string json(const JsonStyle &style, int64_t depth = 0) const;
  /// As Python's repr writes it.
  std::string repr(size_t offset, int depth = 0) const;
};

/// A number as Python's repr spells it.
std::string numberText(double value);

struct Expression {
  enum Kind {
    Constant,  ///< value
    Name,      ///< name
    ListOf,    ///< parts
    TupleOf,   ///< parts
    MapOf,     ///< parts: key, value, key, value ...
    Attribute, ///< parts[0].name
    Item,      ///< parts[0][parts[1]]
    Slice,     ///< parts[0][parts[1]:parts[2]:parts[3]]; null: not given
    Call,      ///< parts[0](parts[1] ..., keywords)
    Filter,    ///< parts[0] | name(parts[1] ..., keywords)
    Test,      ///< parts[0] is name(parts[1] ...)
    Not,
    Negate,
    Binary, ///< name: + - * ** / // % ~ == != < <= > >= in, and "not in"
    Chain,  ///< parts[0] parts[1] parts[2] ...: operands, and between them comparisons, Binary without parts
    And,    ///< parts[0] and parts[1]
    Or,
    Conditional, ///< parts[1] if parts[0] else parts[2]; null: undefined
  } kind;
  size_t offset = 0;
  std::string name;
  Value value;
  std::vector<std::unique_ptr<Expression>> parts;
  std::vector<std::pair<std::string, std::unique_ptr<Expression>>> keywords;
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct Node {
  enum Kind {
    Text,   ///< text
    Output, ///< expression
    If,     ///< branches: each if conditions[i] (null: else) then bodies[i]
    For,    ///< names, expression, filter (may be null), bodies[0], bodies[1] if there is no item
    Set,    ///< names (one with a `.`: a member of a namespace), expression, or null: bodies[0], through the filter
    Filter, ///< bodies[0], through the filter
    Macro,  ///< names: its own, its parameters'; conditions: their defaults (may be null); bodies[0]
    Call,   ///< writes expression, a call to which kBodyText is the macro `caller`: names, conditions, bodies[0]
    Scope,  ///< names, conditions: their values; bodies[0]; what it sets ends with it
    Break,
    Continue,
  } kind;
  size_t offset = 0;
  std::string text;
  std::vector<std::string> names;
  ExpressionPtr expression;
  ExpressionPtr filter; ///< Of For: whether an item counts. Of a body's text, which is `kBodyText` in it; may be null.
  std::vector<ExpressionPtr> conditions;
  std::vector<std::vector<Node>> bodies;
};
using Body = std::vector<Node>;
/// The name by which the expression of a block finds the block's body, which no name of a template is.
inline constexpr const char *kBodyText = "";

/// Parses a template; throws Error.
Body parse(std::string_view source);
/// Renders a template with the members of `variables`; throws Error.
std::string render(const Body &body, const Map &variables);

/// Whether the names exist, for the parser.
bool isFilter(std::string_view name);
bool isTest(std::string_view name);
/// A call's arguments, evaluated.
struct Arguments {
  size_t offset;
  std::vector<Value> values;
  Map keywords;
};
Value applyFilter(const std::string &name, const Value &value, const Arguments &arguments);
bool applyTest(const std::string &name, const Value &value, const Arguments &arguments);
/// A method of a text, a list or a map.
Value callMethod(const std::string &name, const Value &object, const Arguments &arguments);
/// Whether a function of this name is there, beside macros.
bool isFunction(std::string_view name);
/// The member of a map, or the item of a list, by a text or an integer; undefined if there is none.
Value itemOf(const Value &object, const Value &index, size_t offset);
/// The items of a list, the keys of a mapping, the characters of a text. An iterator has none any more.
List itemsOf(const Value &value, size_t offset);
/// Whether `part` is in a text, list or mapping.
bool contains(const Value &whole, const Value &part, size_t offset);
/// Below 0, 0 or above 0 as `a` is smaller than `b`, equal or larger; throws if they have no order.
int compare(const Value &a, const Value &b, size_t offset);
/// The local time as strftime_now of transformers' templates writes it: Python's datetime.now().strftime(format).
std::string timeNow(std::string_view format, size_t offset);
/// The text that `{{ value }}` writes.
std::string outputText(const Value &value, size_t offset);
/// Throws if a text or list is larger than any prompt: templates can double them.
void checkSize(size_t size, size_t offset);
/// Splits text into its characters.
std::vector<std::string_view> characters(std::string_view text);
} // namespace lispier::jinja
#endif
