//===- Npy.h - one-dimensional NumPy files ---------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_NPY_H
#define LISPIER_CHECKPOINT_NPY_H

#include <cstdint>

namespace lispier {
/// Writes `count` F32 numbers in NumPy's format 1.0. Returns 0 or an errno value; after an error a part of the file may
/// exist.
int writeNpy(const char *path, const float *values, int64_t count);
} // namespace lispier
#endif
