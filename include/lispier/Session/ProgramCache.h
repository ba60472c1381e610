//===- ProgramCache.h - on-disk cache of compiled programs -----*- C++ -*-===//
//
// A directory that any number of processes can share. Entries are written to a
// temporary file and renamed, so they are never partial; a damaged or missing entry
// is a miss. No operation fails: if nothing can be stored, everything is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_PROGRAMCACHE_H
#define LISPIER_SESSION_PROGRAMCACHE_H

#include "lispier/Session/CompiledProgram.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lispier {
/// A query of the compiler to the file system with its result: for Canonical a path, for Exists "yes" or "no", for Load
/// a digest of the contents, empty if it could not be read; or, for Option, to the program's arguments: `path` has the
/// option's name and those of all flags in lines, the result is "=" and the value, or empty.
struct FileAnswer {
  enum Kind { Canonical, Exists, Load, Option } kind;
  std::string path, answer;
};

struct CacheOptions {
  std::string directory;
  uint64_t maxBytes = 512 << 20; ///< Above this size, the least recently used entries are removed.
};

class ProgramCache : public ObjectStore {
public:
  /// `request`: what determines the compilation besides the program, such as options and the processor that `native`
  /// means. The class itself adds a digest of the compiler. `arguments`: those of the program.
  ProgramCache(CacheOptions options, llvm::ArrayRef<std::string> request, std::vector<std::string> arguments);

  /// Says why other users could write code into a directory; empty if they cannot, or it does not exist yet. The caller
  /// asks before it makes a cache there; the class itself only ignores entries that others could have written.
  static std::string whyNotTrusted(const std::string &directory);

  /// Returns the program compiled from this source and request, if all files that it depended on are unchanged. Adds
  /// the files that it reads to `sources`; on a miss that may be some of them.
  std::optional<CompiledProgram> find(const llvm::MemoryBuffer &source, llvm::SourceMgr &sources);
  void store(const llvm::MemoryBuffer &source, llvm::ArrayRef<FileAnswer> files, const CompiledProgram &program);

  /// Objects compiled by the JIT. `name` is the digest of the bitcode and all else that they are compiled from, so that
  /// programs share common parts.
  std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef name) override;
  void store(llvm::StringRef name, llvm::StringRef object) override;

private:
  std::string keyOf(const llvm::MemoryBuffer &source) const;
  /// The key among the programs of one source, which were compiled for different values of these options.
  std::string keyFor(llvm::StringRef source, llvm::ArrayRef<std::string> options) const;
  std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef key) const;
  void write(llvm::StringRef key, llvm::StringRef contents) const;
  void prune() const;

  CacheOptions options;
  std::vector<std::string> arguments;
  std::string compiler, request; ///< Digests. Nothing is stored if the compiler's is empty.
};
} // namespace lispier
#endif
