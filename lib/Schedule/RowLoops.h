//===- RowLoops.h - loops over rows that an op reads by number -*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_ROWLOOPS_H
#define LISPIER_LIB_SCHEDULE_ROWLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// Replaces an elementwise op on memrefs that loads, at the place of each element, from a row of a table whose number
/// all elements of its own row share, by loops over its rows, in which one op reads the rows as operands: a CPU then
/// computes it on vectors. Ends the program at the number of no row. Returns whether it is such an op; leaves others
/// alone.
bool loopOverRows(mlir::linalg::GenericOp op, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
