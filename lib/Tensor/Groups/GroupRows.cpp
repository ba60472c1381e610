//===- GroupRows.cpp - the iteration space that a group shares ------------===//
#include "GroupRows.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
using Loops = SmallVector<unsigned>;

constexpr llvm::StringLiteral kOtherPlaces = "it reads a result at other places than its own";

/// The dimensions `to` at the places where `from` has `rows`: the same rows, in the loops of the op at the other end of
/// an operand, which these are the dimensions of. Nothing if one is missing there.
std::optional<Loops> translate(ArrayRef<unsigned> rows, ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  Loops result;
  for (unsigned row : rows) {
    const auto *at = llvm::find(from, row);
    if (at == from.end())
      return std::nullopt;
    result.push_back(to[at - from.begin()]);
  }
  return result;
}

class RowInference {
public:
  RowInference(ArrayRef<linalg::LinalgOp> ops, bool parts) : ops(ops), parts(parts) {
    for (linalg::LinalgOp op : ops)
      members.insert(op);
  }

  GroupRows run() {
    linalg::LinalgOp seed = chooseSeed();
    assign(seed, parallelLoops(seed));
    do {
      while (!pending.empty() && rows.mistake.empty())
        visit(pending.pop_back_val());
    } while (rows.mistake.empty() && reachByOperand());
    if (rows.mistake.empty())
      check();
    if (!rows.mistake.empty())
      rows.loops.clear();
    return std::move(rows);
  }

private:
  static Loops parallelLoops(linalg::LinalgOp op) {
    Loops loops;
    op.getParallelDims(loops);
    return loops;
  }

  linalg::LinalgOp chooseSeed() const {
    for (TensorRole role : {TensorRole::Other, TensorRole::Contraction, TensorRole::Reduction})
      for (linalg::LinalgOp op : ops)
        if (roleOf(op) == role)
          return op;
    return ops.front();
  }

  void assign(Operation *op, Loops loops) {
    auto [entry, isNew] = rows.loops.insert({op, loops});
    if (isNew)
      pending.push_back(op);
    else if (entry->second != loops)
      rows.mistake = "it would need other rows of a result than those it makes";
  }

  void visit(Operation *op) {
    auto consumer = cast<linalg::LinalgOp>(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp(); producer && members.contains(producer))
        connect(cast<linalg::LinalgOp>(producer), consumer, operand, /*fromProducer=*/false);
    for (OpOperand &use : op->getUses())
      if (members.contains(use.getOwner()))
        connect(consumer, cast<linalg::LinalgOp>(use.getOwner()), use, /*fromProducer=*/true);
  }

  /// Gives an op that shares no value with the others the rows of one that reads the same operand: those along which
  /// both read the same elements. Returns whether there is such an op.
  bool reachByOperand() {
    for (linalg::LinalgOp op : ops) {
      if (rows.loops.contains(op))
        continue;
      for (OpOperand *operand : op.getDpsInputOperands())
        for (OpOperand &use : operand->get().getUses()) {
          auto other = dyn_cast<linalg::LinalgOp>(use.getOwner());
          const auto *found = other && other.isDpsInput(&use) ? rows.loops.find(other) : rows.loops.end();
          if (found == rows.loops.end())
            continue;
          std::optional<Loops> there = loopDimsOf(other, use), here = loopDimsOf(op, *operand);
          std::optional<Loops> own = there && here ? translate(found->second, *there, *here) : std::nullopt;
          if (!own)
            continue;
          assign(op, *own);
          return true;
        }
    }
    return false;
  }

  void connect(linalg::LinalgOp producer, linalg::LinalgOp consumer, OpOperand &operand, bool fromProducer) {
    OpOperand *made = producer.getDpsInitOperand(cast<OpResult>(operand.get()).getResultNumber());
    std::optional<Loops> written = loopDimsOf(producer, *made), read = loopDimsOf(consumer, operand);
    if (!written || !read) {
      rows.mistake = kOtherPlaces;
      return;
    }
    std::optional<Loops> other = fromProducer ? translate(rows.loops.lookup(producer), *written, *read)
                                              : translate(rows.loops.lookup(consumer), *read, *written);
    if (!other) {
      rows.mistake = "a result that it needs has other dimensions than its rows";
      return;
    }
    assign(fromProducer ? consumer : producer, *other);
  }

  /// Whether the op, on the elements of a product's result, has few iterations for each of them.
  bool makesParts(linalg::LinalgOp op, ArrayRef<unsigned> own) const {
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    return parts && llvm::any_of(ops, [](auto each) { return roleOf(each) == TensorRole::Contraction; }) &&
           llvm::all_of(llvm::seq<unsigned>(0, sizes.size()), [&](unsigned loop) {
             return llvm::is_contained(own, loop) || (!ShapedType::isDynamic(sizes[loop]) && sizes[loop] <= kMostParts);
           });
  }

  /// Elements of a row that the op has or reads; none if the size is not known.
  std::optional<int64_t> columnsOf(linalg::LinalgOp op) const {
    Loops own = rows.loops.lookup(op);
    int64_t columns = 1;
    for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
      if (!llvm::is_contained(own, loop)) {
        if (ShapedType::isDynamic(size))
          return std::nullopt;
        columns *= size;
      }
    return columns;
  }

  /// Whether the op's rows are longer than the ones that the group reduces. Programs have parts of them, and each would
  /// reduce its row again.
  bool hasOtherColumns(linalg::LinalgOp op) const {
    std::optional<int64_t> columns = columnsOf(op);
    return roleOf(op) == TensorRole::Elementwise && columns && *columns > kMostParts &&
           llvm::all_of(ops, [&](linalg::LinalgOp other) {
             std::optional<int64_t> reduced = columnsOf(other);
             return roleOf(other) != TensorRole::Reduction || (reduced && *reduced != *columns);
           });
  }

  void check() {
    bool hasReduction = false;
    unsigned mostLoops = 0; ///< Of reductions.
    for (linalg::LinalgOp op : ops)
      if (roleOf(op) == TensorRole::Reduction) {
        hasReduction = true;
        mostLoops = std::max(mostLoops, op.getNumLoops());
      }
    for (linalg::LinalgOp op : ops) {
      const auto *found = rows.loops.find(op);
      llvm::SetVector<Value> gathered;
      getUsedValuesDefinedAbove(op->getRegions(), gathered);
      if (llvm::any_of(gathered, [&](Value table) { return members.contains(table.getDefiningOp()); }))
        rows.mistake = kOtherPlaces;
      else if (found == rows.loops.end())
        rows.mistake = "it shares no value with the others";
      else if (roleOf(op) != TensorRole::Elementwise && found->second.size() != op.getNumParallelLoops())
        rows.mistake = "its rows are others than those of the reduction";
      else if (hasReduction && parts && hasOtherColumns(op))
        rows.mistake = "it would compute the reduction again for each part of a larger result";
      else if (!hasReduction && found->second.size() != op.getNumParallelLoops() && !makesParts(op, found->second))
        rows.mistake = "it would be computed again for each element of a larger result";
      else if (hasReduction && found->second.empty() && op.getNumLoops() > mostLoops)
        rows.mistake = "the reduction has one row, and this is larger than a row";
      else if (!llvm::all_of(found->second, [&](unsigned loop) {
                 return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
               }))
        rows.mistake = "it needs all rows at once";
    }
  }

  ArrayRef<linalg::LinalgOp> ops;
  bool parts;
  llvm::SmallPtrSet<Operation *, 8> members;
  SmallVector<Operation *> pending;
  GroupRows rows;
};
} // namespace

GroupRows inferRows(ArrayRef<linalg::LinalgOp> ops, bool parts) { return RowInference(ops, parts).run(); }
} // namespace lispier
