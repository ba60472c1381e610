//===- SharedAllocations.h - places in the memory of a block ---*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_SHAREDALLOCATIONS_H
#define LISPIER_LIB_TILES_SHAREDALLOCATIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
/// Bytes [begin, end) of a kernel's shared memory.
struct SharedRange {
  /// What a memref.alloc returns, or a workgroup attribution.
  mlir::Value allocation;
  int64_t begin = 0, end = 0;
  bool overlaps(const SharedRange &other) const { return begin < other.end && other.begin < end; }
};

/// The bytes of each allocation and attribution in the memory of a block. Two overlap only if they are never in use at
/// the same time, and only if all apart from each other would take more than `plenty` bytes: each reuse may cost a
/// barrier.
llvm::SmallVector<SharedRange> placeSharedMemory(mlir::gpu::GPUFuncOp kernel, int64_t plenty);

/// The allocation or attribution that a memref is a view of; null if it is other memory.
mlir::Value sharedAllocationOf(mlir::Value memref);
} // namespace lispier
#endif
