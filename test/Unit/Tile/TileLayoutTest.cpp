//===- TileLayoutTest.cpp - the algebra of layouts ------------------------===//
#include "lispier/Tile/TileLayout.h"
#include "gtest/gtest.h"
#include <set>

using namespace lispier::tile;

namespace {
/// Two neighbours a register pair, 4 lanes along columns, 8 along rows, two warps of which the second has copies.
Layout example(llvm::ArrayRef<int64_t> shape) {
  LayoutBuilder builder(shape);
  builder.layout.registers.push_back(builder.take(1));
  for (unsigned dimension : {1, 1, 0, 0, 0})
    builder.layout.lanes.push_back(builder.take(dimension));
  builder.layout.warps.push_back(Coordinates(2, 0));
  return builder.finish();
}

/// Every element that some thread has, with the number of its places.
std::map<std::vector<int32_t>, int> places(const Layout &layout) {
  std::map<std::vector<int32_t>, int> found;
  for (unsigned warp = 0; warp < 1u << layout.warps.size(); ++warp)
    for (unsigned lane = 0; lane < 1u << layout.lanes.size(); ++lane)
      for (unsigned number = 0; number < layout.numRegisters(); ++number) {
        Coordinates place = layout.ofRegister(number), l = layout.ofLane(lane), w = layout.ofWarp(warp);
        std::vector<int32_t> at;
        for (unsigned i = 0; i < layout.rank(); ++i)
          at.push_back(place[i] ^ l[i] ^ w[i]);
        ++found[at];
      }
  return found;
}

TEST(TileLayout, EveryElementHasItsPlaces) {
  auto found = places(example({16, 32}));
  EXPECT_EQ(found.size(), 16u * 32u);
  for (auto &[at, count] : found)
    EXPECT_EQ(count, 2); // The second warp's copies.
  EXPECT_EQ(example({16, 32}).copiesInWarps(), 1u);
  EXPECT_EQ(example({16, 32}).copiesInLanes(), 0u);
}

TEST(TileLayout, SizesThatAreNoPowersOfTwoRepeat) {
  Layout layout = example({24, 96});
  EXPECT_EQ(layout.repeats, (llvm::SmallVector<int64_t, 4>{3, 3}));
  EXPECT_EQ(layout.numRegisters(), 24u * 96 / 32);
  EXPECT_EQ(places(layout).size(), 24u * 96u);
  EXPECT_EQ(layout.ofRegister(layout.numRegisters() - 1)[0] / 8, 2); // The last unit of three.
}

TEST(TileLayout, RunsAreOfNeighbours) {
  EXPECT_EQ(example({16, 32}).run(1), 2u); // Lanes have the next bits.
  EXPECT_EQ(example({16, 32}).run(0), 1u);
  EXPECT_EQ(LayoutBuilder({4, 8}).finish().run(1), 8u); // Then the bits are rows'.
}

TEST(TileLayout, TransposesHaveTheSamePlaces) {
  Layout layout = example({16, 32}), other = layout.transposed({1, 0});
  EXPECT_EQ(other.shape, (llvm::SmallVector<int64_t, 4>{32, 16}));
  for (unsigned i = 0; i < layout.numRegisters(); ++i) {
    EXPECT_EQ(layout.ofRegister(i)[0], other.ofRegister(i)[1]);
    EXPECT_EQ(layout.ofRegister(i)[1], other.ofRegister(i)[0]);
  }
  EXPECT_EQ(other.transposed({1, 0}), layout);
}

TEST(TileLayout, WithoutADimensionLanesAlongItHaveCopies) {
  Layout rows = example({16, 32}).without(1);
  EXPECT_EQ(rows.shape, (llvm::SmallVector<int64_t, 4>{16}));
  EXPECT_EQ(rows.numRegisters(), 2u);
  EXPECT_EQ(rows.copiesInLanes(), 3u);
  EXPECT_EQ(places(rows).size(), 16u);
  EXPECT_EQ(example({16, 32}).collapsed(1), rows.withUnitDimension(1));
  EXPECT_EQ(example({24, 96}).without(0).repeats, (llvm::SmallVector<int64_t, 4>{3}));
}

TEST(TileLayout, ReshapesKeepRowMajorOrder) {
  Layout layout = example({16, 32});
  auto flat = layout.reshaped({512});
  ASSERT_TRUE(flat);
  for (unsigned i = 0; i < layout.numRegisters(); ++i)
    EXPECT_EQ(flat->ofRegister(i)[0], layout.ofRegister(i)[0] * 32 + layout.ofRegister(i)[1]);
  EXPECT_EQ(flat->reshaped({16, 32}), layout);
  EXPECT_FALSE(example({16, 96}).reshaped({16 * 96}));
}

TEST(TileLayout, RegistersAreFound) {
  Layout layout = example({24, 96});
  RegisterTable table(layout);
  for (unsigned i = 0; i < layout.numRegisters(); ++i)
    EXPECT_EQ(table.find(layout.ofRegister(i)), i);
  EXPECT_FALSE(table.find({0, 2})); // Lane 1 has it.
}

TEST(TileLayout, MistakesAreFound) {
  Layout layout = example({16, 32});
  EXPECT_EQ(layout.mistake(), "");
  Layout lost = layout;
  lost.lanes.pop_back();
  EXPECT_EQ(lost.mistake(), "has elements of dimension 0 in no register of any thread");
  Layout outside = layout;
  outside.lanes[0] = {0, 32};
  EXPECT_EQ(outside.mistake(), "has a basis of coordinate 32 in dimension 1, whose unit has 32 elements");
  Layout odd = layout;
  odd.repeats = {3, 1};
  EXPECT_EQ(odd.mistake(), "repeats dimension 0, of size 16, 3 times; a unit's size is a power of two");
}
} // namespace
