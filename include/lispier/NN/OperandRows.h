//===- OperandRows.h - what nn ops do with their operands ------*- C++ -*-===//
//
// Each op's table, made from NNOps.td, and how the interfaces of MLIR see an op with
// such a table: destination style, memory effects, result types and sizes,
// bufferization.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_OPERANDROWS_H
#define LISPIER_NN_OPERANDROWS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lispier::nn {
enum class Access {
  None,        ///< A number.
  Read,        ///< Must not be the memory of `out`, unless the op's description says so.
  ReadInPlace, ///< May be the memory of `out`: an element of it has its last use before `out` gets one there.
  State,       ///< Read and written, and kept by the program: always a memref.
  Scratch,     ///< Written, then read. The contents before and after mean nothing.
  Write,       ///< The destination, `out`.
  Update,      ///< The destination, whose elements the op reads, too.
};

/// One group of operands, in the order of an op's definition.
struct OperandRow {
  llvm::StringLiteral name;
  Access access;
};

/// The rows of an nn op; none of any other op.
llvm::ArrayRef<OperandRow> operandRows(mlir::Operation *op);
/// `None` for an operand of an op that is no nn op.
Access accessOf(mlir::OpOperand &operand);
/// Whether the result depends on what is in the operand when the op starts.
bool readsBefore(Access access);
bool writes(Access access);

// What NNOps.td says of each op to an interface. `op` may be invalid as far as verifiers have not seen it yet.

/// `out`, or nothing if the op lacks it.
mlir::MutableOperandRange destinationOf(mlir::Operation *op);
/// The type of `out` if it is a tensor.
void addResultTypes(llvm::ArrayRef<OperandRow> rows, mlir::ValueRange operands,
                    llvm::SmallVectorImpl<mlir::Type> &types);
llvm::LogicalResult addResultShapes(mlir::Operation *op, mlir::OpBuilder &builder,
                                    mlir::ReifiedRankedShapedTypeDims &shapes);
/// Of memrefs; tensors are values.
void addEffects(mlir::Operation *op, llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);
bool mayBeOneMemory(llvm::ArrayRef<mlir::OpOperand *> operands);
mlir::bufferization::AliasingValueList resultInMemoryOf(mlir::OpOperand &operand);
/// Replaces the op by the same op on memrefs.
llvm::LogicalResult bufferizeOperands(mlir::Operation *op, mlir::RewriterBase &rewriter,
                                      const mlir::bufferization::BufferizationOptions &options,
                                      mlir::bufferization::BufferizationState &state);

/// Reports an op with tensors and memrefs, and tensors as state.
llvm::LogicalResult verifyOneKind(mlir::Operation *op, llvm::ArrayRef<OperandRow> rows);
template <typename Op> class OneKindOfOperands : public mlir::OpTrait::TraitBase<Op, OneKindOfOperands> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyOneKind(op, Op::operandRows()); }
};
} // namespace lispier::nn
#endif
