//===- ProductLayouts.h - layouts of the operands of products --*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_PRODUCTLAYOUTS_H
#define LISPIER_LIB_TILES_PRODUCTLAYOUTS_H

#include "ChooseLayout.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lispier {
struct MatrixInstruction;
struct TargetInfo;
enum class MatrixType : uint8_t;

/// The dimensions of a product c[m, n] += a[m, k] b[k, n], however its operands are transposed.
struct ProductShape {
  int64_t m, n, k;
  bool lhsTransposed, rhsTransposed, resultTransposed; ///< a is [k, m], b is [n, k], c is [n, m].
  std::optional<int64_t> batch; ///< So many products of their own, numbered by each operand's first dimension.
};
/// Nullopt for a contraction of another kind.
std::optional<ProductShape> productShape(mlir::vector::ContractionOp product);

/// Whether a matrix instruction of the target adds products of that type, of which a product of that shape consists, to
/// sums in F32.
bool multiplies(MatrixType factors, const ProductShape &shape, const TargetInfo &target);

/// As the op's operands are, so possibly transposed.
struct ProductLayouts {
  tile::Layout lhs, rhs, result;
};
/// For a matrix instruction if the target has one for the types and sizes, else for fused multiply-adds.
ProductLayouts productLayouts(mlir::vector::ContractionOp product, const TargetInfo &target, BlockShape block);

/// The instruction whose fragments tiles in the (canonical, not transposed) layouts `lhs`, `rhs` and `sums` consist of;
/// null if that is none.
const MatrixInstruction *instructionFor(mlir::vector::ContractionOp product, const TargetInfo &target,
                                        const tile::Layout &lhs, const tile::Layout &rhs, const tile::Layout &sums);

/// Whether groups of four warps can make a product whose rhs is in a slot of a pipelined loop, where they read it.
bool isOfWarpgroups(mlir::vector::ContractionOp product, const TargetInfo &target, BlockShape block);
/// Whether such a product reads its lhs from a slot too, whose rows then lie along k; else it is in registers.
bool readsRowsFromSlot(mlir::vector::ContractionOp product);
} // namespace lispier
#endif
