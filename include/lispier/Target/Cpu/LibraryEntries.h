//===- LibraryEntries.h - what a shared library exports ---------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_LIBRARYENTRIES_H
#define LISPIER_TARGET_CPU_LIBRARYENTRIES_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lispier {
struct Interface;

/// Adds for each entry of the library the functions that other programs call: SYMBOL and SYMBOL__sizes, which the C
/// header declares, and __tvm_ffi_NAME; and for the library PREFIX_error and lispier_library_interface, the interface
/// as JSON. They check their arguments, and that the processor has `features`, a list such as "+avx2,+fma", before they
/// call the module's functions (Runtime/Core/EntryCall.h). Returns the names of all of these. Fails if a function is
/// not one that lispier-pass-destinations has described.
llvm::Expected<std::vector<std::string>> addLibraryEntries(llvm::Module &module, const Interface &interface,
                                                           llvm::StringRef features);
} // namespace lispier
#endif
