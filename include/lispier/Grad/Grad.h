//===- Grad.h - the grad dialect --------------------------------*- C++ -*-===//
//
// Gradients of functions of tensors. dialects/Grad/GradOps.td is the reference.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GRAD_GRAD_H
#define LISPIER_GRAD_GRAD_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/Grad/GradDialect.h.inc"

#define GET_OP_CLASSES
#include "lispier/Grad/GradOps.h.inc"

namespace lispier::grad {
/// Attribute of a function: the rule of its gradient, a function that takes its arguments and the cotangent of its
/// result and returns a gradient for each argument of floats.
inline constexpr llvm::StringLiteral kRule = "grad.rule";
/// Attribute of a loop, or of grad.call for the outermost loops of its function: a number k. Of each k iterations the
/// gradient keeps what the first one begins with, and computes the others again.
inline constexpr llvm::StringLiteral kRecompute = "grad.recompute";
} // namespace lispier::grad
#endif
