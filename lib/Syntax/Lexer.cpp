//===- Lexer.cpp - text to tokens -----------------------------------------===//
#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace lispier {
namespace {
bool isSymbolStart(char c) { return isAlpha(c) || (c != '\0' && StringRef("_-!?*+=<>@%./").contains(c)); }
bool isSymbolPart(char c) { return isSymbolStart(c) || isDigit(c); }
bool isBlank(char c) { return c != '\0' && StringRef(" \t\r\n,").contains(c); }
bool isNonAscii(char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }
/// Of writing systems beyond ASCII, roughly: no punctuation, sign or picture.
bool isLetterBeyondAscii(UTF32 code) {
  bool isPunctuation = code < 0xC0 || code == 0xD7 || code == 0xF7 || (code >= 0x2000 && code < 0x2C00) ||
                       (code >= 0x3000 && code < 0x3040) || (code >= 0xFE00 && code < 0xFF21) || code >= 0x1F000;
  return !isPunctuation;
}
bool isDigitOf(char c, unsigned radix) { return radix == 16 ? isHexDigit(c) : c >= '0' && c < char('0' + radix); }
} // namespace

Lexer::Lexer(StringRef buffer, DiagSink &diags)
    : begin(buffer.begin()), current(begin), end(buffer.end()), diags(diags) {
  if (buffer.starts_with("\xEF\xBB\xBF")) // a byte order mark
    current += 3;
}

Diag &Lexer::error(StringRef code, SMRange range, const Twine &message) {
  if (reported.insert(range.Start.getPointer()).second)
    return diags.error(code, range, message);
  repeated = Diag();
  return repeated;
}

SMRange Lexer::rangeFrom(const char *start) const {
  return {SMLoc::getFromPointer(start), SMLoc::getFromPointer(current)};
}

Token Lexer::token(TokenKind kind, const char *start, StringRef text, char mark) {
  Token result;
  result.kind = kind;
  result.mark = mark;
  result.range = rangeFrom(start);
  result.text = text.str();
  return result;
}

Token Lexer::next() {
  while (true) {
    skipBlanks();
    if (atEnd())
      return token(TokenKind::End, current);
    const char *start = current;
    char c = peek();
    switch (c) {
    case '(':
    case '[':
    case '{':
      ++current;
      return token(TokenKind::Open, start, "", c);
    case ')':
    case ']':
    case '}':
      ++current;
      return token(TokenKind::Close, start, "", c);
    case '`':
      ++current;
      return token(TokenKind::Prefix, start, "", '`');
    case '~':
      current += peek(1) == '@' ? 2 : 1;
      return token(TokenKind::Prefix, start, "", current - start == 2 ? '@' : '~');
    case '"':
      return lexString();
    case ':':
      return lexKeyword();
    case '#':
      if (peek(1) == '_') {
        current += 2;
        return token(TokenKind::Prefix, start, "", '_');
      }
      break;
    case '^':
      ++current;
      while (isAlnum(peek()) || peek() == '_' || peek() == '-')
        ++current;
      return token(TokenKind::Symbol, start, StringRef(start, current - start));
    case '&':
      if (!isSymbolPart(peek(1))) {
        ++current;
        return token(TokenKind::Symbol, start, "&");
      }
      break;
    default:
      if (isDigit(c) || (c == '-' && isDigit(peek(1))))
        return lexNumber();
      if (isSymbolStart(c) || letterBytes())
        return lexSymbol();
    }
    skipBadText();
  }
}

void Lexer::skipBlanks() {
  while (!atEnd()) {
    if (isBlank(peek()))
      ++current;
    else if (peek() == ';')
      while (!atEnd() && peek() != '\n')
        ++current;
    else if (peek() == '#' && peek(1) == '|')
      skipBlockComment();
    else
      return;
  }
}

void Lexer::skipBlockComment() {
  const char *start = current;
  unsigned depth = 0;
  while (!atEnd()) {
    bool opens = peek() == '#' && peek(1) == '|', closes = peek() == '|' && peek(1) == '#';
    current += opens || closes ? 2 : 1;
    depth += opens;
    if (closes && --depth == 0)
      return;
  }
  error("lex-char", {SMLoc::getFromPointer(start), SMLoc::getFromPointer(start + 2)}, "unclosed `#|` comment")
      .withHint("close it with `|#`; such comments nest");
}

/// Skips a character that begins no token. A run of non-ASCII bytes is reported once.
void Lexer::skipBadText() {
  const char *start = current++;
  if (isNonAscii(*start)) {
    while (!atEnd() && isNonAscii(peek()))
      ++current;
    error("lex-char", rangeFrom(start), "only strings and comments may hold characters beyond ASCII");
    return;
  }
  std::string what = isPrint(*start) ? std::string("`") + *start + "`"
                                     : "byte 0x" + utohexstr(static_cast<unsigned char>(*start), /*LowerCase=*/true, 2);
  Diag &diag = error("lex-char", rangeFrom(start), "unexpected character " + what);
  if (*start == '\'')
    diag.withHint("write (quote x), or `x for a template");
  else if (*start == '#')
    diag.withHint("an MLIR attribute is written as a string: \"#dialect.attribute<...>\"");
  else if (*start == '&')
    diag.withHint("in a macro's parameters `&` stands alone: [a b & rest]");
}

Token Lexer::lexString() {
  const char *start = current, *close = start + 1;
  while (close != end && *close != '"')
    close += *close == '\\' && end - close > 1 ? 2 : 1;
  bool closed = close != end;
  if (!closed) { // Most such strings were meant to end on their line, so the rest is read as code.
    error("lex-string", {SMLoc::getFromPointer(start), SMLoc::getFromPointer(start + 1)}, "unterminated string");
    close = std::find(start, end, '\n');
  }
  std::string text;
  for (++current; current < close;) {
    if (peek() == '\\')
      lexEscape(text);
    else
      text += *current++;
  }
  current = close + closed;
  return token(TokenKind::String, start, text);
}

void Lexer::lexEscape(std::string &text) {
  const char *start = current++;
  if (atEnd())
    return;
  char c = *current++;
  static constexpr StringLiteral kLetters = "nrt0\\\"";
  static constexpr char kMeanings[] = "\n\r\t\0\\\"";
  if (size_t i = kLetters.find(c); i != StringRef::npos) {
    text += kMeanings[i];
  } else if (c == 'x' || (c == 'u' && peek() == '{')) {
    lexNumericEscape(text, start);
  } else {
    text += c;
    if (reported.insert(start).second)
      diags
          .warning("lex-string", rangeFrom(start),
                   Twine("unknown escape `\\") + Twine(c) + "` is just `" + Twine(c) + "`")
          .withHint("the escapes are \\n \\r \\t \\0 \\\\ \\\" \\xHH \\u{HHHH}");
  }
}

void Lexer::lexNumericEscape(std::string &text, const char *start) {
  if (current[-1] == 'x') {
    if (isHexDigit(peek()) && isHexDigit(peek(1))) {
      text += static_cast<char>(hexDigitValue(peek()) * 16 + hexDigitValue(peek(1)));
      current += 2;
      return;
    }
    error("lex-string", rangeFrom(start), "`\\x` needs two hexadecimal digits");
    return;
  }
  const char *digits = ++current;
  unsigned code = 0;
  while (isHexDigit(peek()) && current - digits < 7)
    code = code * 16 + hexDigitValue(*current++);
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *out = bytes;
  if (peek() == '}' && current != digits && ConvertCodePointToUTF8(code, out)) {
    ++current;
    text.append(bytes, out);
    return;
  }
  error("lex-string", rangeFrom(start), "`\\u{...}` needs the hexadecimal number of a Unicode character");
}

Token Lexer::lexNumber() {
  const char *start = current;
  if (peek() == '-')
    ++current;
  bool good = true;
  auto digits = [&](unsigned radix) {
    good &= isDigitOf(peek(), radix);
    while (isDigitOf(peek(), radix) || (peek() == '_' && isDigitOf(current[-1], radix)))
      ++current;
    good &= current[-1] != '_';
  };
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
    unsigned radix = peek(1) == 'x' ? 16 : 2;
    current += 2;
    digits(radix);
  } else {
    digits(10);
    if (peek() == '.' && isDigit(peek(1))) {
      ++current;
      digits(10);
    }
    if (peek() == 'e' || peek() == 'E') {
      ++current;
      if (peek() == '+' || peek() == '-')
        ++current;
      digits(10);
    }
  }
  if (isSymbolPart(peek()) || peek() == '#') {
    good = false;
    while (isSymbolPart(peek()) || peek() == '#')
      ++current;
  }
  std::string text(start, current);
  constexpr size_t kMaxNumberLength = 1000; // Conversion takes quadratic time.
  if (text.size() > kMaxNumberLength) {
    good = false;
    error("lex-number", rangeFrom(start), "a number of " + Twine(text.size()) + " characters")
        .withHint("numbers have at most " + Twine(kMaxNumberLength));
  } else if (!good)
    error("lex-number", rangeFrom(start), "malformed number `" + text + "`")
        .withHint("numbers look like 12, -3, 0.5, 1e-5, 0xff, 0b101, 1_000; a name cannot begin with a digit");
  llvm::erase(text, '_');
  return token(TokenKind::Number, start, good ? text : "0");
}

Token Lexer::lexKeyword() {
  const char *start = current++;
  if (!isAlpha(peek()) && peek() != '_' && peek() != '-')
    return token(TokenKind::Symbol, start, ":");
  while (isAlnum(peek()) || peek() == '_' || peek() == '.' || peek() == '-')
    ++current;
  return token(TokenKind::Keyword, start, StringRef(start + 1, current - start - 1));
}

/// Scans from a `<` inside a symbol to the matching `>`. If there is none, reports an error, sets `current` to where
/// the code probably continues, and returns false.
bool Lexer::lexAngles(const char *symbolStart) {
  const char *start = current;
  unsigned depth = 0;
  std::string brackets;
  while (!atEnd() && peek() != ';') {
    char c = *current++;
    if (c == '<')
      ++depth;
    else if (c == '>' && current[-2] != '-' && peek() != '=' && --depth == 0)
      return true;
    else if (c == '(' || c == '[' || c == '{')
      brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    else if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) {
        --current; // This bracket closes a form around the symbol.
        break;
      }
      brackets.pop_back();
    } else if (c == '"') {
      while (!atEnd() && peek() != '"' && peek() != '\n' && peek() != '\r')
        current += peek() == '\\' && end - current > 1 ? 2 : 1;
      if (peek() != '"')
        break;
      ++current;
    }
  }
  Diag &diag = error("lex-angle", {SMLoc::getFromPointer(start), SMLoc::getFromPointer(start + 1)},
                     "unclosed `<` in type literal");
  if (*symbolStart != '!')
    diag.withHint("inside a name `<` opens an MLIR type or attribute; to compare, put a space before it");
  return false;
}

size_t Lexer::letterBytes() const {
  if (!isNonAscii(peek()))
    return 0;
  auto *next = reinterpret_cast<const UTF8 *>(current);
  UTF32 code = 0;
  bool isValid =
      convertUTF8Sequence(&next, reinterpret_cast<const UTF8 *>(end), &code, strictConversion) == conversionOK;
  return isValid && isLetterBeyondAscii(code) ? reinterpret_cast<const char *>(next) - current : 0;
}

/// A name with letters beyond ASCII is an error, the first time: then it is a name like others, so that its other uses
/// and those of more such names do not hide what else is wrong.
Token Lexer::lexSymbol() {
  const char *start = current;
  bool isForeign = false;
  bool named = false; // Operators such as <= and << have no letter before the `<`.
  auto isNestedSymbol = [&] { return *start == '@' && peek() == ':' && peek(1) == ':' && peek(2) == '@'; };
  while (isSymbolPart(peek()) || isNestedSymbol() || letterBytes()) {
    if (size_t bytes = letterBytes()) {
      current += bytes;
      isForeign = named = true;
      continue;
    }
    if (peek() == ':') { // @module::@function
      current += 2;
      continue;
    }
    if (peek() == '<' && named) {
      if (!lexAngles(start))
        break;
      continue;
    }
    named |= isAlnum(peek());
    ++current;
  }
  if (peek() == '#' && peek(1) != '|') {
    ++current;
    if (isSymbolPart(peek()))
      error("lex-char", rangeFrom(current - 1), "`#` may only end a name");
  }
  std::string text(start, current);
  if (isForeign && !std::exchange(reportedLetters, true))
    error("lex-char", rangeFrom(start), "the name `" + text + "` has letters beyond ASCII")
        .withHint("names are of a to z, A to Z, digits and _-!?*+=<>@%./; strings and comments may hold any letter");
  for (char &c : text) // Join a type written over several lines.
    if (c == '\n' || c == '\r')
      c = ' ';
  return token(TokenKind::Symbol, start, text);
}
} // namespace lispier
