/*===- Value.h - Lisp data that compiled code builds and reads ----*- C -*-===*\
|*                                                                          *|
|* Macros that are compiled functions take and return these; any program    *|
|* may use them. The struct is public so that whoever runs macros can turn  *|
|* source forms into values and back; programs call the functions.          *|
|*                                                                          *|
|* Memory: every value lies in an arena of its thread. value_free does      *|
|* nothing; lispier_value_release gives back all that is younger than a     *|
|* mark. A function that has no memory left, or is given null or the wrong  *|
|* kind, answers null, false or 0: nothing here crashes.                    *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_VALUE_H
#define LISPIER_RUNTIME_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order is that of the source forms' kinds. */
enum lispier_value_kind {
  LISPIER_LIST,
  LISPIER_VECTOR,
  LISPIER_MAP,
  LISPIER_SYMBOL,
  LISPIER_KEYWORD,
  LISPIER_STRING,
  LISPIER_NUMBER,
  LISPIER_BOOL,
  LISPIER_NIL
};

struct lispier_value {
  int32_t kind; /* a lispier_value_kind */
  bool truth;   /* bool */

  /* Symbol; keyword without its colon; string after escapes; number as it is written, null when it cannot be (infinity,
   * NaN). Ends in a NUL, and may hold others: `length` counts without the last. */
  const char *text;
  int64_t length;

  double number;

  /* List and vector: the items. Map: key, value, key, value. Items never change once they are in a list, so lists share
   * them; `capacity` is the room at `items`, 0 when that array belongs to another list. */
  const struct lispier_value **items;
  int64_t count, capacity;

  /* Whatever whoever made the value wants to find again, such as the form it came from; copies keep it. */
  const void *origin;
};
typedef struct lispier_value lispier_value;

lispier_value *value_list_new(void);
lispier_value *value_vector_new(void);
lispier_value *value_map_new(void);
lispier_value *value_nil_new(void);
lispier_value *value_bool_new(int32_t truth); /* its lowest bit */
lispier_value *value_symbol_new(const char *name);
lispier_value *value_keyword_new(const char *name); /* without the colon; one colon in front is dropped */
lispier_value *value_string_new(const char *text);
lispier_value *value_number_new(double number);
lispier_value *value_clone(const lispier_value *value);
void value_free(lispier_value *value);

/* Lists, vectors and maps alike. Push and append change `list`, which they return; they copy what they add, and null
 * counts as nil. `append` adds the items of another list. */
lispier_value *value_list_push(lispier_value *list, const lispier_value *item);
lispier_value *value_list_append(lispier_value *list, const lispier_value *items);
int64_t value_list_len(const lispier_value *list);
/* Fresh copies; null where there is no such item. The rest of an empty list is an empty list. */
lispier_value *value_list_first(const lispier_value *list);
lispier_value *value_list_rest(const lispier_value *list);
lispier_value *value_list_get(const lispier_value *list, int64_t index);

bool value_is_list(const lispier_value *value);
bool value_is_vector(const lispier_value *value);
bool value_is_map(const lispier_value *value);
bool value_is_symbol(const lispier_value *value);
bool value_is_keyword(const lispier_value *value);
bool value_is_string(const lispier_value *value);
bool value_is_number(const lispier_value *value);
bool value_is_bool(const lispier_value *value);
bool value_is_nil(const lispier_value *value);

/* The text of a symbol, keyword or string, as long as the value lives. */
const char *value_symbol_name(const lispier_value *value);
const char *value_keyword_name(const lispier_value *value);
const char *value_string_get(const lispier_value *value);
double value_number_get(const lispier_value *value);
bool value_bool_get(const lispier_value *value);

/* A symbol that nothing else in this process is named. */
lispier_value *value_gensym(void);
lispier_value *value_gensym_prefix(const char *prefix);

/* Symbols that older macros ask for by function. */
lispier_value *value_symbol_arith_addi(void);
lispier_value *value_symbol_arith_subi(void);
lispier_value *value_symbol_arith_muli(void);
lispier_value *value_symbol_arith_divsi(void);
lispier_value *value_symbol_func_return(void);
lispier_value *value_symbol_def(void);
lispier_value *value_symbol_do(void);
lispier_value *value_symbol_colon(void);

/* For whoever runs macros. `text` of `length` bytes is copied; kind is symbol, keyword, string or number. */
lispier_value *lispier_value_text(int32_t kind, const char *text, int64_t length, double number);

struct lispier_value_mark {
  void *chunk;
  int64_t used;
};
/* All values that this thread makes after the mark end with its release; marks nest. */
struct lispier_value_mark lispier_value_mark(void);
void lispier_value_release(struct lispier_value_mark mark);

#ifdef __cplusplus
}
#endif
#endif
