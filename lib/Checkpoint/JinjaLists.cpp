//===- JinjaLists.cpp - filters of lists ----------------------------------===//
//
// What Python computes item by item (`map`, `select` ...) is an iterator, computed at once.
//
//===----------------------------------------------------------------------===//
#include "JinjaBuiltins.h"
#include "lispier/Checkpoint/Normalize.h"
#include <algorithm>
#include <charconv>
#include <set>

using namespace lispier;
using namespace lispier::jinja;

namespace {
/// The member that "a.b" or "0.b" names.
Value memberOf(Value value, const Value &path, const Arguments &arguments) {
  if (path.kind != Value::Text)
    return itemOf(value, path, arguments.offset);
  std::string_view rest = path.text;
  while (true) {
    std::string_view part = rest.substr(0, rest.find('.'));
    int64_t number = 0;
    bool isNumber = !part.empty() &&
                    std::from_chars(part.data(), part.data() + part.size(), number).ptr == part.data() + part.size();
    value = itemOf(value, isNumber ? Value::of(number) : Value::of(std::string(part)), arguments.offset);
    if (part.size() == rest.size())
      return value;
    rest.remove_prefix(part.size() + 1);
  }
}

/// The arguments from number `first` on.
Arguments rest(const Arguments &arguments, size_t first) {
  return {
      arguments.offset,
      {arguments.values.begin() + static_cast<long>(std::min(first, arguments.values.size())), arguments.values.end()},
      arguments.keywords};
}

/// The items that pass a test, or that do not: of the item, or of a member of it.
FilterFunction selection(bool wanted, bool ofMember) {
  return [=](const Value &value, const Arguments &arguments) {
    size_t first = ofMember ? 1 : 0;
    if (ofMember && arguments.values.empty())
      throw Error{arguments.offset, "argument 1 is missing; expected the name of a member"};
    bool hasTest = arguments.values.size() > first;
    std::string test = hasTest ? textArgument(arguments, first) : "";
    if (hasTest && !isTest(test))
      throw Error{arguments.offset, "test '" + test + "' is not supported"};
    List result;
    if (!value.truth()) // Then Jinja does not ask for items.
      return Value::iterator({});
    for (const Value &item : itemsOf(value, arguments.offset)) {
      Value tested = ofMember ? memberOf(item, arguments.values[0], arguments) : item;
      bool passes = hasTest ? applyTest(test, tested, rest(arguments, first + 1)) : tested.truth();
      if (passes == wanted)
        result.push_back(item);
    }
    return Value::iterator(std::move(result));
  };
}

Value mapped(const Value &value, const Arguments &arguments) {
  const Value *path = argument(arguments, SIZE_MAX, "attribute");
  const Value *missing = argument(arguments, SIZE_MAX, "default");
  std::string filter = path ? "" : textArgument(arguments, 0);
  if (!path && !isFilter(filter))
    throw Error{arguments.offset, "filter '" + filter + "' is not supported"};
  List result;
  if (!value.truth())
    return Value::iterator({});
  for (const Value &item : itemsOf(value, arguments.offset)) {
    result.push_back(path ? memberOf(item, *path, arguments) : applyFilter(filter, item, rest(arguments, 1)));
    if (path && missing && result.back().kind == Value::Undefined)
      result.back() = *missing;
  }
  return Value::iterator(std::move(result));
}

/// What filters order or compare an item by.
Value keyOf(const Value &item, const Value *path, bool caseCounts, const Arguments &arguments) {
  Value key = path && path->kind != Value::None ? memberOf(item, *path, arguments) : item;
  return caseCounts ? key : withoutCase(key);
}

/// Orders items by their keys; equal ones stay in order.
void sortBy(List &items, bool reversed, size_t offset, const std::function<Value(const Value &)> &key) {
  struct Keyed {
    Value key, item;
    size_t place;
  };
  std::vector<Keyed> keyed;
  for (Value &item : items)
    keyed.push_back({key(item), item, keyed.size()});
  for (const Keyed &each : keyed) // Values without an order are an error, whatever the sort compares.
    if (each.place > 0)
      compare(keyed[0].key, each.key, offset);
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed &a, const Keyed &b) {
    int order = compare(a.key, b.key, offset);
    return order ? (reversed ? order > 0 : order < 0) : a.place < b.place;
  });
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = keyed[i].item;
}

Value sorted(const Value &value, const Arguments &arguments) {
  List items = itemsOf(value, arguments.offset);
  const Value *path = argument(arguments, 2, "attribute");
  bool caseCounts = flagArgument(arguments, 1, "case_sensitive", false);
  sortBy(items, flagArgument(arguments, 0, "reverse", false), arguments.offset,
         [&](const Value &item) { return keyOf(item, path, caseCounts, arguments); });
  return Value::of(std::move(items));
}

Value sortedMembers(const Value &value, const Arguments &arguments) {
  if (value.kind != Value::Mapping)
    throw Error{arguments.offset, std::string(value.kindName()) + " where a mapping is expected"};
  List items = *itemsOfMap(value).list;
  bool caseCounts = flagArgument(arguments, 0, "case_sensitive", false);
  const Value *by = argument(arguments, 1, "by");
  int64_t index = by && by->kind == Value::Text && by->text == "value";
  sortBy(items, flagArgument(arguments, 2, "reverse", false), arguments.offset, [&](const Value &item) {
    Value key = itemOf(item, Value::of(index), arguments.offset);
    return caseCounts ? key : withoutCase(key);
  });
  return Value::of(std::move(items));
}

Value unique(const Value &value, const Arguments &arguments) {
  const Value *path = argument(arguments, 1, "attribute");
  bool caseCounts = flagArgument(arguments, 0, "case_sensitive", false);
  List result;
  std::set<std::pair<bool, std::string>> seen; // Whether it is a text, and its spelling.
  for (const Value &item : itemsOf(value, arguments.offset)) {
    Value key = keyOf(item, path, caseCounts, arguments);
    std::string spelling = key.isNumber() ? numberText(key.asDouble()) : outputText(key, arguments.offset);
    if (seen.emplace(key.kind == Value::Text, spelling).second)
      result.push_back(item);
  }
  return Value::iterator(std::move(result));
}

/// The smallest item, or the largest.
FilterFunction extreme(bool largest) {
  return [=](const Value &value, const Arguments &arguments) {
    const Value *path = argument(arguments, 1, "attribute");
    bool caseCounts = flagArgument(arguments, 0, "case_sensitive", false);
    Value best = Value::undefined("item"), bestKey;
    for (const Value &item : itemsOf(value, arguments.offset)) {
      Value key = keyOf(item, path, caseCounts, arguments);
      int order = best.kind == Value::Undefined ? 1 : compare(bestKey, key, arguments.offset);
      if (best.kind == Value::Undefined || (largest ? order < 0 : order > 0))
        best = item, bestKey = key;
    }
    return best;
  };
}

Value sum(const Value &value, const Arguments &arguments) {
  const Value *path = argument(arguments, 0, "attribute"), *start = argument(arguments, 1, "start");
  double total = start ? start->asDouble() : 0;
  bool isWhole = !start || start->kind == Value::Integer;
  for (const Value &item : itemsOf(value, arguments.offset)) {
    Value number = keyOf(item, path, /*caseCounts=*/true, arguments);
    if (!number.isNumber())
      throw Error{arguments.offset, "'sum' of " + std::string(number.kindName())};
    isWhole &= number.kind != Value::Float;
    total += number.asDouble();
  }
  if (isWhole && !(std::abs(total) < 9007199254740992.0)) // 2^53, beyond which doubles skip integers.
    throw Error{arguments.offset, "an integer that is too large"};
  return isWhole ? Value::of(static_cast<int64_t>(total)) : Value::of(total);
}

Value reversed(const Value &value, const Arguments &arguments) {
  List items = itemsOf(value, arguments.offset);
  std::reverse(items.begin(), items.end());
  if (value.kind != Value::Text)
    return Value::iterator(std::move(items));
  std::string text;
  for (const Value &character : items)
    text += character.text;
  return Value::of(std::move(text));
}

/// The first item, or the last.
FilterFunction end(bool last) {
  return [=](const Value &value, const Arguments &arguments) {
    List items = itemsOf(value, arguments.offset);
    if (value.isIterator && !last && !items.empty()) // The others stay.
      value.list->assign(items.begin() + 1, items.end());
    return items.empty() ? Value::undefined("item") : last ? items.back() : items.front();
  };
}

Value joined(const Value &value, const Arguments &arguments) {
  const Value *given = argument(arguments, 0, "d");
  std::string separator = given ? outputText(*given, arguments.offset) : "", result;
  const Value *path = argument(arguments, 1, "attribute");
  bool isFirst = true;
  for (const Value &item : itemsOf(value, arguments.offset)) {
    result += (std::exchange(isFirst, false) ? "" : separator) +
              outputText(keyOf(item, path, /*caseCounts=*/true, arguments), arguments.offset);
    checkSize(result.size(), arguments.offset);
  }
  return Value::of(std::move(result));
}
} // namespace

Value jinja::withoutCase(const Value &value) {
  return value.kind == Value::Text ? Value::of(toLowercase(value.text)) : value;
}

const FilterTable &jinja::listFilters() {
  static const FilterTable table = {
      {"map", mapped},
      {"select", selection(true, false)},
      {"reject", selection(false, false)},
      {"selectattr", selection(true, true)},
      {"rejectattr", selection(false, true)},
      {"sort", sorted},
      {"dictsort", sortedMembers},
      {"unique", unique},
      {"min", extreme(false)},
      {"max", extreme(true)},
      {"sum", sum},
      {"reverse", reversed},
      {"first", end(false)},
      {"last", end(true)},
      {"join", joined},
      {"list", [](const Value &value, const Arguments &a) { return Value::of(itemsOf(value, a.offset)); }},
  };
  return table;
}
