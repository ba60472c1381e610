//===- Copy.cpp - memref.copy of non-contiguous layouts -------------------===//
#include "lispier/Runtime/Core/MemRef.h"
#include <cstring>

using namespace lispier::runtime;

namespace {
/// Copies sizes[dim..], strides in elements. The last dimension is one memmove where both sides are contiguous.
void copy(char *to, const char *from, int64_t bytes, const MemRefView<char> &target, const MemRefView<char> &source,
          int64_t dim) {
  if (dim == source.rank) {
    memmove(to, from, bytes);
    return;
  }
  int64_t size = source.sizes[dim], toStep = target.strides[dim], fromStep = source.strides[dim];
  if (dim + 1 == source.rank && toStep == 1 && fromStep == 1) {
    memmove(to, from, bytes * size);
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    copy(to + i * toStep * bytes, from + i * fromStep * bytes, bytes, target, source, dim + 1);
}

bool isContiguous(const MemRefView<char> &memref) {
  int64_t expected = 1;
  for (int64_t dim = memref.rank - 1; dim >= 0; --dim) {
    if (memref.sizes[dim] != 1 && memref.strides[dim] != expected)
      return false;
    expected *= memref.sizes[dim];
  }
  return true;
}
} // namespace

/// Copies elements of `elementBytes` bytes; both memrefs have the same shape.
extern "C" void memrefCopy(int64_t elementBytes, UnrankedMemRef *sourceMemRef, UnrankedMemRef *targetMemRef) {
  MemRefView<char> source(sourceMemRef->rank, sourceMemRef->descriptor);
  MemRefView<char> target(targetMemRef->rank, targetMemRef->descriptor);
  int64_t elements = 1;
  for (int64_t dim = 0; dim < source.rank; ++dim)
    elements *= source.sizes[dim];
  if (elements == 0)
    return;
  const char *from = source.data + source.offset * elementBytes;
  char *to = target.data + target.offset * elementBytes;
  if (isContiguous(source) && isContiguous(target))
    memmove(to, from, elements * elementBytes);
  else
    copy(to, from, elementBytes, target, source, 0);
}
