//===- ShuffleByMask.h - shuffles over a part of a warp --------*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_NVIDIA_SHUFFLEBYMASK_H
#define LISPIER_LIB_TARGET_NVIDIA_SHUFFLEBYMASK_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace lispier {
/// gpu.shuffle over fewer lanes than a warp, or over a number known at run time only, becomes nvvm.shfl.sync with the
/// mask of the lane's own group. Upstream's conversion, which takes the others, names the warp's first lanes for every
/// group.
std::unique_ptr<mlir::Pass> createShuffleByMask();
} // namespace lispier
#endif
