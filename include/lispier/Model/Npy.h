//===- Npy.h - one-dimensional NumPy files ---------------------*- C++ -*-===//
#ifndef LISPIER_MODEL_NPY_H
#define LISPIER_MODEL_NPY_H

#include "lispier/Model/Result.h"
#include <cstdint>
#include <string>

namespace lispier {
/// Writes `count` F32 numbers in NumPy's format 1.0. A file that cannot be written whole is a failure.
Result<Done> writeNpy(const std::string &path, const float *values, int64_t count);
} // namespace lispier
#endif
