//===- ShuffleGroups.h - shuffles over a part of a warp --------*- C++ -*-===//
//
// The lanes of a gpu.shuffle form groups of `width` lanes, each starting at a
// multiple of `width`. These functions define that meaning for all targets.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GPU_SHUFFLEGROUPS_H
#define LISPIER_GPU_SHUFFLEGROUPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <optional>

namespace lispier {
/// The value of a number of lanes if it is constant, also behind an arith.index_cast.
std::optional<llvm::APInt> knownLanes(mlir::Value lanes);

/// Whether every lane's source lane is known to be in its group, as in every step of a butterfly.
bool staysInGroup(mlir::gpu::ShuffleOp op);

/// The source of a shuffle for one lane. Lane numbers are i32 and relative to the warp.
struct GroupPartner {
  mlir::Value first; ///< First lane of the group.
  mlir::Value lane;  ///< Source lane; the lane itself if the group has no such lane.
  mlir::Value valid; ///< i1: whether the group has the source lane.
};
GroupPartner partnerInGroup(mlir::ImplicitLocOpBuilder &b, mlir::gpu::ShuffleOp op);
} // namespace lispier
#endif
