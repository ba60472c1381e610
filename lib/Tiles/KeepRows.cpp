//===- KeepRows.cpp - rows that several loops read, in shared memory ------===//
//
// Before: a tile program that walks a row several times, first for its statistics, and
// reads it from global memory each time. After: the row is copied to shared memory,
// all of it at once, from which the loops read it.
//
// Copies have 16 bytes, also of rows that begin anywhere, as those of an odd length do:
// they begin up to seven elements before the row, in the one that precedes it.
//
//===----------------------------------------------------------------------===//
#include "LayoutRules.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_KEEPROWS
#include "lispier/Tiles/Passes.h.inc"

namespace {
/// What one block exchanges between its warps beside rows.
constexpr int64_t kOtherBytes = 4 << 10;
constexpr int64_t kAccessBytes = 16;

/// Reads of the same tiles, each in a loop, the first of which comes first.
struct KeptRow {
  SmallVector<vector::TransferReadOp> reads;
  int64_t tiles = 0;

  vector::TransferReadOp first() { return reads.front(); }
  scf::ForOp loopOf(unsigned number) { return cast<scf::ForOp>(reads[number]->getParentOp()); }
  VectorType tile() { return first().getVectorType(); }
  /// Neighbours of one access.
  int64_t vector() { return std::max<int64_t>(1, kAccessBytes / elementBytes(first().getResult())); }
  bool isAligned() { return vectorOf(first()) > 1; }
  /// All tiles, and how far one may begin behind the place of the row.
  int64_t elements() { return tiles * tile().getNumElements() + (isAligned() ? 0 : vector()); }
  int64_t bytes() { return elements() * elementBytes(first().getResult()); }
};

class RowKeeper {
public:
  RowKeeper(gpu::GPUFuncOp kernel, int64_t mostBytes) : kernel(kernel), mostBytes(mostBytes), b(kernel) {}
  void run();

private:
  bool isOfRow(vector::TransferReadOp read, scf::ForOp loop);
  bool readSame(vector::TransferReadOp a, vector::TransferReadOp c);
  SmallVector<KeptRow> findRows();
  void keep(KeptRow &row);
  void copyTiles(KeptRow &row, Value slots);
  Value copyShifted(KeptRow &row, Value slots);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, kernel.getLoc(), value); }

  gpu::GPUFuncOp kernel;
  int64_t mostBytes;
  OpBuilder b;
};

/// Whether the read has a tile at the loop's position of a row of a parameter that no op of the program writes.
bool RowKeeper::isOfRow(vector::TransferReadOp read, scf::ForOp loop) {
  auto parameter = dyn_cast<BlockArgument>(read.getBase());
  bool isZeroOutside = matchPattern(read.getPadding(), m_AnyZeroFloat()) || matchPattern(read.getPadding(), m_Zero());
  if (!parameter || parameter.getOwner() != &kernel.getBody().front() || isShared(read) || read.getMask() ||
      !isZeroOutside || read.getVectorType().getRank() != 1 || !read.getPermutationMap().isMinorIdentity() ||
      read.getIndices().back() != loop.getInductionVar() || !loop.isDefinedOutsideOfLoop(read.getPadding()) ||
      !llvm::all_of(read.getIndices().drop_back(), [&](Value each) { return loop.isDefinedOutsideOfLoop(each); }))
    return false;
  return llvm::none_of(parameter.getUsers(), [](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return !effects || effects.hasEffect<MemoryEffects::Write>();
  });
}

bool RowKeeper::readSame(vector::TransferReadOp a, vector::TransferReadOp c) {
  auto one = cast<scf::ForOp>(a->getParentOp()), other = cast<scf::ForOp>(c->getParentOp());
  return a.getBase() == c.getBase() && a.getVectorType() == c.getVectorType() &&
         a.getIndices().drop_back() == c.getIndices().drop_back() && a.getInBounds() == c.getInBounds() &&
         getConstantIntValue(one.getUpperBound()) == getConstantIntValue(other.getUpperBound()) &&
         getConstantIntValue(one.getStep()) == getConstantIntValue(other.getStep());
}

/// In the order in which they are read first.
SmallVector<KeptRow> RowKeeper::findRows() {
  SmallVector<KeptRow> rows;
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>()) {
    std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
    if (getConstantIntValue(loop.getLowerBound()) != 0 || !end || !step)
      continue;
    for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
      if (!isOfRow(read, loop) || read.getVectorType().getNumElements() != *step)
        continue;
      auto *known = llvm::find_if(rows, [&](KeptRow &row) { return readSame(row.reads.front(), read); });
      if (known != rows.end())
        known->reads.push_back(read);
      else
        rows.push_back({{read}, int64_t(llvm::divideCeil(*end, *step))});
    }
  }
  llvm::erase_if(rows, [](KeptRow &row) { return row.loopOf(0) == row.loopOf(row.reads.size() - 1); });
  return rows;
}

/// As they are read.
void RowKeeper::copyTiles(KeptRow &row, Value slots) {
  Location loc = row.first().getLoc();
  scf::ForOp first = row.loopOf(0);
  int64_t step = row.tile().getNumElements();
  auto copies = scf::ForOp::create(b, loc, index(0), index(step * row.tiles), index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copies.getBody()->getTerminator());
  IRMapping mapping;
  mapping.map(first.getInductionVar(), copies.getInductionVar());
  Operation *copied = b.clone(*row.first(), mapping);
  vector::TransferWriteOp::create(b, loc, copied->getResult(0), slots, copies.getInductionVar(), ArrayRef{true});
}

/// In accesses of 16 bytes, from the last place before the row that is aligned. Returns how far the row is behind it;
/// null if memory is not known to have no gaps, and to be a multiple of such accesses.
Value RowKeeper::copyShifted(KeptRow &row, Value slots) {
  vector::TransferReadOp read = row.first();
  auto type = cast<MemRefType>(read.getBase().getType());
  if (!type.getLayout().isIdentity() || !type.hasStaticShape() || type.getNumElements() % row.vector() != 0)
    return {};
  Location loc = read.getLoc();
  Value begin = index(0);
  for (auto [place, size] : llvm::zip(read.getIndices().drop_back(), type.getShape()))
    begin = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, begin, index(size)), place);
  begin = arith::MulIOp::create(b, loc, begin, index(type.getShape().back()));
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, read.getBase());
  Value low = arith::AndIOp::create(b, loc, address, index(kAccessBytes - 1));
  Value isAligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, index(0));
  Value ahead = arith::AndIOp::create(b, loc, begin, index(row.vector() - 1));
  auto branch = scf::IfOp::create(b, loc, isAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseYield());
  copyTiles(row, slots); // Of memory that somebody gave the program, element by element.
  b.setInsertionPoint(branch.thenYield());
  auto all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  Value flat = memref::CollapseShapeOp::create(b, loc, read.getBase(), ArrayRef{all});
  Value from = arith::SubIOp::create(b, loc, begin, ahead);
  auto copy = [&](Value place, int64_t elements) {
    Value source = arith::AddIOp::create(b, loc, from, place);
    auto part = vector::TransferReadOp::create(b, loc, VectorType::get({elements}, type.getElementType()), flat, source,
                                               read.getPadding(), ArrayRef{false});
    part->setAttr(tile::kVector, b.getI64IntegerAttr(row.vector()));
    vector::TransferWriteOp::create(b, loc, part.getResult(), slots, place, ArrayRef{true});
  };
  int64_t step = row.tile().getNumElements();
  copy(index(step * row.tiles), row.vector());
  auto copies = scf::ForOp::create(b, loc, index(0), index(step * row.tiles), index(step));
  b.setInsertionPoint(copies.getBody()->getTerminator());
  copy(copies.getInductionVar(), step);
  b.setInsertionPointAfter(branch);
  return arith::SelectOp::create(b, loc, isAligned, ahead, index(0));
}

/// Before the first loop, copies of all tiles, which all loops read.
void RowKeeper::keep(KeptRow &row) {
  Location loc = row.first().getLoc();
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({row.elements()}, row.tile().getElementType(), MemRefLayoutAttrInterface(), space);
  Value slots = kernel.addWorkgroupAttribution(type, loc);
  Operation *last = &kernel.getBody().front().front(); // Of what the copies need.
  for (Value operand : row.first()->getOperands())
    if (Operation *made = operand.getDefiningOp(); made && last->isBeforeInBlock(made))
      last = made;
  b.setInsertionPointAfter(last);
  Value shift = row.isAligned() ? Value() : copyShifted(row, slots);
  if (!shift)
    copyTiles(row, slots);
  for (auto [number, read] : llvm::enumerate(row.reads)) {
    b.setInsertionPoint(read);
    Value place = row.loopOf(number).getInductionVar();
    if (shift)
      place = arith::AddIOp::create(b, loc, place, shift);
    auto kept = vector::TransferReadOp::create(b, loc, row.tile(), slots, place, read.getPadding(), ArrayRef{true});
    // Threads read what they have copied, where that is aligned.
    kept->setAttr(tile::kVector, b.getI64IntegerAttr(vectorOf(read)));
    read.replaceAllUsesWith(kept.getResult());
  }
}

void RowKeeper::run() {
  SmallVector<KeptRow> rows = findRows();
  int64_t bytes = kOtherBytes;
  llvm::SetVector<Operation *> first;
  for (KeptRow &row : rows) {
    if (bytes + row.bytes() > mostBytes)
      continue;
    bytes += row.bytes();
    first.insert(row.loopOf(0));
    keep(row);
    for (vector::TransferReadOp read : row.reads)
      read.erase();
  }
  for (Operation *loop : first) {
    b.setInsertionPoint(loop);
    tile::CommitCopiesOp::create(b, loop->getLoc());
    tile::WaitCopiesOp::create(b, loop->getLoc(), 0);
    gpu::BarrierOp::create(b, loop->getLoc());
  }
}

struct KeepRows : impl::KeepRowsBase<KeepRows> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      const TargetInfo *target = device::targetInfoOf(kernel);
      if (!kernel->removeAttr(tile::kKeepsRows) || !target || !tile::programOf(kernel))
        continue;
      RowKeeper(kernel, std::max(target->sharedBytes, target->maxSharedBytes)).run();
    }
  }
};
} // namespace
} // namespace lispier
