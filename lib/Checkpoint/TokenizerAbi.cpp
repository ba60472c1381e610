//===- TokenizerAbi.cpp - the C ABI for tokenizers ------------------------===//
#include "TokenizerHandle.h"

using namespace lispier;

namespace {
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (end)
      lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

int64_t encode(lispier_tokenizer *tokenizer, std::string_view text, bool withSpecial) {
  tokenizer->ids.clear();
  if (tokenizer->tokenizer)
    keepReason(tokenizer->error, [&]() -> Result<Done> {
      tokenizer->ids = tokenizer->tokenizer->encode(text, withSpecial);
      return Done();
    });
  return static_cast<int64_t>(tokenizer->ids.size());
}

/// Keeps the text that `step` returns, for lispier_tokenizer_text, and returns its length.
template <typename Step> int64_t keepText(lispier_tokenizer *tokenizer, Step step) {
  tokenizer->text.clear();
  if (tokenizer->tokenizer)
    keepReason(tokenizer->error, [&]() -> Result<Done> {
      tokenizer->text = step(*tokenizer->tokenizer);
      return Done();
    });
  return static_cast<int64_t>(tokenizer->text.size());
}
} // namespace

extern "C" {
lispier_tokenizer *lispier_tokenizer_open(const char *path, const char *pattern, const char *specials) {
  return openHandle<lispier_tokenizer>([&](lispier_tokenizer &handle) -> Result<Done> {
    auto tokenizer = Tokenizer::open(path ? path : "", pattern ? pattern : "", linesOf(specials ? specials : ""));
    if (!tokenizer)
      return tokenizer.failure();
    handle.tokenizer = std::move(*tokenizer);
    return Done();
  });
}

const char *lispier_tokenizer_error(const lispier_tokenizer *tokenizer) { return errorOf(tokenizer); }

const char *lispier_tokenizer_path(const lispier_tokenizer *tokenizer) {
  return tokenizer->tokenizer ? tokenizer->tokenizer->path().c_str() : "";
}

int64_t lispier_tokenizer_size(const lispier_tokenizer *tokenizer) {
  return tokenizer->tokenizer ? tokenizer->tokenizer->size() : 0;
}

int32_t lispier_tokenizer_find(const lispier_tokenizer *tokenizer, const char *spelling) {
  return tokenizer->tokenizer ? tokenizer->tokenizer->find(spelling) : -1;
}

int32_t lispier_tokenizer_special(const lispier_tokenizer *tokenizer, int32_t id) {
  return tokenizer->tokenizer && tokenizer->tokenizer->isSpecial(id);
}

int64_t lispier_tokenizer_encode(lispier_tokenizer *tokenizer, const char *text, int64_t bytes) {
  return encode(tokenizer, {text, static_cast<size_t>(bytes)}, /*withSpecial=*/true);
}

int64_t lispier_tokenizer_encode_rendered(lispier_tokenizer *tokenizer, const char *text, int64_t bytes) {
  return encode(tokenizer, {text, static_cast<size_t>(bytes)}, /*withSpecial=*/false);
}

const int32_t *lispier_tokenizer_ids(const lispier_tokenizer *tokenizer) { return tokenizer->ids.data(); }

int64_t lispier_tokenizer_push(lispier_tokenizer *tokenizer, int32_t id) {
  return keepText(tokenizer, [&](const Tokenizer &open) { return tokenizer->stream.push(open, id); });
}

int64_t lispier_tokenizer_finish(lispier_tokenizer *tokenizer) {
  return keepText(tokenizer, [&](const Tokenizer &open) { return tokenizer->stream.finish(open); });
}

const char *lispier_tokenizer_text(const lispier_tokenizer *tokenizer) { return tokenizer->text.c_str(); }
void lispier_tokenizer_close(lispier_tokenizer *tokenizer) { delete tokenizer; }
} // extern "C"
