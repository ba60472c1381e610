//===- Modules.h - the files of a program ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_EXPAND_MODULES_H
#define LISPIER_LIB_EXPAND_MODULES_H

#include "MacroTime.h"
#include "lispier/Expand/Expand.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lispier {
/// One file: its forms, and the scope of its aliases and macros.
struct SourceFile {
  unsigned buffer = 0;
  std::string path;                      ///< As messages show it.
  std::vector<const Form *> forms, core; ///< As read; as far as they have been expanded.
  bool inProgram = false;                ///< False: some file takes its macros only.
  bool readable = true;                  ///< False: brackets or tokens are wrong, expanding would only repeat that.
  llvm::StringMap<SourceFile *> aliases;
  llvm::StringMap<Macro> macros;
  llvm::StringSet<> functions;            ///< Names of the functions that the file itself defines or declares.
  llvm::StringMap<llvm::SMRange> symbols; ///< All its top-level symbols.
  bool expanding = false, expanded = false;
};

/// Reads files and what they require, each once.
class Modules {
public:
  explicit Modules(ExpandContext &context) : context(context) {}

  /// The main file. `order` then holds all files, a required one before those that require it.
  SourceFile *loadMain(unsigned buffer);
  /// A file named by a require-macros form; null after reporting. Files that it requires in turn
  /// are part of `order`'s rule too.
  SourceFile *loadMacros(const Form *path, SourceFile &from);
  SourceFile *fileOf(llvm::SMLoc place) const;
  /// The file and all that it requires, in the order of `order`.
  llvm::SmallVector<SourceFile *> closure(SourceFile &file) const;

  std::vector<SourceFile *> order;

private:
  void read(SourceFile &file);
  void followAll(llvm::ArrayRef<const Form *> forms, SourceFile &file);
  void follow(const Form *spec, SourceFile &file);
  SourceFile *load(const Form *path, SourceFile &from);
  std::string projectRoot(const SourceFile &from) const;
  std::string resolve(llvm::StringRef path, const SourceFile &from) const;
  void reportCycle(const Form *path, const SourceFile *target);

  ExpandContext &context;
  llvm::StringMap<std::unique_ptr<SourceFile>> files; ///< By canonical path.
  llvm::SmallVector<SourceFile *> loading;
};
} // namespace lispier
#endif
