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
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Gpu/Passes.h.inc"
} // namespace lispier
#endif
