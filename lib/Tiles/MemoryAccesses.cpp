//===- MemoryAccesses.cpp - one thread's part of a transfer ---------------===//
#include "MemoryAccesses.h"
#include "LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
MemoryAccesses::MemoryAccesses(Distribution &d, VectorTransferOpInterface transfer, const tile::Layout &layout)
    : d(d), layout(layout), memory(d.get(transfer.getBase())), start(transfer.getIndices()), at(d.coordinates(layout)),
      leading(start.size() - layout.rank()),
      vector(std::min<int64_t>(vectorOf(transfer), layout.run(layout.rank() - 1))),
      rare(isUnaligned(transfer) && !transfer->getParentOfType<LoopLikeOpInterface>()) {
  for (Value &index : start)
    index = d.get(index);
  SmallVector<bool> inBounds = transfer.getInBoundsValues();
  for (unsigned dimension = 0; dimension < layout.rank(); ++dimension)
    if (transfer.getMask() || !inBounds[dimension]) // A mask may be what keeps the tile inside.
      checked.push_back(dimension);
}

Value MemoryAccesses::size(unsigned dimension) {
  return d.b.createOrFold<memref::DimOp>(memory, static_cast<int64_t>(leading + dimension));
}

Value MemoryAccesses::index(unsigned dimension, int32_t place) {
  return d.add(d.add(start[leading + dimension], at[dimension]), place);
}

Value MemoryAccesses::isTileInside() {
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

Value MemoryAccesses::isInside(unsigned i) {
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

SmallVector<Value> MemoryAccesses::indices(unsigned i) {
  SmallVector<Value> result(start.begin(), start.begin() + leading);
  for (auto [dimension, place] : llvm::enumerate(layout.ofRegister(i * vector)))
    result.push_back(index(dimension, place));
  return result;
}

Value MemoryAccesses::load(unsigned i) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  if (vector == 1)
    return memref::LoadOp::create(d.b, memory, indices(i));
  return vector::LoadOp::create(d.b, VectorType::get({vector}, element), memory, indices(i));
}

void MemoryAccesses::store(unsigned i, Value value) {
  if (vector == 1)
    memref::StoreOp::create(d.b, value, memory, indices(i));
  else
    vector::StoreOp::create(d.b, value, memory, indices(i));
}

void MemoryAccesses::storeOne(unsigned i, unsigned element, Value value) {
  SmallVector<Value> place = indices(i);
  place.back() = d.add(place.back(), element);
  memref::StoreOp::create(d.b, value, memory, place);
}
} // namespace lispier
