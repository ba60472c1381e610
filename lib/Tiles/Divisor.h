//===- Divisor.h - what divides an index -----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DIVISOR_H
#define LISPIER_LIB_TILES_DIVISOR_H

#include "mlir/IR/Value.h"

namespace lispier {
/// The largest power of two, up to 2^20, that is known to divide an integer; of 0, 2^20. Looks through arithmetic and
/// the indices of scf.for.
int64_t divisorOf(mlir::Value value);
} // namespace lispier
#endif
