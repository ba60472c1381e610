//===- JinjaRender.cpp - nodes of a template to text ----------------------===//
#include "Jinja.h"
#include <algorithm>
#include <map>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr int64_t kMostSteps = 2'000'000; ///< Bounds the time of hostile templates.

using Scope = std::map<std::string, Value, std::less<>>;

class Renderer {
public:
  explicit Renderer(const Map &variables) : scopes(1) {
    for (auto &[name, value] : variables)
      scopes[0].insert_or_assign(name, value);
  }

  void body(const Body &nodes) {
    for (const Node &node : nodes) {
      step(node.offset);
      switch (node.kind) {
      case Node::Text:
        write(node.text, node.offset);
        break;
      case Node::Output:
        write(outputText(evaluate(*node.expression), node.offset), node.offset);
        break;
      case Node::If:
        ifNode(node);
        break;
      case Node::For:
        forNode(node);
        break;
      case Node::Set:
        setNode(node);
        break;
      }
    }
  }

  std::string text;

private:
  void step(size_t offset) {
    if (++steps > kMostSteps)
      throw Error{offset, "the template takes more than " + std::to_string(kMostSteps) + " steps"};
  }
  void write(std::string_view more, size_t offset) {
    checkSize(text.size() + more.size(), offset);
    text += more;
  }

  void ifNode(const Node &node) {
    for (size_t i = 0; i < node.bodies.size(); ++i)
      if (!node.conditions[i] || evaluate(*node.conditions[i]).truth())
        return body(node.bodies[i]);
  }

  void forNode(const Node &node) {
    List items = itemsOf(evaluate(*node.expression), node.offset);
    scopes.emplace_back();
    if (node.filter)
      std::erase_if(items, [&](const Value &item) {
        bind(node, item);
        return !evaluate(*node.filter).truth();
      });
    for (size_t i = 0; i < items.size(); ++i) {
      step(node.offset);
      scopes.back().clear(); // What an iteration sets ends with it.
      bind(node, items[i]);
      auto number = [&](size_t value) { return Value::of(static_cast<int64_t>(value)); };
      scopes.back()["loop"] =
          Value::of(Map{{"index", number(i + 1)},
                        {"index0", number(i)},
                        {"revindex", number(items.size() - i)},
                        {"revindex0", number(items.size() - i - 1)},
                        {"first", Value::of(i == 0)},
                        {"last", Value::of(i + 1 == items.size())},
                        {"length", number(items.size())},
                        {"previtem", i ? items[i - 1] : Value::undefined("loop.previtem")},
                        {"nextitem", i + 1 < items.size() ? items[i + 1] : Value::undefined("loop.nextitem")}});
      body(node.bodies[0]);
    }
    scopes.pop_back();
    if (items.empty() && node.bodies.size() > 1)
      body(node.bodies[1]);
  }

  static List itemsOf(const Value &value, size_t offset) {
    if (value.kind == Value::Sequence)
      return *value.list;
    List items;
    if (value.kind == Value::Mapping)
      for (auto &[key, item] : *value.map)
        items.push_back(Value::of(key));
    else if (value.kind == Value::Text)
      for (std::string_view character : characters(value.text))
        items.push_back(Value::of(std::string(character)));
    else if (value.kind != Value::Undefined)
      throw Error{offset, std::string(value.kindName()) + " has no items to go through"};
    return items;
  }

  /// Gives the node's names a value: one name all of it, several its items.
  void bind(const Node &node, const Value &value) {
    if (node.names.size() == 1)
      return assign(node, node.names[0], value);
    List items = itemsOf(value, node.offset);
    if (items.size() != node.names.size())
      throw Error{node.offset,
                  std::to_string(items.size()) + " values for " + std::to_string(node.names.size()) + " names"};
    for (size_t i = 0; i < items.size(); ++i)
      assign(node, node.names[i], items[i]);
  }

  void assign(const Node &node, const std::string &name, const Value &value) {
    size_t dot = name.find('.');
    if (dot == std::string::npos) {
      scopes.back().insert_or_assign(name, value);
      return;
    }
    Value object = lookUp(name.substr(0, dot));
    if (object.kind != Value::Namespace)
      throw Error{node.offset,
                  "'" + name.substr(0, dot) + "' is " + object.kindName() + "; only members of a namespace can be set"};
    std::string member = name.substr(dot + 1);
    if (Value *found = object.member(member))
      *found = value;
    else
      object.map->emplace_back(member, value);
  }

  void setNode(const Node &node) {
    if (node.expression)
      return bind(node, evaluate(*node.expression));
    std::string outside = std::exchange(text, {});
    body(node.bodies[0]);
    bind(node, Value::of(std::exchange(text, std::move(outside))));
  }

  Value lookUp(std::string_view name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto found = scope->find(name); found != scope->end())
        return found->second;
    return Value::undefined(std::string(name));
  }

  Value evaluate(const Expression &expression);
  Value attribute(const Expression &expression);
  Value item(const Expression &expression);
  Value slice(const Expression &expression);
  Value call(const Expression &expression);
  Value binary(const Expression &expression);
  Value arithmetic(const Expression &expression, const Value &left, const Value &right);
  bool contains(const Expression &expression, const Value &part, const Value &whole);
  Arguments arguments(const Expression &expression);

  std::vector<Scope> scopes;
  int64_t steps = 0;
};

Arguments Renderer::arguments(const Expression &expression) {
  Arguments result{expression.offset, {}, {}};
  for (size_t i = 1; i < expression.parts.size(); ++i)
    result.values.push_back(evaluate(*expression.parts[i]));
  for (auto &[name, value] : expression.keywords)
    result.keywords.emplace_back(name, evaluate(*value));
  return result;
}

Value Renderer::evaluate(const Expression &expression) {
  step(expression.offset);
  auto &parts = expression.parts;
  switch (expression.kind) {
  case Expression::Constant:
    return expression.value;
  case Expression::Name:
    return lookUp(expression.name);
  case Expression::ListOf: {
    List items;
    for (auto &part : parts)
      items.push_back(evaluate(*part));
    return Value::of(std::move(items));
  }
  case Expression::MapOf: {
    Map members;
    for (size_t i = 0; i < parts.size(); i += 2)
      members.emplace_back(outputText(evaluate(*parts[i]), parts[i]->offset), evaluate(*parts[i + 1]));
    return Value::of(std::move(members));
  }
  case Expression::Attribute:
    return attribute(expression);
  case Expression::Item:
    return item(expression);
  case Expression::Slice:
    return slice(expression);
  case Expression::Call:
    return call(expression);
  case Expression::Filter:
    return applyFilter(expression.name, evaluate(*parts[0]), arguments(expression));
  case Expression::Test:
    return Value::of(applyTest(expression.name, evaluate(*parts[0]), arguments(expression)));
  case Expression::Not:
    return Value::of(!evaluate(*parts[0]).truth());
  case Expression::Negate: {
    Value value = evaluate(*parts[0]);
    if (value.kind == Value::Float)
      return Value::of(-value.number);
    if (!value.isNumber() || value.integer == INT64_MIN)
      throw Error{expression.offset, std::string(value.kindName()) + " has no negative"};
    return Value::of(-value.integer);
  }
  case Expression::And:
  case Expression::Or: {
    Value left = evaluate(*parts[0]);
    return left.truth() == (expression.kind == Expression::And) ? evaluate(*parts[1]) : left;
  }
  case Expression::Conditional:
    if (evaluate(*parts[0]).truth())
      return evaluate(*parts[1]);
    return parts[2] ? evaluate(*parts[2]) : Value::undefined("");
  case Expression::Binary:
    return binary(expression);
  }
  return Value();
}

Value Renderer::attribute(const Expression &expression) {
  Value object = evaluate(*expression.parts[0]);
  if (object.kind == Value::Undefined)
    throw Error{expression.offset, "'" + object.text + "' is undefined, and has no '" + expression.name + "'"};
  Value *found = object.member(expression.name);
  return found ? *found : Value::undefined(expression.name);
}

Value Renderer::item(const Expression &expression) {
  Value object = evaluate(*expression.parts[0]), index = evaluate(*expression.parts[1]);
  if (object.kind == Value::Undefined)
    throw Error{expression.offset, "'" + object.text + "' is undefined, and has no items"};
  if (index.kind == Value::Text) {
    Value *found = object.member(index.text);
    return found ? *found : Value::undefined(index.text);
  }
  if (index.kind == Value::Integer && (object.kind == Value::Sequence || object.kind == Value::Text)) {
    List items = itemsOf(object, expression.offset);
    int64_t size = static_cast<int64_t>(items.size()), at = index.integer < 0 ? index.integer + size : index.integer;
    if (at >= 0 && at < size)
      return items[at];
  }
  return Value::undefined(outputText(index, expression.offset));
}

Value Renderer::slice(const Expression &expression) {
  Value object = evaluate(*expression.parts[0]);
  if (object.kind != Value::Sequence && object.kind != Value::Text)
    throw Error{expression.offset, std::string(object.kindName()) + " has no slices"};
  List items = itemsOf(object, expression.offset), taken;
  int64_t size = static_cast<int64_t>(items.size());
  auto bound = [&](size_t part, int64_t missing) {
    if (!expression.parts[part])
      return missing;
    Value value = evaluate(*expression.parts[part]);
    if (value.kind == Value::None)
      return missing;
    if (value.kind != Value::Integer)
      throw Error{expression.offset, "a slice's bound is " + std::string(value.kindName()) + "; expected an integer"};
    return value.integer;
  };
  int64_t stride = bound(3, 1);
  if (stride != 1 && stride != -1)
    throw Error{expression.offset, "a slice's step other than 1 and -1 is not supported"};
  bool back = stride < 0;
  auto place = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, back ? int64_t(-1) : 0, back ? size - 1 : size);
  };
  int64_t begin = expression.parts[1] ? place(bound(1, 0)) : back ? size - 1 : 0;
  int64_t end = expression.parts[2] ? place(bound(2, size)) : back ? -1 : size;
  for (int64_t at = begin; back ? at > end : at < end; at += stride)
    taken.push_back(items[at]);
  if (object.kind == Value::Sequence)
    return Value::of(std::move(taken));
  std::string joined;
  for (const Value &character : taken)
    joined += character.text;
  return Value::of(std::move(joined));
}

Value Renderer::call(const Expression &expression) {
  const Expression &callee = *expression.parts[0];
  Arguments given = arguments(expression);
  if (callee.kind == Expression::Attribute)
    return callMethod(callee.name, evaluate(*callee.parts[0]), given);
  std::string name = callee.kind == Expression::Name ? callee.name : "";
  if (name == "raise_exception")
    throw Error{SIZE_MAX, given.values.empty() ? "the template raised an exception"
                                               : outputText(given.values[0], expression.offset)};
  if (name == "namespace") {
    Value result = Value::of(given.keywords);
    result.kind = Value::Namespace;
    return result;
  }
  if (name == "strftime_now" && given.values.size() == 1 && given.values[0].kind == Value::Text &&
      given.keywords.empty())
    return Value::of(timeNow(given.values[0].text, expression.offset));
  if (name == "range" && !given.values.empty() && given.values.size() <= 2 &&
      std::all_of(given.values.begin(), given.values.end(), [](auto &value) { return value.kind == Value::Integer; })) {
    List items;
    for (int64_t at = given.values.size() == 2 ? given.values[0].integer : 0; at < given.values.back().integer; ++at) {
      step(expression.offset);
      items.push_back(Value::of(at));
    }
    return Value::of(std::move(items));
  }
  throw Error{expression.offset, "function '" + name + "' is not supported, or not with these arguments"};
}

bool Renderer::contains(const Expression &expression, const Value &part, const Value &whole) {
  if (whole.kind == Value::Text && part.kind == Value::Text)
    return whole.text.find(part.text) != std::string::npos;
  if (whole.kind == Value::Mapping && part.kind == Value::Text)
    return whole.member(part.text);
  if (whole.kind != Value::Sequence && whole.kind != Value::Undefined)
    throw Error{expression.offset, std::string(whole.kindName()) + " cannot contain " + part.kindName()};
  List items = itemsOf(whole, expression.offset);
  return std::any_of(items.begin(), items.end(), [&](const Value &item) { return item.equals(part); });
}

Value Renderer::binary(const Expression &expression) {
  Value left = evaluate(*expression.parts[0]), right = evaluate(*expression.parts[1]);
  const std::string &name = expression.name;
  if (name == "==" || name == "!=")
    return Value::of(left.equals(right) == (name == "=="));
  if (name == "in" || name == "not in")
    return Value::of(contains(expression, left, right) == (name == "in"));
  if (name == "~") {
    std::string first = outputText(left, expression.offset), second = outputText(right, expression.offset);
    checkSize(first.size() + second.size(), expression.offset);
    return Value::of(first + second);
  }
  if (left.kind == Value::Text && right.kind == Value::Text) {
    checkSize(left.text.size() + right.text.size(), expression.offset);
    int order = left.text.compare(right.text);
    if (name == "+")
      return Value::of(left.text + right.text);
    if (name[0] == '<' || name[0] == '>')
      return Value::of(name == "<" ? order < 0 : name == "<=" ? order <= 0 : name == ">" ? order > 0 : order >= 0);
  }
  if (left.kind == Value::Sequence && right.kind == Value::Sequence && name == "+") {
    checkSize((left.list->size() + right.list->size()) * sizeof(Value), expression.offset);
    List items = *left.list;
    items.insert(items.end(), right.list->begin(), right.list->end());
    return Value::of(std::move(items));
  }
  if (!left.isNumber() || !right.isNumber())
    throw Error{expression.offset, "'" + name + "' of " + left.kindName() + " and " + right.kindName()};
  return arithmetic(expression, left, right);
}

Value Renderer::arithmetic(const Expression &expression, const Value &left, const Value &right) {
  const std::string &name = expression.name;
  double a = left.asDouble(), b = right.asDouble();
  if (name[0] == '<' || name[0] == '>')
    return Value::of(name == "<" ? a < b : name == "<=" ? a <= b : name == ">" ? a > b : a >= b);
  if ((name == "/" || name == "//" || name == "%") && b == 0)
    throw Error{expression.offset, "a division by zero"};
  if (name == "/")
    return Value::of(a / b);
  if (left.kind == Value::Float || right.kind == Value::Float) {
    if (name == "//" || name == "%")
      throw Error{expression.offset, "'" + name + "' of numbers that are no integers is not supported"};
    return Value::of(name == "+" ? a + b : name == "-" ? a - b : a * b);
  }
  int64_t x = left.integer, y = right.integer, result;
  bool overflows = name == "+"   ? __builtin_add_overflow(x, y, &result)
                   : name == "-" ? __builtin_sub_overflow(x, y, &result)
                   : name == "*" ? __builtin_mul_overflow(x, y, &result)
                                 : x == INT64_MIN && y == -1;
  if (overflows)
    throw Error{expression.offset, "an integer that is too large"};
  if (name == "//" || name == "%") { // Python rounds down.
    int64_t quotient = x / y - ((x % y != 0) && ((x < 0) != (y < 0)));
    result = name == "//" ? quotient : x - quotient * y;
  }
  return Value::of(result);
}
} // namespace

std::string jinja::render(const Body &body, const Map &variables) {
  Renderer renderer(variables);
  renderer.body(body);
  return std::move(renderer.text);
}
