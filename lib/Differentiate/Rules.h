//===- Rules.h - the adjoints of ops ----------------------------*- C++ -*-===//
//
// Rules.def lists all. A rule takes the cotangents of the op's results and adds to
// those of its operands and of what its regions use.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_DIFFERENTIATE_RULES_H
#define LISPIER_LIB_DIFFERENTIATE_RULES_H

#include "Reverse.h"

namespace lispier {
/// Applies the rule of an op with a cotangent; an error if there is none.
mlir::LogicalResult applyRule(mlir::Operation *op, Reverse &reverse);

#define RULE(Op, function) mlir::LogicalResult function(mlir::Operation *op, Reverse &reverse);
#include "Rules.def"

/// Where a rule on numbers adds, and which operands it has to.
struct ScalarAdjoints {
  llvm::function_ref<bool(mlir::Value)> wants;
  llvm::function_ref<void(mlir::Value, mlir::Value)> add;
};
/// The rule of an op on numbers, in a body or outside; false if there is none.
bool reverseScalar(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value cotangent, ScalarAdjoints adjoints);
} // namespace lispier
#endif
