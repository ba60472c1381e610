//===- SharedPlaces.cpp - where a tile lies in a block's memory -----------===//
#include "SharedPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// All banks together, and the widest access of a thread.
constexpr int64_t kBanksBytes = 128, kAccessBytes = 16;
} // namespace

SharedPlaces::SharedPlaces(ArrayRef<int64_t> shape, unsigned inner, int64_t chunk, int64_t elementBytes)
    : shape(shape), inner(inner), chunk(chunk), elementBytes(elementBytes) {
  for (int64_t size : shape) {
    unit.push_back(size & -size);
    unitElements *= unit.back();
    units *= size / unit.back();
  }
}

int64_t SharedPlaces::inUnit(ArrayRef<int32_t> coordinates) const {
  int64_t row = 0;
  for (auto [dimension, each] : llvm::enumerate(coordinates))
    if (dimension != inner)
      row = row * unit[dimension] + each % unit[dimension];
  if (shape.empty())
    return 0;
  int64_t columns = unit[inner], column = coordinates[inner] % columns;
  // Rows that together fill the banks once keep their order.
  int64_t across = std::clamp<int64_t>(kBanksBytes / elementBytes, 1, columns),
          chunks = across / std::min(chunk, across);
  int64_t rowsAcross = std::max<int64_t>(1, kBanksBytes / elementBytes / columns);
  int64_t phase = chunks > 1 ? row / rowsAcross % chunks : 0;
  return row * columns + ((column / chunk ^ phase) * chunk + column % chunk);
}

int64_t SharedPlaces::unitOf(ArrayRef<int32_t> coordinates) const {
  int64_t number = 0;
  for (auto [dimension, each] : llvm::enumerate(coordinates))
    number = number * (shape[dimension] / unit[dimension]) + each / unit[dimension];
  return number;
}

int64_t SharedPlaces::place(ArrayRef<int32_t> coordinates) const {
  return unitOf(coordinates) * unitElements + inUnit(coordinates);
}

int64_t SharedPlaces::run(const Layout &layout) const {
  unsigned bits = 0;
  while (bits < layout.registers.size() && inUnit(layout.registers[bits]) == int64_t(1) << bits &&
         elementBytes << (bits + 1) <= kAccessBytes)
    ++bits;
  return int64_t(1) << bits;
}

SharedPlaces::OfThread::OfThread(Distribution &d, const SharedPlaces &places, const Layout &layout, Value base)
    : d(d), places(places), layout(layout), base(base),
      thread(d.ofThread(layout, [&](ArrayRef<int32_t> basis) { return places.inUnit(basis); })) {
  for (const tile::Bases *bases : {&layout.lanes, &layout.warps})
    for (const Coordinates &basis : *bases)
      reachable |= places.inUnit(basis);
}

/// Only the bits that threads have too need an exclusive or; the others are the constant part of an address.
Value SharedPlaces::OfThread::operator[](unsigned number) {
  Coordinates at = layout.ofRegister(number);
  int64_t place = places.inUnit(at), shared = place & reachable;
  Value result = shared ? arith::XOrIOp::create(d.b, thread, d.i32(shared)).getResult() : thread;
  if (base)
    result = arith::AddIOp::create(d.b, result, base);
  return d.add(d.toIndex(result), (place & ~reachable) + places.unitOf(at) * places.unitElements);
}

void storeShared(Distribution &d, Value registers, const Layout &layout, Value memory, const SharedPlaces &places) {
  SmallVector<Value> elements = d.elements(registers);
  int64_t run = places.run(layout);
  d.onlyIf(d.isFirstCopy(layout), [&] {
    SharedPlaces::OfThread at(d, places, layout);
    for (unsigned i = 0; i < elements.size(); i += run) {
      if (run == 1)
        memref::StoreOp::create(d.b, elements[i], memory, ValueRange{at[i]});
      else
        vector::StoreOp::create(d.b, d.vectorOf(ArrayRef(elements).slice(i, run)), memory, ValueRange{at[i]});
    }
  });
}

Value loadShared(Distribution &d, const Layout &layout, Value memory, const SharedPlaces &places, Value base) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  int64_t run = places.run(layout);
  SharedPlaces::OfThread at(d, places, layout, base);
  SmallVector<Value> elements;
  for (unsigned i = 0; i < layout.numRegisters(); i += run) {
    if (run == 1) {
      elements.push_back(memref::LoadOp::create(d.b, memory, ValueRange{at[i]}));
      continue;
    }
    Value part = vector::LoadOp::create(d.b, VectorType::get({run}, element), memory, ValueRange{at[i]});
    llvm::append_range(elements, d.elements(part));
  }
  return d.vectorOf(elements);
}
} // namespace lispier
