//===- Passes.h - the passes of the NVIDIA target -------------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_NVIDIA_PASSES_H
#define LISPIER_TARGET_NVIDIA_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Nvidia/Passes.h.inc"
} // namespace lispier
#endif
