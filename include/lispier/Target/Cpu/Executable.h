//===- Executable.h - link objects -----------------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_EXECUTABLE_H
#define LISPIER_TARGET_CPU_EXECUTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lispier {
struct LinkOptions {
  std::vector<std::string> objects; ///< Files.
  std::string output;
  std::vector<std::string> archives;  ///< Archives of the runtime; the linker takes the members that are used.
  std::vector<std::string> libraries; ///< Shared libraries, as named by the program.
  /// Not empty: a shared library, which has these symbols for others and is never unloaded, since threads of the
  /// runtime may execute its code at any time.
  std::vector<std::string> exported = {};
};

/// Paths of the C library's start files.
struct CLibrary {
  std::string start, init, begin, end, fini; ///< Scrt1.o, crti.o, crtbeginS.o, crtendS.o, crtn.o
  std::string interpreter;                   ///< The dynamic loader.
  std::vector<std::string> directories;      ///< Search path for libc and libgcc.
};

/// Finds the C library; nullopt if a file is missing.
std::optional<CLibrary> findCLibrary();

/// Links an executable or a shared library with ld.lld, or with cc if ld.lld or the C library is not found. An error
/// has the linker's messages; `undefined` then receives the symbols that they call undefined.
llvm::Error link(const LinkOptions &options, std::vector<std::string> &undefined);
} // namespace lispier
#endif
