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
  std::string path;                      ///< As shown in messages.
  std::vector<const Form *> forms, core; ///< Forms as read, and core forms expanded so far.
  bool inProgram = false;                ///< False: only its macros are imported.
  bool readable = true;                  ///< False: the reader reported errors; do not expand.
  llvm::StringMap<SourceFile *> aliases;
  llvm::StringMap<Macro> macros;
  llvm::StringSet<> functions;            ///< Names of functions that this file defines or declares.
  llvm::StringMap<llvm::SMRange> symbols; ///< All its top-level symbols.
  bool expanding = false, expanded = false;
};

/// Loads files and the files that they require, each once.
class Modules {
public:
  explicit Modules(ExpandContext &context) : context(context) {}

  /// Loads the main file and all that it requires into `order`, required files first. Returns the main file, never
  /// null; errors are reported.
  SourceFile *loadMain(unsigned buffer);
  /// Loads a file named by a require-macros form, and adds the files that it requires to `order`. Null after a reported
  /// error.
  SourceFile *loadMacros(const Form *path, SourceFile &from);
  /// The loaded file that contains a location; null if none does.
  SourceFile *fileOf(llvm::SMLoc place) const;
  /// Returns the file and all that it requires, transitively, in the order of `order`.
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
