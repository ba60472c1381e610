//===- FuseRows.cpp - linalg ops over the same rows, row by row -----------===//
//
// Before: linalg ops one after the other, such as a softmax written as a maximum,
// an exponential, a sum and a quotient. After: one scf.parallel over the rows whose
// body has these ops for one row, which stays in the cache from one to the next.
// lispier-vectorize-linalg relies on it, as it takes each op by itself.
//
//===----------------------------------------------------------------------===//
#include "RowGroup.h"
#include "VectorNest.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/ReducedViews.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/MemoryExtent.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace lispier {
#define GEN_PASS_DEF_FUSEROWS
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
//===- Overlaps -----------------------------------------------------------===//

/// Whether the two memrefs do not overlap, or are the same where that is no obstacle.
Value areIndependent(OpBuilder &b, Location loc, const RowGroup::Overlap &pair) {
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  };
  MemoryExtent one = extentOf(b, loc, pair.written), other = extentOf(b, loc, pair.other);
  Value result = doNotOverlap(b, loc, one, other);
  if (!pair.mayBeEqual)
    return result;
  Value same = compare(arith::CmpIPredicate::eq, one.start, other.start);
  for (auto [left, right] : llvm::zip(one.strides, other.strides))
    same = arith::AndIOp::create(b, loc, same, compare(arith::CmpIPredicate::eq, left, right));
  return arith::OrIOp::create(b, loc, result, same);
}

//===- One row ------------------------------------------------------------===//

/// The part of the operand that belongs to the row.
Value rowOf(OpBuilder &b, linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> dims, ValueRange row) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || llvm::none_of(dims, [&](unsigned d) { return map.isFunctionOfDim(d); }))
    return operand.get();
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    auto *at = dim ? llvm::find(dims, dim.getPosition()) : dims.end();
    if (at != dims.end()) {
      offsets.push_back(row[at - dims.begin()]);
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(memref::getMixedSize(b, op.getLoc(), operand.get(), i));
    shape.push_back(type.getDimSize(i));
  }
  return device::reducedView(b, op.getLoc(), operand.get(), shape, offsets, sizes, strides);
}

//===- Prefetching --------------------------------------------------------===//

/// One op of a group reads rows at the speed of the memory while others compute on what is in the cache: an operand
/// whose rows another op prefetches.
struct RowPrefetch {
  linalg::GenericOp by;   ///< The op that prefetches.
  linalg::GenericOp user; ///< The first op that reads the row
  OpOperand *operand;     ///< as this operand.
  bool isNext;            ///< The next row, or this one.
};

/// The only loop of the op within a row; nothing if there is none or several.
std::optional<unsigned> loopInRow(linalg::GenericOp op, ArrayRef<unsigned> dims) {
  std::optional<unsigned> found;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    if (!llvm::is_contained(dims, d)) {
      if (found)
        return std::nullopt;
      found = d;
    }
  return found;
}

/// Whether the op goes along the operand's row, element by element.
bool goesAlong(linalg::GenericOp op, OpOperand &operand, unsigned rank) {
  SmallVector<unsigned> dims = RowGroup::rowDims(op, rank);
  std::optional<unsigned> inside = loopInRow(op, dims);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!inside || !isa<MemRefType>(operand.get().getType()) || map.getNumResults() != rank + 1)
    return false;
  for (auto [result, d] : llvm::zip(map.getResults(), dims))
    if (result != getAffineDimExpr(d, op.getContext()))
      return false;
  return map.getResults().back() == getAffineDimExpr(*inside, op.getContext());
}

/// Whether the op goes along rows of that length, as far as types tell: a group may have rows of several lengths.
bool hasLength(linalg::GenericOp op, int64_t length, unsigned rank) {
  std::optional<unsigned> inside = loopInRow(op, RowGroup::rowDims(op, rank));
  return inside && op.getStaticLoopRanges()[*inside] == length;
}

/// Whether the memref is a part of a buffer on the stack, which is in the cache.
bool isOnStack(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory.getDefiningOp<memref::AllocaOp>() != nullptr;
}

/// What the ops of a group, each bound by the memory or by arithmetic, prefetch for each other: the one with most
/// arithmetic what others read of the next row, and the first one what that one reads of this row. Rows that are
/// written are not prefetched: stores do not wait for their lines, but reads of the op that prefetches would.
SmallVector<RowPrefetch> prefetchesOf(const RowGroup &group, unsigned rank) {
  struct First {
    linalg::GenericOp user;
    OpOperand *operand;
    bool isWrite;
  };
  llvm::MapVector<Value, First> rows;
  SmallVector<linalg::GenericOp> alongRows;
  for (linalg::GenericOp op : group.ops()) {
    bool goes = false;
    for (OpOperand &operand : op->getOpOperands())
      if (goesAlong(op, operand, rank)) {
        goes = true;
        rows.insert({operand.get(), {op, &operand, !op.isDpsInput(&operand)}});
      }
    if (goes)
      alongRows.push_back(op);
  }
  if (alongRows.size() < 2)
    return {};
  linalg::GenericOp busiest = alongRows.front();
  for (linalg::GenericOp op : alongRows)
    if (bodyCost(op) >= bodyCost(busiest))
      busiest = op;
  SmallVector<RowPrefetch> all;
  for (auto &[memory, first] : rows) {
    if (first.isWrite || isOnStack(memory))
      continue;
    bool isNext = first.user != busiest;
    linalg::GenericOp by = isNext ? busiest : alongRows.front();
    if (by != first.user && hasLength(by, cast<MemRefType>(memory.getType()).getDimSize(rank), rank))
      all.push_back({by, first.user, first.operand, isNext});
  }
  return all;
}

/// How many iterations the loop has, by an operand that it goes along.
OpFoldResult loopSize(OpBuilder &b, linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (result == b.getAffineDimExpr(loop))
        return memref::getMixedSize(b, op.getLoc(), operand.get(), d);
  llvm_unreachable("a loop has the size of an operand");
}

/// The row to be prefetched of the operand.
Value prefetchedRow(OpBuilder &b, const RowPrefetch &prefetch, unsigned rank, ValueRange row, ValueRange sizes) {
  SmallVector<Value> at(row);
  if (prefetch.isNext) {
    linalg::GenericOp user = prefetch.user;
    Location loc = user.getLoc();
    // The last row, and each row of a buffer whose rows are larger than the cache, prefetches itself: no branch is
    // needed.
    constexpr int64_t kMostBytes = 128 * 1024;
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value last = arith::SubIOp::create(b, loc, sizes.back(), one);
    Value next = arith::MinUIOp::create(b, loc, arith::AddIOp::create(b, loc, at.back(), one), last);
    auto type = cast<MemRefType>(prefetch.operand->get().getType());
    Value length = memref::DimOp::create(b, loc, prefetch.operand->get(), rank);
    Value most = arith::ConstantIndexOp::create(b, loc, kMostBytes / byteSize(type.getElementType()));
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, length, most);
    at.back() = arith::SelectOp::create(b, loc, fits, next, at.back());
  }
  Value ahead = rowOf(b, prefetch.user, *prefetch.operand, RowGroup::rowDims(prefetch.user, rank), at);
  linalg::GenericOp by = prefetch.by;
  bool isEqual = llvm::any_of(by->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == prefetch.operand->get() && goesAlong(by, operand, rank);
  });
  if (isEqual || cast<MemRefType>(ahead.getType()).hasStaticShape())
    return ahead;
  // An op has the sizes of its operands: where this row is the shorter one, what is behind it is prefetched and not
  // read.
  OpFoldResult length = loopSize(b, by, *loopInRow(by, RowGroup::rowDims(by, rank)));
  return memref::SubViewOp::create(b, by.getLoc(), ahead, OpFoldResult(b.getIndexAttr(0)), length,
                                   OpFoldResult(b.getIndexAttr(1)));
}

/// The op for one row. It prefetches the memrefs of `ahead`. `isCached`: what it reads of the row is in the cache.
void emitRow(OpBuilder &b, linalg::GenericOp op, ArrayRef<unsigned> dims, ValueRange row, ArrayRef<Value> ahead,
             bool isCached) {
  unsigned next = 0;
  SmallVector<AffineExpr> renamed;
  SmallVector<utils::IteratorType> kinds;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isRow = llvm::is_contained(dims, d);
    renamed.push_back(isRow ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(next++));
    if (!isRow)
      kinds.push_back(kind);
  }
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  auto addAhead = [&] {
    for (Value memory : ahead) {
      operands.push_back(memory);
      maps.push_back(b.getMultiDimIdentityMap(next));
    }
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.getOperandNumber() == op.getNumDpsInputs())
      addAhead();
    SmallVector<AffineExpr> results;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result); !dim || !llvm::is_contained(dims, dim.getPosition()))
        results.push_back(result.replaceDims(renamed));
    maps.push_back(AffineMap::get(next, 0, results, b.getContext()));
    operands.push_back(rowOf(b, op, operand, dims, row));
  }
  ArrayRef<Value> all(operands);
  unsigned inputs = op.getNumDpsInputs() + ahead.size();
  auto result = linalg::GenericOp::create(b, op.getLoc(), TypeRange(), all.take_front(inputs), all.drop_front(inputs),
                                          maps, kinds);
  IRMapping mapping;
  op.getRegion().cloneInto(&result.getRegion(), mapping);
  for (auto [i, prefetched] : llvm::enumerate(ahead))
    result.getBody()->insertArgument(op.getNumDpsInputs() + i, getElementTypeOrSelf(prefetched.getType()), op.getLoc());
  if (isCached)
    result->setAttr(device::kCached, b.getUnitAttr());
  if (!ahead.empty())
    result->setAttr(device::kPrefetch, b.getI64IntegerAttr(ahead.size()));
  SmallVector<linalg::IndexOp> indices(result.getBody()->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    auto *at = llvm::find(dims, index.getDim());
    if (at == dims.end()) {
      index.setDim(cast<AffineDimExpr>(renamed[index.getDim()]).getPosition());
      continue;
    }
    index.replaceAllUsesWith(row[at - dims.begin()]);
    index.erase();
  }
}

void emitRows(OpBuilder &b, const RowGroup &group, unsigned rank) {
  linalg::GenericOp first = group.ops().front();
  Location loc = first.getLoc();
  SmallVector<unsigned> dims = RowGroup::rowDims(first, rank);
  SmallVector<Value> sizes = loopSizes(b, first), upper;
  for (unsigned d : dims)
    upper.push_back(sizes[d]);
  SmallVector<Value> zeros(rank, arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<Value> ones(rank, arith::ConstantIndexOp::create(b, loc, 1));
  auto rows = scf::ParallelOp::create(b, loc, zeros, upper, ones);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rows.getBody());
  SmallVector<RowPrefetch> prefetches = prefetchesOf(group, rank);
  // The first op finds its row in the cache only if another one has prefetched it.
  bool isCached = llvm::any_of(prefetches, [](const RowPrefetch &prefetch) { return prefetch.isNext; });
  for (linalg::GenericOp op : group.ops()) {
    SmallVector<Value> ahead;
    for (const RowPrefetch &prefetch : prefetches)
      if (prefetch.by == op)
        ahead.push_back(prefetchedRow(b, prefetch, rank, rows.getInductionVars(), upper));
    emitRow(b, op, RowGroup::rowDims(op, rank), rows.getInductionVars(), ahead, isCached);
    isCached |= loopInRow(op, RowGroup::rowDims(op, rank)).has_value();
  }
}

/// Replaces the ops of a group. Where memrefs overlap at run time, the ops run one after the other as they are.
void fuse(const RowGroup &group) {
  unsigned rank = group.rowRank();
  if (rank == 0)
    return;
  linalg::GenericOp last = group.ops().back();
  OpBuilder b(last);
  Location loc = last.getLoc();
  Value independent;
  for (const RowGroup::Overlap &pair : group.possibleOverlaps(rank)) {
    Value here = areIndependent(b, loc, pair);
    independent = independent ? arith::AndIOp::create(b, loc, independent, here) : here;
  }
  if (!independent) {
    emitRows(b, group, rank);
  } else {
    auto branch = scf::IfOp::create(b, loc, independent, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emitRows(b, group, rank);
    b.setInsertionPointToStart(branch.elseBlock());
    for (linalg::GenericOp op : group.ops())
      b.clone(*op)->setAttr(device::kPlain, b.getUnitAttr()); // Rare: small code.
  }
  for (linalg::GenericOp op : group.ops())
    op->erase();
}

/// Whether an op between two members may stay before their loop.
bool isHarmless(Operation &op) { return isMemoryEffectFree(&op) || isa<memref::AllocOp>(op); }

struct FuseRows : impl::FuseRowsBase<FuseRows> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      Operation *parent = block->getParentOp();
      if (!isa<linalg::LinalgOp, gpu::LaunchOp, gpu::GPUFuncOp>(parent) && !parent->getParentOfType<gpu::LaunchOp>())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      run(*block);
  }

  void run(Block &block) {
    SmallVector<RowGroup> groups(1);
    IRRewriter rewriter(&getContext());
    auto close = [&] {
      if (!groups.back().empty())
        groups.emplace_back();
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (!structured || !structured.hasPureBufferSemantics()) {
        if (!isHarmless(op))
          close();
        continue;
      }
      auto generic = dyn_cast<linalg::GenericOp>(op);
      rewriter.setInsertionPoint(&op);
      if (!generic) {
        FailureOr<linalg::GenericOp> result = linalg::generalizeNamedOp(rewriter, structured);
        if (failed(result)) {
          close();
          continue;
        }
        generic = *result;
      }
      if (groups.back().add(generic))
        continue;
      close();
      if (!groups.back().add(generic))
        close();
    }
    for (const RowGroup &group : groups)
      fuse(group);
  }
};
} // namespace
} // namespace lispier
