//===- Passes.h - the passes of the component Tensor -----------*- C++ -*-===//
#ifndef LISPIER_TENSOR_PASSES_H
#define LISPIER_TENSOR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier
#endif
