//===- MergeReshapes.h - reshapes that keep some dimensions ----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_MERGERESHAPES_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_MERGERESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Adds patterns that reshape only the dimensions whose sizes change, and compute an embedding in the shape that it
/// gets.
void addMergeReshapes(mlir::RewritePatternSet &patterns);
} // namespace lispier
#endif
