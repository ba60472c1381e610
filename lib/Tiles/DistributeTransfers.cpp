//===- DistributeTransfers.cpp - tiles read from and written to memory ----===//
//
// Each access of a thread is a vector as long as the layout and the address allow,
// under one predicate, and is left out where a mask wants none of its elements. Where
// the whole tile is inside of the memref, which one test for all threads finds, there
// are no predicates but the mask's.
//
//===----------------------------------------------------------------------===//
#include "Distribution.h"
#include "LayoutRules.h"
#include "MemoryAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// What one access gave, as elements.
void append(Distribution &d, SmallVectorImpl<Value> &all, Value part) {
  if (isTile(part))
    llvm::append_range(all, d.elements(part));
  else
    all.push_back(part);
}

/// An access under a mask is made if one of its elements is wanted.
Value readAll(Distribution &d, MemoryAccesses &accesses, bool careful, Value padding, ArrayRef<Value> mask) {
  SmallVector<Value> all;
  int64_t width = accesses.width();
  accesses.forgetTests();
  for (unsigned i = 0; i < accesses.count(); ++i) {
    Value other = width > 1 ? d.splat(padding, width) : padding;
    Value isWanted;
    if (!mask.empty())
      for (Value each : mask.slice(i * width, width))
        isWanted = isWanted ? arith::OrIOp::create(d.b, isWanted, each).getResult() : each;
    Value isRead = d.both(careful ? accesses.isInside(i) : Value(), isWanted);
    append(d, all, d.choose(isRead, other.getType(), [&] { return accesses.load(i); }, [&] { return other; }));
  }
  return d.vectorOf(all);
}

/// Of a vector under a mask, all or the elements one by one.
void writeMasked(Distribution &d, MemoryAccesses &accesses, unsigned i, ArrayRef<Value> part, ArrayRef<Value> mask) {
  Value whole;
  for (Value each : mask)
    whole = d.both(whole, each);
  if (part.size() == 1)
    return d.onlyIf(whole, [&] { accesses.store(i, part.front()); });
  d.onlyIf(whole, [&] { accesses.store(i, d.vectorOf(part)); });
  Value rest = arith::XOrIOp::create(d.b, whole, arith::ConstantIntOp::create(d.b, 1, 1));
  d.onlyIf(rest, [&] {
    for (auto [number, element, isWritten] : llvm::enumerate(part, mask))
      d.onlyIf(isWritten, [&, number = number, element = element] { accesses.storeOne(i, number, element); });
  });
}

void writeAll(Distribution &d, MemoryAccesses &accesses, bool careful, ArrayRef<Value> elements, ArrayRef<Value> mask) {
  accesses.forgetTests();
  int64_t width = accesses.width();
  for (unsigned i = 0; i < accesses.count(); ++i) {
    ArrayRef<Value> part = elements.slice(i * width, width);
    d.onlyIf(careful ? accesses.isInside(i) : Value(), [&] {
      if (!mask.empty())
        writeMasked(d, accesses, i, part, mask.slice(i * width, width));
      else
        accesses.store(i, width == 1 ? part.front() : d.vectorOf(part));
    });
  }
}

LogicalResult checkTransfer(VectorTransferOpInterface transfer) {
  if (!isa<MemRefType>(transfer.getShapedType()) || !transfer.getPermutationMap().isMinorIdentity())
    return transfer->emitOpError("is distributed only if the tile's dimensions are the memref's last ones");
  return success();
}
} // namespace

LogicalResult distributeRead(Distribution &d, vector::TransferReadOp read) {
  if (failed(checkTransfer(read)))
    return failure();
  const Layout &layout = d.layoutOf(read.getResult());
  MemoryAccesses accesses(d, read, layout);
  Value padding = d.get(read.getPadding());
  bool mayBeInside = accesses.isChecked() && accesses.count() > 1 && !accesses.isRare();
  Value inside = mayBeInside ? accesses.isTileInside() : Value();
  SmallVector<Value> mask;
  if (read.getMask())
    mask = d.elements(d.get(read.getMask()));
  auto readAs = [&](bool careful) { return readAll(d, accesses, careful, padding, mask); };
  Value result;
  if (inside)
    result = d.choose(inside, d.typeOf(read.getResult()), [&] { return readAs(false); }, [&] { return readAs(true); });
  else
    result = readAs(accesses.isChecked());
  if (read.getMask())
    result = arith::SelectOp::create(d.b, d.get(read.getMask()), result, d.splat(padding, layout.numRegisters()));
  d.set(read.getResult(), result);
  return success();
}

LogicalResult distributeWrite(Distribution &d, vector::TransferWriteOp write) {
  if (failed(checkTransfer(write)))
    return failure();
  const Layout &layout = d.layoutOf(write.getValueToStore());
  MemoryAccesses accesses(d, write, layout);
  SmallVector<Value> elements = d.elements(d.get(write.getValueToStore())), mask;
  if (write.getMask())
    mask = d.elements(d.get(write.getMask()));
  d.onlyIf(d.isFirstCopy(layout), [&] {
    if (!accesses.isChecked() || accesses.count() == 1 || accesses.isRare())
      return writeAll(d, accesses, accesses.isChecked(), elements, mask);
    Value inside = accesses.isTileInside();
    d.onlyIf(inside, [&] { writeAll(d, accesses, false, elements, mask); });
    Value outside = arith::XOrIOp::create(d.b, inside, arith::ConstantIntOp::create(d.b, 1, 1));
    d.onlyIf(outside, [&] { writeAll(d, accesses, true, elements, mask); });
  });
  return success();
}
} // namespace lispier
