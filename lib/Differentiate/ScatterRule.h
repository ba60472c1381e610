//===- ScatterRule.h - the adjoint of reads at computed places --*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_SCATTERRULE_H
#define LISPIER_LIB_DIFFERENTIATE_SCATTERRULE_H

#include "BodyAdjoint.h"

namespace lispier {
/// Adds to a table what the iterations of `op` read of it, each at its place, as `gather` does. `inside`: the cotangent
/// of what is read, in the block of `body`; `sizes`: of the loops.
mlir::LogicalResult reverseReads(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp read, mlir::Value inside,
                                 BodyAdjoint &body, llvm::ArrayRef<mlir::OpFoldResult> sizes, Reverse &reverse);
} // namespace lispier
#endif
