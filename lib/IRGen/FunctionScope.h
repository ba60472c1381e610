//===- FunctionScope.h - names and labels of a function ---------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_FUNCTIONSCOPE_H
#define LISPIER_LIB_IRGEN_FUNCTIONSCOPE_H

#include "Part.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// What a name means. `values` is empty after an error: uses of the name then stay silent.
struct Binding {
  Values values;
  llvm::SMRange range;
};
using Scopes = llvm::ScopedHashTable<llvm::StringRef, Binding>;
using Scope = llvm::ScopedHashTableScope<llvm::StringRef, Binding>;

/// A label's block and where it stands.
struct Label {
  mlir::Block *block;
  llvm::SMRange range;
};

/// What the statements of one function see. Parts open a Scope over `scopes` and a table of `labels` for each region.
class FunctionScope {
public:
  void bind(const Form *name, Values values);
  /// What these statements will define, so that a name used too early is not called unknown.
  void foreseeNames(llvm::ArrayRef<const Form *> statements);

  Scopes scopes;
  llvm::StringMap<llvm::SMRange> everDefined;          ///< For "not visible here".
  llvm::SmallVector<llvm::StringMap<Label>, 4> labels; ///< One table a region.
  const Form *unused = nullptr;                        ///< The statement whose value nobody wants.
};
} // namespace lispier
#endif
