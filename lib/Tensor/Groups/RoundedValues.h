//===- RoundedValues.h - 16-bit floats between a kernel's ops ---*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_ROUNDEDVALUES_H
#define LISPIER_LIB_TENSOR_GROUPS_ROUNDEDVALUES_H

#include "lispier/Group/Group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lispier {
/// A value of 16 bits that one op of the kernel makes and only others of it compute with, in wider numbers, becomes
/// such a number. It is rounded where it leaves the kernel, where an op that is not continuous reads it, such as a
/// comparison, and where the program casts it: there arith.truncf or the arith.extf behind it lacks `contract`.
void keepWideInside(group::KernelOp kernel);

/// What rounds numbers to 16-bit floats in the kernel.
llvm::SmallVector<mlir::arith::TruncFOp> roundingsIn(group::KernelOp kernel);
} // namespace lispier
#endif
