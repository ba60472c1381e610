//===- Passes.h - the passes of the component Buffers ----------*- C++ -*-===//
#ifndef LISPIER_BUFFERS_PASSES_H
#define LISPIER_BUFFERS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier
#endif
