//===- DelayStores.h - write slots after the products ----------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYSTORES_H
#define LISPIER_LIB_TILES_DELAYSTORES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// Where copies to the slots of a pipelined loop go through registers, splits each branch of a distributed kernel that
/// has such copies: it reads global memory where it stands, and a second one, at the end of the step, writes the slots.
/// A thread waits for what it has read only there, behind the step's products. The stores keep the attribute that
/// DistributeCopies gave them, `tile.to_slot`; others lose it.
void delayStores(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
