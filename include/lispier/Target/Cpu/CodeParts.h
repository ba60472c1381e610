//===- CodeParts.h - parts of a program, compiled in parallel ---*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_CODEPARTS_H
#define LISPIER_TARGET_CPU_CODEPARTS_H

#include "lispier/Target/Cpu/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace lispier {
/// The bytes of one relocatable object file.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Optimises a program and generates code for it, as objects that are linked together. The kernels of a large program
/// are divided into parts, which threads compile at the same time; all other code is in the first part. Which parts
/// there are depends on the program alone, so that the result is the same on all machines.
///
/// `module`: complete, with internal linkage for all but its entry point (keepOnly). Symbols that several parts use
/// become hidden ones. `machine` is for `options`.
llvm::Expected<std::vector<ObjectCode>> compileInParts(llvm::Module &module, llvm::TargetMachine &machine,
                                                       const CpuOptions &options);
} // namespace lispier
#endif
