//===- Reader.cpp - tokens to forms ---------------------------------------===//
//
// Keeps open brackets and prefixes on an explicit stack, so that no input
// overflows the machine stack. Resolves names in the same pass, because
// require-dialect applies to the text after it.
//
//===----------------------------------------------------------------------===//
#include "lispier/Syntax/Reader.h"
#include "Lexer.h"
#include "lispier/Syntax/OtherNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace lispier {
namespace {
char closerOf(char opener) { return opener == '(' ? ')' : opener == '[' ? ']' : '}'; }

class Reader {
public:
  Reader(StringRef buffer, FormArena &arena, DiagSink &diags, const ReadOptions &options)
      : lexer(buffer, diags), arena(arena), diags(diags), options(options) {}

  std::vector<const Form *> readAll();

private:
  /// An open bracket, or a prefix (` ~ ~@ #_) whose form has not been read yet.
  struct Frame {
    char mark; ///< '(' '[' '{', or a Prefix token's mark.
    SMRange range;
    SmallVector<const Form *, 8> items;
    bool isPrefix() const { return mark != '(' && mark != '[' && mark != '{'; }
  };

  void open(const Token &token);
  void push(const Token &token);
  void close(const Token &token);
  void add(const Form *form);
  const Form *wrap(const Frame &prefix, const Form *form);
  const Form *finish(const Frame &frame, SMLoc end);
  const Form *finishMap(const Frame &frame, SMRange range);
  void dropPrefixes();
  void endOfFile(SMLoc end);

  const Form *readSymbol(const Token &token);
  std::string resolve(StringRef name, SMRange range);
  void checkDialect(StringRef dialect, StringRef rest, SMRange range);
  void noteDialects(const Form *form);
  void requireDialect(const Form *name);

  bool discarding() const {
    return llvm::any_of(stack, [](const Frame &frame) { return frame.mark == '_'; });
  }
  bool templating() const {
    return llvm::any_of(stack, [](const Frame &frame) { return frame.mark == '`'; });
  }

  Lexer lexer;
  FormArena &arena;
  DiagSink &diags;
  const ReadOptions &options;
  SmallVector<Frame, 16> stack;
  std::vector<const Form *> forms;
  StringMap<std::string> aliases;
  StringSet<> required, complained;
  /// The first `(` in column 1 inside the open top-level form, which probably should have ended before it.
  const char *suspect = nullptr;
  SMRange openAtSuspect;
};

std::vector<const Form *> Reader::readAll() {
  while (true) {
    Token token = lexer.next();
    switch (token.kind) {
    case TokenKind::End:
      dropPrefixes();
      if (stack.empty())
        return std::move(forms);
      endOfFile(token.range.Start);
      break;
    case TokenKind::Open:
      open(token);
      break;
    case TokenKind::Prefix:
      push(token);
      break;
    case TokenKind::Close:
      close(token);
      break;
    case TokenKind::Number:
      add(arena.number(token.text, token.range));
      break;
    case TokenKind::String:
      add(arena.string(token.text, token.range));
      break;
    case TokenKind::Keyword:
      add(arena.keyword(token.text, token.range));
      break;
    case TokenKind::Symbol:
      add(readSymbol(token));
      break;
    }
  }
}

void Reader::open(const Token &token) {
  const char *place = token.range.Start.getPointer();
  if (token.mark == '(' && !stack.empty() && !suspect && lexer.startsLine(place)) {
    suspect = place;
    openAtSuspect = stack.back().range;
  }
  push(token);
}

void Reader::push(const Token &token) {
  if (stack.size() >= kMaxNesting) {
    lexer.error("read-unmatched", token.range, "brackets nest deeper than " + Twine(kMaxNesting));
    stack.clear();
    lexer.stop();
    return;
  }
  stack.push_back({token.mark, token.range, {}});
}

void Reader::close(const Token &token) {
  dropPrefixes();
  auto matches = [&](const Frame &frame) { return !frame.isPrefix() && closerOf(frame.mark) == token.mark; };
  if (stack.empty() || llvm::none_of(stack, matches)) {
    lexer.error("read-unmatched", token.range, Twine("`") + Twine(token.mark) + "` closes nothing");
    return;
  }
  while (!matches(stack.back())) { // (a [b c): close the vector where the list ends.
    Frame frame = stack.pop_back_val();
    if (frame.isPrefix())
      continue;
    lexer
        .error("read-unmatched", frame.range,
               Twine("`") + Twine(frame.mark) + "` is never closed, or closed by the wrong bracket")
        .note(token.range, Twine("this `") + Twine(token.mark) + "` closes a form around it");
    add(finish(frame, token.range.Start));
  }
  Frame frame = stack.pop_back_val();
  add(finish(frame, token.range.End));
}

/// Adds a finished form to the innermost open bracket, after applying the pending prefixes.
void Reader::add(const Form *form) {
  while (!stack.empty() && stack.back().isPrefix()) {
    Frame prefix = stack.pop_back_val();
    if (prefix.mark == '_')
      return;
    form = wrap(prefix, form);
  }
  if (!stack.empty()) {
    stack.back().items.push_back(form);
    return;
  }
  suspect = nullptr;
  forms.push_back(form);
}

const Form *Reader::wrap(const Frame &prefix, const Form *form) {
  StringRef name = prefix.mark == '`' ? "quasiquote" : prefix.mark == '~' ? "unquote" : "unquote-splice";
  return arena.list({arena.symbol(name, prefix.range), form}, {prefix.range.Start, form->range().End});
}

const Form *Reader::finish(const Frame &frame, SMLoc end) {
  SMRange range(frame.range.Start, end);
  if (frame.mark == '[')
    return arena.vector(frame.items, range);
  if (frame.mark == '{')
    return finishMap(frame, range);
  const Form *list = arena.list(frame.items, range);
  if (list->isCall("require-dialect") || list->isCall("use-dialect"))
    noteDialects(list);
  return list;
}

const Form *Reader::finishMap(const Frame &frame, SMRange range) {
  SmallVector<const Form *, 8> entries;
  StringMap<const Form *> seen;
  for (size_t i = 0; i < frame.items.size(); i += 2) {
    const Form *key = frame.items[i];
    if (!key->isKeyword()) {
      lexer.error("read-map-key", key->range(), "a map key must be a keyword, this is " + describe(key->kind()))
          .withHint("maps look like {:key value :other value}");
      return arena.map(entries, range);
    }
    if (i + 1 == frame.items.size()) {
      lexer.error("read-map-key", key->range(), "the key `:" + key->text() + "` has no value");
      return arena.map(entries, range);
    }
    auto [first, isNew] = seen.try_emplace(key->text(), key);
    if (!isNew) {
      lexer.error("read-map-dup", key->range(), "the key `:" + key->text() + "` is given twice")
          .note(first->second->range(), "first given here");
      continue;
    }
    entries.append({key, frame.items[i + 1]});
  }
  return arena.map(entries, range);
}

/// Reports prefixes that are not followed by a form.
void Reader::dropPrefixes() {
  while (!stack.empty() && stack.back().isPrefix()) {
    Frame prefix = stack.pop_back_val();
    StringRef written(prefix.range.Start.getPointer(), prefix.range.End.getPointer() - prefix.range.Start.getPointer());
    lexer.error("read-unmatched", prefix.range, "`" + written + "` needs a form after it");
  }
}

/// Reports the open brackets. If a form began in column 1 inside another, the closing bracket is probably missing just
/// before it, and reading restarts there.
void Reader::endOfFile(SMLoc end) {
  SMRange innermost = suspect ? openAtSuspect : stack.back().range;
  Diag &diag =
      lexer.error("read-unmatched", innermost, Twine("`") + Twine(*innermost.Start.getPointer()) + "` is never closed");
  if (suspect)
    diag.note(SMRange(SMLoc::getFromPointer(suspect), SMLoc::getFromPointer(suspect + 1)),
              "a new form seems to start here");
  if (innermost.Start != stack.front().range.Start)
    diag.note(stack.front().range, "the form that it is part of");
  if (suspect && diags.errors() < DiagSink::kMaxErrors) {
    stack.clear();
    lexer.moveTo(std::exchange(suspect, nullptr));
    return;
  }
  while (!stack.empty()) {
    Frame frame = stack.pop_back_val();
    if (!frame.isPrefix())
      add(finish(frame, end));
  }
}

const Form *Reader::readSymbol(const Token &token) {
  if (token.text == "true" || token.text == "false")
    return arena.boolean(token.text == "true", token.range);
  if (token.text == "nil")
    return arena.nil(token.range);
  return arena.symbol(resolve(token.text, token.range), token.range);
}

/// Replaces a dialect alias, `m/addi` to `arith.addi`, and checks that the dialect was required. The text inside
/// `<...>` is ignored.
std::string Reader::resolve(StringRef name, SMRange range) {
  if (name == "..." || StringRef("!@^").contains(name.front()))
    return name.str();
  StringRef outside = name.substr(0, name.find('<', 1));
  size_t slash = outside.find('/', 1);
  if (slash != StringRef::npos) {
    auto alias = aliases.find(name.substr(0, slash));
    if (alias == aliases.end()) // The alias of a required file, or of a struct.
      return name.str();
    return alias->second + "." + name.substr(slash + 1).str();
  }
  size_t dot = outside.find('.');
  if (dot != StringRef::npos && !discarding())
    checkDialect(name.substr(0, dot), name.substr(dot + 1), range);
  return name.str();
}

void Reader::checkDialect(StringRef dialect, StringRef rest, SMRange range) {
  if (dialect.empty()) {
    Diag &diag = lexer.error("lex-char", range, "a name cannot begin with `.`");
    if (!rest.empty() && isDigit(rest.front()))
      diag.withHint("write 0." + rest);
    return;
  }
  if (rest.empty()) {
    lexer.error("read-dialect", range, "`" + dialect + ".` names no op");
    return;
  }
  if (options.allDialectsRequired || required.contains(dialect) || !complained.insert(dialect).second)
    return;
  if (!options.dialects || options.dialects->isDialect(dialect)) {
    lexer.error("read-dialect", range, "the dialect `" + dialect + "` is used but not required")
        .withHint("did you forget (require-dialect " + dialect + ")?");
    return;
  }
  std::string name = (dialect + "." + rest).str();
  lexer.error("read-dialect", range, "unknown dialect `" + dialect + "`")
      .withHint(findOtherName(name) ? hintFor(name, {}) : didYouMean(dialect, options.dialects->dialects()));
}

/// Records the dialects of (require-dialect a [b :as m] ...) or (use-dialect ...) for the following text.
void Reader::noteDialects(const Form *form) {
  if (discarding() || templating())
    return;
  for (const Form *item : form->items().drop_front()) {
    if (item->isSymbol()) {
      requireDialect(item);
    } else if (item->isVector() && item->size() == 3 && (*item)[0]->isSymbol() && (*item)[1]->isKeyword("as") &&
               (*item)[2]->isSymbol()) {
      requireDialect((*item)[0]);
      aliases[(*item)[2]->text()] = (*item)[0]->text().str();
    } else {
      lexer.error("read-dialect", item->range(), "expected a dialect's name or [name :as alias]")
          .withHint("(require-dialect arith [scf :as s])");
    }
  }
}

void Reader::requireDialect(const Form *name) {
  required.insert(name->text());
  if (options.dialects && !options.dialects->isDialect(name->text()))
    lexer.error("read-dialect", name->range(), "unknown dialect `" + name->text() + "`")
        .withHint(didYouMean(name->text(), options.dialects->dialects()));
}
} // namespace

std::vector<const Form *> readForms(unsigned bufferId, FormArena &arena, DiagSink &diags, const ReadOptions &options) {
  StringRef text = diags.sourceMgr().getMemoryBuffer(bufferId)->getBuffer();
  return Reader(text, arena, diags, options).readAll();
}
} // namespace lispier
