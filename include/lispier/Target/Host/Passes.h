//===- Passes.h - passes for the program around kernels --------*- C++ -*-===//
#ifndef LISPIER_TARGET_HOST_PASSES_H
#define LISPIER_TARGET_HOST_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Host/Passes.h.inc"

class KernelBinaries;
/// With `binaries`, these make the binary, and the module gets its symbol.
std::unique_ptr<mlir::Pass> createSerializeKernels(const SerializeKernelsOptions &options, KernelBinaries *binaries);
} // namespace lispier
#endif
