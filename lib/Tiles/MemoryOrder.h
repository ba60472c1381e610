//===- MemoryOrder.h - accesses that threads must not reorder --*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_MEMORYORDER_H
#define LISPIER_LIB_TILES_MEMORYORDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// The ops of a tile program, with layouts, before which all threads of the block must have met: accesses to global
/// memory that the program also accesses at another op, where one of the two writes and a thread might not find its own
/// elements there. Memory of different parameters is taken to be different.
llvm::DenseSet<mlir::Operation *> accessesInOrder(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
