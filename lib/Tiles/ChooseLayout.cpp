//===- ChooseLayout.cpp - layouts that suit memory ------------------------===//
#include "ChooseLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lispier {
tile::Layout memoryLayout(ArrayRef<int64_t> shape, int64_t vector, BlockShape block) {
  tile::LayoutBuilder builder(shape);
  SmallVector<unsigned> inwards(shape.size());
  std::iota(inwards.begin(), inwards.end(), 0u);
  SmallVector<unsigned> outwards(reverse(inwards));
  // A small tile in whole vectors would leave lanes with nothing but copies.
  vector = std::min<int64_t>(vector, std::max<int64_t>(1, builder.layout.numElements() / block.lanes));
  // One with enough vectors, such as 10,240 elements, but not in a power of two, would leave warps with nothing else:
  // neighbours are fewer then.
  int64_t powers = 1, threads = int64_t(block.lanes) * block.warps;
  for (int64_t size : shape)
    powers *= size & -size;
  if (builder.layout.numElements() >= vector * threads)
    vector = std::max<int64_t>(1, std::min(vector, powers / threads));
  for (int64_t bits = Log2_64(vector); bits > 0 && !shape.empty() && builder.hasBits(outwards.front()); --bits)
    builder.layout.registers.push_back(builder.take(outwards.front()));
  for (unsigned lane = 1; lane < block.lanes; lane *= 2)
    builder.layout.lanes.push_back(builder.takeFirst(outwards));
  for (unsigned warp = 1; warp < block.warps; warp *= 2)
    builder.layout.warps.push_back(builder.takeFirst(inwards));
  return builder.finish();
}

int64_t contiguousBytes(const tile::Layout &layout, int64_t elementBytes, int64_t vector) {
  if (!layout.rank())
    return elementBytes;
  unsigned inner = layout.rank() - 1;
  int64_t elements = std::min<int64_t>(vector, layout.run(inner));
  for (const tile::Coordinates &basis : layout.lanes) {
    bool continues = true;
    for (auto [dimension, each] : enumerate(basis))
      continues &= each == (dimension == inner ? elements : 0);
    if (!continues)
      break;
    elements *= 2;
  }
  return elements * elementBytes;
}

int64_t copies(const tile::Layout &layout) {
  return int64_t(1) << (popcount(layout.copiesInLanes()) + popcount(layout.copiesInWarps()));
}
} // namespace lispier
