//===- Passes.h - the passes of the nn dialect -----------------*- C++ -*-===//
#ifndef LISPIER_NN_PASSES_H
#define LISPIER_NN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/NN/Passes.h.inc"
} // namespace lispier
#endif
