//===- ColumnSums.cpp - sums of columns in a kernel of rows ---------------===//
#include "lispier/Tensor/Groups/ColumnSums.h"
#include "GroupRows.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
bool isSummed(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// Whether the last dimension of each tensor that the op reads all of is reduced; nothing if it reads none so.
std::optional<bool> reducesColumns(linalg::LinalgOp op) {
  std::optional<bool> all;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isPermutation() || map.getNumResults() == 0)
      continue;
    bool isLast = isSummed(op, cast<AffineDimExpr>(map.getResults().back()).getPosition());
    if (all && *all != isLast)
      return std::nullopt;
    all = isLast;
  }
  return all;
}

int64_t bytesOfElement(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : sizeof(int64_t);
}

class ColumnSumsFinder {
public:
  explicit ColumnSumsFinder(ArrayRef<linalg::LinalgOp> ops) : ops(ops) {}

  std::optional<ColumnSums> run() {
    separate();
    if (found.sums.empty() || !hasRows || !isBehindAlone())
      return std::nullopt;
    GroupRows rows = inferRows(onRows, /*parts=*/true);
    if (!rows.mistake.empty() || !llvm::all_of(onRows, [&](auto op) { return isOfRows(op, rows.loops.lookup(op)); }))
      return std::nullopt;
    found.rowLoops = std::move(rows.loops);
    for (linalg::LinalgOp sum : found.sums) {
      std::optional<SmallVector<unsigned>> own = rowsOf(sum);
      if (!own || !isOfRows(sum, *own))
        return std::nullopt;
      sumLoops.push_back(std::move(*own));
    }
    for (auto [sum, own] : llvm::zip(found.sums, sumLoops))
      found.rowLoops.insert({sum, own});
    SmallVector<int64_t> sizes = found.sums.front().getStaticLoopRanges();
    SmallVector<int64_t> rowSizes = llvm::map_to_vector(sumLoops.front(), [&](unsigned loop) { return sizes[loop]; });
    std::optional<RowParts> parts =
        partsOfSummedRows(rowSizes, {*columns, int64_t(found.sums.size()), bytesOfColumn()});
    if (!parts)
      return std::nullopt;
    found.parts = *parts;
    return std::move(found);
  }

private:
  /// Puts the sums, and what is made of them, apart from the ops on rows.
  void separate() {
    llvm::SmallPtrSet<Operation *, 4> sums;
    auto isBehind = [&](Value operand) {
      Operation *made = operand.getDefiningOp();
      return made && (sums.contains(made) || found.behind.contains(made));
    };
    for (linalg::LinalgOp op : ops) {
      if (llvm::any_of(op->getOperands(), isBehind))
        found.behind.insert(op);
      else if (isColumnSum(op) && sums.insert(op).second)
        found.sums.push_back(op);
    }
    for (linalg::LinalgOp op : llvm::reverse(ops)) {
      if (sums.contains(op) || found.behind.contains(op))
        continue;
      bool reads = llvm::any_of(op.getDpsInputs(), [](Value input) { return isa<RankedTensorType>(input.getType()); });
      auto isOfSums = [&](Operation *user) { return sums.contains(user) || found.behind.contains(user); };
      if (!reads && !op->use_empty() && llvm::all_of(op->getUsers(), isOfSums))
        found.behind.insert(op);
      else
        onRows.push_back(op);
    }
    std::reverse(onRows.begin(), onRows.end());
    hasRows = llvm::any_of(onRows, [](linalg::LinalgOp op) {
      return roleOf(op) == TensorRole::Reduction && reducesColumns(op) == std::optional(true);
    });
  }

  /// Whether what is behind the sums needs nothing else of the kernel, and no row needs it.
  bool isBehindAlone() const {
    return llvm::all_of(found.behind, [&](Operation *op) {
      return roleOf(cast<linalg::LinalgOp>(op)) == TensorRole::Elementwise &&
             llvm::none_of(op->getOperands(), [&](Value operand) {
               return operand.getDefiningOp() && llvm::is_contained(onRows, operand.getDefiningOp());
             });
    });
  }

  /// Whether the op has, besides the rows, at most the columns that all have, and no place among the rows.
  bool isOfRows(linalg::LinalgOp op, ArrayRef<unsigned> own) {
    if (!op.hasPureTensorSemantics() || !isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()))
      return false;
    for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
      if (llvm::is_contained(own, loop))
        continue;
      if (op.getNumLoops() != own.size() + 1 || (columns && *columns != size))
        return false;
      columns = size;
    }
    if (!llvm::all_of(op->getOpOperands(), [&](OpOperand &each) {
          return !isa<RankedTensorType>(each.get().getType()) || loopDimsOf(op, each);
        }))
      return false;
    return !op->walk([&](Operation *inside) {
                auto index = dyn_cast<linalg::IndexOp>(inside);
                bool isRow = index && llvm::is_contained(own, index.getDim());
                return isRow || isa<tensor::ExtractOp>(inside) ? WalkResult::interrupt() : WalkResult::advance();
              }).wasInterrupted();
  }

  /// The sum's loops that are the rows, by what it reads of ops on rows, or with them: all that it reduces.
  std::optional<SmallVector<unsigned>> rowsOf(linalg::LinalgOp sum) const {
    std::optional<SmallVector<unsigned>> own;
    bool differs = false;
    auto add = [&](linalg::LinalgOp other, OpOperand &there, OpOperand &here) {
      auto rows = found.rowLoops.find(other);
      std::optional<SmallVector<unsigned>> from = loopDimsOf(other, there), to = loopDimsOf(sum, here);
      if (rows == found.rowLoops.end() || !from || !to)
        return;
      SmallVector<unsigned> loops;
      for (unsigned row : rows->second)
        if (auto *at = llvm::find(*from, row); at != from->end())
          loops.push_back((*to)[at - from->begin()]);
      differs |= loops.size() == rows->second.size() && own && *own != loops;
      if (loops.size() == rows->second.size())
        own = loops;
    };
    for (OpOperand *operand : sum.getDpsInputOperands()) {
      if (auto made = operand->get().getDefiningOp<linalg::LinalgOp>(); made && found.rowLoops.contains(made)) {
        add(made, *made.getDpsInitOperand(cast<OpResult>(operand->get()).getResultNumber()), *operand);
        continue;
      }
      for (OpOperand &use : operand->get().getUses())
        if (auto other = dyn_cast<linalg::LinalgOp>(use.getOwner()); other && other.isDpsInput(&use))
          add(other, use, *operand);
    }
    if (differs || !own || own->size() != sum.getNumReductionLoops() ||
        !llvm::all_of(*own, [&](unsigned loop) { return isSummed(sum, loop); }))
      return std::nullopt;
    return own;
  }

  /// What is read for a column of a row.
  int64_t bytesOfColumn() const {
    llvm::SmallPtrSet<Value, 8> read;
    int64_t bytes = 0;
    for (auto &[op, rows] : found.rowLoops)
      for (OpOperand *operand : cast<linalg::LinalgOp>(op).getDpsInputOperands())
        if (auto made = operand->get().getDefiningOp();
            !(made && found.rowLoops.contains(made)) && isa<RankedTensorType>(operand->get().getType()) &&
            cast<linalg::LinalgOp>(op).getMatchingIndexingMap(operand).getNumResults() > rows.size() &&
            read.insert(operand->get()).second)
          bytes += bytesOfElement(operand->get());
    return bytes;
  }

  ArrayRef<linalg::LinalgOp> ops;
  SmallVector<linalg::LinalgOp> onRows;
  bool hasRows = false;
  SmallVector<SmallVector<unsigned>> sumLoops;
  std::optional<int64_t> columns;
  ColumnSums found;
};
} // namespace

bool isColumnSum(linalg::LinalgOp op) {
  if (roleOf(op) != TensorRole::Reduction || op.getNumDpsInits() != 1 || op.getNumParallelLoops() != 1 ||
      !combiningOp(op) || reducesColumns(op) != std::optional(false))
    return false;
  SmallVector<int64_t> rows;
  int64_t columns = 0;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    isSummed(op, loop) ? rows.push_back(size) : void(columns = size);
  return partsOfSummedRows(rows, {columns, 1, 1}).has_value();
}

std::optional<ColumnSums> columnSumsOf(ArrayRef<linalg::LinalgOp> ops) { return ColumnSumsFinder(ops).run(); }

std::optional<ColumnSums> columnSumsOf(group::KernelOp kernel) {
  if (kernel.getKind() != group::Kind::Row)
    return std::nullopt;
  SmallVector<linalg::LinalgOp> ops(kernel.getBody().front().getOps<linalg::LinalgOp>());
  return inferRows(ops, /*parts=*/true).mistake.empty() ? std::nullopt : columnSumsOf(ops);
}
} // namespace lispier
