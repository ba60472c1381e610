//===- Format.cpp - source formatter --------------------------------------===//
//
// A continuation line can have one of several columns: two to the right of its
// bracket, or that of a preceding item. A line in such a column keeps it, relative
// to its bracket; any other line gets the first one.
//
//===----------------------------------------------------------------------===//
#include "lispier/Syntax/Format.h"
#include "Lexer.h"
#include "lispier/Syntax/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace lispier {
namespace {
enum class PieceKind : uint8_t { Open, Close, Prefix, Atom, LineComment, BlockComment };

struct Piece {
  PieceKind kind;
  StringRef text;
  unsigned line = 0, column = 0;       ///< Start position.
  unsigned lineBreaks = 0, blanks = 0; ///< Line breaks since the previous piece; blanks before it on its line.
  bool comma = false;                  ///< A comma directly follows the previous piece.
  bool isComment() const { return kind == PieceKind::LineComment || kind == PieceKind::BlockComment; }
};

/// Advances a position over `text`. Columns count characters, not bytes; a tab goes to the next multiple of 8.
void advance(StringRef text, unsigned &line, unsigned &column) {
  for (char c : text) {
    if (c == '\n')
      ++line, column = 0;
    else if (c == '\t')
      column = (column / 8 + 1) * 8;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      ++column;
  }
}

/// Splits the source into tokens and the comments between them.
class Splitter {
public:
  explicit Splitter(StringRef buffer) : buffer(buffer), at(buffer.begin()) {
    if (buffer.starts_with("\xEF\xBB\xBF"))
      at += 3;
  }

  std::vector<Piece> split(DiagSink &diags) {
    Lexer lexer(buffer, diags);
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
      comments(token.range.Start.getPointer());
      add(kindOf(token.kind), token.range.End.getPointer());
    }
    comments(buffer.end());
    return std::move(pieces);
  }

private:
  static PieceKind kindOf(TokenKind kind) {
    return kind == TokenKind::Open     ? PieceKind::Open
           : kind == TokenKind::Close  ? PieceKind::Close
           : kind == TokenKind::Prefix ? PieceKind::Prefix
                                       : PieceKind::Atom;
  }

  void comments(const char *end) {
    while (at != end) {
      if (*at == ';') {
        add(PieceKind::LineComment, std::find(at, end, '\n'));
      } else if (*at == '#') {
        unsigned depth = 0;
        const char *close = at;
        do {
          bool opens = close[0] == '#' && close[1] == '|', closes = close[0] == '|' && close[1] == '#';
          depth += opens ? 1 : closes ? -1 : 0;
          close += opens || closes ? 2 : 1;
        } while (depth);
        add(PieceKind::BlockComment, close);
      } else {
        next.comma |= *at == ',';
        next.lineBreaks += *at == '\n';
        next.blanks = *at == '\n' ? 0 : next.blanks + (*at != ',');
        advance(StringRef(at++, 1), line, column);
      }
    }
  }

  void add(PieceKind kind, const char *end) {
    next.kind = kind;
    next.text = StringRef(at, end - at);
    if (kind == PieceKind::LineComment)
      next.text = next.text.rtrim();
    next.line = line;
    next.column = column;
    pieces.push_back(next);
    next = {};
    advance(StringRef(at, end - at), line, column);
    at = end;
  }

  StringRef buffer;
  const char *at;
  unsigned line = 0, column = 0;
  Piece next{};
  std::vector<Piece> pieces;
};

constexpr unsigned kNowhere = ~0u;

class Layout {
public:
  std::string run(ArrayRef<Piece> pieces) {
    for (const Piece &piece : pieces)
      place(piece);
    if (!text.empty())
      text += '\n';
    return std::move(text);
  }

private:
  struct Bracket {
    char mark;
    unsigned line, column;       ///< Position in the output.
    int shift;                   ///< Column in the output minus column in the source.
    SmallVector<unsigned> items; ///< Columns at which items began, except a list's head.
    bool empty, pairs;           ///< pairs: every second item can be under the one before it, indented.
  };

  void place(const Piece &piece) {
    bool closes = piece.kind == PieceKind::Close, breaks = last && last->kind == PieceKind::LineComment;
    if (piece.comma && !closes && !breaks && last && last->kind == PieceKind::Atom)
      text += ',', ++column;
    breaks |= last && piece.lineBreaks && !closes && last->kind != PieceKind::Prefix;
    if (breaks)
      startLine(piece);
    else if (last)
      space(piece);
    begin(piece);
    text += piece.text;
    advance(piece.text, line, column);
    if (closes)
      brackets.pop_back();
    else if (piece.kind == PieceKind::Open)
      brackets.push_back(
          {piece.text.front(), line, column - 1, int(column - 1) - int(piece.column), {}, true, piece.text != "("});
    last = piece;
  }

  void startLine(const Piece &piece) {
    constexpr unsigned kBlankLines = 2;
    unsigned breaks = std::clamp(piece.kind == PieceKind::Close ? 1 : piece.lineBreaks, 1u, kBlankLines + 1);
    text.append(breaks, '\n');
    line += breaks;
    column = columnOf(piece);
    text.append(column, ' ');
  }

  void space(const Piece &piece) {
    // Keep trailing comments aligned with each other when the code before them changes.
    if (piece.kind == PieceKind::LineComment) {
      unsigned wanted = std::max(column + 1, piece.column);
      text.append(wanted - column, ' ');
      column = wanted;
      return;
    }
    bool joined = last->kind == PieceKind::Open || last->kind == PieceKind::Prefix || piece.kind == PieceKind::Close;
    unsigned blanks = joined ? 0 : std::max(piece.blanks, 1u);
    if (last->text == "#_") // As in #_#_, which skips two forms.
      blanks = std::min(piece.blanks, 1u);
    text.append(blanks, ' ');
    column += blanks;
  }

  /// Records the column of an item or comment.
  void begin(const Piece &piece) {
    if (piece.kind != PieceKind::LineComment || (piece.lineBreaks && column != comment))
      comment = kNowhere;
    else
      comment = column;
    bool startsItem =
        piece.kind != PieceKind::Close && !piece.isComment() && !(last && last->kind == PieceKind::Prefix);
    if (!startsItem || brackets.empty())
      return;
    Bracket &bracket = brackets.back();
    bool isName = bracket.empty && bracket.mark == '(' && piece.kind == PieceKind::Atom;
    if (isName)
      bracket.pairs = piece.text == "cond";
    else
      bracket.items.push_back(column);
    bracket.empty = false;
  }

  unsigned columnOf(const Piece &piece) {
    if (piece.kind == PieceKind::LineComment && piece.column == comment)
      return comment;
    if (brackets.empty())
      return 0;
    const Bracket &inner = brackets.back();
    unsigned first = inner.column + (inner.mark == '(' ? 2 : 1), wanted = std::max(0, int(piece.column) + inner.shift);
    if (piece.kind == PieceKind::Close)
      return first;
    if (is_contained(inner.items, wanted) || (inner.pairs && wanted == first + 2))
      return wanted;
    // In (region (block [...] and similar, the line may be aligned with any of the open brackets.
    for (const Bracket &bracket : reverse(brackets)) {
      if (bracket.line != inner.line)
        break;
      if (wanted == bracket.column + 2)
        return wanted;
    }
    return first;
  }

  std::string text;
  unsigned line = 0, column = 0;
  std::optional<Piece> last;
  unsigned comment = kNowhere; ///< Column of the trailing comment on the previous line, or of one aligned with it.
  SmallVector<Bracket> brackets;
};
} // namespace

std::optional<std::string> formatSource(unsigned bufferId, DiagSink &diags) {
  FormArena arena;
  ReadOptions options;
  options.allDialectsRequired = true;
  unsigned errorsBefore = diags.errors();
  (void)readForms(bufferId, arena, diags, options);
  if (diags.errors() != errorsBefore)
    return std::nullopt;
  DiagSink again(diags.sourceMgr()); // Its warnings are duplicates.
  StringRef buffer = diags.sourceMgr().getMemoryBuffer(bufferId)->getBuffer();
  return Layout().run(Splitter(buffer).split(again));
}
} // namespace lispier
