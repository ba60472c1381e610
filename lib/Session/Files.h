//===- Files.h - file access of a compilation ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_FILES_H
#define LISPIER_LIB_SESSION_FILES_H

#include "lispier/Expand/Expand.h"
#include "lispier/Session/ProgramCache.h"

namespace lispier {
/// Accesses files on disk and the program's arguments, and records each query with its result, since a compiled program
/// is valid only as long as the results are the same.
class DiskFiles : public FileLoader {
public:
  /// `arguments`: those that the program is compiled for; none: for any.
  explicit DiskFiles(std::vector<std::string> arguments) : arguments(std::move(arguments)) {}
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  bool exists(llvm::StringRef path) override;
  std::string canonical(llvm::StringRef path) override;
  std::optional<std::string> option(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> flags) override;

  /// Repeats the queries and returns whether all results are the same. Adds loaded files to `sources`.
  static bool stillAnswer(llvm::ArrayRef<FileAnswer> answers, llvm::SourceMgr &sources);
  /// Returns the answer to a query of kind Option.
  static std::string answerOption(llvm::StringRef query, llvm::ArrayRef<std::string> arguments);

  const std::vector<FileAnswer> &answers() const { return asked; }

private:
  std::vector<std::string> arguments;
  std::vector<FileAnswer> asked;
};
} // namespace lispier
#endif
