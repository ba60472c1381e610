//===- ByteSize.h - sizes of types in memory -------------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_BYTESIZE_H
#define LISPIER_LOOPS_BYTESIZE_H

#include <cstdint>

namespace mlir {
class MemRefType;
class Type;
} // namespace mlir

namespace lispier {
/// Bytes of a memref's element, each scalar rounded up to whole bytes, without padding (i1: 1, vector<8xi1>: 8, f80:
/// 10, index: 8): of a scalar, complex number, vector of these, pointer, struct or memref descriptor. 0 for a type
/// without a size, which no pass lowers.
int64_t byteSize(mlir::Type type);

/// Whether the elements lie one after the other, at any offset, whatever sizes the run has.
bool isContiguous(mlir::MemRefType type);
} // namespace lispier
#endif
