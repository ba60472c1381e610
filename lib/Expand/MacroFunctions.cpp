//===- MacroFunctions.cpp - functions of sequences, maps and names --------===//
//
// What macros may call besides the functions of MacroNumbers.cpp and MacroInputs.cpp. The table at the
// end of the file lists name, number of arguments and implementation. All functions
// take and return forms. A sequence is a list, a vector or nil, which is the empty
// sequence.
//
//===----------------------------------------------------------------------===//
#include "MacroNumbers.h"
#include "MacroTime.h"
#include "lispier/Expand/TemplateLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;

namespace lispier {
namespace {
using Arguments = ArrayRef<Value>;
using Items = ArrayRef<const Form *>;
constexpr unsigned kAny = Native::kAny;

//===----------------------------------------------------------------------===//
// Sequences.
//===----------------------------------------------------------------------===//

std::optional<Items> asItems(MacroInterpreter &in, Value value, const Form *at) {
  if (value.form && (value.form->isList() || value.form->isVector() || value.form->isNil())) {
    if (in.spend(value.form->size(), at))
      return value.form->items();
    return std::nullopt;
  }
  in.fail("macro-shape", at,
          "a list or a vector is needed here, not " +
              (value.form ? describe(value.form->kind()) : StringRef("a function")));
  return std::nullopt;
}

const Form *asForm(MacroInterpreter &in, Value value, const Form *at) {
  if (!value.form)
    in.fail("macro-shape", at, "a function cannot be part of a form");
  return value.form;
}

bool asForms(MacroInterpreter &in, Arguments values, const Form *at, SmallVectorImpl<const Form *> &out) {
  for (Value value : values) {
    const Form *form = asForm(in, value, at);
    if (!form)
      return false;
    out.push_back(form);
  }
  return true;
}

const Function *asFunction(MacroInterpreter &in, Value value, const Form *at) {
  if (!value.function)
    in.fail("macro-shape", at, "a function is needed here, not " + describe(value.form->kind()));
  return value.function;
}

Value first(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  if (!items)
    return {};
  return items->empty() ? in.nil() : items->front();
}
Value last(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  if (!items)
    return {};
  return items->empty() ? in.nil() : items->back();
}
Value rest(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  return items ? Value(in.list(items->empty() ? *items : items->drop_front())) : Value();
}
Value nth(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  std::optional<int64_t> index = items ? asInteger(in, arguments[1], at) : std::nullopt;
  if (!index)
    return {};
  if (*index >= 0 && *index < int64_t(items->size()))
    return (*items)[*index];
  if (arguments.size() == 3)
    return arguments[2];
  return in.fail("macro-shape", at, "there is no item " + Twine(*index) + " among " + Twine(items->size()));
}
Value count(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *form = arguments[0].form;
  if (form && form->isString())
    return in.number(utostr(form->text().size()));
  if (form && form->isMap())
    return in.number(utostr(form->size() / 2));
  std::optional<Items> items = asItems(in, arguments[0], at);
  return items ? Value(in.number(utostr(items->size()))) : Value();
}
Value isEmpty(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *form = arguments[0].form;
  if (form && (form->isString() || form->isMap()))
    return in.boolean(form->isString() ? form->text().empty() : form->size() == 0);
  std::optional<Items> items = asItems(in, arguments[0], at);
  return items ? Value(in.boolean(items->empty())) : Value();
}
Value cons(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *head = asForm(in, arguments[0], at);
  std::optional<Items> items = head ? asItems(in, arguments[1], at) : std::nullopt;
  if (!items)
    return {};
  SmallVector<const Form *> all{head};
  all.append(items->begin(), items->end());
  return in.list(all);
}
Value concat(MacroInterpreter &in, Arguments arguments, const Form *at) {
  SmallVector<const Form *> all;
  for (Value argument : arguments) {
    std::optional<Items> items = asItems(in, argument, at);
    if (!items)
      return {};
    all.append(items->begin(), items->end());
  }
  return in.list(all);
}
Value makeList(MacroInterpreter &in, Arguments arguments, const Form *at) {
  SmallVector<const Form *> items;
  return asForms(in, arguments, at, items) ? Value(in.list(items)) : Value();
}
Value makeVector(MacroInterpreter &in, Arguments arguments, const Form *at) {
  SmallVector<const Form *> items;
  return asForms(in, arguments, at, items) ? Value(in.vector(items)) : Value();
}
Value vec(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  return items ? Value(in.vector(*items)) : Value();
}
Value reversed(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<Items> items = asItems(in, arguments[0], at);
  if (!items)
    return {};
  return in.list(SmallVector<const Form *>(items->rbegin(), items->rend()));
}
Value slice(MacroInterpreter &in, Arguments arguments, const Form *at, bool takes) {
  std::optional<int64_t> n = asInteger(in, arguments[0], at);
  std::optional<Items> items = n ? asItems(in, arguments[1], at) : std::nullopt;
  if (!items)
    return {};
  size_t cut = std::min<size_t>(std::max<int64_t>(*n, 0), items->size());
  return in.list(takes ? items->take_front(cut) : items->drop_front(cut));
}
Value take(MacroInterpreter &in, Arguments arguments, const Form *at) { return slice(in, arguments, at, true); }
Value drop(MacroInterpreter &in, Arguments arguments, const Form *at) { return slice(in, arguments, at, false); }

/// (map f items ...): stops at the end of the shortest sequence.
Value map(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Function *function = asFunction(in, arguments[0], at);
  if (!function)
    return {};
  SmallVector<Items> sources;
  size_t length = SIZE_MAX;
  for (Value source : arguments.drop_front()) {
    std::optional<Items> items = asItems(in, source, at);
    if (!items)
      return {};
    length = std::min(length, items->size());
    sources.push_back(*items);
  }
  SmallVector<const Form *> results;
  for (size_t i = 0; i < length; ++i) {
    SmallVector<Value> row;
    for (Items source : sources)
      row.push_back(source[i]);
    Value value = in.apply(*function, row, at);
    const Form *form = value ? asForm(in, value, at) : nullptr;
    if (!form)
      return {};
    results.push_back(form);
  }
  return in.list(results);
}
Value filter(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Function *function = asFunction(in, arguments[0], at);
  std::optional<Items> items = function ? asItems(in, arguments[1], at) : std::nullopt;
  if (!items)
    return {};
  SmallVector<const Form *> kept;
  for (const Form *item : *items) {
    Value keep = in.apply(*function, Value(item), at);
    if (!keep)
      return {};
    if (keep.truthy())
      kept.push_back(item);
  }
  return in.list(kept);
}
/// (reduce f items) or (reduce f start items).
Value reduce(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Function *function = asFunction(in, arguments[0], at);
  std::optional<Items> items = function ? asItems(in, arguments.back(), at) : std::nullopt;
  if (!items)
    return {};
  if (arguments.size() == 2 && items->empty())
    return in.fail("macro-shape", at, "`reduce` of nothing needs a start value");
  Value result = arguments.size() == 3 ? arguments[1] : Value(items->front());
  for (const Form *item : arguments.size() == 3 ? *items : items->drop_front()) {
    Value pair[] = {result, item};
    if (result = in.apply(*function, pair, at); !result)
      return {};
  }
  return result;
}
/// (range high), (range low high) or (range low high step).
Value range(MacroInterpreter &in, Arguments arguments, const Form *at) {
  int64_t bounds[3] = {0, 0, 1};
  for (auto [i, argument] : enumerate(arguments)) {
    std::optional<int64_t> integer = asInteger(in, argument, at);
    if (!integer)
      return {};
    bounds[arguments.size() == 1 ? 1 : i] = *integer;
  }
  auto [low, high, step] = bounds;
  if (step == 0)
    return in.fail("macro-shape", at, "`range` with a step of 0 never ends");
  SmallVector<const Form *> numbers;
  for (int64_t i = low; step > 0 ? i < high : i > high;) {
    if (!in.spend(1, at))
      return {};
    numbers.push_back(in.number(itostr(i)));
    if (AddOverflow(i, step, i))
      break;
  }
  return in.list(numbers);
}
Value apply(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Function *function = asFunction(in, arguments[0], at);
  std::optional<Items> items = function ? asItems(in, arguments.back(), at) : std::nullopt;
  if (!items)
    return {};
  SmallVector<Value> all(arguments.drop_front().drop_back());
  all.append(items->begin(), items->end());
  return in.apply(*function, all, at);
}

//===----------------------------------------------------------------------===//
// Maps. Keys may be given as keywords, strings or symbols.
//===----------------------------------------------------------------------===//

const Form *asMap(MacroInterpreter &in, Value value, const Form *at) {
  if (value.form && value.form->isMap())
    return value.form;
  if (value.form && value.form->isNil())
    return in.map({});
  in.fail("macro-shape", at,
          "a map is needed here, not " + (value.form ? describe(value.form->kind()) : StringRef("a function")));
  return nullptr;
}

const Form *asNamed(MacroInterpreter &in, Value value, const Form *at) {
  if (value.form && (value.form->isKeyword() || value.form->isString() || value.form->isSymbol()))
    return value.form;
  in.fail("macro-shape", at,
          "a name is needed here, not " + (value.form ? describe(value.form->kind()) : StringRef("a function")));
  return nullptr;
}

const Form *with(MacroInterpreter &in, const Form *map, const Form *key, const Form *value) {
  SmallVector<const Form *> entries(map->items());
  for (size_t i = 0; i < entries.size(); i += 2)
    if (entries[i]->text() == key->text()) {
      entries[i + 1] = value;
      return in.map(entries);
    }
  entries.append({key->isKeyword() ? key : in.keyword(key->text()), value});
  return in.map(entries);
}

Value get(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *map = asMap(in, arguments[0], at), *key = map ? asNamed(in, arguments[1], at) : nullptr;
  if (!key)
    return {};
  if (const Form *value = map->get(key->text()))
    return value;
  return arguments.size() == 3 ? arguments[2] : Value(in.nil());
}
Value assoc(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *map = asMap(in, arguments[0], at), *key = map ? asNamed(in, arguments[1], at) : nullptr;
  const Form *value = key ? asForm(in, arguments[2], at) : nullptr;
  return value && in.spend(map->size(), at) ? Value(with(in, map, key, value)) : Value();
}
Value merge(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *merged = in.map({});
  for (Value argument : arguments) {
    const Form *map = asMap(in, argument, at);
    if (!map)
      return {};
    for (size_t i = 0; i < map->size(); i += 2) {
      if (!in.spend(merged->size(), at))
        return {};
      merged = with(in, merged, (*map)[i], (*map)[i + 1]);
    }
  }
  return merged;
}
Value entries(MacroInterpreter &in, Arguments arguments, const Form *at, size_t offset) {
  const Form *map = asMap(in, arguments[0], at);
  if (!map)
    return {};
  SmallVector<const Form *> items;
  for (size_t i = offset; i < map->size(); i += 2)
    items.push_back((*map)[i]);
  return in.list(items);
}
Value keys(MacroInterpreter &in, Arguments arguments, const Form *at) { return entries(in, arguments, at, 0); }
Value vals(MacroInterpreter &in, Arguments arguments, const Form *at) { return entries(in, arguments, at, 1); }

//===----------------------------------------------------------------------===//
// Names and text.
//===----------------------------------------------------------------------===//

/// Concatenates texts; symbols, keywords and strings without `:` and quotes.
std::optional<std::string> joined(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::string text;
  for (Value argument : arguments) {
    const Form *form = asForm(in, argument, at);
    if (!form)
      return std::nullopt;
    bool plain = form->isSymbol() || form->isKeyword() || form->isString();
    text += plain ? form->text().str() : form->str();
    if (!in.spend(text.size() / 16, at))
      return std::nullopt;
  }
  return text;
}
Value str(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<std::string> text = joined(in, arguments, at);
  return text ? Value(in.string(*text)) : Value();
}
Value makeSymbol(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<std::string> text = joined(in, arguments, at);
  if (text && text->empty())
    return in.fail("macro-shape", at, "a symbol cannot be empty");
  return text ? Value(in.symbol(*text)) : Value();
}
Value makeKeyword(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<std::string> text = joined(in, arguments, at);
  if (text && text->empty())
    return in.fail("macro-shape", at, "a keyword cannot be empty");
  return text ? Value(in.keyword(*text)) : Value();
}
Value name(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *form = asNamed(in, arguments[0], at);
  return form ? Value(in.string(form->text())) : Value();
}
Value gensym(MacroInterpreter &in, Arguments arguments, const Form *at) {
  if (arguments.empty())
    return in.gensym("g");
  const Form *prefix = asNamed(in, arguments[0], at);
  return prefix ? Value(in.gensym(prefix->text())) : Value();
}
/// (error "message" form): stops the macro with a message, at `form` if that is part of the macro call.
Value error(MacroInterpreter &in, Arguments arguments, const Form *at) {
  std::optional<std::string> message = joined(in, arguments.take_front(1), at);
  return message ? in.userError(*message, arguments.size() == 2 ? arguments[1].form : nullptr) : Value();
}

/// (name-array "sum" 2 3): an array of names, [[sum0-0 sum0-1 sum0-2] [sum1-0 ...]].
const Form *namesBelow(MacroInterpreter &in, const std::string &prefix, ArrayRef<int64_t> sizes, const Form *at) {
  if (sizes.empty())
    return in.symbol(prefix);
  SmallVector<const Form *> items;
  for (int64_t i = 0; i < sizes.front(); ++i) {
    if (!in.spend(1, at))
      return nullptr;
    bool separated = isDigit(prefix.back());
    items.push_back(namesBelow(in, prefix + (separated ? "-" : "") + itostr(i), sizes.drop_front(), at));
    if (!items.back())
      return nullptr;
  }
  return in.vector(items);
}
Value nameArray(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const Form *prefix = asNamed(in, arguments[0], at);
  if (!prefix)
    return {};
  if (prefix->text().empty())
    return in.fail("macro-shape", at, "a symbol cannot be empty");
  SmallVector<int64_t> sizes;
  for (Value argument : arguments.drop_front()) {
    std::optional<int64_t> size = asInteger(in, argument, at);
    if (!size)
      return {};
    sizes.push_back(*size);
  }
  return namesBelow(in, prefix->text().str(), sizes, at);
}
/// (array-at array i j ...): an item of an array of arrays.
Value itemAt(MacroInterpreter &in, Arguments arguments, const Form *at) {
  Value item = arguments[0];
  for (Value index : arguments.drop_front())
    if (item = nth(in, {item, index}, at); !item)
      return {};
  return item;
}

//===----------------------------------------------------------------------===//
// Queries of the target that kernels are compiled for.
//===----------------------------------------------------------------------===//

const MacroMachine *machineOf(MacroInterpreter &in, const Form *at) {
  if (!in.machine())
    in.fail("macro-shape", at,
            "what the target can do is not known here: the macros of a program serve all its targets; "
            "`:for` of a `deftemplate` can ask");
  return in.machine();
}

/// (target-has? :wgmma)
Value targetHas(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const MacroMachine *machine = machineOf(in, at);
  const Form *ability = machine ? asNamed(in, arguments[0], at) : nullptr;
  if (!ability)
    return {};
  if (is_contained(machine->known, ability->text()) || is_contained(machine->abilities, ability->text()))
    return in.boolean(is_contained(machine->abilities, ability->text()));
  std::string near = didYouMean(ability->text(), machine->known);
  return in.fail("macro-unknown", at,
                 "no target has the ability `" + ability->text() + "`" + (near.empty() ? "" : "; " + near));
}

/// (tuning :key)
Value tuning(MacroInterpreter &in, Arguments arguments, const Form *at) {
  const MacroMachine *machine = machineOf(in, at);
  const Form *key = machine ? asNamed(in, arguments[0], at) : nullptr;
  if (!key)
    return {};
  if (const Form *value = machine->tuning ? machine->tuning->get(key->text()) : nullptr)
    return value;
  return in.fail("macro-unknown", at, "`" + key->text() + "` is not among what is tuned for this target");
}

/// (multiprocessors)
Value multiprocessors(MacroInterpreter &in, Arguments, const Form *at) {
  const MacroMachine *machine = machineOf(in, at);
  return machine ? Value(in.number(itostr(machine->multiprocessors))) : Value();
}

template <FormKind kind> Value isKind(MacroInterpreter &in, Arguments arguments, const Form *at) {
  return in.boolean(arguments[0].form && arguments[0].form->kind() == kind);
}
Value isFunction(MacroInterpreter &in, Arguments arguments, const Form *at) {
  return in.boolean(arguments[0].function);
}

constexpr Native kFunctions[] = {
    {"first", 1, 1, first},
    {"last", 1, 1, last},
    {"rest", 1, 1, rest},
    {"nth", 2, 3, nth},
    {"count", 1, 1, count},
    {"empty?", 1, 1, isEmpty},
    {"cons", 2, 2, cons},
    {"concat", 0, kAny, concat},
    {"list", 0, kAny, makeList},
    {"vector", 0, kAny, makeVector},
    {"vec", 1, 1, vec},
    {"reverse", 1, 1, reversed},
    {"take", 2, 2, take},
    {"drop", 2, 2, drop},
    {"map", 2, kAny, map},
    {"filter", 2, 2, filter},
    {"reduce", 2, 3, reduce},
    {"range", 1, 3, range},
    {"apply", 2, kAny, apply},
    {"get", 2, 3, get},
    {"assoc", 3, 3, assoc},
    {"merge", 0, kAny, merge},
    {"keys", 1, 1, keys},
    {"vals", 1, 1, vals},
    {"str", 0, kAny, str},
    {"symbol", 1, kAny, makeSymbol},
    {"keyword", 1, kAny, makeKeyword},
    {"name", 1, 1, name},
    {"gensym", 0, 1, gensym},
    {"name-array", 2, kAny, nameArray},
    {"array-at", 2, kAny, itemAt},
    {"target-has?", 1, 1, targetHas},
    {"tuning", 1, 1, tuning},
    {"multiprocessors", 0, 0, multiprocessors},
    {"error", 1, 2, error},
    {"list?", 1, 1, isKind<FormKind::List>},
    {"vector?", 1, 1, isKind<FormKind::Vector>},
    {"map?", 1, 1, isKind<FormKind::Map>},
    {"symbol?", 1, 1, isKind<FormKind::Symbol>},
    {"keyword?", 1, 1, isKind<FormKind::Keyword>},
    {"string?", 1, 1, isKind<FormKind::String>},
    {"number?", 1, 1, isKind<FormKind::Number>},
    {"bool?", 1, 1, isKind<FormKind::Bool>},
    {"nil?", 1, 1, isKind<FormKind::Nil>},
    {"fn?", 1, 1, isFunction},
};
} // namespace

ArrayRef<Native> macroFunctions() { return kFunctions; }
} // namespace lispier
