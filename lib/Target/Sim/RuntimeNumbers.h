//===- RuntimeNumbers.h - the simulator runtime's numbers ------*- C++ -*-===//
//
// How the passes of this component name fields and types to lib/Runtime/Sim.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TARGET_SIM_RUNTIMENUMBERS_H
#define LISPIER_LIB_TARGET_SIM_RUNTIMENUMBERS_H

#include "lispier/Runtime/Sim/Sim.h"
#include "mlir/IR/Types.h"
#include <cstddef>
#include <optional>

namespace lispier {
/// Positions in LispierSimThread, all of whose fields have 8 bytes.
enum ThreadField : int32_t {
  kThreadId = offsetof(LispierSimThread, threadId) / 8,
  kBlockId = offsetof(LispierSimThread, blockId) / 8,
  kBlockDim = offsetof(LispierSimThread, blockDim) / 8,
  kGridDim = offsetof(LispierSimThread, gridDim) / 8,
  kLane = offsetof(LispierSimThread, lane) / 8,
  kWarp = offsetof(LispierSimThread, warp) / 8,
  kWarps = offsetof(LispierSimThread, warps) / 8,
  kWarpSize = offsetof(LispierSimThread, warpSize) / 8,
  kShared = offsetof(LispierSimThread, shared) / 8,
  kDynamicShared = offsetof(LispierSimThread, dynamicShared) / 8,
  kDynamicSharedBytes = offsetof(LispierSimThread, dynamicSharedBytes) / 8
};

/// The runtime's type for a scalar of type `type`; nullopt for other types. An i1 is passed as a byte, of which the
/// lowest bit counts when it comes back.
std::optional<LispierSimType> elementKind(mlir::Type type);
} // namespace lispier
#endif
