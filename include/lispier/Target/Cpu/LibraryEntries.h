//===- LibraryEntries.h - what a shared library exports ---------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_LIBRARYENTRIES_H
#define LISPIER_TARGET_CPU_LIBRARYENTRIES_H

#include "lispier/Target/Cpu/Entry.h"
#include <vector>

namespace lispier {
struct Interface;

/// Links the modules of a library's program for each target to one. Adds for each entry the functions that other
/// programs call: SYMBOL and SYMBOL__sizes, which the C header declares, and __tvm_ffi_NAME; and for the library
/// PREFIX_error and lispier_library_interface, the interface as JSON. They check their arguments, and that the
/// processor has `features`, a list such as "+avx2,+fma", before they call the functions of the target for the device
/// that the arguments are on (Runtime/Core/EntryCall.h). `interfaces` has one for each program, and `exported` becomes
/// the names of all of these functions. Fails if a function is not one that lispier-pass-destinations has described.
llvm::Expected<std::unique_ptr<llvm::Module>> joinLibrary(llvm::MutableArrayRef<TargetProgram> programs,
                                                          llvm::ArrayRef<Interface> interfaces,
                                                          llvm::StringRef features, std::vector<std::string> &exported);
} // namespace lispier
#endif
