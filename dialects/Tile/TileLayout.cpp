//===- TileLayout.cpp - where the elements of a tile are ------------------===//
#include "lispier/Tile/TileLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lispier::tile {
bool isZero(ArrayRef<int32_t> coordinates) {
  return all_of(coordinates, [](int32_t each) { return each == 0; });
}

unsigned Layout::numRegisters() const {
  int64_t count = int64_t(1) << registers.size();
  for (int64_t repeat : repeats)
    count *= repeat;
  return count;
}

int64_t Layout::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Coordinates Layout::combine(const Bases &bases, unsigned number) const {
  Coordinates sum(rank(), 0);
  for (auto [bit, basis] : enumerate(bases))
    if (number >> bit & 1)
      for (auto [total, each] : zip(sum, basis))
        total ^= each;
  return sum;
}

uint32_t Layout::zeros(const Bases &bases) {
  uint32_t mask = 0;
  for (auto [bit, basis] : enumerate(bases))
    if (isZero(basis))
      mask |= 1u << bit;
  return mask;
}

Coordinates Layout::ofRegister(unsigned number) const {
  Coordinates place = combine(registers, number & ((1u << registers.size()) - 1));
  unsigned unit = number >> registers.size();
  for (unsigned dimension = rank(); dimension-- > 0;) {
    place[dimension] += unit % repeats[dimension] * unitSize(dimension);
    unit /= repeats[dimension];
  }
  return place;
}

unsigned Layout::run(unsigned dimension) const {
  unsigned bits = 0;
  auto isNeighbour = [&](const Coordinates &basis) {
    return all_of(enumerate(basis), [&, dimension](auto each) {
      return each.value() == (each.index() == dimension ? int32_t(1) << bits : 0);
    });
  };
  while (bits < registers.size() && isNeighbour(registers[bits]))
    ++bits;
  return 1u << bits;
}

template <typename Map> Layout Layout::mapped(Map map) const {
  Layout result;
  for (auto [from, to] :
       {std::pair(&registers, &result.registers), std::pair(&lanes, &result.lanes), std::pair(&warps, &result.warps)})
    for (const Coordinates &basis : *from)
      to->push_back(map(basis));
  return result;
}

Layout Layout::transposed(ArrayRef<int64_t> permutation) const {
  auto permute = [&](const auto &from) {
    std::decay_t<decltype(from)> to;
    for (int64_t dimension : permutation)
      to.push_back(from[dimension]);
    return to;
  };
  Layout result = mapped(permute);
  result.shape = permute(shape);
  result.repeats = permute(repeats);
  return result;
}

Layout Layout::collapsed(unsigned dimension) const {
  Layout result = mapped([&](Coordinates basis) {
    basis[dimension] = 0;
    return basis;
  });
  erase_if(result.registers, [](const Coordinates &basis) { return isZero(basis); });
  result.shape = shape;
  result.repeats = repeats;
  result.shape[dimension] = result.repeats[dimension] = 1;
  return result;
}

Layout Layout::without(unsigned dimension) const {
  Layout small = collapsed(dimension);
  Layout result = small.mapped([&](Coordinates basis) {
    basis.erase(basis.begin() + dimension);
    return basis;
  });
  result.shape = small.shape;
  result.repeats = small.repeats;
  result.shape.erase(result.shape.begin() + dimension);
  result.repeats.erase(result.repeats.begin() + dimension);
  return result;
}

Layout Layout::withUnitDimension(unsigned position) const {
  Layout result = mapped([&](Coordinates basis) {
    basis.insert(basis.begin() + position, 0);
    return basis;
  });
  result.shape = shape;
  result.repeats = repeats;
  result.shape.insert(result.shape.begin() + position, 1);
  result.repeats.insert(result.repeats.begin() + position, 1);
  return result;
}

std::optional<Layout> Layout::reshaped(ArrayRef<int64_t> newShape) const {
  auto isPower = [](int64_t size) { return isPowerOf2_64(size); };
  if (!all_of(shape, isPower) || !all_of(newShape, isPower) || any_of(repeats, [](int64_t each) { return each != 1; }))
    return std::nullopt;
  Layout result = mapped([&](const Coordinates &basis) {
    int64_t position = 0;
    for (auto [size, each] : zip(shape, basis))
      position = position * size + each;
    Coordinates place(newShape.size(), 0);
    for (unsigned dimension = newShape.size(); dimension-- > 0;) {
      place[dimension] = position % newShape[dimension];
      position /= newShape[dimension];
    }
    return place;
  });
  result.shape.assign(newShape.begin(), newShape.end());
  result.repeats.assign(newShape.size(), 1);
  return result;
}

std::string Layout::mistake() const {
  if (repeats.size() != rank())
    return (Twine("has ") + Twine(repeats.size()) + " numbers of repeats for " + Twine(rank()) + " dimensions").str();
  for (unsigned dimension = 0; dimension < rank(); ++dimension)
    if (repeats[dimension] < 1 || shape[dimension] % repeats[dimension] || !isPowerOf2_64(unitSize(dimension)))
      return (Twine("repeats dimension ") + Twine(dimension) + ", of size " + Twine(shape[dimension]) + ", " +
              Twine(repeats[dimension]) + " times; a unit's size is a power of two")
          .str();
  SmallVector<int64_t> covered(rank(), 0);
  for (const Bases *bases : {&registers, &lanes, &warps})
    for (const Coordinates &basis : *bases) {
      if (basis.size() != rank())
        return (Twine("has a basis of ") + Twine(basis.size()) + " coordinates for " + Twine(rank()) + " dimensions")
            .str();
      for (unsigned dimension = 0; dimension < rank(); ++dimension) {
        if (basis[dimension] < 0 || basis[dimension] >= unitSize(dimension))
          return (Twine("has a basis of coordinate ") + Twine(basis[dimension]) + " in dimension " + Twine(dimension) +
                  ", whose unit has " + Twine(unitSize(dimension)) + " elements")
              .str();
        covered[dimension] |= basis[dimension];
      }
    }
  for (unsigned dimension = 0; dimension < rank(); ++dimension)
    if (covered[dimension] != unitSize(dimension) - 1)
      return (Twine("has elements of dimension ") + Twine(dimension) + " in no register of any thread").str();
  return "";
}

RegisterTable::RegisterTable(const Layout &layout) : shape(layout.shape) {
  for (unsigned i = layout.numRegisters(); i-- > 0;)
    table[key(layout.ofRegister(i))] = i;
}

int64_t RegisterTable::key(ArrayRef<int32_t> coordinates) const {
  int64_t position = 0;
  for (auto [size, each] : zip(shape, coordinates))
    position = position * size + each;
  return position;
}

std::optional<unsigned> RegisterTable::find(ArrayRef<int32_t> coordinates) const {
  auto found = table.find(key(coordinates));
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

LayoutBuilder::LayoutBuilder(ArrayRef<int64_t> shape) : next(shape.size(), 1) {
  layout.shape.assign(shape.begin(), shape.end());
  for (int64_t size : shape)
    layout.repeats.push_back(size >> countr_zero(uint64_t(size)));
}

Coordinates LayoutBuilder::basis(unsigned dimension, int64_t value) const {
  Coordinates result(layout.rank(), 0);
  result[dimension] = value;
  return result;
}

Coordinates LayoutBuilder::take(unsigned dimension) {
  if (!hasBits(dimension))
    return Coordinates(layout.rank(), 0);
  int64_t value = next[dimension];
  next[dimension] *= 2;
  return basis(dimension, value);
}

Coordinates LayoutBuilder::takeFirst(ArrayRef<unsigned> dimensions) {
  for (unsigned dimension : dimensions)
    if (hasBits(dimension))
      return take(dimension);
  return Coordinates(layout.rank(), 0);
}

Layout LayoutBuilder::finish() {
  for (unsigned dimension = layout.rank(); dimension-- > 0;)
    while (hasBits(dimension))
      layout.registers.push_back(take(dimension));
  return layout;
}
} // namespace lispier::tile
