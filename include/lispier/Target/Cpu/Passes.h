//===- Passes.h - the passes of the CPU target -----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_PASSES_H
#define LISPIER_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier
#endif
