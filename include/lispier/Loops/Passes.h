//===- Passes.h - the passes of the component Loops ------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_PASSES_H
#define LISPIER_LOOPS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func
namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier
#endif
