//===- PointEvaluator.h - elements of tensors, by interpretation -*- C++ -*-===//
//
// Formulas are written in many ways. What one computes is compared with what a hand-written
// kernel computes by its values at points that tell the two apart, not by the shape of the
// expression: an element is evaluated through the linalg ops that make it, in double.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_POINTEVALUATOR_H
#define LISPIER_LIB_TENSOR_POINTEVALUATOR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <functional>
#include <map>

namespace lispier {
/// Evaluates elements on demand, so that sizes do not matter, other than of reductions. Integers and truth values are
/// doubles, too; conversions between float types change nothing.
class PointEvaluator {
public:
  using Number = std::optional<double>;
  using Index = llvm::SmallVector<int64_t>;

  /// An element of a tensor, asked before the op that makes the tensor; nothing: it is evaluated.
  std::function<Number(mlir::Value tensor, llvm::ArrayRef<int64_t> index)> element;
  /// A number that is not made of constants, asked before the op that makes it.
  std::function<Number(mlir::Value number)> scalar;
  /// The number of iterations of a reduction loop that the types do not give.
  std::function<std::optional<int64_t>(mlir::linalg::LinalgOp op, unsigned loop)> extent;

  /// The element of a tensor; nothing if an op has no rule or a reduction is long.
  Number at(mlir::Value tensor, llvm::ArrayRef<int64_t> index);
  /// A value in the region of `op`, in the iteration with these loop indices.
  Number inRegion(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> loops, mlir::Value value);
  /// A number outside of regions.
  Number number(mlir::Value value);

private:
  struct Iteration {
    Iteration(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> loops) : op(op), loops(loops) {}
    mlir::linalg::LinalgOp op;
    llvm::ArrayRef<int64_t> loops;
    llvm::SmallVector<double> sums; ///< The elements of inits so far; empty where they are those of the operands.
    llvm::DenseMap<mlir::Value, double> known;
  };

  Number evaluate(mlir::linalg::LinalgOp op, unsigned result, llvm::ArrayRef<int64_t> index);
  Number reduce(mlir::linalg::LinalgOp op, unsigned result, Index loops, llvm::ArrayRef<unsigned> reduced);
  Number value(Iteration &iteration, mlir::Value value);
  Number argument(Iteration &iteration, mlir::BlockArgument argument);
  std::optional<int64_t> sizeOf(mlir::linalg::LinalgOp op, unsigned loop);

  std::map<std::pair<void *, std::vector<int64_t>>, double> reductions;
};
} // namespace lispier
#endif
