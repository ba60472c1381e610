/*===- Model.h - GPT-2's files for programs: weights and tokenizer -*- C -*-===//
 *
 * The C interface that Lispier programs declare with extern-fn. Pointers are
 * opaque handles. Nothing here prints, exits or throws: `open` returns a handle
 * even when it fails, and `..._error` then has one line that says which file,
 * what is wrong and what was expected. A handle with an error answers 0 or null
 * to everything else. A handle serves one thread at a time.
 *
 *===---------------------------------------------------------------------===*/
#ifndef LISPIER_MODEL_MODEL_H
#define LISPIER_MODEL_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The tensors of a GPT-2, all BF16, row-major. L layers, C channels, V token rows, P positions. */
typedef enum lispier_tensor {
  LISPIER_TOKEN_EMBEDDING = 0,    /**< (V, C), padded rows included */
  LISPIER_POSITION_EMBEDDING = 1, /**< (P, C) */
  LISPIER_NORM1_WEIGHT = 2,       /**< (C), per layer, as all up to CONTRACT_BIAS */
  LISPIER_NORM1_BIAS = 3,         /**< (C) */
  LISPIER_QKV_WEIGHT = 4,         /**< (3C, C) */
  LISPIER_QKV_BIAS = 5,           /**< (3C) */
  LISPIER_ATTENTION_WEIGHT = 6,   /**< (C, C), after the heads */
  LISPIER_ATTENTION_BIAS = 7,     /**< (C) */
  LISPIER_NORM2_WEIGHT = 8,       /**< (C) */
  LISPIER_NORM2_BIAS = 9,         /**< (C) */
  LISPIER_EXPAND_WEIGHT = 10,     /**< (4C, C) */
  LISPIER_EXPAND_BIAS = 11,       /**< (4C) */
  LISPIER_CONTRACT_WEIGHT = 12,   /**< (C, 4C) */
  LISPIER_CONTRACT_BIAS = 13,     /**< (C) */
  LISPIER_FINAL_NORM_WEIGHT = 14, /**< (C) */
  LISPIER_FINAL_NORM_BIAS = 15,   /**< (C) */
  LISPIER_OUTPUT_WEIGHT = 16      /**< (V, C); the token embedding when the model ties them */
} lispier_tensor;

typedef struct lispier_model lispier_model;
typedef struct lispier_tokenizer lispier_tokenizer;

/** Reads a model. `path`: a weights file (.safetensors, .bin), or a directory that holds model.safetensors or
 *  one .bin; null or empty: the directory `bundled` instead. Weights are copied, so the file may go afterwards. */
lispier_model *lispier_model_open(const char *path, const char *bundled);
/** Why opening, or the last call with this handle, failed; null when it did not. Lives as long as the handle. */
const char *lispier_model_error(const lispier_model *model);
/** The weights file that was read. */
const char *lispier_model_path(const lispier_model *model);
int64_t lispier_model_layers(const lispier_model *model);
int64_t lispier_model_heads(const lispier_model *model);
int64_t lispier_model_channels(const lispier_model *model);
int64_t lispier_model_positions(const lispier_model *model);
/** Token ids 0 to vocabulary - 1; the embedding has padded_vocabulary rows, which is at least as many. */
int64_t lispier_model_vocabulary(const lispier_model *model);
int64_t lispier_model_padded_vocabulary(const lispier_model *model);
int32_t lispier_model_end_of_text(const lispier_model *model);
float lispier_model_epsilon(const lispier_model *model);
/** First element of a tensor (BF16); `layer` counts from 0 and is ignored for what exists once. Null: no such. */
const uint16_t *lispier_model_tensor(const lispier_model *model, int32_t kind, int64_t layer);
/** All tensors lie in one block, so that a program can move them to a device at once: its first element, its number
 *  of elements (BF16), and where in it a tensor begins, in elements (-1: no such). */
const uint16_t *lispier_model_block(const lispier_model *model);
int64_t lispier_model_block_elements(const lispier_model *model);
int64_t lispier_model_offset(const lispier_model *model, int32_t kind, int64_t layer);
/** Writes `count` F32 numbers as a one-dimensional NumPy file. 0: done; else 1, and the reason is the model's error. */
int32_t lispier_model_write_npy(lispier_model *model, const char *path, const float *values, int64_t count);
void lispier_model_close(lispier_model *model);

/** Reads a byte-level BPE tokenizer. `path`: vocab.json (merges.txt beside it), gpt2_tokenizer.bin, or a directory
 *  that holds one of the two; null or empty: the directory of the model's weights. It must fit the model. */
lispier_tokenizer *lispier_tokenizer_open(const char *path, const lispier_model *model);
const char *lispier_tokenizer_error(const lispier_tokenizer *tokenizer);
/** Number of tokens. */
int64_t lispier_tokenizer_size(const lispier_tokenizer *tokenizer);
int32_t lispier_tokenizer_end_of_text(const lispier_tokenizer *tokenizer);
/** Splits any bytes into tokens, returns how many; `lispier_tokenizer_ids` has them until the next encode.
 *  `<|endoftext|>` in the text is text. */
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

#ifdef __cplusplus
}
#endif
#endif
