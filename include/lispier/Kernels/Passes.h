//===- Passes.h - the passes of the component Kernels ----------*- C++ -*-===//
#ifndef LISPIER_KERNELS_PASSES_H
#define LISPIER_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Kernels/Passes.h.inc"

class KernelSource;
/// Null: a library without implementations.
std::unique_ptr<mlir::Pass> createAddKernels(const AddKernelsOptions &options, std::shared_ptr<KernelSource> source);
} // namespace lispier
#endif
