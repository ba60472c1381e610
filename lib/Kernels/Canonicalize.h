//===- Canonicalize.h - canonicalization as a function ----------*- C++ -*-===//
#ifndef LISPIER_LIB_KERNELS_CANONICALIZE_H
#define LISPIER_LIB_KERNELS_CANONICALIZE_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace lispier::kernels {
/// The patterns of lispier-canonicalize: those of all loaded dialects and registered ops.
mlir::FrozenRewritePatternSet canonicalizationPatterns(mlir::MLIRContext *context);

/// Applies the patterns in `function`, as lispier-canonicalize does. Functions may be canonicalized in parallel.
void canonicalize(mlir::Operation *function, const mlir::FrozenRewritePatternSet &patterns);
} // namespace lispier::kernels
#endif
