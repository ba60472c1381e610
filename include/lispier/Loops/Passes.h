//===- Passes.h - the passes of the room Loops -----------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_PASSES_H
#define LISPIER_LOOPS_PASSES_H

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
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier
#endif
