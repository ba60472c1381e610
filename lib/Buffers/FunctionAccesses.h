//===- FunctionAccesses.h - what recursive functions access ----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_FUNCTIONACCESSES_H
#define LISPIER_LIB_BUFFERS_FUNCTIONACCESSES_H

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Says what functions that call themselves, also through others, and their callers do with their arguments: upstream's
/// analysis goes from callees to callers, and takes such a function to write all of its arguments. They write only
/// those that have an attribute for it, and are not permitted to write the others.
void assumeAccesses(mlir::ModuleOp module, mlir::bufferization::OneShotAnalysisState &analysis);
} // namespace lispier
#endif
