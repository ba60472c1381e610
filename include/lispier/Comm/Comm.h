//===- Comm.h - the comm dialect --------------------------------*- C++ -*-===//
//
// Ranks and what they exchange. dialects/Comm/CommOps.td is the reference.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_COMM_COMM_H
#define LISPIER_COMM_COMM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/Comm/CommDialect.h.inc"
#include "lispier/Comm/CommEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Comm/CommAttributes.h.inc"

namespace lispier::comm {
/// Attribute of the module: the axes of the mesh, "dp,tp=2".
inline constexpr llvm::StringLiteral kMesh = "comm.mesh";
/// Attribute of the module: a number that follows from the program as it was written. Passes that work on several
/// functions at once need not print the same module in each process.
inline constexpr llvm::StringLiteral kDigest = "comm.digest";
/// Unit attribute of the module between two runs of lispier-check-placements: the first has checked it.
inline constexpr llvm::StringLiteral kChecked = "comm.checked";
/// The number of the operand `out` of each collective, behind `in`.
inline constexpr unsigned kInOperand = 0, kOutOperand = 1;

/// An axis of a mesh. `size` is 0 where the program leaves it open.
struct Axis {
  llvm::StringRef name;
  int64_t size;
};
/// Reads "dp,tp=2"; nullopt if it is no mesh.
std::optional<llvm::SmallVector<Axis>> readMesh(llvm::StringRef text);
/// The axes of the program's mesh; none if it has no mesh.
llvm::SmallVector<Axis> meshOf(mlir::Operation *op);

/// Whether the op is a collective, the values of which are those of several ranks.
bool isCollective(mlir::Operation *op);

// What the interfaces of all collectives have in common.

void addResultTypes(mlir::ValueRange operands, llvm::SmallVectorImpl<mlir::Type> &types);
llvm::LogicalResult addResultShapes(mlir::Operation *op, mlir::OpBuilder &builder,
                                    mlir::ReifiedRankedShapedTypeDims &shapes);
/// Beside reads and writes of memrefs an effect on the order of collectives, which must be the same on all ranks: no
/// pass drops, merges or moves one across another.
void addEffects(mlir::Operation *op, llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);
/// Replaces the op by the same op on contiguous memrefs: strided operands are copied.
llvm::LogicalResult bufferizeCollective(mlir::Operation *op, mlir::RewriterBase &rewriter,
                                        const mlir::bufferization::BufferizationOptions &options,
                                        mlir::bufferization::BufferizationState &state);
} // namespace lispier::comm

#define GET_OP_CLASSES
#include "lispier/Comm/CommOps.h.inc"
#endif
