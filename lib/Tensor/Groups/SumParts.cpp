//===- SumParts.cpp - how a GPU makes a long sum in parts -----------------===//
#include "lispier/Tensor/Groups/SumParts.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
namespace {
/// A tile of a product's result, and the microseconds of an H200 for 64 elements of its sums.
struct TileTime {
  int64_t rows, columns;
  double step;
};
/// Small ones for results with few, and the largest that many products have.
constexpr TileTime kTileTimes[] = {{64, 64, 0.2}, {128, 192, 0.7}};
/// Without matrix instructions, of an H100, whose multiprocessors have three such blocks at a time: together they take
/// three times as long, two 2.64 times, and one alone twice: 256 x 256 x 524,288 in parts for two takes 2,125 us.
constexpr TileTime kTileTimesOfExact[] = {{128, 64, 3.15}};
constexpr double kTimesOfFew[] = {0, 2, 2.64, 3};

/// In how many parts, of which each has as many elements of a dimension of `length`, a product is made fastest: where
/// tiles are few, or leave a part of the machine idle for long.
int64_t bestParts(const ProductSizes &sizes, int64_t length, int64_t multiprocessors) {
  constexpr int64_t kLeast = 128, kMultiple = 16;
  // Microseconds of an H200: of a kernel's start, of what begins and ends a tile; bytes in one, to and from memory; and
  // from where on it is worth memory for the parts to save a smaller share.
  constexpr double kStart = 3, kTile = 3, kBytes = 4e6, kLong = 200, kLeastGain = 0.75, kLeastGainOfLong = 0.88;
  int64_t k = sizes.k * length;
  auto rounds = [&](int64_t blocks) {
    int64_t most = std::size(kTimesOfFew) - 1, full = blocks / (most * multiprocessors);
    return sizes.isExact ? kTimesOfFew[most] * full +
                               kTimesOfFew[llvm::divideCeil(blocks - full * most * multiprocessors, multiprocessors)]
                         : double(llvm::divideCeil(blocks, multiprocessors));
  };
  auto timeIn = [&](int64_t parts) {
    double best = std::numeric_limits<double>::infinity();
    for (const TileTime &tile : sizes.isExact ? ArrayRef(kTileTimesOfExact) : ArrayRef(kTileTimes)) {
      int64_t tiles = llvm::divideCeil(sizes.m, tile.rows) * llvm::divideCeil(sizes.n, tile.columns) * sizes.batch;
      double whole = tile.step * double(k / parts) / 64 + kTile;
      best = std::min(best, rounds(tiles * parts) * whole);
    }
    double added = kStart + double(parts * sizes.m * sizes.n * sizes.batch * 8) / kBytes;
    return best + (parts > 1 ? added : 0);
  };
  int64_t best = 1;
  for (int64_t parts = 2; parts <= std::min(length, 2 * multiprocessors); ++parts)
    if (int64_t each = k / parts; length % parts == 0 && each >= kLeast && each % kMultiple == 0)
      if (timeIn(parts) < timeIn(best))
        best = parts;
  double whole = timeIn(1);
  return timeIn(best) < (whole > kLong ? kLeastGainOfLong : kLeastGain) * whole ? best : 1;
}
} // namespace

SumParts partsOfProduct(const ProductSizes &sizes, int64_t length, int64_t multiprocessors) {
  // Of a length that only the call knows. A longer part would leave programs without one, a shorter one makes memory
  // for the parts as long as the factors.
  constexpr int64_t kPart = 1024, kLongest = 1 << 24;
  if (!ShapedType::isDynamic(length)) {
    int64_t parts = bestParts(sizes, length, multiprocessors);
    return parts > 1 ? SumParts{length / parts, 0} : SumParts();
  }
  int64_t each = std::max<int64_t>(1, kPart / sizes.k);
  for (int64_t least = 2 * each; least <= kLongest; least *= 2)
    if (bestParts(sizes, least, multiprocessors) > 1)
      return {each, least};
  return {};
}

SumParts partsOfRows(const RowSizes &sizes, int64_t length) {
  // What a program reads in about 10 us, which a second kernel is worth; what a part is to have, at least if all sizes
  // are known; elements that are accessed together.
  constexpr int64_t kLongRow = 300'000, kLeastOfPart = 1 << 14, kBytesOfPart = 1 << 16, kAccess = 4;
  int64_t others = sizes.kept / sizes.columns;
  int64_t programs = others * llvm::divideCeil(sizes.columns, sectorColumns(sizes.element));
  int64_t wide = others * llvm::divideCeil(sizes.columns, lineColumns(sizes.element));
  int64_t least = llvm::divideCeil(kLongRow * programs, sizes.bytes);
  bool isDynamic = ShapedType::isDynamic(length);
  // Of columns, programs with parts of them have whole lines of memory, too.
  bool areFew =
      programs <= kProgramsOfColumns / 8 || (!isDynamic && sizes.columns > 1 && 2 * wide <= kProgramsOfColumns);
  if (!areFew || (!isDynamic && length < least))
    return {};
  if (isDynamic) {
    int64_t each = llvm::bit_floor(uint64_t(std::max<int64_t>(1, kBytesOfPart * wide / sizes.bytes)));
    return {each, std::max(least, 2 * each)};
  }
  int64_t most = std::min(length, sizes.bytes * length / (wide * kLeastOfPart));
  most = std::clamp<int64_t>(2 * kProgramsOfColumns / wide, 2, std::max<int64_t>(2, most));
  int64_t multiple = sizes.isInnermost ? kAccess : 1;
  auto leavesNone = [&](int64_t parts) { return parts > 1 && length % parts == 0 && length / parts % multiple == 0; };
  for (int64_t fewer = 0; 2 * fewer < most; ++fewer)
    for (int64_t parts : {most - fewer, most + fewer / 2})
      if (leavesNone(parts))
        return {length / parts, 0};
  return {int64_t(llvm::alignTo(llvm::divideCeil(length, most), multiple)), 0};
}

std::optional<SummedRowTiles> tilesOfSummedRows(const SummedRows &sizes) {
  // Elements of a thread, and threads of a block, at least; of a row at most; what the lanes of a warp read together.
  constexpr int64_t kElements = 8, kLeastThreads = 128, kMostLanes = 512, kWarp = 32, kRun = 128, kMostColumns = 8192;
  // Registers of which a multiprocessor has for four such blocks, and what two may have.
  constexpr int64_t kFew = 128, kMost = 224;
  if (sizes.columns < 1 || sizes.columns > kMostColumns)
    return std::nullopt;
  if (sizes.columns < kRun) {
    int64_t columns = llvm::PowerOf2Ceil(sizes.columns);
    return SummedRowTiles{kWarp, columns, kElements * kLeastThreads / columns, kProgramsOfColumns, false};
  }
  std::optional<SummedRowTiles> best;
  int64_t least = kMost;
  for (int64_t lanes = kWarp; lanes <= kMostLanes && least > kFew; lanes *= 2) {
    int64_t columns = llvm::alignTo(sizes.columns, kRun * lanes / kWarp), elements = columns / lanes;
    // As ptxas has it, within a tenth: the sums, and four values of what is read, each as wide as its sum.
    int64_t need = elements * (sizes.sums + sizes.bytes - 1), ahead = need + elements * sizes.bytes * 3 / 8;
    if (need >= least || (lanes > kWarp && (columns - sizes.columns) * 10 > sizes.columns * 3))
      continue;
    least = need;
    best = SummedRowTiles{lanes, columns, std::max<int64_t>(1, kLeastThreads / lanes),
                          need > kFew ? kProgramsOfColumns / 2 : kProgramsOfColumns, ahead <= kFew};
  }
  return best;
}

std::optional<RowParts> partsOfSummedRows(ArrayRef<int64_t> rows, const SummedRows &sizes) {
  constexpr int64_t kLeastRows = 8, kLeastPrograms = 16; // Of a program, and of all.
  int64_t all = 1, outer = 1;
  for (int64_t size : rows)
    all *= ShapedType::isDynamic(size) ? 0 : size;
  std::optional<SummedRowTiles> tiles = tilesOfSummedRows(sizes);
  if (!tiles || all < kLeastRows * kLeastPrograms)
    return std::nullopt;
  int64_t programs = std::min(tiles->programs, all / kLeastRows);
  for (auto [dimension, size] : llvm::enumerate(rows)) {
    if (outer * size < programs) {
      outer *= size;
      continue;
    }
    for (int64_t more = 0; outer * more <= programs; ++more) // From as many as wanted on: up to half, and twice.
      for (int64_t parts : {programs / outer + more, programs / outer - more / 2})
        if (parts > 0 && size % parts == 0 && 2 * outer * parts >= programs && outer * parts <= 2 * programs)
          return RowParts{unsigned(dimension), size / parts};
    return std::nullopt;
  }
  return std::nullopt;
}
} // namespace lispier
