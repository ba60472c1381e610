//===- Model.cpp - the C interface of the room -----------------------------===//
//
// Turns results into handles that remember why they failed. The only exception
// that the code below it meets is a lack of memory, which becomes a failure here.
//
//===----------------------------------------------------------------------===//
#include "lispier/Model/Model.h"
#include "lispier/Model/Checkpoint.h"
#include "lispier/Model/Npy.h"
#include "lispier/Model/Tokenizer.h"
#include "lispier/Model/Utf8.h"
#include <filesystem>
#include <new>
#include <optional>

using namespace lispier;

struct lispier_model {
  std::optional<Checkpoint> checkpoint;
  std::string path, error;
};

struct lispier_tokenizer {
  std::optional<Tokenizer> tokenizer;
  std::string error;
  std::vector<int32_t> ids;
  Utf8Stream stream;
  std::string text;
};

namespace {
/// Runs `body`, which returns a failure or nothing, and keeps the reason.
template <typename Body> void keepReason(std::string &error, Body body) {
  try {
    Result<Done> result = body();
    error = result ? "" : result.failure().message;
  } catch (const std::bad_alloc &) {
    error = "out of memory";
  }
}

/// A field of the shape, 0 after an error.
int64_t size(const lispier_model *model, int64_t Gpt2Shape::*field) {
  return model->checkpoint ? model->checkpoint->shape().*field : 0;
}

/// A vocabulary may be padded to a multiple of 64 or 128 rows; another difference means another tokenizer.
bool fits(int64_t tokens, int64_t vocabulary) {
  return tokens == vocabulary || (tokens < vocabulary && vocabulary % 64 == 0 && vocabulary - tokens < 128);
}
} // namespace

extern "C" {
lispier_model *lispier_model_open(const char *path, const char *bundled) {
  auto *model = new (std::nothrow) lispier_model;
  if (!model)
    return nullptr;
  keepReason(model->error, [&]() -> Result<Done> {
    bool chosen = path && *path;
    if (!chosen && !(bundled && *bundled))
      return Failure{"no model is named and the program has none of its own"};
    auto file = findWeights(chosen ? path : bundled);
    if (!file)
      return file.failure();
    auto checkpoint = readCheckpoint(*file);
    if (!checkpoint)
      return checkpoint.failure();
    model->path = *file;
    model->checkpoint = std::move(*checkpoint);
    return Done();
  });
  return model;
}

const char *lispier_model_error(const lispier_model *model) {
  if (!model)
    return "out of memory";
  return model->error.empty() ? nullptr : model->error.c_str();
}

const char *lispier_model_path(const lispier_model *model) { return model->path.c_str(); }
int64_t lispier_model_layers(const lispier_model *model) { return size(model, &Gpt2Shape::layers); }
int64_t lispier_model_heads(const lispier_model *model) { return size(model, &Gpt2Shape::heads); }
int64_t lispier_model_channels(const lispier_model *model) { return size(model, &Gpt2Shape::channels); }
int64_t lispier_model_positions(const lispier_model *model) { return size(model, &Gpt2Shape::positions); }
int64_t lispier_model_vocabulary(const lispier_model *model) { return size(model, &Gpt2Shape::vocabulary); }
int64_t lispier_model_padded_vocabulary(const lispier_model *model) {
  return size(model, &Gpt2Shape::paddedVocabulary);
}
int32_t lispier_model_end_of_text(const lispier_model *model) {
  return static_cast<int32_t>(size(model, &Gpt2Shape::endOfText));
}
float lispier_model_epsilon(const lispier_model *model) {
  return model->checkpoint ? model->checkpoint->shape().epsilon : 0;
}

const uint16_t *lispier_model_tensor(const lispier_model *model, int32_t kind, int64_t layer) {
  int64_t offset = lispier_model_offset(model, kind, layer);
  return offset < 0 ? nullptr : model->checkpoint->data() + offset;
}

const uint16_t *lispier_model_block(const lispier_model *model) {
  return model->checkpoint ? model->checkpoint->data() : nullptr;
}

int64_t lispier_model_block_elements(const lispier_model *model) {
  return model->checkpoint ? model->checkpoint->elements() : 0;
}

int64_t lispier_model_offset(const lispier_model *model, int32_t kind, int64_t layer) {
  if (!model->checkpoint || kind < 0 || kind > LISPIER_OUTPUT_WEIGHT)
    return -1;
  auto tensor = static_cast<lispier_tensor>(kind);
  if (isPerLayer(tensor) && (layer < 0 || layer >= model->checkpoint->shape().layers))
    return -1;
  return model->checkpoint->offset(tensor, layer);
}

int32_t lispier_model_write_npy(lispier_model *model, const char *path, const float *values, int64_t count) {
  keepReason(model->error, [&] { return writeNpy(path, values, count); });
  return model->error.empty() ? 0 : 1;
}

void lispier_model_close(lispier_model *model) { delete model; }

lispier_tokenizer *lispier_tokenizer_open(const char *path, const lispier_model *model) {
  auto *handle = new (std::nothrow) lispier_tokenizer;
  if (!handle)
    return nullptr;
  keepReason(handle->error, [&]() -> Result<Done> {
    std::string place = path ? path : "";
    if (place.empty() && model)
      place = std::filesystem::path(model->path).parent_path().string();
    auto tokenizer = Tokenizer::open(place.empty() ? "." : place);
    if (!tokenizer)
      return tokenizer.failure();
    if (model && !fits(tokenizer->size(), lispier_model_vocabulary(model)))
      return Failure{tokenizer->path() + ": has " + std::to_string(tokenizer->size()) + " tokens, but the model " +
                     model->path + " has a vocabulary of " + std::to_string(lispier_model_vocabulary(model)) +
                     "; they do not belong together"};
    handle->tokenizer = std::move(*tokenizer);
    return Done();
  });
  return handle;
}

const char *lispier_tokenizer_error(const lispier_tokenizer *tokenizer) {
  if (!tokenizer)
    return "out of memory";
  return tokenizer->error.empty() ? nullptr : tokenizer->error.c_str();
}

int64_t lispier_tokenizer_size(const lispier_tokenizer *tokenizer) {
  return tokenizer->tokenizer ? tokenizer->tokenizer->size() : 0;
}

int32_t lispier_tokenizer_end_of_text(const lispier_tokenizer *tokenizer) {
  return tokenizer->tokenizer ? tokenizer->tokenizer->endOfText() : 0;
}

int64_t lispier_tokenizer_encode(lispier_tokenizer *tokenizer, const char *text, int64_t bytes) {
  tokenizer->ids.clear();
  if (tokenizer->tokenizer)
    keepReason(tokenizer->error, [&]() -> Result<Done> {
      tokenizer->ids = tokenizer->tokenizer->encode({text, static_cast<size_t>(bytes)});
      return Done();
    });
  return static_cast<int64_t>(tokenizer->ids.size());
}

const int32_t *lispier_tokenizer_ids(const lispier_tokenizer *tokenizer) { return tokenizer->ids.data(); }

int64_t lispier_tokenizer_push(lispier_tokenizer *tokenizer, int32_t id) {
  tokenizer->text.clear();
  if (tokenizer->tokenizer)
    tokenizer->text = tokenizer->stream.feed(tokenizer->tokenizer->bytes(id));
  return static_cast<int64_t>(tokenizer->text.size());
}

int64_t lispier_tokenizer_finish(lispier_tokenizer *tokenizer) {
  tokenizer->text = tokenizer->stream.finish();
  return static_cast<int64_t>(tokenizer->text.size());
}

const char *lispier_tokenizer_text(const lispier_tokenizer *tokenizer) { return tokenizer->text.c_str(); }
void lispier_tokenizer_close(lispier_tokenizer *tokenizer) { delete tokenizer; }
} // extern "C"
