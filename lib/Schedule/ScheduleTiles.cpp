//===- ScheduleTiles.cpp - tiles of elementwise groups and reductions -----===//
#include "RegionValue.h"
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// Of a thread, in accesses of 16 bytes of 4-byte elements: enough are in flight, and few registers are in use.
constexpr int64_t kElementsOfThread = 16;
constexpr int64_t kElementsOfBlock = 4096;
/// Where each takes hundreds of instructions, which are repeated for all elements of a thread: one access.
constexpr int64_t kLongElementsOfThread = 4;
/// Longer rows are read several times rather than kept in registers.
constexpr int64_t kMostRowColumns = 16384;
constexpr int64_t kWarpsOfChunk = 16, kMostWarps = 16;
/// Elements of a chunk, at most, of one operand that is reduced for a softmax; and where others need registers, too.
constexpr int64_t kMostOfChunk = 10240, kMostOfChunks = 8192;
/// The same of operands of 16 bits: memory is no longer what bounds a block, so that several share a multiprocessor.
constexpr int64_t kWarpsOfNarrowChunk = 8, kMostOfNarrowChunk = 2560;
/// Elements along the innermost of several reduced dimensions that one tile has.
constexpr int64_t kMostOfRow = 4096;
/// Where the number of columns is known only by a call, one program for each of these, and one for more.
constexpr int64_t kColumnLimits[] = {256, 1024, 4096};
/// The same of elementwise tiles, of which few lanes are to be past the end of a short row; longer ones are cut into
/// parts of one row.
constexpr int64_t kInnerLimits[] = {64, 256};
constexpr int64_t kInner = 1024;
/// The side of a tile along another dimension whose size only the call knows, which may be small.
constexpr int64_t kOuter = 16;
constexpr int64_t kShortSides = 64;
/// Elements of a window, and results of which there are more than a GPU has threads.
constexpr int64_t kMostOfWindow = 1024, kManyResults = 1 << 17;

/// Of an element.
int64_t bytesOf(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : sizeof(int64_t);
}

int64_t roundUp(int64_t value, int64_t multiple) { return llvm::divideCeil(value, multiple) * multiple; }

ArrayRef<unsigned> dimensionsOfResult(group::KernelOp kernel, const GroupDimensions &dimensions) {
  return dimensions.of(kernel.initArgument(0));
}

/// Dimensions that are contiguous in the memory of some operand with all of the first result's dimensions, beside which
/// others are small.
llvm::DenseSet<unsigned> innerDimensions(group::KernelOp kernel, const GroupDimensions &dimensions) {
  llvm::DenseSet<unsigned> inner;
  Block &body = kernel.getBody().front();
  size_t rank = dimensionsOfResult(kernel, dimensions).size();
  auto inits = body.getArguments().take_back(kernel.getInits().size());
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType()) && (!argument.use_empty() || llvm::is_contained(inits, argument)))
      if (ArrayRef<unsigned> own = dimensions.of(argument); !own.empty() && own.size() >= rank)
        inner.insert(own.back());
  return inner;
}

int64_t warpsFor(int64_t elements, const TargetInfo &target, int64_t most, int64_t ofThread = kElementsOfThread) {
  int64_t threads = std::max<int64_t>(1, elements / ofThread);
  int64_t warps = llvm::bit_floor(uint64_t(std::max<int64_t>(1, threads / std::max(1u, target.warpWidth))));
  return std::clamp<int64_t>(warps, 1, most);
}
} // namespace

int64_t sideOf(const GroupDimensions &dimensions, unsigned dimension, int64_t most) {
  if (!dimensions.isStatic(dimension))
    return most;
  int64_t size = std::max<int64_t>(1, dimensions.size(dimension));
  int64_t side = llvm::divideCeil(size, llvm::divideCeil(size, most));
  return std::min<int64_t>(most, side <= kRun ? int64_t(llvm::PowerOf2Ceil(side)) : roundUp(side, kRun));
}

namespace {
/// Elements that a thread computes of an elementwise group. Trigonometric functions and powers have reductions of large
/// arguments.
int64_t elementsOfThread(group::KernelOp kernel) {
  bool isLong = kernel
                    ->walk([](Operation *op) {
                      return isa<math::SinOp, math::CosOp, math::TanOp, math::PowFOp>(op) ? WalkResult::interrupt()
                                                                                          : WalkResult::advance();
                    })
                    .wasInterrupted();
  return isLong ? kLongElementsOfThread : kElementsOfThread;
}

/// Tiles of at most `most` elements, from the innermost dimension, along which they have at most `inner`, outwards.
TileSchedule elementwiseTiles(ArrayRef<unsigned> own, int64_t inner, int64_t most, int64_t ofThread,
                              const GroupDimensions &dimensions, const TargetInfo &target) {
  TileSchedule schedule;
  schedule.blocks.assign(own.size(), kPoint);
  int64_t left = most, elements = 1;
  for (unsigned position = own.size(); position-- > 0 && left > 1;) {
    bool isInner = position + 1 == own.size(), isStatic = dimensions.isStatic(own[position]);
    int64_t size = sideOf(dimensions, own[position], std::min(left, isInner ? inner : isStatic ? left : kOuter));
    schedule.blocks[position] = size == 1 ? kPoint : size;
    elements *= size;
    left = isInner || isStatic ? int64_t(llvm::bit_floor(uint64_t(left / size))) : 1;
  }
  schedule.warps = warpsFor(elements, target, 8, ofThread);
  return schedule;
}

/// Of a transposition the two contiguous dimensions alone, so that accesses on either side are long.
TileSchedule transpositionTiles(ArrayRef<unsigned> own, const llvm::DenseSet<unsigned> &inner,
                                const GroupDimensions &dimensions, const TargetInfo &target) {
  TileSchedule schedule;
  int64_t elements = 1;
  for (unsigned dimension : own) {
    int64_t size = inner.contains(dimension) ? sideOf(dimensions, dimension, kShortSides) : 1;
    schedule.blocks.push_back(size == 1 ? kPoint : size);
    elements *= size;
  }
  schedule.warps = warpsFor(elements, target, 8);
  return schedule;
}
/// Whether an op reads, at the place of each element, a row of a table by its number.
bool readsRows(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned inner) {
  return llvm::any_of(kernel.getBody().front().getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
    const GroupDimensions::Loops &loops = dimensions.loops(op);
    return llvm::any_of(op.getBlock()->getOps<tensor::ExtractOp>(), [&](tensor::ExtractOp extract) {
      auto column = extract.getIndices().empty() ? linalg::IndexOp()
                                                 : extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
      std::optional<unsigned> loop = column ? loops.ofIterator[column.getDim()] : std::nullopt;
      return loop && loops.dimensions[*loop] == inner;
    });
  });
}

/// Of one row, which is read 16 bytes at a time.
TileSchedule partsOfRows(ArrayRef<unsigned> own, const GroupDimensions &dimensions, const TargetInfo &target) {
  TileSchedule schedule;
  schedule.blocks.assign(own.size(), kPoint);
  int64_t size = sideOf(dimensions, own.back(), kInner);
  schedule.blocks.back() = size == 1 ? kPoint : size;
  schedule.warps = warpsFor(size, target, 8);
  return schedule;
}
} // namespace

Schedules scheduleElementwise(group::KernelOp kernel, const GroupDimensions &dimensions, const TargetInfo &target,
                              std::string &) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  llvm::DenseSet<unsigned> inner = innerDimensions(kernel, dimensions);
  if (llvm::count_if(own, [&](unsigned each) { return inner.contains(each); }) > 1)
    return {{std::nullopt, 0, transpositionTiles(own, inner, dimensions, target)}};
  if (!own.empty() && readsRows(kernel, dimensions, own.back()))
    return {{std::nullopt, 0, partsOfRows(own, dimensions, target)}};
  int64_t ofThread = elementsOfThread(kernel), ofBlock = kElementsOfBlock / kElementsOfThread * ofThread;
  auto tiles = [&](int64_t inner, int64_t most) {
    return elementwiseTiles(own, inner, most, ofThread, dimensions, target);
  };
  if (own.size() < 2 || dimensions.isStatic(own.back()))
    return {{std::nullopt, 0, tiles(ofBlock, ofBlock)}};
  Schedules all;
  for (int64_t limit : kInnerLimits)
    all.push_back({own.back(), limit, tiles(limit, ofBlock)});
  all.push_back({std::nullopt, 0, tiles(kInner, kInner)});
  return all;
}

namespace {
/// Warps that share a row of so many elements, at most 16, and the elements of a tile that has all of it.
int64_t warpsOfRow(int64_t columns) { return std::clamp<int64_t>(llvm::bit_floor(uint64_t(columns / 512)), 1, 16); }
int64_t tileOfRow(int64_t columns) {
  return columns < kRun ? int64_t(llvm::PowerOf2Ceil(columns)) : roundUp(columns, kRun * warpsOfRow(columns));
}

/// Of the dimensions, but the one that is reduced; 0 if only a call knows.
int64_t rowsOf(ArrayRef<unsigned> own, unsigned reduced, const GroupDimensions &dimensions) {
  int64_t rows = 1;
  for (unsigned dimension : own)
    if (dimension != reduced)
      rows = dimensions.isStatic(dimension) ? rows * dimensions.size(dimension) : 0;
  return rows;
}

/// Rows of `columns` elements, each in the registers of few warps; short ones several a block, more where there are
/// `many` rows. H200, sums of 524,288 rows of 64 elements, 1,024 elements a block: 41.1 us, 2,048: 34.9, 4,096: 34.2.
TileSchedule rowsInRegisters(ArrayRef<unsigned> own, unsigned reduced, int64_t columns, int64_t many,
                             const TargetInfo &target) {
  constexpr int64_t kElementsOfShort = 1024, kElementsOfMany = 2048, kBlocks = 16;
  TileSchedule schedule;
  constexpr int64_t kLeastWarps = 4;
  int64_t warps = warpsOfRow(columns), tile = tileOfRow(columns);
  bool areMany = many * tile >= kBlocks * target.multiprocessors * kElementsOfMany;
  int64_t elements = areMany ? kElementsOfMany : kElementsOfShort;
  int64_t rows = std::max<int64_t>(1, kLeastWarps * std::max<int64_t>(1, 512 / std::max<int64_t>(tile, kRun)) / warps);
  rows = tile < kRun ? std::max<int64_t>(1, elements / tile) : std::min<int64_t>(rows, kLeastWarps);
  schedule.warps = std::max(warps, kLeastWarps);
  schedule.reduced[reduced] = {tile, /*looped=*/false};
  schedule.blocks.assign(own.size(), kPoint);
  for (unsigned position = own.size(); position-- > 0;)
    if (own[position] != reduced) {
      schedule.blocks[position] = rows == 1 ? kPoint : rows;
      break;
    }
  return schedule;
}

/// Whether one tensor is read along the dimension, which is reduced at most twice: chunks of a maximum and a sum.
bool isAloneAlong(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned along) {
  Block &body = kernel.getBody().front();
  auto operands = llvm::count_if(body.getArguments().drop_back(kernel.getInits().size()), [&](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType()) && llvm::is_contained(dimensions.of(argument), along);
  });
  auto reductions = llvm::count_if(body.getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
    return llvm::is_contained(dimensions.loops(op).reduced, true) && !readsOneElement(op, dimensions);
  });
  return operands <= 1 && reductions <= 2;
}

/// Whether what is read along the dimension has 16 bits an element.
bool areNarrowAlong(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned along) {
  Block &body = kernel.getBody().front();
  return llvm::all_of(body.getArguments().drop_back(kernel.getInits().size()), [&](BlockArgument argument) {
    Type element = getElementTypeOrSelf(argument.getType());
    return !isa<RankedTensorType>(argument.getType()) || !llvm::is_contained(dimensions.of(argument), along) ||
           (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 16);
  });
}

/// Whether two reductions are made in one pass, which takes registers for both.
bool reducesJointly(group::KernelOp kernel, const GroupDimensions &dimensions) {
  return llvm::any_of(kernel.getBody().front().getOps<linalg::LinalgOp>(),
                      [&](linalg::LinalgOp op) { return jointReductionsOf(op, dimensions).has_value(); });
}

/// Chunks of about the same size, so that few lanes are past the end in the last one; of two reductions in one pass,
/// for which these lanes would take a test, chunks that leave none, if there are such.
TileSchedule rowsInChunks(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned reduced) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  bool isJoint = reducesJointly(kernel, dimensions), isNarrow = !isJoint && areNarrowAlong(kernel, dimensions, reduced);
  int64_t warps = isNarrow ? kWarpsOfNarrowChunk : kWarpsOfChunk;
  int64_t chunk = isNarrow                                                ? kMostOfNarrowChunk
                  : !isJoint && isAloneAlong(kernel, dimensions, reduced) ? kMostOfChunk
                                                                          : kMostOfChunks;
  if (dimensions.isStatic(reduced)) {
    int64_t columns = dimensions.size(reduced), multiple = kRun * warps, most = chunk;
    chunk = roundUp(llvm::divideCeil(columns, llvm::divideCeil(columns, chunk)), multiple);
    for (int64_t whole = multiple; isJoint && whole <= most; whole += multiple)
      if (columns % whole == 0)
        chunk = whole;
  }
  TileSchedule schedule;
  schedule.warps = warps;
  schedule.reduced[reduced] = {chunk, /*looped=*/true};
  schedule.blocks.assign(own.size(), kPoint);
  return schedule;
}

/// Long rows that are read for their statistics and again for results as long as they are, such as a softmax: they stay
/// in shared memory where a block has room for them. While one of a multiprocessor's blocks computes, another's rows
/// are read or written; where there is room for one block only, that has more warps.
std::optional<TileSchedule> keptRows(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned reduced,
                                     const TargetInfo &target) {
  constexpr int64_t kAccessBytes = 16, kOtherBytes = 4 << 10;
  Block &body = kernel.getBody().front();
  auto isAlong = [&](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType()) && llvm::is_contained(dimensions.of(argument), reduced);
  };
  auto results = body.getArguments().take_back(kernel.getInits().size());
  if (!target.copiesAsync || llvm::none_of(results, isAlong))
    return std::nullopt;
  int64_t bytes = 0, narrowest = kAccessBytes;
  for (BlockArgument argument : body.getArguments().drop_back(kernel.getInits().size()))
    if (isAlong(argument) && dimensions.of(argument).size() > 1) {
      bytes += bytesOf(argument);
      narrowest = std::min(narrowest, bytesOf(argument));
      if (dimensions.of(argument).back() != reduced)
        return std::nullopt;
    }
  for (auto [blocks, warps] : {std::pair<int64_t, int64_t>(2, 16), {1, 32}}) {
    int64_t chunk = warps * std::max(1u, target.warpWidth) * (kAccessBytes / narrowest);
    if (bytes == 0 || roundUp(dimensions.size(reduced), chunk) * bytes + kOtherBytes > target.maxSharedBytes / blocks)
      continue;
    TileSchedule schedule;
    schedule.warps = warps;
    schedule.keepsRows = true;
    schedule.reduced[reduced] = {chunk, /*looped=*/true};
    schedule.blocks.assign(dimensionsOfResult(kernel, dimensions).size(), kPoint);
    return schedule;
  }
  return std::nullopt;
}

/// Warps of each of `programs`, so that a multiprocessor has as many as hide the latency of its memory.
int64_t warpsOfPrograms(int64_t programs, const TargetInfo &target) {
  constexpr int64_t kThreads = 1024, kMostThreadsOfBlock = 512, kLeastWarps = 8;
  int64_t width = std::max(1u, target.warpWidth);
  int64_t warps = kThreads / width * target.multiprocessors / std::max<int64_t>(programs, 1);
  int64_t most = std::max<int64_t>(kLeastWarps, kMostThreadsOfBlock / width);
  return llvm::bit_floor(uint64_t(std::clamp(warps, kLeastWarps, most)));
}

/// Where the first result has the dimension along which an operand that is reduced along another is contiguous, and the
/// bytes of an element of such operands, of the shortest.
struct Columns {
  unsigned position;
  int64_t element;
};

/// Columns: a thread sums rows of neighbouring elements, so that accesses are contiguous. Of long columns a program has
/// few, so that there are many programs, and each reads many rows at once.
TileSchedule columnSums(ArrayRef<unsigned> own, unsigned reduced, Columns columns, const GroupDimensions &dimensions,
                        const TargetInfo &target) {
  TileSchedule schedule;
  bool isShort = dimensions.isStatic(reduced) && dimensions.size(reduced) <= kShortSides;
  int64_t most = kRun, elements = kElementsOfBlock;
  if (!isShort) {
    most = lineColumns(columns.element);
    if (dimensions.isStatic(own[columns.position])) {
      int64_t results = 1;
      for (unsigned dimension : own)
        if (dimension != reduced && dimensions.isStatic(dimension))
          results *= dimensions.size(dimension);
      // Somewhat fewer programs are better than halves of a line of memory.
      most = std::clamp<int64_t>(llvm::bit_floor(uint64_t(results / (kProgramsOfColumns * 3 / 4))),
                                 sectorColumns(columns.element), most);
      elements =
          kElementsOfThread * warpsOfPrograms(llvm::divideCeil(results, most), target) * std::max(1u, target.warpWidth);
    }
  }
  int64_t side = sideOf(dimensions, own[columns.position], most);
  int64_t rows = sideOf(dimensions, reduced, isShort ? kShortSides : elements / side);
  bool isWhole = dimensions.isStatic(reduced) && dimensions.size(reduced) <= rows;
  schedule.reduced[reduced] = {rows, !isWhole};
  schedule.blocks.assign(own.size(), kPoint);
  schedule.blocks[columns.position] = side == 1 ? kPoint : side;
  schedule.warps = isShort ? schedule.warps : warpsFor(rows * side, target, kMostWarps);
  return schedule;
}

/// The columns along which a kernel reduces, if it does. Operands may be contiguous along `along`, of which a tile of
/// several columns has long runs, too.
std::optional<Columns> columnsOf(group::KernelOp kernel, const GroupDimensions &dimensions, unsigned along) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  std::optional<Columns> columns;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()) || !llvm::is_contained(dimensions.of(argument), along))
      continue;
    unsigned inner = dimensions.of(argument).back();
    auto *at = llvm::find(own, inner);
    if (inner == along || at == own.end())
      continue;
    int64_t bytes = bytesOf(argument);
    columns = {unsigned(at - own.begin()), columns ? std::min(columns->element, bytes) : bytes};
  }
  return columns;
}
/// The reduced dimensions, outermost first, in the order that a tensor has which has them all, or else an op, as one
/// that sums over the pairs of two vectors' elements; empty if none has.
SmallVector<unsigned> reducedInOrder(group::KernelOp kernel, const GroupDimensions &dimensions,
                                     const llvm::SmallSetVector<unsigned, 2> &reduced) {
  auto ofReduced = [&](ArrayRef<unsigned> all) {
    return llvm::filter_to_vector(all, [&](unsigned each) { return reduced.contains(each); });
  };
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      if (SmallVector<unsigned> own = ofReduced(dimensions.of(argument)); own.size() == reduced.size())
        return own;
  for (auto op : body.getOps<linalg::LinalgOp>())
    if (SmallVector<unsigned> own = ofReduced(dimensions.loops(op).dimensions); own.size() == reduced.size())
      return own;
  return {};
}

/// Loops over the `outer` reduced dimensions, outermost first, around tiles of what `schedule` has. The innermost has
/// several rows in a tile while that has at most `most` elements.
TileSchedule inLoopsOver(ArrayRef<unsigned> outer, TileSchedule schedule, int64_t most,
                         const GroupDimensions &dimensions) {
  int64_t elements = 1;
  for (auto &[dimension, how] : schedule.reduced)
    elements *= how.size;
  for (int64_t block : schedule.blocks)
    elements *= std::max<int64_t>(1, block);
  for (unsigned dimension : llvm::reverse(outer)) {
    int64_t rows = llvm::bit_floor(uint64_t(std::max<int64_t>(1, most / elements)));
    rows = sideOf(dimensions, dimension, dimensions.isStatic(dimension) ? rows : std::min(rows, kOuter));
    bool isWhole = dimensions.isStatic(dimension) && dimensions.size(dimension) <= rows;
    schedule.reduced[dimension] = {rows == 1 && !isWhole ? kPoint : rows, !isWhole};
    elements *= rows;
  }
  return schedule;
}

/// One program for each place of the dimensions that are kept, which may be few: it has many warps.
TileSchedule rowsOfSeveral(group::KernelOp kernel, const GroupDimensions &dimensions, ArrayRef<unsigned> reduced,
                           int64_t columns) {
  TileSchedule schedule;
  schedule.warps = kWarpsOfChunk;
  schedule.blocks.assign(dimensionsOfResult(kernel, dimensions).size(), kPoint);
  schedule.reduced[reduced.back()] = {tileOfRow(columns), /*looped=*/false};
  return inLoopsOver(reduced.drop_back(), schedule, kMostOfChunks, dimensions);
}

/// Reductions along several dimensions between which others are kept, such as those of a batch norm.
Schedules scheduleSeveral(group::KernelOp kernel, const GroupDimensions &dimensions, ArrayRef<unsigned> reduced,
                          const TargetInfo &target) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions), outer = reduced.drop_back();
  unsigned along = reduced.back();
  if (std::optional<Columns> columns = columnsOf(kernel, dimensions, along)) {
    TileSchedule sums = columnSums(own, along, *columns, dimensions, target);
    return {{std::nullopt, 0, inLoopsOver(outer, std::move(sums), kElementsOfBlock, dimensions)}};
  }
  Schedules all;
  bool isStatic = dimensions.isStatic(along);
  for (int64_t limit : kColumnLimits)
    if (!isStatic)
      all.push_back({along, limit, rowsOfSeveral(kernel, dimensions, reduced, limit)});
  if (isStatic && dimensions.size(along) <= kMostOfRow) {
    all.push_back(
        {std::nullopt, 0, rowsOfSeveral(kernel, dimensions, reduced, std::max<int64_t>(1, dimensions.size(along)))});
    return all;
  }
  TileSchedule chunks = rowsInChunks(kernel, dimensions, along);
  all.push_back({std::nullopt, 0, inLoopsOver(outer, std::move(chunks), kMostOfChunks, dimensions)});
  return all;
}

/// Whether elements of the memory are at several places of the type.
bool overlaps(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || llvm::any_of(strides, ShapedType::isDynamic))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> steps;
  for (auto [stride, size] : llvm::zip(strides, type.getShape()))
    steps.push_back({stride, size});
  llvm::sort(steps);
  int64_t extent = 0;
  for (auto [stride, size] : steps) {
    if (size > 1 && stride <= extent)
      return true;
    extent += stride * (size - 1);
  }
  return false;
}

/// Few elements for each of many results, along several dimensions, or of an operand whose rows overlap: windows. A
/// thread, which has results, walks their elements.
std::optional<TileSchedule> windowSums(group::KernelOp kernel, const GroupDimensions &dimensions,
                                       ArrayRef<unsigned> reduced, bool padded, const TargetInfo &target) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  auto countOf = [&](ArrayRef<unsigned> along) {
    int64_t count = 1;
    for (unsigned dimension : along)
      count = dimensions.isStatic(dimension) ? count * dimensions.size(dimension) : 0;
    return count;
  };
  bool isWindow = padded || reduced.size() > 1 || llvm::any_of(kernel.getInputs(), [](Value input) {
                    auto type = dyn_cast<MemRefType>(input.getType());
                    return type && overlaps(type);
                  });
  int64_t elements = countOf(reduced);
  if (!isWindow || elements == 0 || elements > kMostOfWindow || (!padded && countOf(own) < kManyResults) ||
      llvm::any_of(reduced, [&](unsigned dimension) { return llvm::is_contained(own, dimension); }))
    return std::nullopt;
  TileSchedule schedule = elementwiseTiles(own, kInner, kInner, kLongElementsOfThread, dimensions, target);
  for (unsigned dimension : reduced)
    schedule.reduced[dimension] = {kPoint, /*looped=*/true};
  return schedule;
}
} // namespace

Schedules scheduleReductions(group::KernelOp kernel, const GroupDimensions &dimensions, bool padded,
                             const TargetInfo &target, std::string &whyNot) {
  llvm::SmallSetVector<unsigned, 2> reduced;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    for (auto [dimension, isReduced] : llvm::zip(dimensions.loops(op).dimensions, dimensions.loops(op).reduced))
      if (isReduced)
        reduced.insert(dimension);
  if (std::optional<TileSchedule> rows = scheduleSummedRows(kernel, dimensions, target))
    return {{std::nullopt, 0, std::move(*rows)}};
  if (std::optional<TileSchedule> windows = windowSums(kernel, dimensions, reduced.getArrayRef(), padded, target))
    return {{std::nullopt, 0, std::move(*windows)}};
  if (reduced.size() > 1) {
    SmallVector<unsigned> inOrder = reducedInOrder(kernel, dimensions, reduced);
    if (!inOrder.empty())
      return scheduleSeveral(kernel, dimensions, inOrder, target);
    whyNot = "its reductions are along several dimensions that no op has together";
    return {};
  }
  unsigned along = reduced.front();
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  if (std::optional<Columns> columns = columnsOf(kernel, dimensions, along))
    return {{std::nullopt, 0, columnSums(own, along, *columns, dimensions, target)}};
  int64_t many = rowsOf(own, along, dimensions);
  if (dimensions.isStatic(along)) {
    int64_t columns = dimensions.size(along);
    if (columns > kMostRowColumns)
      if (std::optional<TileSchedule> kept = keptRows(kernel, dimensions, along, target))
        return {{std::nullopt, 0, std::move(*kept)}};
    return {{std::nullopt, 0,
             columns <= kMostRowColumns ? rowsInRegisters(own, along, std::max<int64_t>(columns, 1), many, target)
                                        : rowsInChunks(kernel, dimensions, along)}};
  }
  Schedules all;
  for (int64_t limit : kColumnLimits)
    all.push_back({along, limit, rowsInRegisters(own, along, limit, many, target)});
  all.push_back({std::nullopt, 0, rowsInChunks(kernel, dimensions, along)});
  return all;
}

namespace {
/// Elements of a row that a warp scans in a step: four accesses of 16 bytes of a thread.
constexpr int64_t kScannedByWarp = 512;
/// Rows of which there are as many as warps that a GPU runs, and as many as blocks.
constexpr int64_t kManyRows = 4096, kSomeRows = 1024;

/// A row in steps: of many rows each has a warp, whose lanes exchange what they carry without a barrier.
TileSchedule scannedInSteps(ArrayRef<unsigned> own, unsigned along, int64_t rows, int64_t columns) {
  TileSchedule schedule;
  int64_t warps = rows >= kManyRows ? 1 : rows >= kSomeRows || rows == 0 ? 4 : kMostWarps;
  schedule.warps = std::clamp<int64_t>(llvm::bit_floor(uint64_t(columns / kScannedByWarp)), 1, warps);
  schedule.reduced[along] = {kScannedByWarp * schedule.warps, /*looped=*/true};
  schedule.blocks.assign(own.size(), kPoint);
  return schedule;
}

/// A thread for each row, which takes its elements one after the other: warps of neighbours.
TileSchedule walkedByThreads(ArrayRef<unsigned> own, unsigned along, const GroupDimensions &dimensions,
                             const TargetInfo &target) {
  TileSchedule schedule;
  schedule.warps = 1;
  schedule.reduced[along] = {kPoint, /*looped=*/true};
  schedule.blocks.assign(own.size(), kPoint);
  for (unsigned position = own.size(); position-- > 0;)
    if (own[position] != along) {
      int64_t side = sideOf(dimensions, own[position], std::max(1u, target.warpWidth));
      schedule.blocks[position] = side == 1 ? kPoint : side;
      break;
    }
  return schedule;
}
} // namespace

Schedules scheduleScan(group::KernelOp kernel, group::ScanOp scan, const GroupDimensions &dimensions,
                       const TargetInfo &target) {
  ArrayRef<unsigned> own = dimensionsOfResult(kernel, dimensions);
  const auto *place = llvm::find_if(dimensions.parts(scan.getResult()), [&](const ReassociationIndices &part) {
    return llvm::is_contained(part, scan.getDimension());
  });
  unsigned along = dimensions.of(scan.getResult())[place - dimensions.parts(scan.getResult()).begin()];
  if (scan.hasStep())
    return {{std::nullopt, 0, walkedByThreads(own, along, dimensions, target)}};
  if (std::optional<Columns> columns = columnsOf(kernel, dimensions, along))
    return {{std::nullopt, 0, columnSums(own, along, *columns, dimensions, target)}};
  int64_t rows = rowsOf(own, along, dimensions);
  if (dimensions.isStatic(along)) {
    int64_t columns = std::max<int64_t>(1, dimensions.size(along));
    return {{std::nullopt, 0,
             columns <= kScannedByWarp ? rowsInRegisters(own, along, columns, rows, target)
                                       : scannedInSteps(own, along, rows, columns)}};
  }
  constexpr int64_t kShortRow = 256;
  return {{along, kShortRow, rowsInRegisters(own, along, kShortRow, rows, target)},
          {std::nullopt, 0, scannedInSteps(own, along, rows, std::numeric_limits<int64_t>::max())}};
}
} // namespace lispier::tensors
