//===- ShuffleGroups.h - shuffles over a part of a warp --------*- C++ -*-===//
//
// The lanes of a gpu.shuffle form groups of `width`, each from a multiple of the
// width on. Every target gives that the same meaning, by what is said here.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GPU_SHUFFLEGROUPS_H
#define LISPIER_GPU_SHUFFLEGROUPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <optional>

namespace lispier {
/// A number of lanes that is known, also as a cast of gpu.subgroup_size when that is a constant.
std::optional<llvm::APInt> knownLanes(mlir::Value lanes);

/// Whether every lane's partner is known to be in its group, as in every step of a butterfly.
bool staysInGroup(mlir::gpu::ShuffleOp op);

/// Lanes are i32, counted in the warp.
struct GroupPartner {
  mlir::Value first; ///< Of the lane's group.
  mlir::Value lane;  ///< Whom the lane reads: itself where its group has no such lane.
  mlir::Value valid; ///< i1: whether the group has it.
};
GroupPartner partnerInGroup(mlir::ImplicitLocOpBuilder &b, mlir::gpu::ShuffleOp op);
} // namespace lispier
#endif
