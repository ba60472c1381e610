/*===- CheckpointAbi.h - weights and tokenizers for programs -----*- C -*-===//
 *
 * The C ABI that Lispier programs declare with extern-fn. Pointers are opaque
 * handles. No function prints, exits or throws. `open` returns a handle even if
 * it fails; `..._error` then returns one line with the file, what is wrong and
 * what was expected. A handle keeps its first error, so a program can make many
 * calls and check once. A call that fails returns 0, null, -1 or the default, as
 * does every call of a handle that failed to open. Only if there is no memory for
 * a handle is it null, which no function but `..._error` and `..._close` takes. A
 * handle must not be used by two threads at once. Returned strings live as long
 * as the handle, unless said otherwise.
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
typedef struct lispier_decoder lispier_decoder;
typedef struct lispier_chat lispier_chat;

/** Opens a model's files. `path`: a .safetensors file, the index of its shards (.safetensors.index.json), an llm.c
 *  .bin, or a directory that contains one. `layout` describes an llm.c file (LlmC.h); if it is null or empty, such a
 *  file is rejected. */
lispier_checkpoint *lispier_checkpoint_open(const char *path, const char *layout);
/** The error of `open` or of the first later call that failed; null if there was none. */
const char *lispier_checkpoint_error(const lispier_checkpoint *checkpoint);
/** The path of the weights file or index that was opened, and of its directory. */
const char *lispier_checkpoint_path(const lispier_checkpoint *checkpoint);
const char *lispier_checkpoint_directory(const lispier_checkpoint *checkpoint);
/** "safetensors" or "llm.c". */
const char *lispier_checkpoint_format(const lispier_checkpoint *checkpoint);
void lispier_checkpoint_close(lispier_checkpoint *checkpoint);

/** Number of tensors. Indices start at 0 and follow the order of the names. */
int64_t lispier_checkpoint_tensors(const lispier_checkpoint *checkpoint);
/** The index of the tensor `name`, or -1 if there is none, which is not an error. */
int64_t lispier_checkpoint_find(const lispier_checkpoint *checkpoint, const char *name);
/** Properties of tensor `index`: its name; its type as in safetensors (F32, BF16, ...); its rank; its size in dimension
 *  `dim`; its data, row-major and unaligned; the size of the data in bytes. Null or -1 if the tensor or dimension does
 *  not exist. */
const char *lispier_checkpoint_name(const lispier_checkpoint *checkpoint, int64_t index);
const char *lispier_checkpoint_type(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_rank(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_size(const lispier_checkpoint *checkpoint, int64_t index, int64_t dim);
const void *lispier_checkpoint_data(const lispier_checkpoint *checkpoint, int64_t index);
int64_t lispier_checkpoint_bytes(const lispier_checkpoint *checkpoint, int64_t index);
/** 1 if two tensors have the same type, shape and bytes, as a tied weight that is stored twice. */
int32_t lispier_checkpoint_same(const lispier_checkpoint *checkpoint, int64_t a, int64_t b);
/** One more than the largest N among the names `prefix` N `.` ..., such as a model's number of layers. */
int64_t lispier_checkpoint_count(const lispier_checkpoint *checkpoint, const char *prefix);

/** The path of the configuration: config.json, or the llm.c file, whose header it is; null if there is none. */
const char *lispier_checkpoint_config(const lispier_checkpoint *checkpoint);
/** The value of a key, or `missing` if there is none. A value of another type is an error; a null counts as missing for
 *  integers only. Members of objects and arrays have dotted keys: rope_scaling.factor, eos_token_id.0. */
int64_t lispier_checkpoint_integer(lispier_checkpoint *checkpoint, const char *key, int64_t missing);
double lispier_checkpoint_number(lispier_checkpoint *checkpoint, const char *key, double missing);
int32_t lispier_checkpoint_flag(lispier_checkpoint *checkpoint, const char *key, int32_t missing);
const char *lispier_checkpoint_text(lispier_checkpoint *checkpoint, const char *key, const char *missing);

/** Reads config.json (and generation_config.json) of a decoder, complete and checked. `path`: the file or its
 * directory; `families`: the table of model types (lib/Checkpoint/DecoderFamilies.h). */
lispier_decoder *lispier_decoder_open(const char *path, const char *families);
const char *lispier_decoder_error(const lispier_decoder *decoder);
/** A value by the name that DecoderConfig.h gives: vocab_size, hidden_size, head_dim, windows.3, rope_theta ... Another
 *  name or type is an error. */
int64_t lispier_decoder_integer(lispier_decoder *decoder, const char *key);
double lispier_decoder_number(lispier_decoder *decoder, const char *key);
int32_t lispier_decoder_flag(lispier_decoder *decoder, const char *key);
const char *lispier_decoder_text(lispier_decoder *decoder, const char *key);
void lispier_decoder_close(lispier_decoder *decoder);

/** Creates a block for selected tensors, converted to `type`, BF16 or F32. Its errors are recorded in `checkpoint`. */
lispier_block *lispier_block_new(lispier_checkpoint *checkpoint, const char *type);
/** Adds a tensor to the block and returns its offset in elements, or -1 on failure. The program sees it as rows x
 * columns; with `transposed` 1 the file has columns x rows. `rows` 0 means a vector of `columns` elements. The stored
 * type must be F32, F16 or BF16. Tensors follow in the order of the calls, each aligned to 64 bytes. */
int64_t lispier_block_add(lispier_block *block, const char *name, int64_t rows, int64_t columns, int32_t transposed);
/** Size of the block in elements, including padding. */
int64_t lispier_block_elements(const lispier_block *block);
/** Allocates the block in huge pages, reads and converts all tensors, rounding to nearest even, and returns the block;
 *  null if this or an earlier call failed. The checkpoint may be closed afterwards. lispier_block_close frees it. */
void *lispier_block_read(lispier_block *block);
void lispier_block_close(lispier_block *block);

typedef struct lispier_record lispier_record;
/** Reads the tensors of a record by a table (RecordReader.h), into memory that lives until the program ends. `layout`
 * as for lispier_checkpoint_open. */
lispier_record *lispier_record_open(const char *path, const char *layout, const char *table);
/** The same for one of `ranks` along axes, which `over` names in messages: the sizes of tensors that the table divides
 * are those of their parts. Reads none; lispier_record_read reads those of the rank at a place, for which it is called
 * once, before lispier_record_error. */
lispier_record *lispier_record_open_parts(const char *path, const char *layout, const char *table, int64_t ranks,
                                          const char *over);
void lispier_record_read(lispier_record *record, int64_t rank);
/** What is wrong, in one line or more; null if nothing is. */
const char *lispier_record_error(const lispier_record *record);
/** A size and the data of a part, numbered as the lines of the table; only without an error. */
int64_t lispier_record_size(const lispier_record *record, int64_t part, int64_t dim);
void *lispier_record_data(const lispier_record *record, int64_t part);

/** Reads a BPE tokenizer. `path`: tokenizer.json; vocab.json or merges.txt (both in one directory); a *tokenizer.bin
 *  of llm.c; or a directory with one of these. tokenizer.json describes the whole tokenizer; it is what a null or empty
 *  `pattern` asks for in a directory that has several. The others need `pattern`, the regular expression of the
 *  pre-tokenizer (Pattern.h), and `specials`, the special tokens, one per line; null: none. */
lispier_tokenizer *lispier_tokenizer_open(const char *path, const char *pattern, const char *specials);
const char *lispier_tokenizer_error(const lispier_tokenizer *tokenizer);
/** The path of the file that was read. */
const char *lispier_tokenizer_path(const lispier_tokenizer *tokenizer);
/** Number of tokens. */
int64_t lispier_tokenizer_size(const lispier_tokenizer *tokenizer);
/** The id of the token with this spelling, which may be a special token; -1 if there is none. */
int32_t lispier_tokenizer_find(const lispier_tokenizer *tokenizer, const char *spelling);
/** 1 if the token is special: it marks structure and is not part of a text. */
int32_t lispier_tokenizer_special(const lispier_tokenizer *tokenizer, int32_t id);
/** Encodes a text, which may be any bytes, and returns the number of tokens; `lispier_tokenizer_ids` points to their
 *  ids until the next call. With tokenizer.json, the spelling of an added token within the text becomes this token, and
 *  the tokens of the post-processor are added, such as the beginning of text; otherwise the spelling of a special token
 *  is ordinary text. */
int64_t lispier_tokenizer_encode(lispier_tokenizer *tokenizer, const char *text, int64_t bytes);
/** The same without the tokens of the post-processor: for what a chat template rendered, which has them. */
int64_t lispier_tokenizer_encode_rendered(lispier_tokenizer *tokenizer, const char *text, int64_t bytes);
const int32_t *lispier_tokenizer_ids(const lispier_tokenizer *tokenizer);
/** Streaming decoder: appends a token and returns the number of bytes that can be printed now, at
 *  `lispier_tokenizer_text` until the next push or finish. The output consists of complete UTF-8 characters; invalid
 *  bytes become U+FFFD. */
int64_t lispier_tokenizer_push(lispier_tokenizer *tokenizer, int32_t id);
/** Ends the stream: returns the remaining bytes as `push` does, and resets the decoder. */
int64_t lispier_tokenizer_finish(lispier_tokenizer *tokenizer);
const char *lispier_tokenizer_text(const lispier_tokenizer *tokenizer);
void lispier_tokenizer_close(lispier_tokenizer *tokenizer);

/** Reads the chat template of a model (ChatTemplate.h). `path`: the model's directory. */
lispier_chat *lispier_chat_open(const char *path);
const char *lispier_chat_error(const lispier_chat *chat);
/** Adds a message. `role`: system, user, assistant, or another that the template knows. */
void lispier_chat_add(lispier_chat *chat, const char *role, const char *content, int64_t bytes);
/** Drops the oldest turn: the first message that is not the system's, and those after it up to the user's next one.
 *  Returns how many messages that were; 0 if there is only one turn. */
int64_t lispier_chat_drop(lispier_chat *chat);
/** Sets a variable of the template to a JSON value: tools, enable_thinking, messages (all of them) ... */
void lispier_chat_set(lispier_chat *chat, const char *name, const char *value);
/** Renders the conversation, with `prompt` 1 up to where the model answers, and returns the number of bytes at
 *  `lispier_chat_text`, valid until the next call; for lispier_tokenizer_encode_rendered. */
int64_t lispier_chat_render(lispier_chat *chat, int32_t prompt);
const char *lispier_chat_text(const lispier_chat *chat);
void lispier_chat_close(lispier_chat *chat);

typedef struct lispier_saver lispier_saver;
typedef struct lispier_state lispier_state;
/** Begins the checkpoint of a step in a training run's folder, which is made if there is none (SavedStep.h). After an
 *  error all calls do nothing; the run's earlier checkpoints stay as they are. */
lispier_saver *lispier_saver_open(const char *run, int64_t step);
const char *lispier_saver_error(const lispier_saver *saver);
/** The folder of the checkpoint, which exists after `commit`. */
const char *lispier_saver_path(const lispier_saver *saver);
/** Adds a tensor to the safetensors file that is written next. `type`: F32, BF16, I64 ...; its numbers, at `data`, are
 *  read by `write`. */
void lispier_saver_tensor(lispier_saver *saver, const char *name, const char *type, int64_t rank, const int64_t *sizes,
                          const void *data);
/** Adds a pair to the metadata of the file that is written next; without any it is format: pt. */
void lispier_saver_describe(lispier_saver *saver, const char *key, const char *value);
/** Writes the tensors added since the last call as a file of the checkpoint, model.safetensors, and returns 1, or 0
 *  after an error. */
int32_t lispier_saver_write(lispier_saver *saver, const char *name);
/** Copies a file of the model, such as config.json, into the checkpoint; nothing if there is none. */
void lispier_saver_copy(lispier_saver *saver, const char *path);
/** Writes a text as a file of the checkpoint. */
void lispier_saver_text(lispier_saver *saver, const char *name, const char *text);
/** Keeps a value for state.json, which has `step` already. Numbers are finite. */
void lispier_saver_set_integer(lispier_saver *saver, const char *key, int64_t value);
void lispier_saver_set_number(lispier_saver *saver, const char *key, double value);
void lispier_saver_set_text(lispier_saver *saver, const char *key, const char *value);
/** Makes the checkpoint the run's last one, to which the link `latest` leads, and removes those of earlier steps but
 *  the last `keep` - 1. Returns 1, or 0 after an error. */
int32_t lispier_saver_commit(lispier_saver *saver, int64_t keep);
/** Removes what was written unless it has been committed. */
void lispier_saver_close(lispier_saver *saver);

/** Opens state.json of a checkpoint: `path` is its folder or that of its run, whose last one is taken. */
lispier_state *lispier_state_open(const char *path);
const char *lispier_state_error(const lispier_state *state);
/** The folder of the checkpoint. */
const char *lispier_state_path(const lispier_state *state);
/** A value; an absent key and one of another type are errors. */
int64_t lispier_state_integer(lispier_state *state, const char *key);
double lispier_state_number(lispier_state *state, const char *key);
const char *lispier_state_text(lispier_state *state, const char *key);
void lispier_state_close(lispier_state *state);

typedef struct lispier_tokens lispier_tokens;
/** Opens a data set: llm.c's shards of tokens (TokenShards.h), one file or several by a pattern of the shell. */
lispier_tokens *lispier_tokens_open(const char *pattern, int64_t vocabulary);
/** The same of a text, which is encoded once, into a shard beside it or else in the folder `cache`; null or empty:
 *  nowhere else. */
lispier_tokens *lispier_tokens_open_text(const char *path, const lispier_tokenizer *tokenizer, const char *cache,
                                         int64_t vocabulary);
const char *lispier_tokens_error(const lispier_tokens *tokens);
/** Shards, and the rows within each, in an order of their own in each epoch. */
void lispier_tokens_shuffle(lispier_tokens *tokens, int64_t seed);
/** Number of tokens; number of steps of an epoch. */
int64_t lispier_tokens_count(const lispier_tokens *tokens);
int64_t lispier_tokens_steps(const lispier_tokens *tokens, int64_t rows, int64_t row_tokens, int64_t ranks);
/** The place in the data, in tokens that the steps so far have taken, over all processes and epochs. */
int64_t lispier_tokens_place(const lispier_tokens *tokens);
void lispier_tokens_seek(lispier_tokens *tokens, int64_t place);
/** The next step of process `rank` of `ranks`: `rows` rows of `row_tokens` + 1 tokens, valid until the call after the
 *  next one; null after an error. */
const int32_t *lispier_tokens_next(lispier_tokens *tokens, int64_t rows, int64_t row_tokens, int64_t rank,
                                   int64_t ranks);
void lispier_tokens_close(lispier_tokens *tokens);

/** Writes `count` F32 numbers as a one-dimensional NumPy file. Returns 0 or an errno value. */
int32_t lispier_write_npy(const char *path, const float *values, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
