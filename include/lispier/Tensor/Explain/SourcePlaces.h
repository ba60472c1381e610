//===- SourcePlaces.h - where in the source a kernel's ops are --*- C++ -*-===//
#ifndef LISPIER_TENSOR_EXPLAIN_SOURCEPLACES_H
#define LISPIER_TENSOR_EXPLAIN_SOURCEPLACES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

namespace lispier {
/// The places in source files that a location has, without those of calls around them. What a function of the library
/// does is at its call.
llvm::SmallVector<mlir::FileLineColRange> sourcePlacesOf(mlir::Location location);
/// Where a remark about all of them is; an unknown place if there are none.
mlir::Location firstOf(llvm::ArrayRef<mlir::FileLineColRange> places, mlir::MLIRContext *context);
} // namespace lispier
#endif
