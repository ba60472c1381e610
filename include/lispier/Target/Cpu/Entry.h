//===- Entry.h - how a program's `main` is entered -------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_ENTRY_H
#define LISPIER_TARGET_CPU_ENTRY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace lispier {
/// `void lispier.entry(int32 argc, ptr argv, ptr result)`: calls `main` with as many of the two
/// arguments as it takes and stores its first result when it is a scalar. `main` itself becomes
/// internal, so that no process symbol of that name meets it.
inline constexpr llvm::StringLiteral kEntryName = "lispier.entry";
void addJitEntry(llvm::Module &module);

/// C's `int main(int argc, char **argv)`: the program's `main` sees the arguments without the
/// program's name; an integer result is the exit status, anything else is 0. Before that it makes
/// sure that the processor has `features`, a list like "+avx2,+fma".
void addExecutableEntry(llvm::Module &module, llvm::StringRef features);
} // namespace lispier
#endif
