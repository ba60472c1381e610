//===- ChatTemplate.cpp - a conversation as a model's prompt --------------===//
#include "lispier/Checkpoint/ChatTemplate.h"
#include "Jinja.h"
#include "JsonFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <filesystem>
#include <functional>

using namespace lispier;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ChatTemplate::Parsed {
  jinja::Body body;
};

namespace {
/// Bytes of a message, which can hold any text of the template and of the conversation.
constexpr size_t kShownMessage = 1000;

/// The template as Jinja reads it: line ends are \n, and one at the end does not count.
std::string withPlainLines(std::string_view source) {
  std::string result;
  for (size_t i = 0; i < source.size(); ++i) {
    bool isReturn = source[i] == '\r';
    result += isReturn ? '\n' : source[i];
    i += isReturn && i + 1 < source.size() && source[i + 1] == '\n';
  }
  if (result.ends_with('\n'))
    result.pop_back();
  return result;
}

/// The template of tokenizer_config.json: a text, or the one named "default" of a list.
std::string templateOf(JsonValue value) {
  if (!value.isArray())
    return value.text();
  for (JsonValue item : value.items())
    if (item["name"].text() == "default")
      return item["template"].text();
  value.fail("has no template named 'default'");
  return "";
}
} // namespace

Failure ChatTemplate::fail(size_t offset, const std::string &text) const {
  std::string message = shown(text, kShownMessage);
  if (offset > source.size()) // The template's own exception.
    return {name + ": " + message};
  std::string_view before = std::string_view(source).substr(0, offset);
  size_t line = before.rfind('\n') + 1; // 0 if there is none.
  return {name + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
          std::to_string(1 + jinja::characters(before.substr(line)).size()) + ": " + message};
}

Result<ChatTemplate> ChatTemplate::parse(std::string_view source, std::string name) {
  ChatTemplate result;
  result.name = std::move(name);
  result.source = withPlainLines(toValidUtf8(source));
  try {
    result.parsed = std::make_shared<const Parsed>(Parsed{jinja::parse(result.source)});
  } catch (const jinja::Error &error) {
    return result.fail(error.offset, error.message);
  }
  return result;
}

Result<ChatTemplate> ChatTemplate::read(const std::string &directory) {
  std::error_code error;
  fs::path folder(directory);
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> tokens;
  auto readObject = [&](const char *file, const std::function<void(JsonValue)> &readFields) -> Result<Done> {
    auto mapped = MappedFile::open((folder / file).string());
    if (!mapped)
      return mapped.failure();
    auto root = parseJson(*mapped);
    if (!root)
      return root.failure();
    std::optional<Failure> failure;
    JsonValue value(*mapped, *root, failure);
    value.keys(); // Fails unless it is an object.
    readFields(value);
    return failure ? Result<Done>(*failure) : Done();
  };
  auto takeTemplate = [&](JsonValue value, const char *file) {
    source = templateOf(value["chat_template"]);
    name = (folder / file).string() + ": chat_template";
  };
  if (fs::exists(folder / "chat_template.jinja", error)) {
    auto file = MappedFile::open((folder / "chat_template.jinja").string());
    if (!file)
      return file.failure();
    source = file->text();
    name = file->path();
  } else if (fs::exists(folder / "chat_template.json", error)) { // Of models that see pictures.
    if (auto read = readObject("chat_template.json", [&](JsonValue v) { takeTemplate(v, "chat_template.json"); });
        !read)
      return read.failure();
  }
  if (name.empty() || fs::exists(folder / "tokenizer_config.json", error)) {
    auto readConfig = [&](JsonValue value) {
      for (const char *key :
           {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"})
        if (JsonValue token = value[key]; !token.absent())
          tokens.emplace_back(key, token.isObject() ? token["content"].text() : token.text());
      if (name.empty())
        takeTemplate(value, "tokenizer_config.json");
    };
    if (auto read = readObject("tokenizer_config.json", readConfig); !read)
      return read.failure();
  }
  auto result = parse(source, name);
  if (result)
    result->tokens = std::move(tokens);
  return result;
}

Result<std::string> ChatTemplate::render(std::string_view variables) const {
  auto members = ordered_json::parse(variables, nullptr, /*allow_exceptions=*/false);
  if (!members.is_object())
    return Failure{"the variables of a chat template are not a JSON object"};
  try {
    // What transformers passes when its caller gives nothing.
    jinja::Map all = {{"tools", jinja::Value::none()},
                      {"documents", jinja::Value::none()},
                      {"add_generation_prompt", jinja::Value::of(false)}};
    for (auto &[key, spelling] : tokens)
      all.emplace_back(key, jinja::Value::of(spelling));
    for (auto &[key, value] : members.items())
      all.emplace_back(key, jinja::Value::of(value));
    return jinja::render(parsed->body, all);
  } catch (const jinja::Error &error) {
    return fail(error.offset, error.message);
  }
}
