//===- DistributeRoles.h - warps that copy, and warps that compute *- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DISTRIBUTEROLES_H
#define LISPIER_LIB_TILES_DISTRIBUTEROLES_H

#include "Distribution.h"

namespace lispier {
/// Of tile.join: of all warps that compute. Those of a group of four have the numbers behind it; 0 is the block's.
inline constexpr int64_t kBarrierOfConsumers = 1;

/// Of a thread: of the four warps of which one copies, and of those that compute.
struct GrantedRegisters {
  int64_t ofProducers, ofConsumers;
};
/// Where `warps`, in groups of four, compute, and a multiprocessor has `ofBlock`.
GrantedRegisters grantedRegisters(int64_t warps, int64_t lanes, int64_t ofBlock);

mlir::LogicalResult distributeTurn(Distribution &d, tile::TurnOp turn);
mlir::LogicalResult distributeVacate(Distribution &d, tile::VacateOp vacate);
mlir::LogicalResult distributeStage(Distribution &d, tile::StageOp stage);
mlir::LogicalResult distributeDrain(Distribution &d, tile::DrainOp drain);
/// `body` distributes the ops of a block.
mlir::LogicalResult distributeRoles(Distribution &d, tile::RolesOp roles,
                                    llvm::function_ref<mlir::LogicalResult(mlir::Block &)> body);
} // namespace lispier
#endif
