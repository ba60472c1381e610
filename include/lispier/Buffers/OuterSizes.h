//===- OuterSizes.h - sizes that are known outside of a region -*- C++ -*-===//
//
// The caller of a function can allocate the memory of its results and of its
// intermediate tensors if their sizes follow from the arguments. The code before a
// loop can allocate memory whose size does not depend on the iteration.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_BUFFERS_OUTERSIZES_H
#define LISPIER_BUFFERS_OUTERSIZES_H

#include "lispier/Buffers/SymbolicSize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <functional>

namespace lispier {
/// Sizes in a function or in a loop as polynomials in what is known outside of it: sizes of shaped values, numbers, and
/// what pure ops make of these. Valid while the region is unchanged.
class OuterSizes {
public:
  /// What the callers of the function know: its arguments.
  explicit OuterSizes(mlir::func::FuncOp function);
  /// What is known before the loop.
  explicit OuterSizes(mlir::LoopLikeOpInterface loop);

  /// An index value; nothing if it cannot be computed outside.
  std::optional<SymbolicSize> ofIndex(mlir::Value index);
  /// A size of a tensor or a memref.
  std::optional<SymbolicSize> of(mlir::Value shaped, int64_t dimension);

  /// What a symbol of a size stands for: a size of a shaped value, or, with a dimension of -1, an index value.
  std::pair<mlir::Value, int64_t> meaning(const void *symbol) const { return *static_cast<const Symbol *>(symbol); }

  /// Emits a size outside, where `there` gives the value that an outer value of the region is. A negative number, which
  /// the region would report, is 0: the allocation comes before that report.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, const SymbolicSize &size,
                   llvm::function_ref<mlir::Value(mlir::Value)> there);

private:
  /// A size of a shaped value, or, with a dimension of -1, an index value.
  using Symbol = std::pair<mlir::Value, int64_t>;
  using MaybeSize = std::optional<SymbolicSize>;

  MaybeSize compute(mlir::Value shaped, int64_t dimension);
  MaybeSize ofArgument(mlir::BlockArgument argument, int64_t dimension);
  MaybeSize ofCarried(mlir::BlockArgument carried, mlir::Value before, mlir::Value after, int64_t dimension);
  MaybeSize ofResult(mlir::OpResult result, int64_t dimension);
  MaybeSize ofBranches(mlir::scf::IfOp branches, unsigned result, int64_t dimension);
  MaybeSize ofCall(mlir::func::CallOp call, unsigned result, int64_t dimension);
  MaybeSize inCall(mlir::func::CallOp call, const SymbolicSize &size);
  MaybeSize ofMixed(mlir::OpFoldResult size);
  bool isComputable(mlir::Value value);
  SymbolicSize symbol(Symbol symbol);
  mlir::Value emitValue(mlir::OpBuilder &b, mlir::Value value, llvm::function_ref<mlir::Value(mlir::Value)> there);
  mlir::Value emitNumber(mlir::OpBuilder &b, mlir::Location loc, const SymbolicSize &size,
                         llvm::function_ref<mlir::Value(mlir::Value)> there);

  std::function<bool(mlir::Value)> isOuter;
  mlir::func::FuncOp function; ///< Null for a loop.
  llvm::DenseMap<Symbol, MaybeSize> known;
  std::deque<Symbol> symbols; ///< In the order in which they were met; their addresses are the symbols.
};
} // namespace lispier
#endif
