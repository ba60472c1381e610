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

/// Whether matrix instructions compute the product, in the layouts that productLayouts gives its operands.
bool isByInstruction(mlir::vector::ContractionOp product, const TargetInfo &target);
/// Whether the target has a matrix instruction for factors of that type and sums in F32 whose sizes divide those of the
/// product.
bool multiplies(MatrixType factors, const ProductShape &shape, const TargetInfo &target);

/// The layouts of a product's operands and result as the op has them, so possibly transposed.
struct ProductLayouts {
  tile::Layout lhs, rhs, result;
};
/// Returns layouts for a matrix instruction if the target has one for the types and sizes, else for fused
/// multiply-adds. productShape must have accepted the product.
ProductLayouts productLayouts(mlir::vector::ContractionOp product, const TargetInfo &target, BlockShape block);

/// The instruction whose fragments tiles in the (canonical, not transposed) layouts `lhs`, `rhs` and `sums` consist of;
/// null if there is none.
const MatrixInstruction *instructionFor(mlir::vector::ContractionOp product, const TargetInfo &target,
                                        const tile::Layout &lhs, const tile::Layout &rhs, const tile::Layout &sums);

/// Whether the product is one of rows, a [m k] by b [n k], of F32 that is rounded to TF32: what groups of four warps
/// multiply of such factors, which they do not transpose, in steps that fill rows of 128 bytes.
bool multipliesRowsByTF32(mlir::vector::ContractionOp product, const ProductShape &shape);
/// Whether groups of four warps (wgmma) can compute the product, reading its rhs from shared memory: it is in a slot,
/// the buffer of one stage, of a pipelined loop.
bool isOfWarpgroups(mlir::vector::ContractionOp product, const TargetInfo &target, BlockShape block);
/// Whether such a product reads its lhs from a slot, too; else lhs is in registers.
bool readsRowsFromSlot(mlir::vector::ContractionOp product);
} // namespace lispier
#endif
