//===- Npy.h - one-dimensional NumPy files ---------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_NPY_H
#define LISPIER_CHECKPOINT_NPY_H

#include <cstdint>

namespace lispier {
/// Writes `count` F32 numbers in NumPy's format 1.0. Returns 0, or the error number of what could not be done; a part
/// of the file may then have been written.
int writeNpy(const char *path, const float *values, int64_t count);
} // namespace lispier
#endif
