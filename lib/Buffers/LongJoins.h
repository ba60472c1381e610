//===- LongJoins.h - tensors that are joined of many parts -----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_LONGJOINS_H
#define LISPIER_LIB_BUFFERS_LONGJOINS_H

#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Before bufferization: stores the parts of a tensor that many are inserted into, one after the other, in memory of
/// their own, which the tensor is then read of. Bufferization compares all insertions into one tensor with each other,
/// for each of them.
void storeLongJoins(mlir::ModuleOp module);

/// The sum over all insertions of how many come before them in the same tensor: what bufferization compares.
uint64_t countInsertionsBefore(mlir::ModuleOp module);
} // namespace lispier
#endif
