//===- Reference.h - what names of the language mean ------------*- C++ -*-===//
#ifndef LISPIER_SESSION_REFERENCE_H
#define LISPIER_SESSION_REFERENCE_H

#include "lispier/Syntax/Form.h"
#include <string>
#include <vector>

namespace lispier {
struct ReferenceEntry {
  enum class Kind { SpecialForm, Macro, Function, Kernel, Record, Op };
  Kind kind;
  std::string name;
  std::string usage; ///< "(softmax x :axis -1)"; of several lines for some special forms.
  std::string text;  ///< Its documentation string; may be empty.
  std::string place; ///< "model.lisp:3", of what a program defines; else empty.
  /// Attributes, operands and results of an op, a line each.
  std::vector<std::string> details;
};

/// The special forms, macros and functions of the Prelude, the ops of all dialects, and what `program` defines.
class Reference {
public:
  /// `program`: top-level forms with ranges in `sources`.
  explicit Reference(llvm::ArrayRef<const Form *> program = {}, llvm::SourceMgr *sources = nullptr);

  /// What a name means, the program's own meaning first.
  std::vector<const ReferenceEntry *> find(llvm::StringRef name) const;
  /// The entries whose name or text contains each of the words, in any case; names first.
  std::vector<const ReferenceEntry *> search(llvm::ArrayRef<std::string> words) const;
  /// What may be meant by a name that has no entry: what other languages call so, or names that are written alike.
  std::string hint(llvm::StringRef name) const;

private:
  void addDefinitions(llvm::ArrayRef<const Form *> forms, llvm::SourceMgr *sources);
  void addPrelude();
  void addOps();
  std::vector<ReferenceEntry> entries;
};

/// "function", "op" ...
llvm::StringRef describe(ReferenceEntry::Kind kind);
} // namespace lispier
#endif
