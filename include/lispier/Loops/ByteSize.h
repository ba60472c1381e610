//===- ByteSize.h - sizes of types in memory -------------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_BYTESIZE_H
#define LISPIER_LOOPS_BYTESIZE_H

#include <cstdint>

namespace mlir {
class Type;
}

namespace lispier {
/// Size in bytes of a memref's element type: a scalar (8 for index), complex number, vector of these, pointer, struct
/// or memref descriptor. 0 for a type without a size, which no pass lowers.
int64_t byteSize(mlir::Type type);
} // namespace lispier
#endif
