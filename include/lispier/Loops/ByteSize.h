//===- ByteSize.h - how many bytes a value takes in memory -----*- C++ -*-===//
#ifndef LISPIER_LOOPS_BYTESIZE_H
#define LISPIER_LOOPS_BYTESIZE_H

#include <cstdint>

namespace mlir {
class Type;
}

namespace lispier {
/// The bytes of an element of a memref: a scalar (index is 8), a complex number, a vector of these, a pointer, a
/// structure or a memref's descriptor. 0 for types that have no size; no pass lowers these.
int64_t byteSize(mlir::Type type);
} // namespace lispier
#endif
