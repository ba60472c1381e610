//===- ValueTypes.h - kinds of values, and how messages name them -*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_VALUETYPES_H
#define LISPIER_LIB_IRGEN_CORE_VALUETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"

namespace lispier {
/// Whether this is a tensor that the forms on tensors take: ranked, of numbers.
bool isTensor(mlir::Type type);
inline bool isTensor(mlir::Value value) { return value && isTensor(value.getType()); }
inline bool hasTensor(mlir::ValueRange values) {
  return llvm::any_of(values, [](mlir::Value value) { return isTensor(value); });
}
/// Whether this is a vector that the forms on tiles take: of static shape and rank 1 or more.
bool isTile(mlir::Type type);
/// The shape of a vector, [] of anything else, tensors too.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// A type as messages name it: `f32`, `f32 [4 8]`, of a record `a Name`, of a list of records `a list of Name`.
std::string typeText(mlir::Type type);
/// `[4 8]`
std::string shapeText(llvm::ArrayRef<int64_t> shape);
} // namespace lispier
#endif
