//===- Executable.h - link objects -----------------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_EXECUTABLE_H
#define LISPIER_TARGET_CPU_EXECUTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lispier {
/// What Lispier itself adds to programs.
struct RuntimeFiles {
  std::vector<std::string> archives; ///< The linker takes the members that are used.
  /// The runtime as a shared library, in place of its archive; empty: the archive. Found where it is now, or beside the
  /// library that needs it.
  std::string shared = {};
};

struct LinkOptions {
  std::string linker;               ///< A program that is LLVM's linker when it is called as `ld.lld`.
  std::vector<std::string> objects; ///< Files.
  std::string output;
  RuntimeFiles runtime;
  std::vector<std::string> libraries; ///< Shared libraries, as named by the program.
  /// Not empty: a shared library, which has these symbols for others and is never unloaded, since threads of the
  /// runtime may execute its code at any time.
  std::vector<std::string> exported = {};
};

/// Links an executable or a shared library, with the C library and what starts programs in it as the only parts that
/// are not in `options`. An error has the linker's messages; `undefined` then receives the symbols that they call
/// undefined.
llvm::Error link(const LinkOptions &options, std::vector<std::string> &undefined);
} // namespace lispier
#endif
