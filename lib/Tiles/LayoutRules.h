//===- LayoutRules.h - how ops pass layouts on -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_LAYOUTRULES_H
#define LISPIER_LIB_TILES_LAYOUTRULES_H

#include "lispier/Tile/TileLayout.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace lispier {
/// A vector value, which in a tile program is a tile.
bool isTile(mlir::Value value);
llvm::ArrayRef<int64_t> shapeOfTile(mlir::Value tile);
/// Bytes of an element in memory; of i1 and i8 one byte.
int64_t elementBytes(mlir::Value tile);

/// An op that computes each element from the same elements of its operands.
bool isElementwise(mlir::Operation *op);
/// Whether `op` is cheaper to repeat than its result is to move: constants, counts, masks, broadcasts, and elementwise
/// ops, whose operands decide.
bool isMadeWhereUsed(mlir::Operation *op);

/// Elements that one access of a thread to global memory may have: from `tile.vector`, up to 16 bytes.
int64_t vectorOf(mlir::VectorTransferOpInterface transfer);
/// Whether a transfer is in the kernel for rows that are not aligned, of two that lispier-specialize-alignment made.
bool isUnaligned(mlir::VectorTransferOpInterface transfer);
/// Whether a transfer reads or writes shared memory.
bool isShared(mlir::VectorTransferOpInterface transfer);
/// The least that an asynchronous copy to shared memory can move.
inline constexpr int64_t kShortestCopyBytes = 4;
/// Whether a read's only use is a write to shared memory, by a pipelined loop.
bool isCopied(mlir::vector::TransferReadOp read);

/// The layout of a tile reshaped in row-major order, with each element in the same place; nullopt if no linear layout
/// says that.
std::optional<tile::Layout> reshape(const tile::Layout &layout, llvm::ArrayRef<int64_t> shape);

/// The layout that a tile operand of a reshaping or elementwise op must have if its result is to have `result`; nullopt
/// for an op of another kind, or if no layout of the operand would do.
std::optional<tile::Layout> operandLayout(mlir::OpOperand &operand, const tile::Layout &result);
/// The other way round: the layout that the result has if `operand` has `layout`.
std::optional<tile::Layout> resultLayout(mlir::OpOperand &operand, const tile::Layout &layout);
} // namespace lispier
#endif
