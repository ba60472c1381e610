//===- CodeParts.h - parts of a program, compiled in parallel ---*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_CODEPARTS_H
#define LISPIER_TARGET_CPU_CODEPARTS_H

#include "lispier/Target/Cpu/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lispier {
/// What the names of definitions begin with that several parts use.
inline constexpr llvm::StringLiteral kSharedPrefix = "lispier.shared.";

/// The bytes of one relocatable object file.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Optimises a program and generates code for it, as objects that are linked together. The kernels and long functions
/// of a large program are divided into parts, which threads compile at the same time; all other code is in the first
/// part. Which parts there are depends on the program alone, so that the result is the same on all machines.
///
/// `module`: complete, with internal linkage for all but its entry point (keepOnly). Symbols that several parts use
/// become hidden ones. `machine` is for `options`.
llvm::Expected<std::vector<ObjectCode>> compileInParts(llvm::Module &module, llvm::TargetMachine &machine,
                                                       const CpuOptions &options);

/// Optimises a module in place and generates code for it.
llvm::Expected<ObjectCode> compile(llvm::Module &module, llvm::TargetMachine &machine, CodeEffort effort);

/// A part of a program that a process compiles when something in it is first called.
struct CodeUnit {
  std::string bitcode; ///< Not optimised.
  /// The definitions that other units use. No other unit defines one of these names.
  std::vector<std::string> functions, variables;
};

/// The unit that is all of this module.
CodeUnit unitOf(const llvm::Module &module);

/// Divides a module, which is as for compileInParts: each kernel and each long function is a unit, since a run often
/// uses few of them. All other code is the first unit, with the entry point.
llvm::Expected<std::vector<CodeUnit>> divideIntoUnits(llvm::Module &module);
} // namespace lispier
#endif
