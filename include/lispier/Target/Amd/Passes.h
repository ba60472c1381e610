//===- Passes.h - the passes of the AMD target -----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_AMD_PASSES_H
#define LISPIER_TARGET_AMD_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Amd/Passes.h.inc"
} // namespace lispier
#endif
