//===- Passes.h - the pass of the component Differentiate ------*- C++ -*-===//
#ifndef LISPIER_DIFFERENTIATE_PASSES_H
#define LISPIER_DIFFERENTIATE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Differentiate/Passes.h.inc"
} // namespace lispier
#endif
