//===- ChatTemplateTest.cpp - the part of Jinja that templates use --------===//
#include "lispier/Checkpoint/ChatTemplate.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

using namespace lispier;
using namespace lispier::test;
using nlohmann::ordered_json;

namespace {
const ordered_json &cases() {
  static const ordered_json all = ordered_json::parse(std::ifstream(LISPIER_TOKENIZERS "/templates.json"));
  return all;
}

/// The text or the message.
std::string render(const std::string &source, const std::string &variables = "{}") {
  auto parsed = ChatTemplate::parse(source, "t");
  if (!parsed)
    return parsed.failure().message;
  auto text = parsed->render(variables);
  return text ? *text : text.failure().message;
}
} // namespace

TEST(ChatTemplate, RendersAsJinja) {
  for (auto &item : cases()["cases"])
    EXPECT_EQ(render(item[0], cases()["variables"].dump()), item[1].get<std::string>()) << item[0];
}

TEST(ChatTemplate, SaysWhatIsNotSupported) {
  EXPECT_EQ(render("a\n{% include 'f' %}"), "t:2:1: block 'include' is not supported: a model's template is one file");
  EXPECT_EQ(render("{% for i in [] recursive %}{% endfor %}"),
            "t:1:16: a loop that is 'recursive' is not supported; expected a macro");
  EXPECT_EQ(render("{{ [1] | map('string') }}"),
            "t:1:1: an iterator cannot be written; expected a string or a number, such as with '| list'");
  EXPECT_EQ(render("{{ [1] | map('string') | length }}"),
            "t:1:24: an iterator has no length; expected a list, such as with '| list'");
  EXPECT_EQ(render("{{ x | urlize }}"), "t:1:6: filter 'urlize' is not supported");
  EXPECT_EQ(render("{{ [1] | map('urlize') }}"), "t:1:8: filter 'urlize' is not supported");
  EXPECT_EQ(render("{{ [1] | select('filter') }}"), "t:1:8: test 'filter' is not supported");
  EXPECT_EQ(render("{{ x is filter }}"), "t:1:6: test 'filter' is not supported");
  EXPECT_EQ(render("{{ strftime_now(1) }}"),
            "t:1:16: function 'strftime_now' is not supported, or not with these arguments");
  EXPECT_EQ(render("{{ cycler(1) }}"), "t:1:10: function 'cycler' is not supported, or not with these arguments");
  EXPECT_EQ(render("\u00e9{{ 'a'.zfill(3) }}"), "t:1:14: method 'zfill' of a string is not supported");
  EXPECT_EQ(render("{{ [1].append(2) }}"), "t:1:14: method 'append' of a list is not supported");
  EXPECT_EQ(render("{{ [1][::0] }}"), "t:1:7: a slice's step is 0");
}

TEST(ChatTemplate, Macros) {
  EXPECT_EQ(render("{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}"), "t:1:35: macro 'f' takes at most 1 arguments");
  EXPECT_EQ(render("{% macro f(a) %}{% endmacro %}{{ f(b=2) }}"), "t:1:35: macro 'f' has no parameter 'b'");
  EXPECT_EQ(render("{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}"),
            "t:1:21: macro 'f' is nested in more than 50 calls");
  EXPECT_EQ(render("{% break %}"), "t:1:1: 'break' outside of a loop");
  EXPECT_EQ(render("{% for i in [1] %}{% macro f() %}{% continue %}{% endmacro %}{% endfor %}"),
            "t:1:34: 'continue' outside of a loop");
  EXPECT_EQ(render("{% set f = 1 %}{{ f() }}"), "t:1:20: an integer is called");
}

// As transformers' templates ask for the date: Python's datetime.now().strftime(format).
TEST(ChatTemplate, Time) {
  char before[20], after[20];
  auto today = [](char (&text)[20]) {
    std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%d %b %Y", std::localtime(&now));
  };
  today(before);
  std::string text = render("{{ strftime_now('%d %b %Y') }}");
  today(after); // Another day if it was midnight.
  EXPECT_TRUE(text == before || text == after) << text;
  EXPECT_EQ(render("{{ strftime_now('%%f%z%Z 100%') }}"), "%f 100%");
  EXPECT_EQ(render("{{ strftime_now('%f') | length }}"), "6");
  EXPECT_EQ(render("{{ strftime_now('') }}"), "");
  EXPECT_HAS(render("{{ strftime_now('%99999d') }}"), "t:1:16: a time of more than 4000 characters");
}

TEST(ChatTemplate, ErrorsHaveAPlace) {
  EXPECT_EQ(render("a\nb {{ x"), "t:2:7: the template ends before '}}'");
  EXPECT_EQ(render("{% if x %}"), "t:1:11: the template ends before 'endif'");
  EXPECT_EQ(render("{% if x %}{% endfor %}"), "t:1:11: block 'endfor' is not supported; expected 'if', 'for', 'set', "
                                              "'macro', 'call', 'with', 'filter', 'raw', 'generation', 'break' or "
                                              "'continue'");
  EXPECT_EQ(render("{% raw %}{% endra %}"), "t:1:1: the template ends before 'endraw'");
  EXPECT_EQ(render("{% call x %}{% endcall %}"), "t:1:9: block 'call' without a call of a macro");
  EXPECT_EQ(render("{{ (1 ] }}"), "t:1:7: ']' where ')' is expected");
  EXPECT_EQ(render("{{ a b }}"), "t:1:6: 'b' where the end of the block is expected");
  EXPECT_EQ(render("{{ 'a }}"), "t:1:4: a string without its closing quote");
  EXPECT_EQ(render("{# a"), "t:1:1: a comment without '#}'");
  EXPECT_EQ(render("{{ x.y }}"), "t:1:5: 'x' is undefined, and has no 'y'");
  EXPECT_EQ(render("{{ 'a' + 1 }}"), "t:1:8: '+' of a string and an integer");
  EXPECT_EQ(render("{{ 1 // 0 }}"), "t:1:6: a division by zero");
  EXPECT_EQ(render("{{ range }}"), "t:1:1: a function cannot be written; expected a string or a number");
  EXPECT_EQ(render("{{ ['a', 1] | sort }}"), "t:1:13: a string and an integer have no order");
  EXPECT_EQ(render("{% set x.y = 1 %}"), "t:1:1: 'x' is undefined; only members of a namespace can be set");
  EXPECT_EQ(render("{{ raise_exception('no ' + role) }}", R"({"role": "narrator"})"), "t: no narrator");
  EXPECT_EQ(render("", "[]"), "the variables of a chat template are not a JSON object");
}

TEST(ChatTemplate, HostileOnesEnd) {
  EXPECT_HAS(render("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"),
             "takes more than 2000000 steps");
  EXPECT_HAS(render("{{ " + std::string(100000, '(') + " }}"), "a block of more than 2000 tokens");
  EXPECT_HAS(render("{{ " + std::string(500, '(') + "1" + std::string(500, ')') + " }}"), "nested too deeply");
  std::string blocks;
  for (int i = 0; i < 1000; ++i)
    blocks += "{% if 1 %}";
  EXPECT_HAS(render(blocks), "blocks are nested too deeply");
  EXPECT_HAS(render("{{ x }}", "{\"x\": " + std::string(5000, '[') + std::string(5000, ']') + "}"),
             "nested too deeply");
  // A message shows the beginning of what may be long, and no control characters.
  EXPECT_EQ(render("{{ raise_exception('\x1b[31m') }}"), "t: \\x1B[31m");
  EXPECT_EQ(render("{{ raise_exception('" + std::string(5000, 'a') + "') }}"), "t: " + std::string(1000, 'a') + "...");
  // Through macros expressions and blocks nest more deeply than the parser sees.
  std::string nots, ifs, ends;
  for (int i = 0; i < 90; ++i)
    nots += "not ", ifs += "{% if 1 %}", ends += "{% endif %}";
  EXPECT_HAS(render("{% macro f() %}" + ifs + "{{ " + nots + "f() }}" + ends + "{% endmacro %}{{ f() }}"),
             "the template is nested too deeply");
  EXPECT_EQ(render("{{ range(100000) | list | unique | list | length }}"), "100000");
  EXPECT_HAS(render("{% macro f() %}{% endmacro %}{% for i in range(400000) %}{% with %}{% macro g() %}{% endmacro %}"
                    "{% endwith %}{% endfor %}"),
             "the template defines too many macros");
  EXPECT_HAS(render("{{ 7 ** 7 ** 7 }}"), "an integer that is too large");
  EXPECT_HAS(render("{{ 'a' * 1000000000000 }}"), "a text or list of the template is too large");
  EXPECT_HAS(render("{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"),
             "a text or list of the template is too large");
}

// A damaged template is rejected or rendered, never worse.
TEST(ChatTemplate, Damage) {
  std::mt19937 random(3);
  static constexpr char kTelling[] = "{}%#-+'\"()[]|.:,~=<>*/ \n01ax\x00\xFF";
  int rejected = 0, rounds = 0;
  for (auto &item : cases()["cases"])
    for (int round = 0; round < 20; ++round, ++rounds) {
      std::string source = item[0];
      for (unsigned changes = 1 + random() % 4; changes && !source.empty(); --changes) {
        size_t at = random() % source.size();
        if (random() % 2)
          source[at] = kTelling[random() % (sizeof kTelling - 1)];
        else
          source.erase(at, 1 + random() % 4);
      }
      rejected += render(source, cases()["variables"].dump()).starts_with("t:");
    }
  EXPECT_GT(rejected, rounds / 4);
}

TEST(ChatTemplate, Files) {
  Folder folder;
  auto message = [&] {
    auto read = ChatTemplate::read(folder.name());
    return read ? *read->render("{}") : read.failure().message;
  };
  EXPECT_HAS(message(), "tokenizer_config.json: cannot be opened");
  folder.write("tokenizer_config.json", "{\"bos_token\": {\"content\": \"<s>\"}}");
  EXPECT_HAS(message(), "tokenizer_config.json: 'chat_template' is missing; expected a string");
  folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "a"}]})");
  EXPECT_HAS(message(), "'chat_template' has no template named 'default'");
  folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "default", "template": "{{ f | }}"}]})");
  EXPECT_HAS(message(), "tokenizer_config.json: chat_template:1:8: the end of the block where a name");
  folder.write("tokenizer_config.json", R"({"bos_token": {"content": "<s>"}, "chat_template": "old"})");
  EXPECT_EQ(message(), "old");
  folder.write("chat_template.json", R"({"chat_template": "{{ bos_token }}pictures"})");
  EXPECT_EQ(message(), "<s>pictures");
  folder.write("chat_template.json", "{}");
  EXPECT_HAS(message(), "chat_template.json: 'chat_template' is missing; expected a string");
  folder.write("chat_template.jinja", "{{ bos_token }}{{ eos_token }}new");
  EXPECT_EQ(message(), "<s>new");
}

TEST(ChatTemplate, Interface) {
  lispier_chat *chat = lispier_chat_open(LISPIER_TOKENIZERS "/smollm");
  ASSERT_EQ(lispier_chat_error(chat), nullptr);
  lispier_chat_add(chat, "system", "Be brief.", 9);
  lispier_chat_add(chat, "user", "Hi\xFF!", 3);
  int64_t bytes = lispier_chat_render(chat, 1);
  EXPECT_EQ(std::string(lispier_chat_text(chat), bytes),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi\uFFFD<|im_end|>\n<|im_start|>assistant\n");
  lispier_chat_set(chat, "messages", R"([{"role": "system", "content": "x"}])");
  bytes = lispier_chat_render(chat, 0);
  EXPECT_EQ(std::string(lispier_chat_text(chat), bytes), "<|im_start|>system\nx<|im_end|>\n");
  // The oldest turns go, the system's message and the last turn stay.
  lispier_chat_set(chat, "messages", R"([{"role": "system", "content": "s"}, {"role": "user", "content": "1"},
                                         {"role": "assistant", "content": "2"}, {"role": "tool", "content": "3"},
                                         {"role": "user", "content": "4"}, {"role": "user", "content": "5"}])");
  EXPECT_EQ(lispier_chat_drop(chat), 3);
  EXPECT_EQ(lispier_chat_drop(chat), 1);
  EXPECT_EQ(lispier_chat_drop(chat), 0);
  bytes = lispier_chat_render(chat, 0);
  EXPECT_EQ(std::string(lispier_chat_text(chat), bytes),
            "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\n5<|im_end|>\n");
  for (const char *messages : {"[]", "1", "[1, 2]", R"([{"role": 1}, {"role": "user"}])"}) {
    lispier_chat_set(chat, "messages", messages);
    lispier_chat_drop(chat);
  }
  lispier_chat_set(chat, "tools", "{");
  EXPECT_HAS(lispier_chat_error(chat), "the value of the chat template's 'tools' is not JSON");
  lispier_chat_close(chat);
  chat = lispier_chat_open("/none");
  EXPECT_EQ(lispier_chat_render(chat, 1), 0);
  EXPECT_HAS(lispier_chat_error(chat), "cannot be opened");
  lispier_chat_close(chat);
}
