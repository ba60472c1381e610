//===- Value.cpp - Lisp values for compiled code --------------------------===//
#include "lispier/Runtime/Value/Value.h"
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
using Value = lispier_value;
using Item = const lispier_value *;

//===- Arena --------------------------------------------------------------===//

struct Chunk {
  Chunk *older;
  int64_t used, size; ///< Bytes after this header.
};
constexpr int64_t kFirstChunk = 64 << 10;
constexpr int64_t kAlignment = 16;
constexpr int64_t kChunkHeader = (sizeof(Chunk) + kAlignment - 1) / kAlignment * kAlignment;

thread_local Chunk *newest = nullptr;

void *allocate(int64_t bytes) {
  bytes = (bytes + kAlignment - 1) & -kAlignment;
  if (!newest || newest->size - newest->used < bytes) {
    int64_t size = newest && newest->size < (16 << 20) ? 2 * newest->size : kFirstChunk;
    if (size < bytes)
      size = bytes;
    auto *chunk = static_cast<Chunk *>(malloc(kChunkHeader + size));
    if (!chunk)
      return nullptr;
    *chunk = {newest, 0, size};
    newest = chunk;
  }
  void *memory = reinterpret_cast<char *>(newest) + kChunkHeader + newest->used;
  newest->used += bytes;
  return memory;
}

Value *make(int32_t kind) {
  auto *value = static_cast<Value *>(allocate(sizeof(Value)));
  if (value) {
    *value = Value();
    value->kind = kind;
  }
  return value;
}

//===- Lists --------------------------------------------------------------===//

bool hasItems(Item value) { return value && value->kind <= LISPIER_MAP; }

Value *copy(Item value) {
  if (!value)
    return nullptr;
  auto *result = static_cast<Value *>(allocate(sizeof(Value)));
  if (result) {
    *result = *value;
    result->capacity = 0; // The items are shared; the first push copies them.
  }
  return result;
}

/// A list of the items from index `first` on, sharing them.
Value *tail(Item list, int64_t first) {
  Value *result = copy(list);
  if (result) {
    result->items += first;
    result->count -= first;
  }
  return result;
}

bool reserve(Value *list, int64_t more) {
  int64_t needed = list->count + more;
  if (needed <= list->capacity)
    return true;
  int64_t capacity = needed < 4 ? 4 : 2 * needed;
  auto **items = static_cast<Item *>(allocate(capacity * int64_t(sizeof(Item))));
  if (!items)
    return false;
  if (list->count)
    memcpy(items, list->items, list->count * sizeof(Item));
  list->items = items;
  list->capacity = capacity;
  return true;
}

/// The shortest decimal text that reads back as the same number, in the language's syntax; empty if there is none.
struct NumberText {
  char text[32] = "";
  explicit NumberText(double number) {
    if (!std::isfinite(number))
      return;
    if (std::fabs(number) < 0x1p53 && number == double(int64_t(number))) {
      snprintf(text, sizeof(text), "%" PRId64, int64_t(number));
      return;
    }
    for (int digits = 1; digits <= 17; ++digits) {
      snprintf(text, sizeof(text), "%.*g", digits, number);
      if (strtod(text, nullptr) == number)
        return;
    }
  }
};

bool is(Item value, int32_t kind) { return value && value->kind == kind; }

Value *named(int32_t kind, const char *text) {
  return text ? lispier_value_text(kind, text, int64_t(strlen(text)), 0) : nullptr;
}
} // namespace

extern "C" {
Value *lispier_value_text(int32_t kind, const char *text, int64_t length, double number) {
  auto *bytes = static_cast<char *>(allocate(length + 1));
  Value *value = bytes ? make(kind) : nullptr;
  if (!value)
    return nullptr;
  memcpy(bytes, text, length);
  bytes[length] = 0;
  value->text = bytes;
  value->length = length;
  value->number = number;
  return value;
}

struct lispier_value_mark lispier_value_mark() { return {newest, newest ? newest->used : 0}; }
void lispier_value_release(struct lispier_value_mark mark) {
  while (newest && newest != mark.chunk) {
    Chunk *older = newest->older;
    free(newest);
    newest = older;
  }
  if (newest)
    newest->used = mark.used;
}

Value *value_list_new() { return make(LISPIER_LIST); }
Value *value_vector_new() { return make(LISPIER_VECTOR); }
Value *value_map_new() { return make(LISPIER_MAP); }
Value *value_nil_new() { return make(LISPIER_NIL); }
Value *value_bool_new(int32_t truth) {
  Value *value = make(LISPIER_BOOL);
  if (value)
    value->truth = truth & 1;
  return value;
}
Value *value_symbol_new(const char *name) { return named(LISPIER_SYMBOL, name); }
Value *value_keyword_new(const char *name) { return named(LISPIER_KEYWORD, name && *name == ':' ? name + 1 : name); }
Value *value_string_new(const char *text) { return named(LISPIER_STRING, text); }
Value *value_number_new(double number) {
  NumberText written(number);
  Value *value = lispier_value_text(LISPIER_NUMBER, written.text, int64_t(strlen(written.text)), number);
  if (value && value->length == 0)
    value->text = nullptr;
  return value;
}
Value *value_clone(Item value) { return copy(value); }
void value_free(Value *) {}

Value *value_list_push(Value *list, Item item) {
  if (!hasItems(list) || !reserve(list, 1))
    return nullptr;
  Value *added = item ? copy(item) : value_nil_new();
  if (!added)
    return nullptr;
  list->items[list->count++] = added;
  return list;
}
Value *value_list_append(Value *list, Item items) {
  if (!hasItems(list) || !hasItems(items) || !reserve(list, items->count))
    return nullptr;
  int64_t count = items->count; // Read first: `items` may be `list`.
  for (int64_t i = 0; i < count; ++i)
    list->items[list->count++] = items->items[i];
  return list;
}
int64_t value_list_len(Item list) { return hasItems(list) ? list->count : 0; }
Value *value_list_get(Item list, int64_t index) {
  return hasItems(list) && index >= 0 && index < list->count ? copy(list->items[index]) : nullptr;
}
Value *value_list_first(Item list) { return value_list_get(list, 0); }
Value *value_list_rest(Item list) { return hasItems(list) ? tail(list, list->count > 0) : nullptr; }

bool value_is_list(Item value) { return is(value, LISPIER_LIST); }
bool value_is_vector(Item value) { return is(value, LISPIER_VECTOR); }
bool value_is_map(Item value) { return is(value, LISPIER_MAP); }
bool value_is_symbol(Item value) { return is(value, LISPIER_SYMBOL); }
bool value_is_keyword(Item value) { return is(value, LISPIER_KEYWORD); }
bool value_is_string(Item value) { return is(value, LISPIER_STRING); }
bool value_is_number(Item value) { return is(value, LISPIER_NUMBER); }
bool value_is_bool(Item value) { return is(value, LISPIER_BOOL); }
bool value_is_nil(Item value) { return is(value, LISPIER_NIL); }

const char *value_symbol_name(Item value) { return is(value, LISPIER_SYMBOL) ? value->text : nullptr; }
const char *value_keyword_name(Item value) { return is(value, LISPIER_KEYWORD) ? value->text : nullptr; }
const char *value_string_get(Item value) { return is(value, LISPIER_STRING) ? value->text : nullptr; }
double value_number_get(Item value) { return is(value, LISPIER_NUMBER) ? value->number : 0; }
bool value_bool_get(Item value) { return is(value, LISPIER_BOOL) && value->truth; }

Value *value_gensym_prefix(const char *prefix) {
  static std::atomic<uint64_t> made{0};
  char name[128];
  int length = snprintf(name, sizeof(name), "%.96s__gensym%" PRIu64, prefix ? prefix : "",
                        made.fetch_add(1, std::memory_order_relaxed));
  return lispier_value_text(LISPIER_SYMBOL, name, length, 0);
}
Value *value_gensym() { return value_gensym_prefix("g"); }

Value *value_symbol_arith_addi() { return value_symbol_new("arith.addi"); }
Value *value_symbol_arith_subi() { return value_symbol_new("arith.subi"); }
Value *value_symbol_arith_muli() { return value_symbol_new("arith.muli"); }
Value *value_symbol_arith_divsi() { return value_symbol_new("arith.divsi"); }
Value *value_symbol_func_return() { return value_symbol_new("func.return"); }
Value *value_symbol_def() { return value_symbol_new("def"); }
Value *value_symbol_do() { return value_symbol_new("do"); }
Value *value_symbol_colon() { return value_symbol_new(":"); }
}
