//===- Passes.h - the passes of the component Tensor -----------*- C++ -*-===//
#ifndef LISPIER_TENSOR_PASSES_H
#define LISPIER_TENSOR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Tensor/Passes.h.inc"

class KernelSource;
/// Null: a library that has an implementation for all operands, with everything else as the options say.
std::unique_ptr<mlir::Pass> createMatchKernels(const MatchKernelsOptions &options,
                                               std::shared_ptr<KernelSource> source);
} // namespace lispier
#endif
