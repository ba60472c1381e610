//===- PointEvaluator.h - elements of tensors, by interpretation -*- C++ -*-===//
//
// Formulas are written in many ways. What one computes is compared with what a hand-written
// kernel computes by its values at points that tell the two apart, not by the shape of the
// expression: an element is evaluated through the linalg ops that make it, in double.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_POINTEVALUATOR_H
#define LISPIER_LIB_TENSOR_POINTEVALUATOR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>
#include <map>

namespace lispier {
/// How a number depends on the indices at which it is evaluated, other than by the elements that it is made of: what a
/// few points do not show. The use of a number is the last in this order of the uses of its parts.
enum class IndexUse {
  None,
  Affine,    ///< A sum or difference of indices, and of numbers that do not depend on them.
  Piecewise, ///< By comparisons of such sums only.
  Other
};

/// Evaluates elements on demand, so that sizes do not matter, other than of reductions. Integers and truth values are
/// doubles, too; conversions between float types change nothing.
class PointEvaluator {
public:
  using Number = std::optional<double>;
  using Index = llvm::SmallVector<int64_t>;

  // Hooks of the caller; each may be empty.
  /// Returns an element of a tensor, or nothing to have it evaluated from the op that makes the tensor.
  std::function<Number(mlir::Value tensor, llvm::ArrayRef<int64_t> index)> element;
  /// Returns a number outside of regions, or nothing to have it evaluated from the op that makes it.
  std::function<Number(mlir::Value number)> scalar;
  /// Decides a comparison of two IndexUse::Affine numbers by their difference; without it the comparison is evaluated.
  std::function<bool(mlir::arith::CmpIPredicate predicate, int64_t difference)> compareIndices;
  /// Returns the number of iterations of a reduction loop that the types do not give.
  std::function<std::optional<int64_t>(mlir::linalg::LinalgOp op, unsigned loop)> extent;

  /// The element of a tensor; nothing if an op has no rule or a reduction has more than 2^14 iterations.
  Number at(mlir::Value tensor, llvm::ArrayRef<int64_t> index);
  /// A value in the region of `op`, in the iteration with these loop indices.
  Number inRegion(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> loops, mlir::Value value);
  /// A number outside of regions.
  Number number(mlir::Value value);

  /// How the elements and numbers asked so far depend on indices, if elements are only read where indexing maps say.
  IndexUse indexUse() const { return gathers ? IndexUse::Other : use; }
  /// The same, if elements are also read (tensor.extract) at indices that are affine.
  IndexUse indexUseOfGathers() const { return use; }
  /// A number so large that a comparison with a constant has another outcome there than near 0, if the number is
  /// multiplied by few constants before.
  double farPoint() const { return 1e6 * largest / smallest; }

private:
  struct Evaluated {
    double number;
    IndexUse use = IndexUse::None;
  };
  using Result = std::optional<Evaluated>;

  struct Iteration {
    Iteration(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> loops) : op(op), loops(loops) {}
    mlir::linalg::LinalgOp op;
    llvm::ArrayRef<int64_t> loops;
    llvm::SmallVector<Evaluated> sums; ///< The elements of inits so far; empty where they are those of the operands.
    llvm::DenseMap<mlir::Value, Evaluated> known;
  };

  Number asked(Result result);
  Result elementOf(mlir::Value tensor, llvm::ArrayRef<int64_t> index);
  Result evaluate(mlir::linalg::LinalgOp op, unsigned result, llvm::ArrayRef<int64_t> index);
  Result reduce(mlir::linalg::LinalgOp op, unsigned result, Index loops, llvm::ArrayRef<unsigned> reduced);
  Result value(Iteration &iteration, mlir::Value value);
  Result argument(Iteration &iteration, mlir::BlockArgument argument);
  Result gathered(mlir::tensor::ExtractOp op, llvm::ArrayRef<Evaluated> indices);
  Result scalarOf(mlir::Value value);
  Result ofConstant(mlir::Attribute value);
  Result applied(mlir::Operation *op, llvm::ArrayRef<Evaluated> operands);
  std::optional<int64_t> sizeOf(mlir::linalg::LinalgOp op, unsigned loop);

  std::map<std::pair<void *, std::vector<int64_t>>, Evaluated> reductions;
  IndexUse use = IndexUse::None;
  bool gathers = false;             ///< An element was read at indices computed from others.
  double largest = 1, smallest = 1; ///< The absolute values of floating-point constants.
};
} // namespace lispier
#endif
