//===- DistributeTransfers.cpp - tiles read from and written to memory ----===//
//
// Each access of a thread is a vector as long as the layout and the address allow,
// under one predicate. Where the whole tile is inside of the memref, which one test
// for all threads finds, there are no predicates.
//
//===----------------------------------------------------------------------===//
#include "Distribution.h"
#include "LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// One thread's accesses of a tile in memory.
class Accesses {
public:
  Accesses(Distribution &d, VectorTransferOpInterface transfer, const Layout &layout)
      : d(d), layout(layout), memory(d.get(transfer.getBase())), start(transfer.getIndices()),
        leading(start.size() - layout.rank()) {
    for (Value &index : start)
      index = d.get(index);
    at = d.coordinates(layout);
    vector = std::min<int64_t>(vectorOf(transfer), layout.run(layout.rank() - 1));
    SmallVector<bool> inBounds = transfer.getInBoundsValues();
    for (unsigned dimension = 0; dimension < layout.rank(); ++dimension)
      if (transfer.getMask() || !inBounds[dimension]) // A mask may be what keeps the tile inside.
        checked.push_back(dimension);
  }

  /// How many neighbours an access has.
  int64_t width() const { return vector; }
  unsigned count() const { return layout.numRegisters() / vector; }
  bool isChecked() const { return !checked.empty(); }

  /// Whether no element of the tile lies outside: the same in all threads.
  Value isInside() {
    Value inside;
    for (unsigned dimension : checked) {
      Value first = start[leading + dimension];
      Value end = d.add(first, layout.shape[dimension]);
      auto compare = [&](arith::CmpIPredicate predicate, Value a, Value c) {
        return d.b.createOrFold<arith::CmpIOp>(predicate, a, c);
      };
      inside = d.both(inside, compare(arith::CmpIPredicate::sge, first, d.index(0)));
      inside = d.both(inside, compare(arith::CmpIPredicate::sle, end, size(dimension)));
    }
    return inside;
  }

  /// Whether access number `i` is inside; null if that needs no test.
  Value isInside(unsigned i) {
    Value inside;
    for (unsigned dimension : checked) {
      int32_t place = layout.ofRegister(i * vector)[dimension];
      Value &known = tests[{dimension, place}];
      if (!known) // One unsigned comparison, so that what lies before the first element is outside too.
        known = arith::CmpIOp::create(d.b, arith::CmpIPredicate::ult, index(dimension, place), size(dimension));
      inside = d.both(inside, known);
    }
    return inside;
  }

  Value load(unsigned i) {
    Type element = cast<MemRefType>(memory.getType()).getElementType();
    if (vector == 1)
      return memref::LoadOp::create(d.b, memory, indices(i));
    return vector::LoadOp::create(d.b, VectorType::get({vector}, element), memory, indices(i));
  }
  void store(unsigned i, Value value) {
    if (vector == 1)
      memref::StoreOp::create(d.b, value, memory, indices(i));
    else
      vector::StoreOp::create(d.b, value, memory, indices(i));
  }
  /// One element of an access of several.
  void storeOne(unsigned i, unsigned element, Value value) {
    SmallVector<Value> place = indices(i);
    place.back() = d.add(place.back(), element);
    memref::StoreOp::create(d.b, value, memory, place);
  }

  /// Tests that one branch makes do not dominate the next.
  void forget() { tests.clear(); }

private:
  Value size(unsigned dimension) {
    return d.b.createOrFold<memref::DimOp>(memory, static_cast<int64_t>(leading + dimension));
  }
  Value index(unsigned dimension, int32_t place) {
    return d.add(d.add(start[leading + dimension], at[dimension]), place);
  }
  SmallVector<Value> indices(unsigned i) {
    SmallVector<Value> result(start.begin(), start.begin() + leading);
    for (auto [dimension, place] : llvm::enumerate(layout.ofRegister(i * vector)))
      result.push_back(index(dimension, place));
    return result;
  }

  Distribution &d;
  const Layout &layout;
  Value memory;
  SmallVector<Value> start;
  size_t leading;
  SmallVector<Value> at;
  SmallVector<unsigned> checked;
  int64_t vector;
  llvm::DenseMap<std::pair<unsigned, int32_t>, Value> tests;
};

/// What one access gave, as elements.
void append(Distribution &d, SmallVectorImpl<Value> &all, Value part) {
  if (isTile(part))
    llvm::append_range(all, d.elements(part));
  else
    all.push_back(part);
}

Value readAll(Distribution &d, Accesses &accesses, bool careful, Value padding) {
  SmallVector<Value> all;
  for (unsigned i = 0; i < accesses.count(); ++i) {
    Value other = accesses.width() > 1 ? d.splat(padding, accesses.width()) : padding;
    append(d, all,
           d.choose(
               careful ? accesses.isInside(i) : Value(), other.getType(), [&] { return accesses.load(i); },
               [&] { return other; }));
  }
  return d.vectorOf(all);
}

/// Of a vector under a mask, all or the elements one by one.
void writeMasked(Distribution &d, Accesses &accesses, unsigned i, ArrayRef<Value> part, ArrayRef<Value> mask) {
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

void writeAll(Distribution &d, Accesses &accesses, bool careful, ArrayRef<Value> elements, ArrayRef<Value> mask) {
  accesses.forget();
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
  Accesses accesses(d, read, layout);
  Value padding = d.get(read.getPadding());
  bool mayBeInside = accesses.isChecked() && accesses.count() > 1;
  Value inside = mayBeInside ? accesses.isInside() : Value();
  auto readAs = [&](bool careful) { return readAll(d, accesses, careful, padding); };
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
  Accesses accesses(d, write, layout);
  SmallVector<Value> elements = d.elements(d.get(write.getValueToStore())), mask;
  if (write.getMask())
    mask = d.elements(d.get(write.getMask()));
  d.onlyIf(d.isFirstCopy(layout), [&] {
    if (!accesses.isChecked() || accesses.count() == 1)
      return writeAll(d, accesses, accesses.isChecked(), elements, mask);
    Value inside = accesses.isInside();
    d.onlyIf(inside, [&] { writeAll(d, accesses, false, elements, mask); });
    Value outside = arith::XOrIOp::create(d.b, inside, arith::ConstantIntOp::create(d.b, 1, 1));
    d.onlyIf(outside, [&] { writeAll(d, accesses, true, elements, mask); });
  });
  return success();
}
} // namespace lispier
