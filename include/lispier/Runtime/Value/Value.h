/*===- Value.h - Lisp values for compiled code --------------------*- C -*-===*\
|*                                                                          *|
|* Compiled macros take and return these values; any program may use them.  *|
|* Programs use the functions; the struct is public for the macro expander, *|
|* which converts source forms to values and back.                          *|
|*                                                                          *|
|* Memory: values live in a thread-local arena. value_free does nothing;    *|
|* lispier_value_release frees all values created since a checkpoint of the *|
|* arena. Functions return null, false or 0 when memory is exhausted or an  *|
|* argument is null or of the wrong kind; none crashes.                     *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_VALUE_H
#define LISPIER_RUNTIME_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the kinds of source forms. */
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

  /* Name of a symbol, or of a keyword without its colon; contents of a string, unescaped; literal of a number, or null
   * if it has none (infinity, NaN). NUL-terminated, may contain NULs; `length` excludes the terminator. */
  const char *text;
  int64_t length;

  double number;

  /* Items of a list or vector; alternating keys and values of a map. Lists share item arrays, since items in use never
   * change; `capacity` is that of `items`, or 0 if another list owns the array. */
  const struct lispier_value **items;
  int64_t count, capacity;

  /* Opaque to this library and kept by copies; the expander stores the source form here. */
  const void *origin;
};
typedef struct lispier_value lispier_value;

lispier_value *value_list_new(void);
lispier_value *value_vector_new(void);
lispier_value *value_map_new(void);
lispier_value *value_nil_new(void);
lispier_value *value_bool_new(int32_t truth); /* Only the lowest bit of `truth` counts. */
lispier_value *value_symbol_new(const char *name);
lispier_value *value_keyword_new(const char *name); /* With or without the leading colon. */
lispier_value *value_string_new(const char *text);
lispier_value *value_number_new(double number);
lispier_value *value_clone(const lispier_value *value);
void value_free(lispier_value *value);

/* For lists, vectors and maps. Push and append modify and return `list`. `push` adds a copy of the item, of a null one
 * nil; `append` adds all items of another list. */
lispier_value *value_list_push(lispier_value *list, const lispier_value *item);
lispier_value *value_list_append(lispier_value *list, const lispier_value *items);
int64_t value_list_len(const lispier_value *list);
/* These return copies, or null if there is no such item. The rest of an empty list is an empty list. */
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

/* The text of a symbol, keyword or string; valid as long as the value. */
const char *value_symbol_name(const lispier_value *value);
const char *value_keyword_name(const lispier_value *value);
const char *value_string_get(const lispier_value *value);
double value_number_get(const lispier_value *value);
bool value_bool_get(const lispier_value *value);

/* A symbol whose name is unique in this process. */
lispier_value *value_gensym(void);
lispier_value *value_gensym_prefix(const char *prefix);

/* Constants for older macros. */
lispier_value *value_symbol_arith_addi(void);
lispier_value *value_symbol_arith_subi(void);
lispier_value *value_symbol_arith_muli(void);
lispier_value *value_symbol_arith_divsi(void);
lispier_value *value_symbol_func_return(void);
lispier_value *value_symbol_def(void);
lispier_value *value_symbol_do(void);
lispier_value *value_symbol_colon(void);

/* For the macro expander. Copies `length` bytes of `text`; `kind` is symbol, keyword, string or number. */
lispier_value *lispier_value_text(int32_t kind, const char *text, int64_t length, double number);

struct lispier_value_mark {
  void *chunk;
  int64_t used;
};
/* Take a checkpoint of this thread's arena, and free all values created since a checkpoint. Checkpoints nest. */
struct lispier_value_mark lispier_value_mark(void);
void lispier_value_release(struct lispier_value_mark mark);

#ifdef __cplusplus
}
#endif
#endif
