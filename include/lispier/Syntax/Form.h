//===- Form.h - s-expressions ----------------------------------*- C++ -*-===//
//
// Forms are the data of the language: source text, macro arguments, macro
// results and core forms consist of them. They are immutable, are allocated in a
// FormArena and carry their source location.
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

/// The kind with its article, for messages: "a list", "a vector", ...
llvm::StringRef describe(FormKind kind);

/// One macro call. The forms that it produced point to it, so that a message about
/// macro output can name every call that led to it.
struct Expansion {
  llvm::StringRef macro;
  llvm::SMRange call;      ///< Location of the call.
  const Expansion *parent; ///< The expansion whose output contains this call, or null.
  bool ofLanguage;         ///< A macro of the Prelude: locate its output at the call.
};

/// Maximum nesting depth of forms from the reader and from macros; later stages recurse over forms.
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

  /// Symbol: its name with the dialect alias resolved ("arith.addi" for m/addi). Keyword: its name
  /// without the colon. String: its unescaped contents. Number: its literal without `_`. Not
  /// NUL-terminated.
  llvm::StringRef text() const { return content; }

  /// Items of a list or vector. Map: key, value, key, value, ... in source order; keys are keywords.
  llvm::ArrayRef<const Form *> items() const { return children; }
  size_t size() const { return children.size(); }
  const Form *operator[](size_t i) const { return children[i]; }
  /// The head of a list if it is a symbol, else "".
  llvm::StringRef head() const {
    return isList() && !children.empty() && children[0]->isSymbol() ? children[0]->text() : llvm::StringRef();
  }
  /// The value of `key`, without its colon, in this map, or null. Only for maps.
  const Form *get(llvm::StringRef key) const;

  bool boolean() const { return truth; }
  /// 0 for an atom, else one more than the maximum height of the items; 1 for an empty list.
  unsigned height() const { return nesting; }

  /// Whether this is a symbol such as `arith.addi`, a dialect and an op. Dots inside `<...>`, and in
  /// `!types`, `#attributes`, `@names`, `%names`, `^labels` and `...`, do not count.
  bool isOpName() const;

  /// Prints one line of Lisp that reads back as an equal form.
  void print(llvm::raw_ostream &os) const;
  /// Prints with line breaks and indentation (show-ast).
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

/// Structural equality: kind, text and items, but not locations. Numbers compare by their literal.
bool equal(const Form *a, const Form *b);

/// Allocates forms, which live as long as the arena, with copies of their texts and of the arrays of their items.
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
