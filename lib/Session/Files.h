//===- Files.h - the files of a compilation, and what was asked -*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_FILES_H
#define LISPIER_LIB_SESSION_FILES_H

#include "lispier/Expand/Expand.h"
#include "lispier/Session/ProgramCache.h"

namespace lispier {
/// Files on the disk. Notes every question, since the result of a compilation holds as long as the answers do.
class DiskFiles : public FileLoader {
public:
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  bool exists(llvm::StringRef path) override;
  std::string canonical(llvm::StringRef path) override;

  /// The same questions again: whether the answers are the same. Files that were loaded go to `sources`.
  static bool stillAnswer(llvm::ArrayRef<FileAnswer> answers, llvm::SourceMgr &sources);

  const std::vector<FileAnswer> &answers() const { return asked; }

private:
  std::vector<FileAnswer> asked;
};
} // namespace lispier
#endif
