//===- GatheredReads.h - reads at numbers that are data --------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GATHEREDREADS_H
#define LISPIER_LIB_TENSOR_GATHEREDREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
/// Ends the program unless `number`, which may be any, is less than that size of what `load` reads.
void requireElement(mlir::OpBuilder &b, mlir::memref::LoadOp load, unsigned dimension, mlir::Value number);

/// Does so before each read in the op's body of which an index is read from memory, too.
void requireElements(mlir::linalg::GenericOp op);
} // namespace lispier
#endif
