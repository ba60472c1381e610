//===- Passes.h - the passes of the component Schedule ---------*- C++ -*-===//
#ifndef LISPIER_SCHEDULE_PASSES_H
#define LISPIER_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Schedule/Passes.h.inc"
} // namespace lispier
#endif
