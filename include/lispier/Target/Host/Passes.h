//===- Passes.h - the passes of the GPU targets ----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_HOST_PASSES_H
#define LISPIER_TARGET_HOST_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Host/Passes.h.inc"

/// `lispier-gpu-phase` and `lispier-kernel-phase`, for one chip each: the lists of Loops/GpuPhase.h by name.
void registerGpuPipelines();
} // namespace lispier
#endif
