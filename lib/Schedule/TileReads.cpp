//===- TileReads.cpp - when a tile program reads, and what is outside -----===//
//
// What tiles have outside of memory is open until a reduction needs a number there, so
// that reads differ in it only where they have to. A loop reads its next tile while it
// computes one, and a second loop over the same row begins with the tile that the first
// one began with, which is still in registers.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace lispier::tensors {
/// A constant that no other op uses, which settlePaddings replaces.
Value TileEmitter::anyNumber(Type type) {
  Value &known = any[type];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(frontier);
    known = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  }
  return known;
}

/// Makes `padding` what the read has outside of memory, unless another reader needs something else. Copies have zeros.
bool TileEmitter::claimPadding(vector::TransferReadOp read, TypedAttr padding) {
  if (schedule.keepsRows)
    return false;
  if (read.getPadding() == anyNumber(padding.getType()))
    read.getPaddingMutable().assign(number(padding));
  return read.getPadding() == number(padding);
}

/// Where it does not matter, it is that of another read of such a tile.
void TileEmitter::settlePaddings() {
  auto isOpen = [&](vector::TransferReadOp read) {
    return read.getPadding() == any.lookup(read.getPadding().getType());
  };
  llvm::DenseMap<std::pair<Value, Type>, Value> claimed;
  SmallVector<vector::TransferReadOp> open;
  program.kernel.walk([&](vector::TransferReadOp read) {
    if (isOpen(read))
      open.push_back(read);
    else
      claimed[{read.getBase(), read.getType()}] = read.getPadding();
  });
  for (vector::TransferReadOp read : open) {
    Value other = claimed.lookup({read.getBase(), read.getType()});
    read.getPaddingMutable().assign(other ? other : number(b.getZeroAttr(read.getPadding().getType())));
  }
  for (auto &[type, value] : any)
    value.getDefiningOp()->erase();
}

/// Whether a tile is computed from places and numbers, without reading memory.
static bool isTileOfPlaces(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!isa<VectorType>(tile.getType()))
    return true;
  bool isElementwise = op && OpTrait::hasElementwiseMappableTraits(op);
  return op &&
         (isElementwise || isa<vector::StepOp, vector::BroadcastOp, vector::ShapeCastOp, vector::TransposeOp>(op) ||
          op->hasTrait<OpTrait::ConstantLike>()) &&
         llvm::all_of(op->getOperands(), isTileOfPlaces);
}

/// The tile under a mask, so that what it does not want is not read: for a condition that waits for no memory itself,
/// outside of loops, whose reads are made ahead.
std::optional<TileEmitter::Piece> TileEmitter::readWhere(Region &region, const Piece &condition, const Piece &tile,
                                                         const Piece &otherwise) {
  auto read = tile.value.getDefiningOp<vector::TransferReadOp>();
  TypedAttr padding;
  if (!read || read.getMask() || scopes.size() != 1 || condition.loops.none() || otherwise.loops.any() ||
      (tile.loops | condition.loops) != tile.loops || !matchPattern(otherwise.value, m_Constant(&padding)) ||
      !isTileOfPlaces(condition.value))
    return std::nullopt;
  Value mask = widen(region, condition, tile.loops);
  auto made =
      vector::TransferReadOp::create(b, loc, read.getVectorType(), read.getBase(), read.getIndices(),
                                     read.getPermutationMapAttr(), number(padding), mask, read.getInBoundsAttr());
  masked.emplace_back(made, read, padding);
  return Piece{made, tile.loops};
}

/// A tile that something else wants whole is read once.
void TileEmitter::settleMasks() {
  for (auto [read, whole, otherwise] : masked) {
    if (whole.use_empty() || !claimPadding(whole, otherwise))
      continue;
    b.setInsertionPointAfter(read);
    Value elsewhere = splat(otherwise, read.getVectorType().getShape());
    read.replaceAllUsesWith(arith::SelectOp::create(b, loc, read.getMask(), whole, elsewhere).getResult());
    read.erase();
  }
  llvm::SmallPtrSet<Operation *, 4> unused;
  for (auto [read, whole, otherwise] : masked)
    if (whole.use_empty())
      unused.insert(whole);
  for (Operation *each : unused)
    each->erase();
}

namespace {
/// The dimension of the read tile whose first element is at `position`.
std::optional<unsigned> dimensionAt(vector::TransferReadOp read, Value position) {
  auto indices = read.getIndices();
  size_t points = indices.size() - read.getVectorType().getRank();
  auto at = llvm::find(indices, position);
  return at - indices.begin() >= ptrdiff_t(points) && at != indices.end()
             ? std::optional<unsigned>(at - indices.begin() - points)
             : std::nullopt;
}

/// Carries what the loop reads at its own position from the step before, which reads it ahead. The last step reads
/// behind the end, where a tile has no elements; a point would have one.
void carryReads(scf::ForOp loop) {
  SmallVector<vector::TransferReadOp> reads;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>())
    if (dimensionAt(read, loop.getInductionVar()) && llvm::all_of(read->getOperands(), [&](Value operand) {
          return operand == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(operand);
        }))
      reads.push_back(read);
  if (reads.empty())
    return;
  IRRewriter rewriter(loop);
  SmallVector<Value> first;
  for (vector::TransferReadOp read : reads) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    first.push_back(rewriter.clone(*read, mapping)->getResult(0));
  }
  Value position = loop.getInductionVar();
  auto yields = [&](OpBuilder &b, Location loc, ArrayRef<BlockArgument> carried) {
    b.setInsertionPointToStart(carried.front().getOwner());
    auto inner = cast<scf::ForOp>(carried.front().getOwner()->getParentOp());
    Value next = arith::AddIOp::create(b, loc, inner.getInductionVar(), inner.getStep());
    SmallVector<Value> after;
    for (auto [read, now] : llvm::zip(reads, carried)) {
      IRMapping mapping;
      mapping.map(position, next); // The body may have been moved already, or not yet.
      mapping.map(inner.getInductionVar(), next);
      auto ahead = cast<vector::TransferReadOp>(b.clone(*read, mapping));
      SmallVector<bool> inBounds = ahead.getInBoundsValues();
      inBounds[*dimensionAt(ahead, next)] = false;
      ahead.setInBoundsAttr(b.getBoolArrayAttr(inBounds));
      after.push_back(ahead);
      read.getResult().replaceAllUsesWith(now);
    }
    return after;
  };
  (void)cast<LoopLikeOpInterface>(loop.getOperation())
      .replaceWithAdditionalYields(rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yields);
  for (vector::TransferReadOp read : reads)
    read.erase();
}

llvm::DenseSet<Value> writtenIn(Block &block) {
  llvm::DenseSet<Value> written;
  block.getParentOp()->walk([&](Operation *op) {
    if (auto write = dyn_cast<vector::TransferWriteOp>(op))
      written.insert(write.getBase());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      written.insert(store.getMemRef());
  });
  return written;
}

/// Reads the same tile of an argument once. An argument that the program also writes is a result's memory, and may have
/// changed; another one has the same elements throughout, as tensors have, even if a result is written over it.
void mergeReads(Block &block) {
  llvm::DenseSet<Value> written = writtenIn(block);
  SmallVector<vector::TransferReadOp> known;
  for (auto read : llvm::make_early_inc_range(block.getOps<vector::TransferReadOp>())) {
    auto *same = llvm::find_if(known, [&](vector::TransferReadOp each) {
      return OperationEquivalence::isEquivalentTo(each, read, OperationEquivalence::IgnoreLocations);
    });
    if (same == known.end()) {
      if (!written.contains(read.getBase()))
        known.push_back(read);
      continue;
    }
    read.replaceAllUsesWith(same->getResult());
    read.erase();
  }
}

/// Moves numbers that wait for memory, such as that of the element that counts, and what is made of them, before the
/// loops, where the row is on its way to shared memory.
void readBeforeLoops(Block &block) {
  auto loops = block.getOps<scf::ForOp>();
  if (loops.empty())
    return;
  Operation *first = *loops.begin();
  llvm::DenseSet<Value> written = writtenIn(block);
  auto isMovable = [&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return (load && !written.contains(load.getMemRef())) || isPure(op) || isa<scf::IfOp, scf::YieldOp>(op);
  };
  for (Operation *op = first->getNextNode(), *next; op; op = next) {
    next = op->getNextNode();
    bool isNumber = llvm::none_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
    llvm::SetVector<Value> outside(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), outside);
    bool isKnown = llvm::all_of(outside, [&](Value value) {
      Operation *made = value.getDefiningOp();
      return !made || made->isBeforeInBlock(first);
    });
    if (isNumber && op->getNumResults() && isKnown && !op->walk([&](Operation *each) {
                                                           return isMovable(each) ? WalkResult::advance()
                                                                                  : WalkResult::interrupt();
                                                         }).wasInterrupted())
      op->moveBefore(first);
  }
}

/// Moves tiles that only what is behind the loop uses there, where their registers are not beside those of its sums.
void readBehind(scf::ForOp loop) {
  Block &block = *loop->getBlock();
  auto isBehind = [&](Operation *user) {
    Operation *inBlock = block.findAncestorOpInBlock(*user);
    return inBlock && loop->isBeforeInBlock(inBlock);
  };
  SmallVector<Operation *> before;
  for (Operation &op : llvm::make_range(block.begin(), loop->getIterator()))
    before.push_back(&op);
  for (Operation *op : llvm::reverse(before)) {
    bool isTile = op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()) && op->getNumRegions() == 0;
    bool isRead = isa<vector::TransferReadOp>(op) || (isPure(op) && !op->hasTrait<OpTrait::ConstantLike>());
    if (isTile && isRead && !op->use_empty() && llvm::all_of(op->getUsers(), isBehind))
      op->moveAfter(loop);
  }
}
} // namespace

/// The second loop in the first one, which then reads what both need once; null if they have other ranges, or the one
/// needs the other.
scf::ForOp TileEmitter::merged(scf::ForOp first, scf::ForOp second) {
  IRRewriter rewriter(first);
  bool isSame = first->getBlock() == second->getBlock() && first->isBeforeInBlock(second) &&
                isSameNumber(first.getLowerBound(), second.getLowerBound()) &&
                isSameNumber(first.getUpperBound(), second.getUpperBound()) && first.getStep() == second.getStep();
  if (!isSame || failed(moveOperationDependencies(rewriter, second, first)))
    return {};
  bool isAhead = llvm::is_contained(ahead, first) && llvm::is_contained(ahead, second);
  llvm::erase_if(ahead, [&](scf::ForOp loop) { return loop == first || loop == second; });
  scf::ForOp both = fuseIndependentSiblingForLoops(second, first, rewriter);
  SmallVector<scf::ForOp> inner(both.getBody()->getOps<scf::ForOp>());
  if (inner.size() % 2 == 0)
    for (auto [one, other] : llvm::zip(llvm::ArrayRef(inner).take_front(inner.size() / 2),
                                       llvm::ArrayRef(inner).take_back(inner.size() / 2)))
      merged(one, other);
  mergeReads(*both.getBody());
  if (isAhead)
    readAhead(both);
  return both;
}

/// The loops of two products of one operand become one, and those of reductions that do not need each other.
void TileEmitter::mergeLoops() {
  if (sums.size() == 2 && sums[0].size() == sums[1].size())
    for (auto [first, second] : llvm::zip(sums[0], sums[1]))
      merged(first, second);
  for (size_t i = 1; i < reductions.size(); ++i)
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (scf::ForOp both = reductions[earlier] ? merged(reductions[earlier], reductions[i]) : scf::ForOp()) {
        reductions[earlier] = both;
        reductions[i] = {};
        break;
      }
}

void TileEmitter::finish() {
  settleMasks();
  settlePaddings();
  mergeLoops();
  for (scf::ForOp loop : program.kernel.getBody().front().getOps<scf::ForOp>())
    if (!sums.empty())
      readBehind(loop);
  for (scf::ForOp loop : ahead)
    carryReads(loop);
  mergeReads(program.kernel.getBody().front());
  if (schedule.keepsRows)
    readBeforeLoops(program.kernel.getBody().front());
}
} // namespace lispier::tensors
