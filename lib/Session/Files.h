//===- Files.h - file access of a compilation ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_FILES_H
#define LISPIER_LIB_SESSION_FILES_H

#include "lispier/Expand/Expand.h"
#include "lispier/Session/ProgramCache.h"

namespace lispier {
/// Accesses files on disk and records each query with its result, since a compiled program is valid only as long as the
/// results are the same.
class DiskFiles : public FileLoader {
public:
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  bool exists(llvm::StringRef path) override;
  std::string canonical(llvm::StringRef path) override;

  /// Repeats the queries and returns whether all results are the same. Adds loaded files to `sources`.
  static bool stillAnswer(llvm::ArrayRef<FileAnswer> answers, llvm::SourceMgr &sources);

  const std::vector<FileAnswer> &answers() const { return asked; }

private:
  std::vector<FileAnswer> asked;
};
} // namespace lispier
#endif
