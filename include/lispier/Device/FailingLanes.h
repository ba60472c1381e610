//===- FailingLanes.h - ops that may fail, in unused lanes ----------------===//
//
// A vector or a tile may have lanes beyond the end of what it is a part of. An op that
// ends the program for some operands must not see what such a lane holds: the targets
// check all lanes, and LLVM takes a divisor for granted not to be 0, also on GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_DEVICE_FAILINGLANES_H
#define LISPIER_DEVICE_FAILINGLANES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace lispier::device {
/// Whether a lane of the integers `lanes` may satisfy `is`: true unless they are a constant of which none does.
bool mayHold(mlir::Value lanes, llvm::function_ref<bool(const llvm::APInt &)> is);

/// Whether the op, on scalars, vectors or tiles, ends the program for some operands: an integer division by 0 or of the
/// least integer by -1, an integer power of 0 with a negative exponent, a shift by the width of the number or more.
/// Memory accesses, which have masks of their own, are not among these ops.
bool mayFail(mlir::Operation *op);

/// Lets an op that may fail do so only in lanes where `mask`, i1 in the shape of the result, is true: in the others it
/// gets an operand for which it does not fail. A right operand that all lanes share, such as a divisor, stays as it is,
/// since lanes where `mask` is true fail by it, too.
void failOnlyWhere(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value mask);
} // namespace lispier::device
#endif
