//===- LongSums.h - sums that are made in parts ----------------*- C++ -*-===//
#ifndef LISPIER_TENSOR_GROUPS_LONGSUMS_H
#define LISPIER_TENSOR_GROUPS_LONGSUMS_H

#include "lispier/Group/Group.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// What combines the elements of a reduction with its only result so far, if that has a neutral element; else null.
mlir::Operation *combiningOp(mlir::linalg::LinalgOp op);

/// A sum of a kernel. Any reduction with a neutral element counts as one.
struct CutSum {
  mlir::linalg::LinalgOp op;
  mlir::Operation *combiner; ///< In the op's region: an element, or a product, with what there is so far.
  unsigned loop;             ///< The summed loop that is cut.
};

/// The sums of a kernel, and how all are cut alike.
struct LongSums {
  llvm::SmallVector<CutSum, 1> sums;
  int64_t length; ///< The size of the loops that are cut; kDynamic if only the call knows.
  int64_t each;   ///< How many elements of it a part has. What is left is a part of its own.
  int64_t least;  ///< A call with fewer makes the sums in one.

  bool isStatic() const { return !mlir::ShapedType::isDynamic(length); }
  /// Nothing if there are no such parts.
  std::optional<LongSums> inParts(const SumParts &parts) const;
};

/// The sums of a kernel on memrefs, if more programs than it has would be faster by parts on a GPU with so many
/// multiprocessors.
std::optional<LongSums> longSumsOf(group::KernelOp kernel, int64_t multiprocessors);
} // namespace lispier
#endif
