//===- ReducedViews.h - parts of memrefs, of lower rank ---------*- C++ -*-===//
#ifndef LISPIER_DEVICE_REDUCEDVIEWS_H
#define LISPIER_DEVICE_REDUCEDVIEWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier::device {
/// A subview of lower rank lacks dimensions of size 1, and does not say which. MLIR finds them by their strides; of
/// strides that only the run knows it takes the first dimensions, so that a 1x7x? part of a 1x7x4x? memref would have
/// the strides of 7x1x?. Returns the part that the shape of `view` tells: `view` itself if MLIR reads it so, otherwise
/// a subview of full rank, collapsed, in place of `view`, which is erased.
mlir::Value reducedView(mlir::OpBuilder &b, mlir::memref::SubViewOp view);

/// The subview of `memref` with this shape, which lacks dimensions of size 1.
mlir::Value reducedView(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);

/// Groups of neighbouring dimensions of which one each is not dropped; none if all are.
llvm::SmallVector<mlir::ReassociationIndices> groupsOfKept(const llvm::SmallBitVector &dropped);
} // namespace lispier::device
#endif
