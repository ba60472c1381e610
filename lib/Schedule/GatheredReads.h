//===- GatheredReads.h - reads at numbers that are data --------*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_GATHEREDREADS_H
#define LISPIER_LIB_SCHEDULE_GATHEREDREADS_H

#include "lispier/Group/Group.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace lispier {
/// The dimensions of the tensor, of an op in the body of `op`, along which an index may be outside: it is neither a
/// constant nor a place of the op's own that is known to be inside.
llvm::SmallVector<unsigned> uncheckedDimensions(mlir::tensor::ExtractOp extract, mlir::linalg::LinalgOp op);

/// Ends the program where an op of the kernel reads an element that there is not.
void requireElements(group::KernelOp kernel);

/// Lets an op of the kernel read 0 there, as tile programs do.
void readZerosOutside(group::KernelOp kernel);
} // namespace lispier
#endif
