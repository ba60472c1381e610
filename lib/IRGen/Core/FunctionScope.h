//===- FunctionScope.h - names and labels of a function ---------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_FUNCTIONSCOPE_H
#define LISPIER_LIB_IRGEN_CORE_FUNCTIONSCOPE_H

#include "Part.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace lispier {
/// The values that a name is bound to. Empty after an error, so that uses of the name report nothing further.
struct Binding {
  Values values;
  llvm::SMRange range;
};
/// The bindings that are visible. A function that is generated in the middle of another one sees none of the other's:
/// FunctionScope::Separate sets them aside.
class Scopes {
public:
  size_t count(llvm::StringRef name) const { return table->count(name); }
  Binding lookup(llvm::StringRef name) const { return table->lookup(name); }
  void insert(llvm::StringRef name, const Binding &binding) { table->insert(name, binding); }

private:
  friend class Scope;
  using Table = llvm::ScopedHashTable<llvm::StringRef, Binding>;
  std::unique_ptr<Table> table = std::make_unique<Table>();
};
/// The names that are bound while this object lives.
class Scope {
public:
  explicit Scope(Scopes &scopes) : scope(*scopes.table) {}

private:
  Scopes::Table::ScopeTy scope;
};

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
  bool inTileProgram = false;                          ///< Whether the body of a tile program is being generated.

  /// RAII: an empty scope for a function that is generated in the middle of another one.
  class Separate {
  public:
    explicit Separate(FunctionScope &scope);
    Separate(const Separate &) = delete;
    ~Separate();

  private:
    void swap();
    FunctionScope &scope;
    Scopes scopes;
    llvm::StringMap<llvm::SMRange> everDefined;
    llvm::SmallVector<llvm::StringMap<Label>, 4> labels;
    const Form *unused = nullptr;
  };
};
} // namespace lispier
#endif
