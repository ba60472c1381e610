//===- TileSources.h - tiles that need not be copied -----------*- C++ -*-===//
#ifndef LISPIER_LIB_LOOPS_TILESOURCES_H
#define LISPIER_LIB_LOOPS_TILESOURCES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// Makes the reader, an op on memrefs, read the operand in the memory from which a tile program's load copies it, where
/// the whole tile lies within; returns false, and changes nothing, if the operand is no such tile, if another op reads
/// it, or if its source may change before the reader is done.
bool readInSource(mlir::OpOperand &operand, mlir::linalg::LinalgOp reader);
} // namespace lispier
#endif
