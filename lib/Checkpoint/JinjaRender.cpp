//===- JinjaRender.cpp - nodes of a template to text ----------------------===//
#include "Jinja.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr int64_t kMostSteps = 2'000'000;      ///< Bounds the time of hostile templates.
constexpr int kMostCalls = 50;                 ///< Of macros within macros.
constexpr size_t kMostKept = 100'000;          ///< Scopes that macros see: bounds the memory.
constexpr std::string_view kCaller = "caller"; ///< The keyword by which a block `call` gives its body.
constexpr int kMostNested = 800;               ///< Of nodes and expressions, through macros: bounds the recursion.

/// How a body ends.
enum class Flow { Next, Break, Continue };

} // namespace

/// Variables, within those of another scope.
struct jinja::Scope {
  std::map<std::string, Value, std::less<>> values;
  Scope *outer = nullptr;
  bool isSeen = false; ///< By a macro, which can be called after the scope has ended.
};

namespace {
class Renderer {
public:
  explicit Renderer(const Map &variables) {
    for (auto &[name, value] : variables)
      global.values.insert_or_assign(name, value);
  }

  Flow body(const Body &nodes) {
    for (const Node &node : nodes) {
      step(node.offset);
      if (Flow flow = render(node); flow != Flow::Next)
        return flow;
    }
    return Flow::Next;
  }

  std::string text;

private:
  /// One more node or expression within others.
  struct Depth {
    Depth(Renderer &renderer, size_t offset) : renderer(renderer) {
      if (++renderer.nested > kMostNested)
        throw Error{offset, "the template is nested too deeply"};
    }
    ~Depth() { --renderer.nested; }
    Renderer &renderer;
  };
  /// A scope within another, for as long as this lives, or, if a macro sees it, to the end.
  struct Inside {
    Inside(Renderer &renderer, Scope *outer)
        : renderer(renderer), before(renderer.scope), own(std::make_unique<Scope>()) {
      own->outer = outer;
      renderer.scope = own.get();
    }
    ~Inside() {
      renderer.scope = before;
      if (own->isSeen)
        renderer.kept.push_back(std::move(own));
    }
    std::map<std::string, Value, std::less<>> &values() { return own->values; }

  private:
    Renderer &renderer;
    Scope *before;
    std::unique_ptr<Scope> own;
  };
  void step(size_t offset) {
    if (++steps > kMostSteps)
      throw Error{offset, "the template takes more than " + std::to_string(kMostSteps) + " steps"};
  }
  void write(std::string_view more, size_t offset) {
    checkSize(text.size() + more.size(), offset);
    text += more;
  }

  Flow render(const Node &node) {
    Depth inner(*this, node.offset);
    switch (node.kind) {
    case Node::Text:
      write(node.text, node.offset);
      break;
    case Node::Output:
      write(outputText(evaluate(*node.expression), node.offset), node.offset);
      break;
    case Node::If:
      return ifNode(node);
    case Node::For:
      forNode(node);
      break;
    case Node::Set:
      setNode(node);
      break;
    case Node::Filter:
      write(outputText(filtered(node), node.offset), node.offset);
      break;
    case Node::Macro:
      scope->values.insert_or_assign(node.names[0], macroOf(node));
      break;
    case Node::Call: {
      Value caller = macroOf(node);
      Inside inside(*this, scope);
      inside.values()[kBodyText] = caller;
      write(outputText(evaluate(*node.expression), node.offset), node.offset);
      break;
    }
    case Node::Scope: {
      List values;
      for (auto &value : node.conditions) // In what is around the block.
        values.push_back(evaluate(*value));
      Inside inside(*this, scope);
      for (size_t i = 0; i < values.size(); ++i)
        inside.values().insert_or_assign(node.names[i], values[i]);
      return body(node.bodies[0]);
    }
    case Node::Break:
      return Flow::Break;
    case Node::Continue:
      return Flow::Continue;
    }
    return Flow::Next;
  }

  Flow ifNode(const Node &node) {
    for (size_t i = 0; i < node.bodies.size(); ++i)
      if (!node.conditions[i] || evaluate(*node.conditions[i]).truth())
        return body(node.bodies[i]);
    return Flow::Next;
  }

  void forNode(const Node &node) {
    List items = itemsOf(evaluate(*node.expression), node.offset);
    {
      Inside inside(*this, scope);
      if (node.filter)
        std::erase_if(items, [&](const Value &item) {
          bind(node, item);
          return !evaluate(*node.filter).truth();
        });
      for (size_t i = 0; i < items.size(); ++i) {
        step(node.offset);
        inside.values().clear(); // What an iteration sets ends with it.
        bind(node, items[i]);
        inside.values()["loop"] = loopOf(items, i);
        if (body(node.bodies[0]) == Flow::Break)
          break;
      }
    }
    if (items.empty() && node.bodies.size() > 1)
      body(node.bodies[1]);
  }

  static Value loopOf(const List &items, size_t i) {
    auto number = [&](size_t value) { return Value::of(static_cast<int64_t>(value)); };
    Value loop = Value::of(Map{{"index", number(i + 1)},
                               {"index0", number(i)},
                               {"revindex", number(items.size() - i)},
                               {"revindex0", number(items.size() - i - 1)},
                               {"first", Value::of(i == 0)},
                               {"last", Value::of(i + 1 == items.size())},
                               {"length", number(items.size())},
                               {"depth", number(1)},
                               {"depth0", number(0)},
                               {"previtem", i ? items[i - 1] : Value::undefined("loop.previtem")},
                               {"nextitem", i + 1 < items.size() ? items[i + 1] : Value::undefined("loop.nextitem")}});
    loop.kind = Value::Loop;
    return loop;
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
      scope->values.insert_or_assign(name, value);
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
    Value value = filtered(node);
    bind(node, value);
  }

  /// What a body writes.
  std::string textOf(const Body &nodes) {
    std::string outside = std::exchange(text, {});
    body(nodes);
    return std::exchange(text, std::move(outside));
  }

  /// What the node's body writes, through its filter; what it sets ends with it.
  Value filtered(const Node &node) {
    Inside inside(*this, scope);
    Value whole = Value::of(textOf(node.bodies[0]));
    if (!node.filter)
      return whole;
    inside.values()[kBodyText] = std::move(whole);
    return evaluate(*node.filter);
  }

  Value macroOf(const Node &node) {
    Value macro;
    macro.kind = Value::Macro;
    macro.text = node.names[0];
    macro.node = &node;
    macro.scope = scope;
    if (kept.size() > kMostKept)
      throw Error{node.offset, "the template defines too many macros"};
    for (Scope *seen = scope; seen && !seen->isSeen; seen = seen->outer)
      seen->isSeen = true;
    return macro;
  }

  Value lookUp(std::string_view name) const {
    for (const Scope *in = scope; in; in = in->outer)
      if (auto found = in->values.find(name); found != in->values.end())
        return found->second;
    Value value = Value::undefined(std::string(name));
    if (isFunction(name))
      value.kind = Value::Function;
    return value;
  }

  Value evaluate(const Expression &expression);
  Value attribute(const Expression &expression);
  Value item(const Expression &expression);
  Value slice(const Expression &expression);
  Value call(const Expression &expression);
  Value binary(const Expression &expression, const Value &left, const Value &right);
  Value chain(const Expression &expression);
  Value arithmetic(const Expression &expression, const Value &left, const Value &right);
  Value callMacro(const Value &macro, const Arguments &given);
  Arguments arguments(const Expression &expression);

  Scope global, *scope = &global;
  std::vector<std::unique_ptr<Scope>> kept; ///< Scopes that have ended.
  int64_t steps = 0;
  int calls = 0;  ///< Of macros, that have not ended.
  int nested = 0; ///< See Depth.
};

/// base ** exponent, which is not negative.
int64_t power(int64_t base, int64_t exponent, size_t offset) {
  int64_t result = 1;
  for (; exponent > 0 && base != 1; --exponent) {
    if (base == 0 || (base == -1 && exponent > 1))
      return base == 0 ? 0 : exponent % 2 ? -result : result;
    if (__builtin_mul_overflow(result, base, &result))
      throw Error{offset, "an integer that is too large"};
  }
  return result;
}

Arguments Renderer::arguments(const Expression &expression) {
  Arguments result{expression.offset, {}, {}};
  for (size_t i = 1; i < expression.parts.size(); ++i)
    result.values.push_back(evaluate(*expression.parts[i]));
  for (auto &[name, value] : expression.keywords)
    result.keywords.emplace_back(name, evaluate(*value));
  return result;
}

Value Renderer::evaluate(const Expression &expression) {
  Depth inner(*this, expression.offset);
  step(expression.offset);
  auto &parts = expression.parts;
  switch (expression.kind) {
  case Expression::Constant:
    return expression.value;
  case Expression::Name:
    return lookUp(expression.name);
  case Expression::ListOf:
  case Expression::TupleOf: {
    List items;
    for (auto &part : parts)
      items.push_back(evaluate(*part));
    return expression.kind == Expression::ListOf ? Value::of(std::move(items)) : Value::tuple(std::move(items));
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
    return binary(expression, evaluate(*parts[0]), evaluate(*parts[1]));
  case Expression::Chain:
    return chain(expression);
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
  return itemOf(object, index, expression.offset);
}

Value Renderer::slice(const Expression &expression) {
  Value object = evaluate(*expression.parts[0]);
  if (object.kind == Value::Undefined)
    throw Error{expression.offset, "'" + object.text + "' is undefined, and has no slices"};
  if ((object.kind != Value::Sequence && object.kind != Value::Text) || object.isIterator)
    return Value::undefined("slice");
  List items = itemsOf(object, expression.offset), taken;
  int64_t size = static_cast<int64_t>(items.size());
  auto bound = [&](size_t part, int64_t missing) {
    if (!expression.parts[part])
      return missing;
    Value value = evaluate(*expression.parts[part]);
    if (value.kind == Value::None)
      return missing;
    if (value.kind != Value::Integer && value.kind != Value::Bool)
      throw Error{expression.offset, "a slice's bound is " + std::string(value.kindName()) + "; expected an integer"};
    return value.integer;
  };
  int64_t stride = bound(3, 1);
  if (stride == 0 || stride == INT64_MIN)
    throw Error{expression.offset, "a slice's step is " + std::to_string(stride)};
  bool back = stride < 0;
  auto place = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, back ? int64_t(-1) : 0, back ? size - 1 : size);
  };
  int64_t begin = expression.parts[1] ? place(bound(1, 0)) : back ? size - 1 : 0;
  int64_t end = expression.parts[2] ? place(bound(2, size)) : back ? -1 : size;
  for (int64_t at = begin; back ? at > end : at < end;) {
    taken.push_back(items[at]);
    if (__builtin_add_overflow(at, stride, &at))
      break;
  }
  if (object.kind == Value::Sequence)
    return object.isTuple ? Value::tuple(std::move(taken)) : Value::of(std::move(taken));
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
  Value called = evaluate(callee);
  if (called.kind == Value::Macro)
    return callMacro(called, given);
  if (called.kind != Value::Function)
    throw Error{expression.offset, called.kind == Value::Undefined
                                       ? "function '" + name + "' is not supported, or not with these arguments"
                                       : std::string(called.kindName()) + " is called"};
  if (name == "raise_exception")
    throw Error{SIZE_MAX, given.values.empty() ? "the template raised an exception"
                                               : outputText(given.values[0], expression.offset)};
  if (name == "namespace") {
    Value result = Value::of(given.keywords);
    result.kind = Value::Namespace;
    return result;
  }
  if (name == "dict" && given.values.empty())
    return Value::of(given.keywords);
  if (name == "strftime_now" && given.values.size() == 1 && given.values[0].kind == Value::Text &&
      given.keywords.empty())
    return Value::of(timeNow(given.values[0].text, expression.offset));
  if (name == "range" && !given.values.empty() && given.values.size() <= 3 &&
      std::all_of(given.values.begin(), given.values.end(), [](auto &value) { return value.kind == Value::Integer; })) {
    bool hasBegin = given.values.size() > 1;
    int64_t at = hasBegin ? given.values[0].integer : 0, end = given.values[hasBegin].integer;
    int64_t stride = given.values.size() == 3 ? given.values[2].integer : 1;
    if (stride == 0)
      throw Error{expression.offset, "a range's step is 0"};
    List items;
    while (stride > 0 ? at < end : at > end) {
      step(expression.offset);
      items.push_back(Value::of(at));
      if (__builtin_add_overflow(at, stride, &at))
        break;
    }
    Value range = Value::of(std::move(items));
    range.text = "range(" + std::to_string(hasBegin ? given.values[0].integer : 0) + ", " + std::to_string(end) +
                 (stride == 1 ? ")" : ", " + std::to_string(stride) + ")");
    return range;
  }
  throw Error{expression.offset, "function '" + name + "' is not supported, or not with these arguments"};
}

/// A macro sees its arguments and what is around its definition; its value is the text that it writes.
Value Renderer::callMacro(const Value &macro, const Arguments &given) {
  const Node &node = *macro.node;
  size_t count = node.conditions.size(); // Of parameters.
  auto fail = [&](const std::string &what) { throw Error{given.offset, "macro '" + macro.text + "' " + what}; };
  if (given.values.size() > count)
    fail("takes at most " + std::to_string(count) + " arguments");
  if (++calls > kMostCalls)
    fail("is nested in more than " + std::to_string(kMostCalls) + " calls");
  Inside inside(*this, macro.scope);
  auto &own = inside.values();
  for (auto &[name, value] : given.keywords)
    if (name != kCaller && std::find(node.names.begin() + 1, node.names.end(), name) == node.names.end())
      fail("has no parameter '" + name + "'");
    else
      own.insert_or_assign(name, value);
  own.try_emplace(std::string(kCaller), Value::undefined(std::string(kCaller))); // Not that of a macro around it.
  for (size_t i = 0; i < count; ++i) {
    const std::string &name = node.names[i + 1];
    if (i < given.values.size())
      own.insert_or_assign(name, given.values[i]);
    else if (!own.contains(name))
      own[name] = node.conditions[i] ? evaluate(*node.conditions[i]) : Value::undefined(name);
  }
  Value result = Value::of(textOf(node.bodies[0]));
  --calls;
  return result;
}

/// Each operand is evaluated once, and none after the first comparison that does not hold.
Value Renderer::chain(const Expression &expression) {
  Value left = evaluate(*expression.parts[0]);
  for (size_t i = 1; i + 1 < expression.parts.size(); i += 2) {
    Value right = evaluate(*expression.parts[i + 1]);
    if (!binary(*expression.parts[i], left, right).truth())
      return Value::of(false);
    left = std::move(right);
  }
  return Value::of(true);
}

Value Renderer::binary(const Expression &expression, const Value &left, const Value &right) {
  const std::string &name = expression.name;
  if (name == "==" || name == "!=")
    return Value::of(left.equals(right) == (name == "=="));
  if (name == "in" || name == "not in")
    return Value::of(contains(right, left, expression.offset) == (name == "in"));
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
  if (name == "*" && (left.kind == Value::Text || right.kind == Value::Text)) {
    const Value &part = left.kind == Value::Text ? left : right, &count = left.kind == Value::Text ? right : left;
    if (count.kind != Value::Integer && count.kind != Value::Bool)
      throw Error{expression.offset, "'*' of " + std::string(left.kindName()) + " and " + right.kindName()};
    std::string repeated;
    for (int64_t i = 0; i < count.integer && !part.text.empty(); ++i) {
      checkSize(repeated.size() + part.text.size(), expression.offset);
      repeated += part.text;
    }
    return Value::of(std::move(repeated));
  }
  if (name == "*" && left.kind == Value::Sequence && right.kind == Value::Integer) {
    List items;
    for (int64_t i = 0; i < right.integer && !left.list->empty(); ++i) {
      checkSize((items.size() + left.list->size()) * sizeof(Value), expression.offset);
      items.insert(items.end(), left.list->begin(), left.list->end());
    }
    return Value::of(std::move(items));
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
  bool isWhole = left.kind != Value::Float && right.kind != Value::Float;
  if (name == "**" && (!isWhole || right.integer < 0))
    return Value::of(std::pow(a, b));
  if (name == "**")
    return Value::of(power(left.integer, right.integer, expression.offset));
  if (!isWhole) {
    double quotient = std::floor(a / b); // Python rounds down.
    return Value::of(name == "+"    ? a + b
                     : name == "-"  ? a - b
                     : name == "*"  ? a * b
                     : name == "//" ? quotient
                                    : a - quotient * b);
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
