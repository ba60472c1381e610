/*===- CheckpointAbi.h - weights and tokenizers for programs -----*- C -*-===//
 *
 * The C ABI that Lispier programs declare with extern-fn. Pointers are opaque
 * handles. Nothing here prints, exits or throws: `open` returns a handle even
 * when it fails, and `..._error` then has one line that says which file, what
 * is wrong and what was expected. The first failure of a handle stays its
 * error, so a program may ask many questions and look once. A handle that
 * failed to open answers 0, null, -1 or the value for what is missing. A handle
 * serves one thread at a time. Texts that are returned live as long as the
 * handle.
 *
 *===---------------------------------------------------------------------===*/
#ifndef LISPIER_CHECKPOINT_CHECKPOINTABI_H
#define LISPIER_CHECKPOINT_CHECKPOINTABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lispier_checkpoint lispier_checkpoint;
typedef struct lispier_block lispier_block;
typedef struct lispier_tokenizer lispier_tokenizer;

/** Opens a model's files. `path`: a .safetensors file, the index of its shards (.safetensors.index.json), an llm.c
 *  .bin, or a directory that holds one. `layout` says what an llm.c file holds (LlmC.h); null or empty: such a file
 *  is refused. */
lispier_checkpoint *lispier_checkpoint_open(const char *path, const char *layout);
/** Why opening, or the first call that failed, did; null when none has. */
const char *lispier_checkpoint_error(const lispier_checkpoint *checkpoint);
/** The weights file or index that was opened, and the directory in which it lies. */
const char *lispier_checkpoint_path(const lispier_checkpoint *checkpoint);
const char *lispier_checkpoint_directory(const lispier_checkpoint *checkpoint);
/** "safetensors" or "llm.c". */
const char *lispier_checkpoint_format(const lispier_checkpoint *checkpoint);
void lispier_checkpoint_close(lispier_checkpoint *checkpoint);

/** Number of tensors. They are numbered from 0 in the order of their names. */
int64_t lispier_checkpoint_tensors(const lispier_checkpoint *checkpoint);
/** The number of the tensor `name`; -1 without one, which is no error. */
int64_t lispier_checkpoint_find(const lispier_checkpoint *checkpoint, const char *name);
/** Of tensor `index`: its name; its type as safetensors spells it (F32, BF16 ...); its rank and its size in dimension
 *  `dim`; its numbers, row-major and without alignment, and how many bytes they are. Null, or -1, for what does not
 *  exist. */
const char *lispier_checkpoint_name(const lispier_checkpoint *checkpoint, int64_t index);
const char *lispier_checkpoint_type(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_rank(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_size(const lispier_checkpoint *checkpoint, int64_t index, int64_t dim);
const void *lispier_checkpoint_data(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_bytes(const lispier_checkpoint *checkpoint, int64_t index);
/** 1 when two tensors have the same type, shape and bytes: a weight that is tied to another but stored twice. */
int32_t lispier_checkpoint_same(const lispier_checkpoint *checkpoint, int64_t a, int64_t b);
/** One more than the largest N of the names `prefix` N `.` ...: the number of a model's layers. */
int64_t lispier_checkpoint_count(const lispier_checkpoint *checkpoint, const char *prefix);

/** The configuration: config.json beside safetensors, or the header of an llm.c file. Its path; null without one. */
const char *lispier_checkpoint_config(const lispier_checkpoint *checkpoint);
/** The value of a key, or `missing`. A value of another type is an error. For integers null is a missing value.
 *  Members of objects and arrays have keys with a dot: rope_scaling.factor, eos_token_id.0. */
int64_t lispier_checkpoint_integer(lispier_checkpoint *checkpoint, const char *key, int64_t missing);
double lispier_checkpoint_number(lispier_checkpoint *checkpoint, const char *key, double missing);
int32_t lispier_checkpoint_flag(lispier_checkpoint *checkpoint, const char *key, int32_t missing);
const char *lispier_checkpoint_text(lispier_checkpoint *checkpoint, const char *key, const char *missing);

/** A block for chosen tensors of a checkpoint, all of `type`, BF16 or F32. Its failures are the checkpoint's. */
lispier_block *lispier_block_new(lispier_checkpoint *checkpoint, const char *type);
/** Reserves the place of a matrix, rows x columns as the program wants it, and returns where it begins in elements;
 *  -1 after a failure. `transposed` 1: the file has columns x rows. `rows` 0: a vector of `columns`. Tensors of type
 *  F32, F16 and BF16 can be read; each begins at a multiple of 64 bytes, in the order of the calls. */
int64_t lispier_block_add(lispier_block *block, const char *name, int64_t rows, int64_t columns, int32_t transposed);
/** Elements that are reserved, padding included. */
int64_t lispier_block_elements(const lispier_block *block);
/** Reads all tensors into memory of huge pages, rounding to nearest even, and returns its first element; null after a
 *  failure, of an earlier call too. The checkpoint may be closed afterwards. */
void *lispier_block_read(lispier_block *block);
void lispier_block_close(lispier_block *block);

/** Reads a byte-level BPE tokenizer. `path`: vocab.json (merges.txt beside it), a *tokenizer.bin of llm.c, or a
 *  directory with one of these. `pattern`: the regular expression that cuts text into pieces (PreTokenizer.h).
 *  `specials`: the tokens that no merge makes, one a line; null: none. */
lispier_tokenizer *lispier_tokenizer_open(const char *path, const char *pattern, const char *specials);
const char *lispier_tokenizer_error(const lispier_tokenizer *tokenizer);
/** The file that was read. */
const char *lispier_tokenizer_path(const lispier_tokenizer *tokenizer);
/** Number of tokens. */
int64_t lispier_tokenizer_size(const lispier_tokenizer *tokenizer);
/** The token that is spelled so, a special one too; -1 without one. */
int32_t lispier_tokenizer_find(const lispier_tokenizer *tokenizer, const char *spelling);
/** Splits any bytes into tokens, returns how many; `lispier_tokenizer_ids` has them until the next encode. A special
 *  token's spelling in the text is text. */
int64_t lispier_tokenizer_encode(lispier_tokenizer *tokenizer, const char *text, int64_t bytes);
const int32_t *lispier_tokenizer_ids(const lispier_tokenizer *tokenizer);
/** Streaming decode: adds a token and returns the number of bytes that may be printed now, which
 *  `lispier_tokenizer_text` points to until the next push or finish. Only whole UTF-8 characters come out; what
 *  cannot become one is U+FFFD. */
int64_t lispier_tokenizer_push(lispier_tokenizer *tokenizer, int32_t id);
/** The same for the bytes still held back at the end; the stream is empty again afterwards. */
int64_t lispier_tokenizer_finish(lispier_tokenizer *tokenizer);
const char *lispier_tokenizer_text(const lispier_tokenizer *tokenizer);
void lispier_tokenizer_close(lispier_tokenizer *tokenizer);

/** Writes `count` F32 numbers as a one-dimensional NumPy file. 0, or the C library's error number. */
int32_t lispier_write_npy(const char *path, const float *values, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
