//===- SpecialTokens.cpp - what the files beside vocab.json add -----------===//
#include "SpecialTokens.h"
#include "JsonFile.h"
#include <charconv>
#include <filesystem>

using namespace lispier;
namespace fs = std::filesystem;

namespace {
using NamedTokens = std::map<std::string, NamedToken>;

/// What special_tokens_map.json, and tokenizer_config.json too, calls the special tokens.
constexpr const char *kRoles[] = {"bos_token", "eos_token", "unk_token",  "sep_token",
                                  "pad_token", "cls_token", "mask_token", "additional_special_tokens"};

NamedToken &tokenNamed(NamedTokens &tokens, JsonValue place, const std::string &spelling) {
  if (spelling.empty())
    place.fail("is empty");
  auto [found, isNew] = tokens.try_emplace(spelling);
  if (isNew)
    found->second.token = {-1, spelling};
  return found->second;
}

/// A token as a text or as an object with the fields of AddedToken; its name.
NamedToken *readToken(NamedTokens &tokens, JsonValue value) {
  if (!value.isObject())
    return &tokenNamed(tokens, value, value.text());
  NamedToken &named = tokenNamed(tokens, value, value["content"].text());
  named.token.singleWord = value["single_word"].flag(false);
  named.token.leftStrip = value["lstrip"].flag(false);
  named.token.rightStrip = value["rstrip"].flag(false);
  named.isSpecial |= value["special"].flag(false);
  return &named;
}

void readRoles(NamedTokens &tokens, JsonValue root) {
  for (const char *role : kRoles) {
    JsonValue value = root[role];
    if (value.absent())
      continue;
    std::vector<JsonValue> items = value.isArray() ? value.items() : std::vector<JsonValue>{value};
    for (JsonValue item : items)
      readToken(tokens, item)->isSpecial = true;
  }
}

/// "added_tokens_decoder": {"50256": {"content": "<|endoftext|>", ...}}.
void readDecoder(NamedTokens &tokens, JsonValue decoder) {
  if (decoder.absent())
    return;
  for (const std::string &key : decoder.keys()) {
    int32_t id = -1;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size() || id < 0)
      return decoder[key].fail("is no id");
    readToken(tokens, decoder[key])->token.id = id;
  }
}

/// {"<|endoftext|>": 50256}
void readAdded(NamedTokens &tokens, JsonValue root) {
  for (const std::string &spelling : root.keys())
    tokenNamed(tokens, root, spelling).token.id = static_cast<int32_t>(root[spelling].integer(0, INT32_MAX));
}

/// Reads a file of `folder` if there is one.
template <typename Read> Result<Done> readFile(const std::string &folder, const char *name, Read read) {
  std::error_code missing;
  fs::path path = fs::path(folder) / name;
  if (!fs::exists(path, missing))
    return Done();
  auto file = MappedFile::open(path.string());
  if (!file)
    return file.failure();
  auto root = parseJson(*file);
  if (!root)
    return root.failure();
  std::optional<Failure> error;
  JsonValue value(*file, *root, error);
  value.keys(); // Fails unless it is an object.
  read(value);
  return error ? Result<Done>(*error) : Done();
}
} // namespace

Result<NamedTokens> lispier::readSpecialTokens(const std::string &folder, const std::vector<std::string> &known) {
  NamedTokens tokens;
  for (const std::string &spelling : known)
    tokens[spelling] = {{-1, spelling}, /*isSpecial=*/true};
  Result<Done> read = readFile(folder, "added_tokens.json", [&](JsonValue root) { readAdded(tokens, root); });
  if (read)
    read = readFile(folder, "special_tokens_map.json", [&](JsonValue root) { readRoles(tokens, root); });
  if (read)
    read = readFile(folder, "tokenizer_config.json", [&](JsonValue root) {
      readRoles(tokens, root);
      readDecoder(tokens, root["added_tokens_decoder"]);
    });
  tokens.erase("");
  return read ? Result<NamedTokens>(std::move(tokens)) : read.failure();
}
