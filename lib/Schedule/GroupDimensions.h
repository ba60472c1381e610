//===- GroupDimensions.h - the dimensions that a group's ops share -*- C++ -*-===//
//
// The loops of linalg ops, sizes of tensors and sizes of memrefs that are equal in
// every call are one dimension of the group. Dimensions that all ops walk together and
// that are contiguous in memory are one, too; those of size 1 are left out. So a chain
// of elementwise ops has one dimension, whatever the rank of its tensors. What the
// ops read of one operand is one dimension, too, unless it would be two loops of an op.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SCHEDULE_GROUPDIMENSIONS_H
#define LISPIER_LIB_SCHEDULE_GROUPDIMENSIONS_H

#include "WindowViews.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace lispier::tensors {
class GroupDimensions {
public:
  /// `whyNot` says which op of the body has no dimensions of this kind.
  static std::optional<GroupDimensions> of(group::KernelOp kernel, const PaddedReads &padded, std::string &whyNot);

  /// Gives an input whose reads are along different dimensions a further argument for each of them: s in W s + s is
  /// read along what the product sums, and along what it keeps. Of square sizes that may be all that tells them apart.
  static void separateReads(group::KernelOp kernel);

  /// Those of a tensor of the body, outermost first.
  llvm::ArrayRef<unsigned> of(mlir::Value tensor) const { return tensors.at(tensor).dimensions; }
  /// Which of the tensor's own dimensions each of them is; those of size 1 are with a neighbour. Empty if there is
  /// none.
  llvm::ArrayRef<mlir::ReassociationIndices> parts(mlir::Value tensor) const { return tensors.at(tensor).parts; }
  /// The type of the memref of an argument, with each size that another tensor of the group says to be 1.
  mlir::MemRefType withUnits(mlir::Value argument, mlir::MemRefType type) const;

  /// The loops of a linalg op, one for each dimension of the group that it has.
  struct Loops {
    llvm::SmallVector<unsigned> dimensions;                  ///< The dimension of each loop.
    llvm::SmallVector<bool> reduced;                         ///< Whether each loop is a reduction.
    llvm::SmallVector<llvm::SmallVector<unsigned>> operands; ///< The loop of each dimension of each operand.
    llvm::SmallVector<std::optional<unsigned>> ofIterator;   ///< By the op's own loops; none if that has one iteration.
  };
  const Loops &loops(mlir::linalg::LinalgOp op) const { return ops.at(op); }

  unsigned count() const { return sizes.size(); }
  /// Product of its static sizes; kDynamic if one is not known.
  int64_t size(unsigned dimension) const { return sizes[dimension]; }
  bool isStatic(unsigned dimension) const { return !mlir::ShapedType::isDynamic(sizes[dimension]); }

  /// An argument of the body with that dimension, and where; inits first. Null if no argument has it.
  std::pair<mlir::BlockArgument, unsigned> argumentWith(unsigned dimension) const;

  /// The factors of a dimension's size, numbers or index values of the body; empty if one is not known.
  llvm::SmallVector<mlir::OpFoldResult> sizeFactors(unsigned dimension) const;

private:
  struct TensorDimensions {
    llvm::SmallVector<unsigned> dimensions;
    llvm::SmallVector<mlir::ReassociationIndices> parts;
  };

  GroupDimensions(group::KernelOp kernel, const PaddedReads &padded);
  bool joinSizes(std::string &whyNot);
  void addNodes(mlir::Value tensor);
  bool joinReads(std::string &whyNot);
  unsigned firstNodeOf(mlir::OpOperand &read) const;
  void keepApart();
  bool joinIfApart(llvm::ArrayRef<std::pair<unsigned, unsigned>> pairs);
  void joinOp(mlir::linalg::LinalgOp op);
  bool joinReshape(mlir::Value expanded, mlir::Value collapsed, llvm::ArrayRef<mlir::ReassociationIndices> parts);
  void joinEmpty(mlir::tensor::EmptyOp op);
  void joinColumns();
  void joinReductions();
  bool joinBodyOp(mlir::Operation *op);
  unsigned node(mlir::Value tensor, unsigned position) const { return classes[firstNode.at(tensor) + position]; }
  bool isUnit(unsigned sizeClass) const { return classSizes[sizeClass] == 1; }
  std::optional<unsigned> classOfIterator(mlir::linalg::LinalgOp op, unsigned iterator) const;
  void findSizes();
  void chainClasses();
  void forbidChains();
  void nameTensors();
  void nameLoops();

  mutable group::KernelOp kernel;
  llvm::DenseMap<mlir::Value, unsigned> firstNode;
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> nodes;
  llvm::DenseMap<mlir::OpOperand *, unsigned>
      firstNodeOfRead; ///< While reads of an input may be of different dimensions.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> ofSizeValue;     ///< Nodes whose size is that index value.
  llvm::SmallVector<std::pair<unsigned, unsigned>> apart;              ///< Nodes that are not to be one dimension.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> placesOfWindows; ///< Dimensions of tensors with a border.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> windows;         ///< Their dimensions along which windows extend.
  llvm::IntEqClasses classes;
  llvm::SmallVector<int64_t> classSizes;
  llvm::DenseMap<unsigned, unsigned> next, previous; ///< Neighbours among classes; kNone where they differ.
  llvm::DenseMap<unsigned, unsigned> dimensionOf;    ///< By class.
  llvm::SmallVector<int64_t> sizes;
  llvm::DenseMap<mlir::Value, TensorDimensions> tensors;
  llvm::DenseMap<mlir::Operation *, Loops> ops;
};
} // namespace lispier::tensors
#endif
