//===- ProgramCache.h - compiled programs, kept between runs ---*- C++ -*-===//
//
// A directory of entries that any number of processes share. An entry appears
// whole or not at all, by renaming; one that is damaged, or gone, is none. Nothing
// here fails: where nothing can be kept, everything is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_PROGRAMCACHE_H
#define LISPIER_SESSION_PROGRAMCACHE_H

#include "lispier/Session/CompiledProgram.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lispier {
/// What the compiler asked of the file system, and its answer: the path, "yes" or "no", or a digest of the contents.
struct FileAnswer {
  enum Kind { Canonical, Exists, Load } kind;
  std::string path, answer;
};

struct CacheOptions {
  std::string directory;
  uint64_t maxBytes = 512 << 20; ///< Beyond, what was not used for longest goes.
};

class ProgramCache : public ObjectStore {
public:
  /// `request`: all that was asked of the compiler, but for the program.
  ProgramCache(CacheOptions options, llvm::ArrayRef<std::string> request);

  /// Why code in a directory could be another user's; empty when it could not, or there is no such directory.
  static std::string whyNotTrusted(const std::string &directory);

  /// What was compiled from this source and request, if all files that it needed are as they were then. Adds those to
  /// `sources`.
  std::optional<CompiledProgram> find(const llvm::MemoryBuffer &source, llvm::SourceMgr &sources);
  void store(const llvm::MemoryBuffer &source, llvm::ArrayRef<FileAnswer> files, const CompiledProgram &program);

  /// What the JIT compiled, by what it was compiled from: also for programs that have a part in common.
  std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef object) override;
  void store(llvm::StringRef name, llvm::StringRef object) override;

private:
  std::string keyOf(const llvm::MemoryBuffer &source) const;
  std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef key) const;
  void write(llvm::StringRef key, llvm::StringRef contents) const;
  void prune() const;

  CacheOptions options;
  std::string compiler, request; ///< Digests. Without the first nothing is kept.
};
} // namespace lispier
#endif
