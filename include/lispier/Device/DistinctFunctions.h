//===- DistinctFunctions.h - functions by what they compute -----*- C++ -*-===//
#ifndef LISPIER_DEVICE_DISTINCTFUNCTIONS_H
#define LISPIER_DEVICE_DISTINCTFUNCTIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lispier {
/// Functions or kernels of one symbol table, no two of which compute the same. Those that are in it must not change.
class DistinctFunctions {
public:
  /// Returns the function added before that differs from `function` in names and locations at most; if there is none,
  /// adds `function` and returns null.
  mlir::FunctionOpInterface equalOf(mlir::FunctionOpInterface function);

private:
  llvm::DenseMap<size_t, llvm::SmallVector<mlir::FunctionOpInterface, 1>> byHash;
};
} // namespace lispier
#endif
