//===- FunctionScope.h - names and labels of a function ---------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_FUNCTIONSCOPE_H
#define LISPIER_LIB_IRGEN_FUNCTIONSCOPE_H

#include "Part.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// The values that a name is bound to. Empty after an error, so that uses of the name report nothing further.
struct Binding {
  Values values;
  llvm::SMRange range;
};
using Scopes = llvm::ScopedHashTable<llvm::StringRef, Binding>;
using Scope = llvm::ScopedHashTableScope<llvm::StringRef, Binding>;

/// The block of a label and the label's source range.
struct Label {
  mlir::Block *block;
  llvm::SMRange range;
};

/// The names and labels visible in the function under construction. A part that generates a region opens a Scope over
/// `scopes` and pushes a table to `labels`.
class FunctionScope {
public:
  void bind(const Form *name, Values values);
  /// Records the names that `statements` define, so that a use above the definition gets its own message.
  void foreseeNames(llvm::ArrayRef<const Form *> statements);

  Scopes scopes;
  llvm::StringMap<llvm::SMRange> everDefined;          ///< For the message "not visible here".
  llvm::SmallVector<llvm::StringMap<Label>, 4> labels; ///< One table for each open region.
  const Form *unused = nullptr;                        ///< The statement whose value is discarded.
};
} // namespace lispier
#endif
