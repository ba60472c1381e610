//===- MemoryExtent.h - where a memref lies, at run time -------*- C++ -*-===//
#ifndef LISPIER_LOOPS_MEMORYEXTENT_H
#define LISPIER_LOOPS_MEMORYEXTENT_H

#include "mlir/IR/Builders.h"

namespace lispier {
/// Where a memref's elements lie in memory: addresses in bytes, of the first element and behind the last, and strides
/// in elements; all of type index.
struct MemoryExtent {
  mlir::Value start, end;
  llvm::SmallVector<mlir::Value> strides;
};

MemoryExtent extentOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

/// Whether one ends before the other starts, an i1.
mlir::Value doNotOverlap(mlir::OpBuilder &builder, mlir::Location loc, const MemoryExtent &one,
                         const MemoryExtent &other);
} // namespace lispier
#endif
