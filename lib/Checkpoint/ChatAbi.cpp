//===- ChatAbi.cpp - the C ABI for conversations --------------------------===//
#include "AbiHandle.h"
#include "lispier/Checkpoint/ChatTemplate.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/Utf8.h"
#include <nlohmann/json.hpp>
#include <optional>

using namespace lispier;
using nlohmann::ordered_json;

struct lispier_chat : AbiHandle {
  std::optional<ChatTemplate> chatTemplate;
  ordered_json variables = {{"messages", ordered_json::array()}};
  std::string text;
};

extern "C" {
lispier_chat *lispier_chat_open(const char *path) {
  return openHandle<lispier_chat>([&](lispier_chat &handle) -> Result<Done> {
    auto read = ChatTemplate::read(path ? path : "");
    if (!read)
      return read.failure();
    handle.chatTemplate = std::move(*read);
    return Done();
  });
}

const char *lispier_chat_error(const lispier_chat *chat) { return errorOf(chat); }

void lispier_chat_add(lispier_chat *chat, const char *role, const char *content, int64_t bytes) {
  keepReason(chat->error, [&]() -> Result<Done> {
    chat->variables["messages"].push_back(
        {{"role", toValidUtf8(role)}, {"content", toValidUtf8({content, static_cast<size_t>(bytes)})}});
    return Done();
  });
}

int64_t lispier_chat_drop(lispier_chat *chat) {
  ordered_json &messages = chat->variables["messages"];
  auto roleOf = [&](size_t i) { return messages[i].is_object() ? messages[i].value("role", ordered_json()) : ""; };
  if (!messages.is_array())
    return 0;
  size_t begin = 0, end;
  while (begin < messages.size() && roleOf(begin) == "system")
    ++begin;
  for (end = begin + 1; end < messages.size() && roleOf(end) != "user";)
    ++end;
  if (end >= messages.size())
    return 0;
  messages.erase(messages.begin() + static_cast<long>(begin), messages.begin() + static_cast<long>(end));
  return static_cast<int64_t>(end - begin);
}

void lispier_chat_set(lispier_chat *chat, const char *name, const char *value) {
  keepReason(chat->error, [&]() -> Result<Done> {
    auto parsed = ordered_json::parse(value, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded())
      return Failure{"the value of the chat template's '" + std::string(name) + "' is not JSON"};
    chat->variables[toValidUtf8(name)] = std::move(parsed);
    return Done();
  });
}

int64_t lispier_chat_render(lispier_chat *chat, int32_t prompt) {
  chat->text.clear();
  if (chat->chatTemplate)
    keepReason(chat->error, [&]() -> Result<Done> {
      chat->variables["add_generation_prompt"] = prompt != 0;
      auto rendered = chat->chatTemplate->render(chat->variables.dump());
      if (!rendered)
        return rendered.failure();
      chat->text = std::move(*rendered);
      return Done();
    });
  return static_cast<int64_t>(chat->text.size());
}

const char *lispier_chat_text(const lispier_chat *chat) { return chat->text.c_str(); }
void lispier_chat_close(lispier_chat *chat) { delete chat; }
} // extern "C"
