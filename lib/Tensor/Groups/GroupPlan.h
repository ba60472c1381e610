//===- GroupPlan.h - which ops of a block are one kernel -------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_GROUPPLAN_H
#define LISPIER_LIB_TENSOR_GROUPS_GROUPPLAN_H

#include "GroupRows.h"
#include "ProductChains.h"
#include "Simplify/KeptOrder.h"
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"

namespace lispier {
/// Partitions a block's linalg ops on tensors into groups, by the rules in README.md. Every group could be one op: no
/// path of values or of side effects leads from one of its ops through another op back to it.
class GroupPlan {
public:
  struct Group {
    llvm::SmallVector<mlir::linalg::LinalgOp> ops; ///< In program order.
    /// Elementwise ops on the operands of the contraction.
    llvm::SmallPtrSet<mlir::Operation *, 2> prologue;
    group::AttentionOp attention; ///< Of a group that is it, and has no other op.
    group::ScanOp scan;           ///< Of a group that has one; the others are elementwise.
    bool isChain = false;         ///< Products of what products make: those are in `prologue`.

    bool has(TensorRole role) const;
    bool isElementwise() const;
    /// All of them, in program order.
    llvm::SmallVector<mlir::Operation *> members() const;
    group::Kind kind() const;
  };

  /// `tilePrograms`: whether kernels become tile programs, so that two products of one operand may be one.
  /// `columnSums`: whether kernels of rows may have sums of their columns. Each of `chains` is a group from the start.
  GroupPlan(mlir::Block &block, const KeptOrder &order, bool tilePrograms, bool columnSums,
            llvm::ArrayRef<ProductChain> chains);

  /// Merges groups until no rule applies.
  void form();

  /// In an order in which each could be one op in turn.
  llvm::SmallVector<const Group *> groups() const;
  /// All ops of the block, the terminator included, reordered so that those of a group are adjacent.
  llvm::SmallVector<mlir::Operation *> order() const;
  /// Null if the op is in none.
  const Group *groupOf(mlir::Operation *op) const;
  /// Why `consumer`, which uses a result of `producer`, is not in its group.
  std::string whyApart(const Group &producer, const Group &consumer) const;
  /// The ops of all pairs of groups that the rules have been asked about so far.
  uint64_t numOpsCompared() const { return opsCompared; }

private:
  void connect();
  void connectReaders(); ///< What reads a tensor comes before the op that overwrites it.
  void connectEffects(); ///< Work stays between the calls with effects that are around it.
  void joinProducers(mlir::linalg::LinalgOp op);
  void joinScanned(group::ScanOp scan);
  void joinSiblings(mlir::linalg::LinalgOp op);
  bool isLeftToRows(mlir::linalg::LinalgOp op, mlir::Operation *product) const;
  bool isLeftToColumns(mlir::linalg::LinalgOp op, mlir::Operation *statistics) const;
  bool merge(unsigned producer, unsigned consumer);
  std::string problem(const Group &producer, const Group &consumer) const;
  std::string scanProblem(const Group &producer, const Group &consumer) const;
  std::string productProblem(const Group &producer, const Group &consumer) const;
  std::string pairProblem(const Group &producer, const Group &consumer) const;
  GroupRows rowsOf(const Group &producer, const Group &consumer) const;
  std::string longRowProblem(const Group &producer, const Group &consumer) const;
  std::string wholeSumProblem(const Group &producer, const Group &consumer) const;
  std::string pathProblem(const Group &producer, const Group &consumer) const;
  bool isUsedOutside(const Group &group, const Group &other) const;
  unsigned countOperands(const Group &producer, const Group &consumer) const;

  mlir::Block &block;
  const KeptOrder &kept;
  bool tilePrograms, columnSums;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> number; ///< Index in `ops`.
  std::vector<llvm::SmallVector<unsigned>> users;     ///< Of each op: those that must come after it.
  std::vector<unsigned> groupNumber;                  ///< Of each op: that of an op whose group it is in.
  llvm::DenseMap<unsigned, Group> table;
  mutable uint64_t opsCompared = 0;
};
} // namespace lispier
#endif
