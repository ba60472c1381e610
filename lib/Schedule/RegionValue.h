//===- RegionValue.h - elements that linalg ops compute --------*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_REGIONVALUE_H
#define LISPIER_LIB_SCHEDULE_REGIONVALUE_H

#include "GroupDimensions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lispier::tensors {
/// A value in the region of a linalg op.
struct RegionValue {
  mlir::linalg::LinalgOp op;
  mlir::Value value;
  mlir::Operation *definingOp() const { return value.getDefiningOp(); }
  RegionValue operand(unsigned i) const { return {op, definingOp()->getOperand(i)}; }
};

/// What an op that reduces combines with its only result, and by which op of its region.
struct ReducedElement {
  RegionValue element;
  mlir::Operation *combiner;
};
std::optional<ReducedElement> reducedElementOf(mlir::linalg::LinalgOp op);

/// Follows and compares values through the regions of a group's ops.
class RegionValues {
public:
  explicit RegionValues(const GroupDimensions &dimensions) : dimensions(dimensions) {}

  /// Through the tensors that elementwise ops with the same loops make, to the op that computes the value.
  RegionValue origin(RegionValue at) const;
  /// The operand of which the value is an element; null for other values.
  static mlir::OpOperand *operandOf(RegionValue at);
  bool areEqual(RegionValue a, RegionValue b) const;
  /// Whether elements of different places along the dimension may have different values.
  bool varies(RegionValue at, unsigned dimension) const;

private:
  llvm::SmallVector<unsigned> dimensionsOf(mlir::linalg::LinalgOp op, mlir::OpOperand &operand) const;
  bool hasAllLoops(mlir::linalg::LinalgOp op, mlir::OpOperand &operand) const;

  const GroupDimensions &dimensions;
};

/// p, if the element is `neutral` at other places than p along the dimension, as where(j == p, u, neutral) is, and p is
/// the same for all of these.
std::optional<RegionValue> selectedPlace(RegionValue element, unsigned dimension, mlir::TypedAttr neutral,
                                         const GroupDimensions &dimensions);

/// Two reductions along the same dimensions, of which the second needs the result of the first: a sum of squares of
/// (element - shift), beside that of the elements, or the least place whose element is the extreme.
struct JointReductions {
  mlir::linalg::LinalgOp first, second;
  mlir::Value element;              ///< Of `first`, in its region.
  std::optional<RegionValue> shift; ///< Of a sum of squares.
  mlir::arith::SelectOp selection;  ///< Of a place, in the region of `second`.
};
/// nullopt if the op is not the second one of such a pair.
std::optional<JointReductions> jointReductionsOf(mlir::linalg::LinalgOp second, const GroupDimensions &dimensions);
} // namespace lispier::tensors
#endif
