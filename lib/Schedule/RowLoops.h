//===- RowLoops.h - loops over rows that an op reads by number -*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_ROWLOOPS_H
#define LISPIER_LIB_SCHEDULE_ROWLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// Lowers an op that reads rows of a table by number, such as an embedding: an elementwise op on memrefs whose region
/// loads from a table, in the column of the element, a row whose number is the same for all elements of one row of the
/// result. It becomes loops over the rows of the result around an op that has rows of the tables as operands, so that a
/// CPU computes it on vectors; checks of row numbers in its region stay. Returns false, and changes nothing, for other
/// ops.
bool loopOverRows(mlir::linalg::GenericOp op, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
