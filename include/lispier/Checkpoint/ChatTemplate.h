//===- ChatTemplate.h - a conversation as a model's prompt -----*- C++ -*-===//
//
// Each model is trained on conversations with tokens of its own around the messages;
// a template in the model's folder, in Jinja, renders a conversation with them.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_CHATTEMPLATE_H
#define LISPIER_CHECKPOINT_CHATTEMPLATE_H

#include "lispier/Checkpoint/Result.h"
#include <memory>
#include <string_view>
#include <vector>

namespace lispier {
/// A template in Jinja. Errors are `name:line:column: message`; what the template itself raises is `name: message`.
class ChatTemplate {
public:
  /// Reads `chat_template.jinja`, else `chat_template` of `chat_template.json` or of `tokenizer_config.json`, in a
  /// model's directory; and from the last the spellings of bos_token, eos_token, pad_token and the other roles. Of
  /// several templates, the one named "default".
  /// Fails if there is none.
  static Result<ChatTemplate> read(const std::string &directory);
  /// `name` is for messages.
  static Result<ChatTemplate> parse(std::string_view source, std::string name);

  /// Renders with the members of a JSON object, given as text: `messages`, `add_generation_prompt` (false if absent),
  /// and what the template reads beside them; `tools` and `documents` are Jinja's `none` if absent. A member replaces
  /// the spelling of the same name that `read` found. Fails if the text is no JSON object, and if the template raises
  /// an exception or uses what is not supported.
  Result<std::string> render(std::string_view variables) const;

private:
  struct Parsed;
  Failure fail(size_t offset, const std::string &message) const;

  std::shared_ptr<const Parsed> parsed;
  std::string name, source;
  std::vector<std::pair<std::string, std::string>> tokens; ///< bos_token ... and their spellings.
};
} // namespace lispier
#endif
