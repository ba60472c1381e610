//===- Entry.h - how a program's `main` is entered -------------*- C++ -*-===//
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
/// `void lispier.entry(int32 argc, ptr argv, ptr result)`: calls `main` with as many of the two
/// arguments as it takes and stores its first result when it is a scalar. `main` itself becomes
/// internal, so that no process symbol of that name meets it.
inline constexpr llvm::StringLiteral kEntryName = "lispier.entry";
void addJitEntry(llvm::Module &module);

/// A program for one of the targets of an executable; the texts are Runtime/Device/ChooseTarget.h's.
struct TargetProgram {
  std::string name, kind, architecture, format;
  std::unique_ptr<llvm::Module> module;
};
/// All of them as one program of one context, whose `main` asks the runtime which target to run. Of each only what its
/// `main` needs is taken, and nothing of one is seen by another.
llvm::Expected<std::unique_ptr<llvm::Module>> joinTargets(llvm::MutableArrayRef<TargetProgram> programs);

/// C's `int main(int argc, char **argv)`: the program's `main` sees the arguments without the
/// program's name; an integer result is the exit status, anything else is 0. Before that it makes
/// sure that the processor has `features`, a list like "+avx2,+fma".
void addExecutableEntry(llvm::Module &module, llvm::StringRef features);
} // namespace lispier
#endif
