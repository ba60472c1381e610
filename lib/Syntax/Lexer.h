//===- Lexer.h - text to tokens --------------------------------*- C++ -*-===//
//
// The lexical grammar, private to this room. MLIR types and attributes, such as
// memref<4x8xf32, strided<[8, 1], offset: ?>>, are single symbol tokens.
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
  /// Number: without `_`; String: after escapes; Keyword: without the colon; Symbol: as written.
  std::string text;
};

class Lexer {
public:
  Lexer(llvm::StringRef buffer, DiagSink &diags);

  /// The next token; bad text is reported and skipped, or read as what it was meant to be.
  Token next();
  /// Continues at another place of the buffer.
  void moveTo(const char *place) { current = place; }
  /// Makes what follows the end of the file.
  void stop() { current = end; }
  /// Is `place` the first character of its line?
  bool startsLine(const char *place) const { return place == begin || place[-1] == '\n'; }
  /// Reports at most one error for each place, however often the text there is read again.
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
  bool lexAngles(const char *symbolStart);

  const char *begin, *current, *end;
  DiagSink &diags;
  llvm::DenseSet<const char *> reported;
  Diag repeated; ///< Receives what has been said already.
};
} // namespace lispier
#endif
