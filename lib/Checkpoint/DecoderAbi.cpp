//===- DecoderAbi.cpp - the C ABI for models' configurations --------------===//
#include "KeepReason.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/DecoderConfig.h"

using namespace lispier;

struct lispier_decoder {
  Config keys;
  std::string error;
  bool isOpen = false;
};

namespace {
/// A value by name; records an error if there is none of this name or type.
template <typename T>
T ask(lispier_decoder *decoder, Result<T> (Config::*question)(const std::string &, T) const, const char *key,
      T missing) {
  T answer = missing;
  if (decoder->isOpen)
    keepReason(decoder->error, [&]() -> Result<Done> {
      if (!decoder->keys.has(key))
        return Failure{"the configuration of a decoder has no '" + std::string(key) + "'"};
      auto found = (decoder->keys.*question)(key, missing);
      if (!found)
        return found.failure();
      answer = *found;
      return Done();
    });
  return answer;
}
} // namespace

extern "C" {
lispier_decoder *lispier_decoder_open(const char *path) {
  auto *handle = new (std::nothrow) lispier_decoder;
  if (!handle)
    return nullptr;
  keepReason(handle->error, [&]() -> Result<Done> {
    auto config = DecoderConfig::read(path ? path : "");
    if (!config)
      return config.failure();
    handle->keys = config->keys();
    handle->isOpen = true;
    return Done();
  });
  return handle;
}

const char *lispier_decoder_error(const lispier_decoder *decoder) {
  if (!decoder)
    return "out of memory";
  return decoder->error.empty() ? nullptr : decoder->error.c_str();
}

int64_t lispier_decoder_integer(lispier_decoder *decoder, const char *key) {
  return ask(decoder, &Config::integer, key, int64_t(0));
}
double lispier_decoder_number(lispier_decoder *decoder, const char *key) {
  return ask(decoder, &Config::number, key, 0.0);
}
int32_t lispier_decoder_flag(lispier_decoder *decoder, const char *key) {
  return ask(decoder, &Config::flag, key, false);
}
const char *lispier_decoder_text(lispier_decoder *decoder, const char *key) {
  return ask(decoder, &Config::text, key, static_cast<const char *>(""));
}
void lispier_decoder_close(lispier_decoder *decoder) { delete decoder; }
} // extern "C"
