//===- Executable.h - objects to a program on disk -------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_EXECUTABLE_H
#define LISPIER_TARGET_CPU_EXECUTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lispier {
struct LinkOptions {
  std::string object, output;
  std::vector<std::string> archives;  ///< The runtime's; only members that are needed are taken.
  std::vector<std::string> libraries; ///< Shared ones, as the program names them.
};

/// Where the C library keeps what every executable starts and ends with.
struct CLibrary {
  std::string start, init, begin, end, fini; ///< Scrt1.o, crti.o, crtbeginS.o, crtendS.o, crtn.o
  std::string interpreter;                   ///< The dynamic loader.
  std::vector<std::string> directories;      ///< To search for libc and libgcc.
};

/// Nothing: some part is missing.
std::optional<CLibrary> findCLibrary();

/// Links with ld.lld, or with cc where there is no ld.lld or no C library in the usual places.
/// `undefined` receives symbols that nothing defines.
llvm::Error linkExecutable(const LinkOptions &options, std::vector<std::string> &undefined);
} // namespace lispier
#endif
