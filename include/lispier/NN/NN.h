//===- NN.h - the nn dialect -----------------------------------*- C++ -*-===//
//
// Neural network ops that passes match as units. dialects/NN/NNOps.td is the
// reference of the ops: a formula for each, with shapes.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_NN_H
#define LISPIER_NN_NN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/NN/OperandRows.h"

#include "lispier/NN/NNDialect.h.inc"
#include "lispier/NN/NNEnums.h.inc"

namespace lispier::nn {
// The element types of NNOps.td's operands.
inline bool isFloat(mlir::Type type) { return type.isF32() || type.isBF16(); }
inline bool isAnyFloat(mlir::Type type) { return llvm::isa<mlir::FloatType>(type); }
inline bool isNumber(mlir::Type type) { return type.isIntOrIndexOrFloat(); }
inline bool isComparable(mlir::Type type) {
  return type.isInteger(32) || type.isInteger(64) || type.isF32() || type.isF64();
}
inline bool isF32(mlir::Type type) { return type.isF32(); }
inline bool isI32(mlir::Type type) { return type.isInteger(32); }
inline bool isI64(mlir::Type type) { return type.isInteger(64); }
} // namespace lispier::nn

#define GET_ATTRDEF_CLASSES
#include "lispier/NN/NNAttributes.h.inc"

#define GET_OP_CLASSES
#include "lispier/NN/NNOps.h.inc"

namespace lispier::nn {
/// The weights of an nn op that may assert that they are constant; none of any other op.
llvm::SmallVector<mlir::Value> weightsOf(mlir::Operation *op);
/// Sets `constant_weights` of an op that has weights.
void setConstantWeights(mlir::Operation *op);
/// Whether `op` asserts by `constant_weights` that no work that may still be running when it starts writes `operand`.
bool isConstantWeight(mlir::Operation *op, mlir::Value operand);
} // namespace lispier::nn

#endif
