//===- MemRef.h - memref descriptors as compiled code has them -*- C++ -*-===//
#ifndef LISPIER_RUNTIME_MEMREF_H
#define LISPIER_RUNTIME_MEMREF_H

#include <cstdint>

namespace lispier::runtime {
/// A memref of static rank, laid out as MLIR's lowering to LLVM does. Offset and strides count elements.
template <typename T, int Rank> struct MemRef {
  T *allocated;
  T *aligned;
  int64_t offset;
  int64_t sizes[Rank];
  int64_t strides[Rank];
};
template <typename T> struct MemRef<T, 0> {
  T *allocated;
  T *aligned;
  int64_t offset;
};

/// A memref whose rank is known at run time: the value of memref<*xT>.
struct UnrankedMemRef {
  int64_t rank;
  void *descriptor; ///< A MemRef<T, rank>.
};

/// Either of them, taken apart. Valid while the descriptor is.
template <typename T> struct MemRefView {
  T *data; ///< Element `offset` of it has all-zero indices.
  void *allocated;
  int64_t rank, offset;
  const int64_t *sizes, *strides;

  MemRefView(int64_t rank, const void *descriptor) : rank(rank) {
    auto *fixed = static_cast<const MemRef<T, 0> *>(descriptor);
    allocated = fixed->allocated;
    offset = fixed->offset;
    data = fixed->aligned;
    sizes = reinterpret_cast<const int64_t *>(fixed + 1);
    strides = sizes + rank;
  }
};
} // namespace lispier::runtime
#endif
