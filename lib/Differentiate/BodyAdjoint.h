//===- BodyAdjoint.h - the adjoint of a linalg.generic's body --*- C++ -*-===//
//
// A block with the ops of the body and, behind them, those of its cotangents: what
// one iteration adds to the cotangent of each value that it reads.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_DIFFERENTIATE_BODYADJOINT_H
#define LISPIER_LIB_DIFFERENTIATE_BODYADJOINT_H

#include "Reverse.h"
#include "ScalarBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
class BodyAdjoint {
public:
  BodyAdjoint(mlir::linalg::GenericOp op, Reverse &reverse);

  /// Differentiates the body. Fails with an error if the op is no sum, product, maximum or minimum along its reduced
  /// dimensions, or a number in it has no rule. `cotangent`: of the op's result.
  mlir::LogicalResult differentiate(mlir::Value cotangent);

  /// What an iteration reads, in the block: the argument of an operand, a number from outside, a tensor.extract.
  /// Null if its cotangent is 0.
  mlir::Value cotangentOf(mlir::Value read) const { return cotangents.lookup(read); }
  mlir::BlockArgument argument(unsigned operand) { return block.getArgument(operand); }
  /// Reads of active tensors, at computed places.
  llvm::ArrayRef<mlir::tensor::ExtractOp> reads() const { return activeReads; }
  /// Active numbers from outside.
  llvm::ArrayRef<mlir::Value> numbers() const { return activeNumbers; }

  /// A tensor with an index map from the iteration.
  struct Indexed {
    mlir::Value tensor;
    mlir::AffineMap map;
  };
  /// What an argument of the block is an element of; nothing of another value.
  std::optional<Indexed> read(mlir::Value value) const;
  /// A tensor of what the block's value is in each iteration of the loops `dims`, on which alone it depends: of these
  /// sizes, with `map` (from these loops) as its indices. The cotangent of the op's result is that tensor itself, with
  /// its own map, unless it has to be computed, `always`.
  Indexed emit(mlir::Value value, llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<mlir::OpFoldResult> sizes,
               mlir::AffineMap map, bool always);
  /// The loops on which a value of the block depends.
  llvm::SmallVector<unsigned> loopsOf(mlir::Value value);

private:
  bool findSummand();
  using Combine =
      llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::Value number, mlir::Value ofWhole, mlir::Value sofar)>;
  mlir::Value combinedAgain(double start, mlir::Value whole, Combine combine);
  mlir::Value perResult(mlir::ValueRange tensors,
                        llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)> body);
  mlir::Value shareOf(mlir::Value cotangent);
  mlir::Value seedOfProduct(mlir::OpBuilder &inner, mlir::Value cotangent);
  void findActive();
  mlir::LogicalResult walk(mlir::Value seed);
  llvm::SetVector<mlir::Operation *> sliceOf(mlir::Value value);

  mlir::linalg::GenericOp op;
  Reverse &reverse;
  mlir::OpBuilder &b;
  mlir::Block block;
  llvm::SmallVector<Indexed> operands; ///< Of the block's arguments.
  mlir::IRMapping copies;              ///< From the body to the block.
  mlir::Operation *combiner = nullptr; ///< Of a reduction.
  mlir::Value summand;                 ///< In the body: what is combined, or yielded.
  llvm::SmallVector<mlir::Operation *> forward;
  llvm::DenseSet<mlir::Value> activeInside;
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  llvm::SmallVector<mlir::tensor::ExtractOp> activeReads;
  llvm::SetVector<mlir::Value> activeNumberSet;
  llvm::SmallVector<mlir::Value> activeNumbers;
};
} // namespace lispier
#endif
