//===- Entry.h - entry points around a program's `main` ---------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_ENTRY_H
#define LISPIER_TARGET_CPU_ENTRY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace lispier {
/// The name of the program's `main` once an entry point has been added, so that it cannot clash with C's `main`.
inline constexpr llvm::StringLiteral kHiddenMainName = "lispier.main";
/// The name of the function that `addJitEntry` adds.
inline constexpr llvm::StringLiteral kEntryName = "lispier.entry";

/// Adds `void lispier.entry(int32 argc, ptr argv, ptr result)`, which calls the module's constructors, then `main` with
/// both arguments or none, as it takes, and stores its first result if that is an integer or a float of at most 64
/// bits. Makes `main` internal, so that it cannot clash with the process's own `main`.
void addJitEntry(llvm::Module &module);

/// A program for one of the targets of an executable. The strings are parsed by Runtime/Device/ChooseTarget.h.
struct TargetProgram {
  std::string name, kind, architecture, format;
  std::unique_ptr<llvm::Module> module;
};
/// Links the programs into one module whose `main` queries the runtime for the target to run. Takes from each only what
/// its `main` uses, with internal linkage.
llvm::Expected<std::unique_ptr<llvm::Module>> joinTargets(llvm::MutableArrayRef<TargetProgram> programs);

/// Adds C's `int main(int argc, char **argv)`. It first checks that the processor has `features`, a list such as
/// "+avx2,+fma", and then calls the program's `main` with the arguments after the program's name. An integer result
/// becomes the exit status; with any other result the status is 0.
void addExecutableEntry(llvm::Module &module, llvm::StringRef features);
} // namespace lispier
#endif
