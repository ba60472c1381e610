//===- Passes.h - the passes of the component Tiles ------------*- C++ -*-===//
#ifndef LISPIER_TILES_PASSES_H
#define LISPIER_TILES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::gpu {
class GPUFuncOp;
class GPUModuleOp;
} // namespace mlir::gpu

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier
#endif
