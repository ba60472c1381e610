//===- DecoderAbi.cpp - the C ABI for models' configurations --------------===//
#include "AbiHandle.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/DecoderConfig.h"
#include <optional>

using namespace lispier;

struct lispier_decoder : AbiHandle {
  std::optional<Config> keys; ///< None if the configuration could not be read.
};

namespace {
/// A value by name; records an error if there is none of this name or type.
template <typename T>
T ask(lispier_decoder *decoder, Result<T> (Config::*getter)(const std::string &, T) const, const char *key, T missing) {
  return decoder->keys ? askConfig(*decoder, *decoder->keys, AbsentKey::IsError, getter, key, missing) : missing;
}
} // namespace

extern "C" {
lispier_decoder *lispier_decoder_open(const char *path, const char *families) {
  return openHandle<lispier_decoder>([&](lispier_decoder &handle) -> Result<Done> {
    auto config = DecoderConfig::read(path ? path : "", families ? families : "");
    if (!config)
      return config.failure();
    handle.keys = config->keys();
    return Done();
  });
}

const char *lispier_decoder_error(const lispier_decoder *decoder) { return errorOf(decoder); }

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
