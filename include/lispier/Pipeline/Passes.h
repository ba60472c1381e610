//===- Passes.h - the passes of the component Pipeline ---------*- C++ -*-===//
#ifndef LISPIER_PIPELINE_PASSES_H
#define LISPIER_PIPELINE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Pipeline/Passes.h.inc"
} // namespace lispier
#endif
