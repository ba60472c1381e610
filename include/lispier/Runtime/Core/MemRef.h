//===- MemRef.h - memref descriptors in compiled code's layout -*- C++ -*-===//
#ifndef LISPIER_RUNTIME_MEMREF_H
#define LISPIER_RUNTIME_MEMREF_H

#include <cstdint>

namespace lispier::runtime {
/// Descriptor of a memref of static rank, in the layout of MLIR's lowering to LLVM. Offset and strides count elements.
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

/// Descriptor of memref<*xT>, whose rank is known at run time only.
struct UnrankedMemRef {
  int64_t rank;
  void *descriptor; ///< Points to a MemRef<T, rank>.
};

/// Uniform view of a descriptor of any rank. Points into the descriptor, so it is valid no longer than that.
template <typename T> struct MemRefView {
  T *data; ///< The aligned pointer: the element with all-zero indices is data[offset].
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
