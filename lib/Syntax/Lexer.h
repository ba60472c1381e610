//===- Lexer.h - text to tokens --------------------------------*- C++ -*-===//
//
// The lexical grammar, private to Syntax. An MLIR type or attribute such as
// memref<4x8xf32, strided<[8, 1], offset: ?>> is a single symbol token.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SYNTAX_LEXER_H
#define LISPIER_LIB_SYNTAX_LEXER_H

#include "lispier/Syntax/Diag.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lispier {
enum class TokenKind : uint8_t { End, Open, Close, Prefix, Number, String, Keyword, Symbol };

struct Token {
  TokenKind kind = TokenKind::End;
  /// Open, Close: the bracket. Prefix: '`', '~', '@' for ~@, '_' for #_. Else 0.
  char mark = 0;
  llvm::SMRange range;
  /// Number: the literal without `_`; String: unescaped; Keyword: without the colon; Symbol: as written.
  std::string text;
};

class Lexer {
public:
  Lexer(llvm::StringRef buffer, DiagSink &diags);

  /// Returns the next token. Reports invalid text and skips it, or reads it as what was probably meant.
  Token next();
  /// Continues at `place`, a position in the buffer.
  void moveTo(const char *place) { current = place; }
  /// Makes the current position the end of the input.
  void stop() { current = end; }
  /// Whether `place` is the first character of its line.
  bool startsLine(const char *place) const { return place == begin || place[-1] == '\n'; }
  /// Reports an error, at most once per location, even if text is read again after moveTo.
  Diag &error(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);

private:
  char peek(size_t ahead = 0) const { return size_t(end - current) > ahead ? current[ahead] : '\0'; }
  bool atEnd() const { return current == end; }
  llvm::SMRange rangeFrom(const char *start) const;
  Token token(TokenKind kind, const char *start, llvm::StringRef text = "", char mark = 0);

  void skipBlanks();
  void skipBlockComment();
  void skipBadText();
  Token lexString();
  void lexEscape(std::string &text);
  void lexNumericEscape(std::string &text, const char *start);
  Token lexNumber();
  Token lexKeyword();
  Token lexSymbol();
  /// The bytes of the letter beyond ASCII that comes next; 0 if there is none.
  size_t letterBytes() const;
  bool lexAngles(const char *symbolStart);

  const char *begin, *current, *end;
  DiagSink &diags;
  llvm::DenseSet<const char *> reported;
  bool reportedLetters = false; ///< Of names beyond ASCII.
  Diag repeated;                ///< Returned for errors that were already reported.
};
} // namespace lispier
#endif
