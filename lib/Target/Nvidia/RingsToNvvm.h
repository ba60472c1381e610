//===- RingsToNvvm.h - rings of tiles -> mbarriers and bulk copies -*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_NVIDIA_RINGSTONVVM_H
#define LISPIER_LIB_TARGET_NVIDIA_RINGSTONVVM_H

#include "lispier/Tile/Tile.h"

namespace lispier {
/// Replaces an op of a ring, or of the copies of results, by NVIDIA's instructions; leaves others as they are.
llvm::LogicalResult ringToNvvm(mlir::Operation *op);
} // namespace lispier
#endif
