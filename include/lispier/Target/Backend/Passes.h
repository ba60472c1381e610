//===- Passes.h - passes for the kernels of any vendor --------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_BACKEND_PASSES_H
#define LISPIER_TARGET_BACKEND_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Backend/Passes.h.inc"
} // namespace lispier
#endif
