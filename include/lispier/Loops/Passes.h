//===- Passes.h - the passes of the room Loops -----------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_PASSES_H
#define LISPIER_LOOPS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier
#endif
