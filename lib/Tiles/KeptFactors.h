//===- KeptFactors.h - factors that all steps of a loop read ---*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_KEPTFACTORS_H
#define LISPIER_LIB_TILES_KEPTFACTORS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// Marks products of warpgroups as `kept` that read a factor from the registers of outside of a loop whose steps may
/// branch between products.
void markKeptFactors(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
