//===- Tile.h - the tile dialect -------------------------------*- C++ -*-===//
//
// Programs of one block on tiles. dialects/Tile/TileOps.td is the reference,
// dialects/Tile/README.md the page on what a tile program may contain.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILE_TILE_H
#define LISPIER_TILE_TILE_H

#include "lispier/Tile/TileLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/Tile/TileDialect.h.inc"
#include "lispier/Tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Tile/TileAttributes.h.inc"

#define GET_OP_CLASSES
#include "lispier/Tile/TileOps.h.inc"

namespace lispier::tile {
inline constexpr llvm::StringLiteral kProgram = "tile.program";
/// A LayoutAttr, or an array of them for an op with regions.
inline constexpr llvm::StringLiteral kLayout = "tile.layout";
/// On a transfer: this many neighbours, a power of two, lie at an address that is a multiple of their size, and are all
/// inside or all outside of the memref.
inline constexpr llvm::StringLiteral kVector = "tile.vector";
/// A PrecisionAttr, on a vector.contract of F32 whose factors may lose low bits.
inline constexpr llvm::StringLiteral kPrecision = "tile.precision";
/// On a vector.contract that four warps make together, from its factors' slots of shared memory.
inline constexpr llvm::StringLiteral kWarpgroup = "tile.warpgroup";
/// On such a product whose sums a loop carries to the product of its next step only: it may be in flight until then.
inline constexpr llvm::StringLiteral kInFlight = "tile.in_flight";
/// On a vector.scan that begins with the last element.
inline constexpr llvm::StringLiteral kReverse = "tile.reverse";
/// On a kernel, from distribution until its shared memory has a place.
inline constexpr llvm::StringLiteral kDistributed = "tile.distributed";
/// On an scf.if of such a kernel, all of whose threads take the same branch.
inline constexpr llvm::StringLiteral kUniform = "tile.uniform";

/// On an scf.if of such a kernel, whose first branch so many threads take, and in its second one lane acts for a warp.
inline constexpr llvm::StringLiteral kConsumers = "tile.consumers";

/// The attribute `tile.program` of a kernel; null if the kernel is not an undistributed tile program.
ProgramAttr programOf(mlir::gpu::GPUFuncOp kernel);

/// What changes no value that it is combined with.
mlir::TypedAttr neutralElement(mlir::Builder b, mlir::vector::CombiningKind kind, mlir::Type type);

/// The attribute `tile.precision` of a product; F32 without it.
Precision precisionOf(mlir::Operation *product);
} // namespace lispier::tile
#endif
