//===- KernelDestinations.h - kernels that overwrite an operand -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_KERNELDESTINATIONS_H
#define LISPIER_LIB_TENSOR_GROUPS_KERNELDESTINATIONS_H

#include "lispier/Group/Group.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Whether the kernel needs each element of the operand, a tensor of the result's type, for the same element of the
/// result only, and computes no other result later: so that the two may be the same memory.
bool mayOverwrite(group::KernelOp kernel, mlir::OpOperand &operand, unsigned result);

/// Makes `place`, which has the operand's elements, the destination of the result in place of the operand.
void overwriteOperand(group::KernelOp kernel, mlir::OpOperand &operand, unsigned result, mlir::Value place,
                      mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
