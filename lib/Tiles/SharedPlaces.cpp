//===- SharedPlaces.cpp - where a tile lies in a block's memory -----------===//
#include "SharedPlaces.h"
#include "lispier/TargetInfo/TargetInfo.h"
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

int64_t elementBytesOf(Type type) { return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }
} // namespace

/// What the numbers of a line's chunks, of which there are `chunks`, are changed by. Where a row is a line, that is the
/// 128-byte swizzle of the hardware. Of shorter rows, threads access neighbours, as matrices of 8 x 8 elements have
/// them, or rows that are 4 or 8 apart, as threads have them whose sums are 8 x 8: either differ in the phase.
static int64_t phaseOf(int64_t line, bool apart, int64_t chunks) {
  return (apart ? line ^ line / chunks : line) % chunks;
}

SharedPlaces::SharedPlaces(ArrayRef<int64_t> shape, unsigned inner, int64_t chunk, int64_t elementBytes, bool apart)
    : shape(shape), inner(inner), chunk(chunk), elementBytes(elementBytes), apart(apart) {
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
  int64_t all = unit[inner], rows = unitElements / all;
  // Columns that fill the banks once are a block, whose rows follow each other.
  int64_t columns = std::clamp<int64_t>(kBanksBytes / elementBytes, 1, all), together = std::min(chunk, columns),
          chunks = columns / together;
  int64_t column = coordinates[inner] % all, block = column / columns;
  column %= columns;
  // Rows that together fill the banks once are one line, whose chunks are permuted together.
  int64_t rowsAcross = std::max<int64_t>(1, kBanksBytes / elementBytes / columns);
  int64_t line = row / rowsAcross, at = row % rowsAcross * chunks + column / together;
  if (chunks > 1)
    at ^= phaseOf(line, apart || rowsAcross > 1, rowsAcross * chunks);
  return block * rows * columns + line * rowsAcross * columns + at * together + column % together;
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
         elementBytes << (bits + 1) <= kAccessBytes && int64_t(2) << bits <= chunk)
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

void storeShared(Distribution &d, Value registers, const Layout &layout, Value memory, const SharedPlaces &places,
                 Value base) {
  SmallVector<Value> elements = d.elements(registers);
  int64_t run = places.run(layout);
  d.onlyIf(d.isFirstCopy(layout), [&] {
    SharedPlaces::OfThread at(d, places, layout, base);
    for (unsigned i = 0; i < elements.size(); i += run) {
      if (run == 1)
        memref::StoreOp::create(d.b, elements[i], memory, ValueRange{at[i]});
      else
        vector::StoreOp::create(d.b, d.vectorOf(ArrayRef(elements).slice(i, run)), memory, ValueRange{at[i]});
    }
  });
}

namespace {
/// How lanes name rows of matrices of 8 x 8 elements so that each thread receives the registers of a layout.
struct MatrixLoad {
  bool transposed;
  Layout rows; ///< What a lane's address is of, in its register 0.
};

/// If registers 0 and 1 are neighbours in a row of 16 bytes, which four lanes have together, and eight lanes have eight
/// rows; or, transposed, the other way round. The next two bits of registers are four matrices.
std::optional<MatrixLoad> matrixLoad(const Layout &layout, const SharedPlaces &places) {
  if (layout.registers.size() < 3 || layout.lanes.size() != 5)
    return std::nullopt;
  ArrayRef<Coordinates> registers = layout.registers, lanes = layout.lanes;
  auto areNeighbours = [&](ArrayRef<Coordinates> bases) {
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (places.place(basis) != int64_t(1) << bit)
        return false;
    return true;
  };
  Coordinates inRow[] = {registers[0], lanes[0], lanes[1]}, ofRows[] = {lanes[2], lanes[3], lanes[4]};
  MatrixLoad load{false, layout};
  if (areNeighbours(inRow))
    load.rows.lanes.assign({ofRows[0], ofRows[1], ofRows[2], registers[1], registers[2]});
  else if (areNeighbours(ofRows))
    load = {true, layout}, load.rows.lanes.assign({inRow[0], inRow[1], inRow[2], registers[1], registers[2]});
  else
    return std::nullopt;
  return load;
}

Value loadMatrices(Distribution &d, const Layout &layout, Value memory, const SharedPlaces &places, Value base,
                   const MatrixLoad &load) {
  constexpr int64_t kMatrices = 4, kRegisters = 2 * kMatrices;
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  SharedPlaces::OfThread at(d, places, load.rows, base);
  SmallVector<Value> elements;
  for (unsigned i = 0; i < layout.numRegisters(); i += kRegisters) {
    auto type = VectorType::get({kMatrices, 2}, element);
    Value part = tile::LoadMatrixOp::create(d.b, type, memory, ValueRange{at[i]}, load.transposed);
    llvm::append_range(elements, d.elements(part));
  }
  return d.vectorOf(elements);
}
} // namespace

bool isLoadedAsMatrices(Distribution &d, const Layout &layout, unsigned inner, int64_t elementBytes) {
  SharedPlaces places(layout.shape, inner, kAccessBytes / elementBytes, elementBytes);
  return d.target.loadsMatrices && elementBytes == 2 && matrixLoad(layout, places);
}

Value loadShared(Distribution &d, const Layout &layout, Value memory, const SharedPlaces &places, Value base) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  if (d.target.loadsMatrices && elementBytesOf(element) == 2)
    if (std::optional<MatrixLoad> load = matrixLoad(layout, places))
      return loadMatrices(d, layout, memory, places, base, *load);
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
