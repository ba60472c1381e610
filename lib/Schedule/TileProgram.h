//===- TileProgram.h - the tile program of a group -------------*- C++ -*-===//
//
// A kernel under construction: its parameters, which are made as they are needed, and
// what a launch passes for each.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SCHEDULE_TILEPROGRAM_H
#define LISPIER_LIB_SCHEDULE_TILEPROGRAM_H

#include "GroupDimensions.h"
#include "WindowViews.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier::tensors {
class TileProgram {
public:
  /// The kernel is in `module`, and has no parameter and no op yet.
  TileProgram(group::KernelOp group, const GroupDimensions &dimensions, const PaddedReads &padded,
              mlir::gpu::GPUModuleOp module, llvm::StringRef name);

  mutable mlir::gpu::GPUFuncOp kernel;

  /// The body's argument for result `number`.
  mlir::BlockArgument init(unsigned number) { return group.initArgument(number); }

  // Each adds a parameter to the kernel unless it has it, and returns the kernel's argument.
  /// The memref of a tensor argument of the body, in the group's dimensions.
  mlir::Value memref(mlir::BlockArgument tensor);
  /// The same with the dimensions permuted: dimension i of the result is dimension `order[i]` of memref(tensor).
  mlir::Value memref(mlir::BlockArgument tensor, llvm::ArrayRef<int64_t> order);
  /// The memref in the tensor's own dimensions.
  mlir::Value wholeMemref(mlir::BlockArgument tensor);
  /// The elements as a view of that type, from the tensor's first one on.
  mlir::Value strided(mlir::BlockArgument tensor, mlir::MemRefType type);
  mlir::Value scalar(mlir::BlockArgument number);
  /// The size of the tensor's own dimension `position`, which the host computes.
  mlir::Value size(mlir::BlockArgument tensor, unsigned position);

  /// Where in its memory the tensor begins.
  int64_t offsetOf(mlir::BlockArgument tensor) const {
    return mlir::cast<mlir::MemRefType>(operandOf(tensor).getType()).getStridesAndOffset().second;
  }
  /// Where windows of a padded tensor are, if the argument is such; else null.
  const PaddedRead *paddedRead(mlir::BlockArgument tensor) const {
    auto found = padded.find(tensor);
    return found == padded.end() ? nullptr : &found->second;
  }

  /// What a launch passes: made by `b`, in the order of the kernel's parameters.
  llvm::SmallVector<mlir::Value> operands(mlir::OpBuilder &b) const;
  /// The elements of a dimension of the group, on the host; null if only the body knows.
  mlir::Value hostSize(mlir::OpBuilder &b, unsigned dimension) const;

private:
  enum class Kind { View, Whole, Strided, Scalar, Size };
  struct Parameter {
    Kind kind;
    mlir::BlockArgument argument;
    llvm::SmallVector<int64_t> order; ///< Of a view; the dimension of a size.
    mlir::Type type = {};             ///< Of a strided view.
    bool operator==(const Parameter &) const = default;
  };

  mlir::Value find(Parameter parameter);
  mlir::Value operand(mlir::OpBuilder &b, const Parameter &parameter, mlir::Type type) const;
  mlir::Type typeOf(const Parameter &parameter) const;
  mlir::Value operandOf(mlir::BlockArgument argument) const;

  mutable group::KernelOp group;
  const GroupDimensions &dimensions;
  const PaddedReads &padded;
  llvm::SmallVector<Parameter> parameters;
};
} // namespace lispier::tensors
#endif
