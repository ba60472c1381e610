//===- JinjaBuiltins.h - arguments and tables of filters -------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_JINJABUILTINS_H
#define LISPIER_LIB_CHECKPOINT_JINJABUILTINS_H

#include "Jinja.h"
#include <functional>
#include <map>

namespace lispier::jinja {
using FilterFunction = std::function<Value(const Value &, const Arguments &)>;
using FilterTable = std::map<std::string, FilterFunction, std::less<>>;

/// The filters of lists, in JinjaLists.cpp.
const FilterTable &listFilters();

/// An argument by position or, if it has a name, by keyword; null if it is not given.
const Value *argument(const Arguments &arguments, size_t index, std::string_view name = "");
std::string textArgument(const Arguments &arguments, size_t index, std::string_view name = "");
int64_t integerArgument(const Arguments &arguments, size_t index, std::string_view name, int64_t missing);
bool flagArgument(const Arguments &arguments, size_t index, std::string_view name, bool missing);
/// The value as a list, for filters of lists.
const List &listOf(const Value &value, const Arguments &arguments);
/// [key, value] of each member.
Value itemsOfMap(const Value &value);
/// A text in lower case, as Python's casefold-free comparisons of filters want it; other values as they are.
Value withoutCase(const Value &value);
/// A text without characters of the argument, or white space, at its ends.
std::string strip(std::string_view text, const Arguments &arguments, bool left, bool right);
std::string replaced(std::string_view text, const Arguments &arguments);
/// The first letter in title case, the others in lower case.
std::string capitalized(std::string_view text);
/// As the filter `title` does it: letters at the beginning and behind white space or one of -({[< in upper case, others
/// in lower case.
std::string inTitleCase(std::string_view text);
} // namespace lispier::jinja
#endif
