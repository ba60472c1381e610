//===- Passes.h - the passes of the component Gpu --------------*- C++ -*-===//
#ifndef LISPIER_GPU_PASSES_H
#define LISPIER_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func
namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace lispier {
/// Unit attribute of a loop whose output element nothing else in the loop touches.
inline constexpr llvm::StringLiteral kReductionAttr = "lispier.reduction";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Gpu/Passes.h.inc"
} // namespace lispier
#endif
