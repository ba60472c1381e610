//===- CarriedSizes.h - sizes of tensors that loops carry ------*- C++ -*-===//
//
// Before: a loop carries a tensor without sizes in its type, such as a model whose
// weights each step changes. After: it has those of the first value, where each next
// value is known to have the sizes of the one before.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_CARRIEDSIZES_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_CARRIEDSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace lispier {
/// Finds of which tensor another has the sizes.
class SizeSource {
public:
  explicit SizeSource(mlir::SymbolTableCollection &symbols) : symbols(symbols) {}

  /// The earliest tensor that has the value's sizes; what loops carry has those of the first value.
  mlir::Value of(mlir::Value value);

  /// What the types of the value and of those before it say of its sizes: kDynamic where none does. It has a rank.
  llvm::SmallVector<int64_t> knownSizes(mlir::Value value);

  /// What has the value's sizes and was there before it; null if that is not known of any.
  mlir::Value before(mlir::Value value);

private:
  /// The argument with `group.inout` whose last value a result is.
  mlir::Value writtenBy(mlir::func::CallOp call, unsigned result);

  mlir::SymbolTableCollection &symbols;
};

/// Of all loops of the function. Returns whether a type has changed.
bool sharpenCarriedSizes(mlir::func::FuncOp function, SizeSource &source);
} // namespace lispier
#endif
