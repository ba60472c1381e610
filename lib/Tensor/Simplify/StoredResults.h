//===- StoredResults.h - results in the caller's memory --------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_STOREDRESULTS_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_STOREDRESULTS_H

#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Adds patterns that store a tensor before it is reshaped, in the reshaped memref: then the tensor is computed there.
void addStoreBeforeReshape(mlir::RewritePatternSet &patterns);

/// Moves checks of sizes before the tensor ops on which they do not depend. What is computed in the caller's memory
/// must not be computed where it does not fit.
void checkSizesFirst(mlir::Block &block);
} // namespace lispier
#endif
