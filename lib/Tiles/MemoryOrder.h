//===- MemoryOrder.h - accesses that threads must not reorder --*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_MEMORYORDER_H
#define LISPIER_LIB_TILES_MEMORYORDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// The ops of a tile program, with layouts, before which a barrier is needed: accesses to global memory that the
/// program also accesses at another op, where one of the two writes and a thread might not access the same elements at
/// both. Memory of different parameters is taken to be different.
llvm::DenseSet<mlir::Operation *> accessesInOrder(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
