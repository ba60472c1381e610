//===- ScheduleContraction.cpp - tiles of contractions --------------------===//
#include "TileSchedule.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;

namespace lispier::tensors {
namespace {
enum class Needs { Warpgroups, Copies, Matrices, RoundedRows, Rounded, CopiesOfRows, CopiesAlone, Nothing };

/// What a product is, as far as its tile depends on it.
struct ProductKind {
  bool isAlone;   ///< See isAlone().
  bool hasRows;   ///< The summed dimension is the last one of both factors.
  bool isRounded; ///< Factors of F32 may be rounded to TF32, and sums have enough elements for these instructions.
  bool ring;      ///< See multipliesByRing().
  bool knowsRows; ///< The result's rows are not only known to a call, which may have few.
};

struct ProductTile {
  Needs needs;
  int64_t bytes, m, n, k, stages, warps, cost, ring;
};

constexpr ProductTile kTiles[] = {
#define TILE(needs, bytes, rows, columns, summed, stages, warps, cost, ring)                                           \
  {Needs::needs, bytes, rows, columns, summed, stages, warps, cost, ring},
#include "ProductTiles.def"
};

/// What begins and ends a tile takes as long as 6 steps of 64 of a 128 x 128 one: 3 us on an H200.
constexpr double kTimeOfAnyTile = 6.0 * 128 * 128 * 100;
/// Sizes that only a call knows count as large.
constexpr int64_t kLarge = 1 << 16;
/// Elements of a tile of the result, beside which a thread has registers for what is done to it.
constexpr int64_t kMostBesideOthers = 128 * 128;
/// Rows of a tile where only the call knows how many there are.
constexpr int64_t kMostOfUnknownRows = 128;
/// Each of two products that are summed together has so many columns, or a multiple.
constexpr int64_t kLeastColumns = 32;
/// As many blocks of rows as share the columns that they read at about the same time.
constexpr int64_t kSuperRows = 8;
/// Of few rows, as in the decoding of one sequence, a tile has no more.
constexpr int64_t kFewRows = 16;

int64_t sizeOr(const GroupDimensions &dimensions, unsigned dimension, int64_t otherwise) {
  return dimensions.isStatic(dimension) ? dimensions.size(dimension) : otherwise;
}

int64_t bytesOfFactors(linalg::LinalgOp op) {
  int64_t bytes = 1;
  for (Value factor : op.getDpsInputs())
    bytes = std::max<int64_t>(bytes, llvm::divideCeil(getElementTypeOrSelf(factor).getIntOrFloatBitWidth(), 8));
  return bytes;
}

bool hasMatrices(Type factor, const TargetInfo &target) {
  auto isOf = [&](MatrixType type) {
    return type == MatrixType::BF16  ? factor.isBF16()
           : type == MatrixType::F16 ? factor.isF16()
           : type == MatrixType::S8  ? factor.isInteger(8)
                                     : false; // Those of F32 round.
  };
  return llvm::any_of(target.matrixInstructions, [&](const MatrixInstruction &each) { return isOf(each.factors); });
}

bool offers(const TargetInfo &target, Needs needs, Type factor, const ProductKind &kind) {
  switch (needs) {
  case Needs::Warpgroups:
    return target.has(Ability::Wgmma) && (factor.isBF16() || factor.isF16());
  case Needs::Copies:
    return target.copiesAsync && hasMatrices(factor, target);
  case Needs::Matrices:
    return hasMatrices(factor, target);
  case Needs::RoundedRows:
    return target.has(Ability::Wgmma) && kind.isRounded && kind.hasRows && factor.isF32();
  case Needs::Rounded:
    return target.copiesAsync && kind.isRounded &&
           llvm::any_of(target.matrixInstructions, [](const MatrixInstruction &each) { return each.rounds; });
  case Needs::CopiesOfRows:
    return target.copiesAsync && kind.hasRows;
  case Needs::CopiesAlone:
    return target.copiesAsync;
  case Needs::Nothing:
    return true;
  }
  llvm_unreachable("all cases return");
}

/// Whether what a block reads ahead has slots beside each other, and a thread registers for it beside its sums.
bool fitsWithoutCopies(const ProductTile &tile, const TargetInfo &target) {
  int64_t slots = (tile.m + tile.n) * tile.k * tile.stages * tile.bytes;
  return slots <= target.maxSharedBytes && tile.m * tile.n / (tile.warps * target.warpWidth) <= target.maxRegisters / 4;
}

int64_t countOf(const ProductTile &tile, ArrayRef<int64_t> sizes) {
  return llvm::divideCeil(sizes[0], tile.m) * llvm::divideCeil(sizes[1], tile.n) * sizes[3];
}

/// Whether each thread multiplies, for which sizes need not be powers of two.
bool isOfThreads(const ProductTile &tile) { return tile.needs > Needs::Rounded; }

/// The tile with sides that leave less beyond the end of the result. On an H200, a convolution of 256 pictures of 3 x
/// 224 x 224 with 96 windows of 11 x 11 and stride 4, tiles of 96 x 64 in place of 128 x 64 and steps of 12 in place of
/// 16: 4,080 us, 2,176; a transposed one of 8 x 48 x 64 x 64 x 64 with 48 windows of 3 x 3 x 3, 64 x 96 in place of 64
/// x 128: 16,766, 13,712; but one of 16 x 32 x 16 x 32 x 64 with 16 windows of 3 x 5 x 7, 16 x 96 in place of 16 x 128:
/// 6,255, 10,110.
ProductTile fitted(ProductTile tile, ArrayRef<int64_t> sizes) {
  constexpr int64_t kMultiple = 32, kLeastSide = 64;
  if (std::min(fittingSide(tile.m, sizes[0]), fittingSide(tile.n, sizes[1])) < kLeastSide)
    return tile;
  auto fit = [](int64_t &side, int64_t size) {
    if (size > kMultiple && size < kLarge)
      side = std::min(side, int64_t(llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, side)), kMultiple)));
  };
  fit(tile.m, sizes[0]);
  fit(tile.n, sizes[1]);
  return tile;
}

/// The tile as it is computed: by a ring where that is faster, which blocks that have one tile after the other are.
/// Of factors of 32 bits and more than a product, and of `count` products whose columns are not drained together
/// (RingResults.cpp in lib/Tiles), tiles whose bounds are not tested.
ProductTile asComputed(ProductTile tile, ArrayRef<int64_t> sizes, int64_t count, const ProductKind &kind,
                       int64_t multiprocessors) {
  constexpr int64_t kDrainedColumns = 64;
  bool isWhole = sizes[0] % tile.m == 0 && sizes[1] % tile.n == 0;
  bool mayTest = kind.isAlone || (tile.bytes == 2 && tile.n / count % kDrainedColumns == 0);
  if (!kind.ring || !(isWhole || mayTest) || countOf(tile, sizes) < multiprocessors)
    tile.ring = 0;
  if (tile.ring)
    tile.cost = tile.ring;
  return tile;
}

/// The time of a tile times the greatest number of tiles that a multiprocessor has.
double timeOf(const ProductTile &tile, ArrayRef<int64_t> sizes, int64_t multiprocessors) {
  double steps = llvm::divideCeil(sizes[2], 64);
  return double(llvm::divideCeil(countOf(tile, sizes), multiprocessors)) *
         (steps * tile.m * tile.n * tile.cost + kTimeOfAnyTile);
}

/// Whether the group is a product of known sizes alone, whose sums may be converted. Of a product that only the call
/// knows to be small, few large tiles would leave most of the machine idle.
bool isAlone(group::KernelOp kernel, linalg::LinalgOp product, const GroupDimensions &dimensions) {
  auto convertsAtMost = [&](linalg::LinalgOp op) {
    return op == product || isa<linalg::FillOp>(op) ||
           (op.getNumDpsInputs() == 1 &&
            llvm::all_of(op.getBlock()->without_terminator(), llvm::IsaPred<arith::TruncFOp, arith::ExtFOp>));
  };
  return kernel.getInits().size() == 1 && llvm::all_of(product.getDpsInputs(), llvm::IsaPred<BlockArgument>) &&
         llvm::all_of(dimensions.of(kernel.initArgument(0)),
                      [&](unsigned dimension) { return dimensions.isStatic(dimension); }) &&
         llvm::all_of(kernel.getBody().front().getOps<linalg::LinalgOp>(), convertsAtMost);
}

/// What is computed for an element of the results besides the product, in additions.
int64_t workBeside(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> products) {
  constexpr int64_t kElementary = 8; // A function, or a division.
  int64_t work = 0;
  for (linalg::LinalgOp each : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (!llvm::is_contained(products, each) && !isa<linalg::FillOp>(each))
      for (Operation &op : each.getBlock()->without_terminator())
        work += isa<math::MathDialect>(op.getDialect()) || isa<arith::DivFOp>(op) ? kElementary : 1;
  return work;
}

/// Of products, one of each matrix of a batch or two that meet, whose factors are read from memory by
/// rows or by columns, and whose results have their dimensions and are made of their elements one by one:
/// a ring multiplies, and what else is read is read beside the sums. Nothing is multiplied meanwhile, while blocks
/// without a ring take turns. Microseconds on an H100, 32,768 rows, without and by a ring: 3072 x 768 with bias 301,
/// 229; and GELU 330, 282; and its operand saved 400, 330 (work of 20); 768 x 3072 with bias and residual 299, 239; 768
/// x 768 99, 98; second factors by columns: 768 x 3072 224, 203; 768 x 768 86, 60; 3072 x 768 with GELU's derivative
/// (work of 34) 403, 520. 64 products of 512 x 512 x 512 55, 43; 16 of 2048 x 2048 x 128 106, 66; gated units, rows x
/// columns x summed: 1024 x 5632 x 2048 83, 70; 4096 x 14336 x 4096 1,490, 1,235; 8192 x 8192 x 2048 with both products
/// saved 961, 779. On an H200: gradients of weights, 32,768 rows, 768 x 768 79, 71; 2304 x 768 211, 194; 3072 x 768
/// 231, 225; products of one step, 192 of 1024 x 1024 x 64 290, 130.
bool multipliesByRing(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> products, const Contraction &contraction,
                      const GroupDimensions &dimensions) {
  const GroupDimensions::Loops &loops = dimensions.loops(products.front());
  unsigned rows = loops.dimensions[contraction.m], columns = loops.dimensions[contraction.n],
           summed = loops.dimensions[contraction.k];
  SmallVector<unsigned> own =
      llvm::map_to_vector(contraction.batch, [&](unsigned loop) { return loops.dimensions[loop]; });
  own.append({rows, columns});
  auto areRead = [&](linalg::LinalgOp product) {
    auto lastOf = [&](unsigned factor) {
      const GroupDimensions::Loops &each = dimensions.loops(product);
      return each.dimensions[each.operands[factor].back()];
    };
    return llvm::all_of(product.getDpsInputs(), llvm::IsaPred<BlockArgument>) &&
           (lastOf(0) == summed || lastOf(0) == rows) && (lastOf(1) == summed || lastOf(1) == columns);
  };
  constexpr int64_t kMostBeside = 28;
  if (rows == columns || workBeside(kernel, products) > kMostBeside || !contraction.outer.empty() ||
      !llvm::all_of(products, areRead))
    return false;
  for (unsigned result = 0; result < kernel.getInits().size(); ++result) {
    Type element = getElementTypeOrSelf(kernel.getInits()[result].getType());
    if (dimensions.of(kernel.initArgument(result)) != ArrayRef<unsigned>(own) ||
        !(element.isF32() || element.isBF16() || element.isF16()))
      return false;
  }
  return llvm::all_of(kernel.getBody().front().getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp each) {
    return llvm::is_contained(products, each) ||
           llvm::all_of(dimensions.loops(each).dimensions,
                        [&](unsigned dimension) { return llvm::is_contained(own, dimension); });
  });
}

/// The contractions of the group: one, or two of one operand, whose results meet.
SmallVector<linalg::LinalgOp> contractionsOf(group::KernelOp kernel, const GroupDimensions &dimensions) {
  return llvm::filter_to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>(),
                                [&](linalg::LinalgOp op) { return contractionOf(op, dimensions).has_value(); });
}

/// For sizes m, n, k and the number of products. Two that are summed together have a tile's columns between them: for
/// a thread they are one product of twice as many columns.
ProductTile chooseTile(ArrayRef<linalg::LinalgOp> products, std::array<int64_t, 4> sizes, ProductKind kind,
                       const TargetInfo &target) {
  int64_t count = products.size(), bytes = 1;
  for (linalg::LinalgOp product : products)
    bytes = std::max(bytes, bytesOfFactors(product));
  linalg::LinalgOp first = products.front();
  Type factor = getElementTypeOrSelf(first.getDpsInputs()[0]);
  sizes[1] *= count;
  std::optional<ProductTile> best;
  for (const ProductTile &tile : kTiles) {
    ProductTile each = asComputed(tile, sizes, count, kind, target.multiprocessors);
    bool isCandidate = best ? each.needs == best->needs : offers(target, each.needs, factor, kind);
    isCandidate &= kind.isAlone || each.ring || each.m * each.n / count <= kMostBesideOthers;
    isCandidate &= each.needs != Needs::Matrices || fitsWithoutCopies(each, target);
    isCandidate &= each.n % (count * kLeastColumns) == 0 && (kind.knowsRows || each.m <= kMostOfUnknownRows);
    if (count == 1 && isOfThreads(each))
      each = fitted(each, sizes);
    if (isCandidate && bytes <= each.bytes &&
        (!best || timeOf(each, sizes, target.multiprocessors) < timeOf(*best, sizes, target.multiprocessors)))
      best = each;
  }
  ProductTile tile = best ? *best : std::end(kTiles)[-1];
  tile.n /= count;
  return tile;
}

/// Of one row, each element of the result is a sum along a row of the other operand: a warp has such a row, or, of a
/// long one, walks it in chunks. Nothing is read twice, so that matrix instructions would wait for memory.
TileSchedule scheduleOneRow(unsigned summed, int64_t size, int64_t columns, int64_t products,
                            const TargetInfo &target) {
  constexpr int64_t kWarps = 4, kMostOfLane = 64, kChunkOfLane = 32;
  TileSchedule schedule;
  int64_t most = kMostOfLane / products * std::max(1u, target.warpWidth),
          chunk = kChunkOfLane / products * std::max(1u, target.warpWidth);
  bool isLong = ShapedType::isDynamic(size) || size > most;
  schedule.reduced[summed] = {isLong ? chunk : int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(size, 1))), isLong};
  schedule.warps = kWarps;
  schedule.blocks = {kPoint, std::min(kWarps, int64_t(llvm::PowerOf2Ceil(columns)))};
  return schedule;
}

/// Of a product that sums k elements `repeats` times, in loops over other dimensions.
TileSchedule scheduleFor(ProductTile tile, int64_t m, int64_t n, int64_t k, int64_t repeats) {
  TileSchedule schedule;
  bool isExact = isOfThreads(tile);
  constexpr int64_t kStepOfExact = 4;
  tile.m = fittingSide(tile.m, m);
  tile.n = fittingSide(tile.n, n);
  int64_t whole = isExact ? int64_t(llvm::alignTo(std::max<int64_t>(k, 1), kStepOfExact))
                          : std::max<int64_t>(kLeastOfRounded, llvm::PowerOf2Ceil(std::max<int64_t>(k, 1)));
  schedule.summedStep = tile.needs < Needs::Rounded ? fittingSide(tile.k, k) : std::min(tile.k, whole);
  schedule.stages = k <= schedule.summedStep && repeats == 1 && !tile.ring ? 1 : tile.stages;
  constexpr int64_t kLeastOfWarp = 256;
  schedule.warps = std::clamp<int64_t>(tile.m * tile.n / kLeastOfWarp, 1, tile.warps);
  schedule.superRows = kSuperRows;
  schedule.ring = tile.ring;
  schedule.blocks = {tile.m, tile.n};
  return schedule;
}
} // namespace

Schedules scheduleContraction(group::KernelOp kernel, const GroupDimensions &dimensions, const TargetInfo &target,
                              std::string &whyNot) {
  SmallVector<linalg::LinalgOp> products = contractionsOf(kernel, dimensions);
  linalg::LinalgOp op = products.front();
  Contraction product = *contractionOf(op, dimensions);
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  auto sizeOfLoop = [&](unsigned loop) { return sizeOr(dimensions, loops.dimensions[loop], kLarge); };
  int64_t n = sizeOfLoop(product.n), k = sizeOfLoop(product.k), batch = 1, repeats = 1;
  for (unsigned loop : product.batch)
    batch *= sizeOr(dimensions, loops.dimensions[loop], 1);
  for (unsigned loop : product.outer) // Those that only the call knows are no part of a pipelined loop.
    repeats *= sizeOr(dimensions, loops.dimensions[loop], 1);

  ArrayRef<unsigned> own = dimensions.of(kernel.initArgument(0));
  unsigned rows = loops.dimensions[product.m], columns = loops.dimensions[product.n];
  auto *row = llvm::find(own, rows);
  auto *column =
      rows == columns && row != own.end() ? std::find(row + 1, own.end(), columns) : llvm::find(own, columns);
  if (row == own.end() || column == own.end()) {
    whyNot = "its result has not both of the dimensions that a tile of its contraction has";
    return {};
  }
  unsigned summed = loops.dimensions[product.k];
  bool isOnlySum = llvm::all_of(kernel.getBody().front().getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp each) {
    return llvm::is_contained(products, each) || !llvm::is_contained(dimensions.loops(each).dimensions, summed);
  });
  bool alone = isAlone(kernel, op, dimensions);
  // The weights' rows are the columns of the result, each contiguous.
  bool hasRows = rows != columns && isOnlySum && llvm::all_of(products, [&](linalg::LinalgOp each) {
                   const GroupDimensions::Loops &own = dimensions.loops(each);
                   return llvm::all_of(ArrayRef(own.operands).take_front(2), [&](ArrayRef<unsigned> factor) {
                     return own.dimensions[factor.back()] == summed;
                   });
                 });
  bool isRounded = k > kLeastOfRounded / 2 && llvm::all_of(products, [](linalg::LinalgOp each) {
                     return tile::precisionOf(each) == tile::Precision::TF32;
                   });
  bool ring = multipliesByRing(kernel, products, product, dimensions),
       isKnown = dimensions.isStatic(rows) && dimensions.isStatic(columns);
  ProductKind kind = {alone, hasRows && products.size() == 1, isRounded, ring && isKnown, dimensions.isStatic(rows)};
  // What follows the product may have several elements for each of its own.
  SmallVector<unsigned> parts;
  for (unsigned result = 0; result < kernel.getInits().size(); ++result)
    for (unsigned dimension : dimensions.of(kernel.initArgument(result)))
      if (!llvm::is_contained(loops.dimensions, dimension) && dimensions.isStatic(dimension) &&
          dimensions.size(dimension) <= kMostParts && !llvm::is_contained(parts, dimension))
        parts.push_back(dimension);
  auto withPlaces = [&](TileSchedule schedule) {
    SmallVector<int64_t> blocks(own.size(), kPoint);
    blocks[row - own.begin()] = schedule.blocks[0];
    blocks[column - own.begin()] = schedule.blocks[1];
    schedule.blocks = std::move(blocks);
    schedule.parts = parts;
    return schedule;
  };
  auto make = [&](int64_t m) {
    return withPlaces(m == 1 ? scheduleOneRow(summed, dimensions.size(summed), n, products.size(), target)
                             : scheduleFor(chooseTile(products, {m, n, k, batch}, kind, target), m, n, k, repeats));
  };
  Schedules all;
  if (!dimensions.isStatic(rows)) {
    if (hasRows)
      all.push_back({rows, 1, make(1)});
    all.push_back({rows, kFewRows, make(kFewRows)});
  }
  int64_t m = sizeOr(dimensions, rows, kLarge);
  GuardedSchedule forAll{std::nullopt, 0, make(m)};
  bool isAnyBatch =
      llvm::any_of(product.batch, [&](unsigned loop) { return !dimensions.isStatic(loops.dimensions[loop]); });
  bool isLarge = kernel->hasAttr(kLargeAttr);
  if (ring && !forAll.schedule.ring && (!isKnown || isAnyBatch) && bytesOfFactors(op) == 2) {
    kind.ring = true;
    ProductTile tile = chooseTile(products, {m, n, k, isAnyBatch ? kLarge : batch}, kind, target);
    if (tile.ring && isLarge)
      return {{std::nullopt, 0, withPlaces(scheduleFor(tile, m, n, k, repeats)), forAll.schedule}};
    if (tile.ring)
      all.push_back({std::nullopt, 0, withPlaces(scheduleFor(tile, m, n, k, repeats)), std::nullopt,
                     target.multiprocessors * tile.m * tile.n});
  }
  all.push_back(std::move(forAll));
  return all;
}
} // namespace lispier::tensors
