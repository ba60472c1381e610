//===- Accumulate.h - sums that begin with what is there -------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_ACCUMULATE_H
#define LISPIER_LIB_DIFFERENTIATE_ACCUMULATE_H

#include "Reverse.h"

namespace lispier {
/// The sum of `before` and a gradient, which nothing else uses. What makes the gradient of zeros, such as a product, a
/// sum along a dimension, or a loop that puts slices in their places, makes it of `before` instead, where it can.
mlir::Value accumulate(Reverse &reverse, mlir::Location loc, mlir::Value before, mlir::Value gradient);
} // namespace lispier
#endif
