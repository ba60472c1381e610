//===- VectorizeColumns.h - vectors along an outer loop ---------*- C++ -*-===//
#ifndef LISPIER_LIB_LOOPS_VECTORIZECOLUMNS_H
#define LISPIER_LIB_LOOPS_VECTORIZECOLUMNS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lispier {
/// Before the loop, whose iterations are independent and step by 1, emits loops that compute as many of its iterations
/// as a vector has lanes at once, and leaves those that fill no vector. Changes nothing unless the loop contains
/// another one, as LLVM vectorises innermost loops, and all that differs between its iterations is read and written
/// along the innermost dimension of memory and computed by elementwise ops. Each lane computes what its iteration does,
/// in the same order.
///
/// `most`: the number of iterations, at most.
void vectorizeColumns(mlir::scf::ForOp loop, unsigned vectorBytes, int64_t most);
} // namespace lispier
#endif
