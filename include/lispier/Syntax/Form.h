//===- Form.h - what the reader makes of text ------------------*- C++ -*-===//
//
// Forms are the data of the language: source text, macro arguments, macro
// results and core forms are all made of them. They are immutable, live in a
// FormArena and carry the place in the source that they came from.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_FORM_H
#define LISPIER_SYNTAX_FORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/SMLoc.h"

namespace llvm {
class raw_ostream;
}

namespace lispier {
enum class FormKind : uint8_t { List, Vector, Map, Symbol, Keyword, String, Number, Bool, Nil };

/// "a list", "a vector", ...: for messages.
llvm::StringRef describe(FormKind kind);

/// One macro call; forms made by it point here, so that a message inside macro
/// output can name every call that led to it.
struct Expansion {
  llvm::StringRef macro;
  llvm::SMRange call;      ///< Where the macro was called.
  const Expansion *parent; ///< The expansion whose output contains this call, or null.
  bool ofLanguage;         ///< No macro of the user's: what it makes is placed where it was called.
};

/// Later stages walk forms by recursion; the reader and macros make none that nest deeper.
inline constexpr unsigned kMaxNesting = 500;

class Form {
public:
  FormKind kind() const { return formKind; }
  llvm::SMRange range() const { return sourceRange; }
  llvm::SMLoc loc() const { return sourceRange.Start; }
  const Expansion *expansion() const { return madeBy; }

  bool isList() const { return formKind == FormKind::List; }
  bool isVector() const { return formKind == FormKind::Vector; }
  bool isMap() const { return formKind == FormKind::Map; }
  bool isSymbol() const { return formKind == FormKind::Symbol; }
  bool isKeyword() const { return formKind == FormKind::Keyword; }
  bool isString() const { return formKind == FormKind::String; }
  bool isNumber() const { return formKind == FormKind::Number; }
  bool isBool() const { return formKind == FormKind::Bool; }
  bool isNil() const { return formKind == FormKind::Nil; }

  bool isSymbol(llvm::StringRef name) const { return isSymbol() && content == name; }
  bool isKeyword(llvm::StringRef name) const { return isKeyword() && content == name; }
  /// A list whose head is the unqualified symbol `name`.
  bool isCall(llvm::StringRef name) const { return isList() && !children.empty() && children[0]->isSymbol(name); }

  /// Symbol: its name after alias resolution ("arith.addi" for m/addi); Keyword: without
  /// the colon; String: its contents after escapes; Number: as written, less its `_`. Not
  /// NUL-terminated.
  llvm::StringRef text() const { return content; }

  /// Items of a list or vector. Map: key, value, key, value, ... in source order; keys are keywords.
  llvm::ArrayRef<const Form *> items() const { return children; }
  size_t size() const { return children.size(); }
  const Form *operator[](size_t i) const { return children[i]; }
  /// List: its head when that is a symbol, else "".
  llvm::StringRef head() const {
    return isList() && !children.empty() && children[0]->isSymbol() ? children[0]->text() : llvm::StringRef();
  }
  /// Map: the value of `key`, or null.
  const Form *get(llvm::StringRef key) const;

  bool boolean() const { return truth; }
  /// 0 for an atom, else one more than the highest item's.
  unsigned height() const { return nesting; }

  /// Symbols such as `arith.addi`: a dialect and an op. False inside `<...>`, for `!types`,
  /// `@names`, `%names` and `...`.
  bool isOpName() const;

  /// One line of Lisp that reads back as an equal form.
  void print(llvm::raw_ostream &os) const;
  /// Indented over several lines (show-ast, fmt).
  void prettyPrint(llvm::raw_ostream &os, unsigned indent = 0) const;
  std::string str() const;

private:
  friend class FormArena;
  FormKind formKind = FormKind::Nil;
  bool truth = false;
  unsigned nesting = 0;
  llvm::SMRange sourceRange;
  const Expansion *madeBy = nullptr;
  llvm::StringRef content;
  llvm::ArrayRef<const Form *> children;
};

/// Equal as data: kind, text and items; places do not count. Numbers compare as written.
bool equal(const Form *a, const Form *b);

/// Makes forms; they live as long as the arena.
class FormArena {
public:
  const Form *list(llvm::ArrayRef<const Form *> items, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *vector(llvm::ArrayRef<const Form *> items, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *map(llvm::ArrayRef<const Form *> keysAndValues, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *symbol(llvm::StringRef text, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *keyword(llvm::StringRef text, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *string(llvm::StringRef text, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *number(llvm::StringRef text, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *boolean(bool value, llvm::SMRange range, const Expansion *by = nullptr);
  const Form *nil(llvm::SMRange range, const Expansion *by = nullptr);

  llvm::StringRef save(llvm::StringRef text);
  const Expansion *expansion(llvm::StringRef macro, llvm::SMRange call, const Expansion *parent, bool ofLanguage);

private:
  Form *make(FormKind kind, llvm::SMRange range, const Expansion *by);
  Form *makeNested(FormKind kind, llvm::ArrayRef<const Form *> items, llvm::SMRange range, const Expansion *by);
  llvm::BumpPtrAllocator allocator;
};
} // namespace lispier
#endif
