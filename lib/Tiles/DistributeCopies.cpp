//===- DistributeCopies.cpp - tiles in slots of shared memory -------------===//
//
// PipelineTiles gives a loop slots of shared memory, into which tiles are copied some
// steps before they are read. A copy is asynchronous where the target has such copies
// and an access has at least four bytes; narrower ones, a few at a time, and those under
// a mask go through registers, and are there at the same barrier.
//
//===----------------------------------------------------------------------===//
#include "LayoutRules.h"
#include "MemoryAccesses.h"
#include "SharedSlot.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// With `careful`, a vector outside of the memref is zero. A copy that reads nothing may have any address, as in
/// CUTLASS (cp_async_zfill): to choose one inside took 40 registers in attention of F32, and with them one of three
/// blocks of a multiprocessor.
void copyAll(Distribution &d, MemoryAccesses &accesses, TileSlot &slot, SharedPlaces::OfThread &places, bool careful) {
  accesses.forgetTests();
  int64_t width = accesses.width();
  for (unsigned i = 0; i < accesses.count(); ++i) {
    Value inside = careful ? accesses.isInside(i) : Value(), read;
    if (inside)
      read = arith::SelectOp::create(d.b, inside, d.index(width), d.index(0));
    tile::CopyAsyncOp::create(d.b, accesses.memref(), accesses.indices(i), slot.memory, ValueRange{places[i * width]},
                              width, read);
  }
}

/// Element by element, which would all be in registers if the tile were read before it is written.
void copyElements(Distribution &d, vector::TransferReadOp read, MemoryAccesses &accesses, TileSlot &slot,
                  SharedPlaces::OfThread &places, int64_t run, bool careful) {
  constexpr unsigned kInFlight = 8;
  run = std::min<int64_t>(run, kInFlight);
  accesses.forgetTests();
  Value padding = d.get(read.getPadding());
  SmallVector<Value> mask;
  if (read.getMask())
    mask = d.elements(d.get(read.getMask()));
  for (unsigned begin = 0; begin < accesses.count(); begin += kInFlight) {
    unsigned end = std::min(begin + kInFlight, accesses.count());
    SmallVector<Value> values;
    for (unsigned i = begin; i < end; ++i) {
      Value inside = careful ? accesses.isInside(i) : Value();
      if (!mask.empty())
        inside = d.both(inside, mask[i]);
      values.push_back(d.choose(inside, padding.getType(), [&] { return accesses.load(i); }, [&] { return padding; }));
    }
    for (unsigned i = begin; i < end; i += run) {
      ArrayRef<Value> part = ArrayRef(values).slice(i - begin, run);
      if (run == 1)
        memref::StoreOp::create(d.b, part.front(), slot.memory, ValueRange{places[i]});
      else
        vector::StoreOp::create(d.b, d.vectorOf(part), slot.memory, ValueRange{places[i]});
    }
  }
}
} // namespace

LogicalResult distributeCopy(Distribution &d, vector::TransferWriteOp write) {
  auto read = write.getValueToStore().getDefiningOp<vector::TransferReadOp>();
  if (!read || !isCopied(read))
    return write.emitOpError("writes a tile to shared memory that is not read from global memory for it");
  const Layout &layout = d.layoutOf(read.getResult());
  int64_t bytes = elementBytes(read.getResult());
  bool isTurned = areTurned(write.getBase(), d.target);
  SharedPlaces places = isTurned ? placesInTurnedSlot(layout.shape, bytes) : placesInSlot(layout.shape, bytes);
  TileSlot slot(d, write.getBase(), write.getIndices(), layout.numElements());
  MemoryAccesses accesses(d, read, layout);
  bool isLong = accesses.width() * bytes >= kShortestCopyBytes;
  bool isAsync = d.target.copiesAsync && isLong && !read.getMask() && accesses.width() <= places.run(layout);
  bool byElements = !isLong && accesses.width() == 1;
  if (!isAsync && !byElements) {
    if (failed(distributeRead(d, read)))
      return failure();
    const Layout stored = isTurned ? inTurnedOrder(layout) : layout;
    Value registers = convertLayout(d, d.get(read.getResult()), layout, stored);
    Operation *before = &*std::prev(d.b.getInsertionPoint());
    storeShared(d, registers, stored, slot.memory, places, slot.begin);
    if (d.target.warpWidth <= 32) // A lane has half of the registers for its sums, and what waits for its slot spills.
      return success();
    for (Operation &op : llvm::make_range(std::next(before->getIterator()), d.b.getInsertionPoint()))
      if (isa<vector::StoreOp, memref::StoreOp>(op))
        op.setAttr(tile::kToSlot, d.b.getUnitAttr());
    return success();
  }
  d.onlyIf(d.isFirstCopy(layout), [&] {
    SharedPlaces::OfThread at(d, places, layout, slot.begin);
    auto copy = [&](bool careful) {
      if (isAsync)
        copyAll(d, accesses, slot, at, careful);
      else
        copyElements(d, read, accesses, slot, at, places.run(layout), careful);
    };
    if (!accesses.isChecked() || accesses.isRare())
      return copy(accesses.isChecked());
    Value inside = accesses.isTileInside();
    d.onlyIf(inside, [&] { copy(false); });
    Value outside = arith::XOrIOp::create(d.b, inside, arith::ConstantIntOp::create(d.b, 1, 1));
    d.onlyIf(outside, [&] { copy(true); });
  });
  return success();
}

LogicalResult distributeSharedRead(Distribution &d, vector::TransferReadOp read) {
  const Layout &layout = d.layoutOf(read.getResult());
  if (layout.rank() + (isKeptRow(read.getBase()) ? 0 : 1) != read.getIndices().size())
    return read.emitOpError("reads shared memory that no pipelined loop has made");
  int64_t bytes = elementBytes(read.getResult());
  SharedPlaces places =
      areTurned(read.getBase(), d.target) ? placesInTurnedSlot(layout.shape, bytes) : placesInSlot(layout.shape, bytes);
  TileSlot slot(d, read.getBase(), read.getIndices(), layout.numElements());
  d.set(read.getResult(), loadShared(d, layout, slot.memory, places, slot.begin));
  return success();
}
} // namespace lispier
