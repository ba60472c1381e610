//===- ProductChains.h - products of what products make --------*- C++ -*-===//
//
// A product whose operand is made of other products, such as the gradients of
// attention, sums along a dimension of theirs. Where those sum few numbers, as many as
// a head has, computing them again for each product that needs them is cheaper than to
// store and to read their results, which are larger than all of their operands.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_PRODUCTCHAINS_H
#define LISPIER_LIB_TENSOR_GROUPS_PRODUCTCHAINS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// Ops for one kernel: products, what is computed with their results, and one or two products that sum that.
struct ProductChain {
  llvm::SmallVector<mlir::linalg::LinalgOp> ops;  ///< All but `last`.
  llvm::SmallVector<mlir::linalg::LinalgOp> last; ///< The products that sum along a dimension of the others.
};

/// Finds the chains of a block, and gives each the ops of its own that it needs: copies of those that are there, which
/// go where nothing else uses them. What a chain sums is the last of the two dimensions that a tile has, so that
/// products find it in registers as they need it.
llvm::SmallVector<ProductChain> separateChains(mlir::Block &block, mlir::RewriterBase &rewriter);
} // namespace lispier
#endif
