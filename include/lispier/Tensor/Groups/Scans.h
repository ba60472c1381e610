//===- Scans.h - running results along a dimension -------------*- C++ -*-===//
#ifndef LISPIER_TENSOR_GROUPS_SCANS_H
#define LISPIER_TENSOR_GROUPS_SCANS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// A linalg.generic whose results are the running result at each place of its only reduction, and the last one: what
/// it yields for the second result is what there is so far, combined with an element. Its loops have an order.
struct RunningResult {
  mlir::linalg::GenericOp op;
  unsigned loop;             ///< The reduction.
  mlir::Operation *combiner; ///< In the region: of the element, and what there is so far.
  mlir::BlockArgument sofar;
};
std::optional<RunningResult> runningResultOf(mlir::linalg::LinalgOp op);

/// Makes such ops of the loops over slices of a dimension that combine each with what there is so far, and store that:
/// what IR generation makes of `cumsum`. Sizes are known, and nothing else needs the loop.
void formRunningResults(mlir::func::FuncOp function, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
