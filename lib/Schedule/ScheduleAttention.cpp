//===- ScheduleAttention.cpp - tiles of attention -------------------------===//
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// Tokens of a tile, and positions of a step. Of 4-byte numbers, and without asynchronous copies, where memory of
/// blocks is small, tiles are smaller.
constexpr int64_t kSmallSide = 32, kSide = 64, kFewRows = 16, kPositionsOfF32 = 16;
/// Of a larger head, or one whose size only the call knows, a block has so many columns of the result, and computes the
/// scores for them again.
constexpr int64_t kMostWideColumns = 128, kColumns = 64;
/// Sizes of heads that go by rings. Of those whose step takes more numbers of a row, a step is half as long.
constexpr int64_t kMostOfRing = 256, kMostOfStep = 384;
/// No instruction has a smaller side.
constexpr int64_t kLeastRows = 16;

/// The dimension of the group that is dimension `position` of the tensor; none if that has one element.
std::optional<unsigned> dimensionOf(const GroupDimensions &dimensions, Value tensor, unsigned position) {
  ArrayRef<ReassociationIndices> parts = dimensions.parts(tensor);
  for (auto [part, dimension] : llvm::zip(parts, dimensions.of(tensor)))
    if (part.size() == 1 && part[0] == position)
      return dimension;
  return std::nullopt;
}
/// The operand of the group that the tensor is, in the group's dimensions.
BlockArgument operandOf(Value tensor) {
  while (isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return dyn_cast<BlockArgument>(tensor);
}

/// Operands that the scores are changed by at each position, such as a bias.
SmallVector<BlockArgument> changesOfPositions(group::KernelOp kernel, const group::AttentionParts &parts,
                                              unsigned positions, const GroupDimensions &dimensions) {
  linalg::LinalgOp last = parts.product, scores = parts.scores;
  SmallVector<BlockArgument> factors;
  for (Value factor :
       {scores.getDpsInputs()[parts.kQueries], scores.getDpsInputs()[parts.kKeys], last.getDpsInputs()[parts.kValues]})
    factors.push_back(operandOf(factor));
  return llvm::filter_to_vector(kernel.getBody().front().getArguments(), [&](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType()) && !llvm::is_contained(factors, argument) &&
           llvm::is_contained(dimensions.of(argument), positions);
  });
}

/// Which attention goes by rings (ComputingLoops.cpp in lib/Tiles), where `product` is that of the weights: of known
/// sizes, of heads whose rows fill or nearly fill those of a slot, in so many tiles that all multiprocessors have one,
/// with factors of 16 bits that are read from memory by rows. All other attention is pipelined, as is that of small
/// heads whose scores are changed by numbers of memory at each position: microseconds on an H200 with a bias [tokens
/// positions], pipelined and by a ring, 96 x 1024 x 64 116, 120, causal 84, 93; 32 x 2048 x 128 238, 199, causal 161,
/// 126.
bool goesByRing(group::KernelOp kernel, const group::AttentionParts &parts, const Contraction &product,
                unsigned sizeLoop, const GroupDimensions &dimensions, const TargetInfo &target) {
  linalg::LinalgOp last = parts.product, scores = parts.scores;
  const GroupDimensions::Loops &loops = dimensions.loops(last);
  unsigned positions = loops.dimensions[product.k], size = loops.dimensions[sizeLoop];
  std::optional<Contraction> ofScores = contractionOf(scores, dimensions);
  if (!target.has(Ability::Wgmma) || !ofScores)
    return false;
  unsigned summed = dimensions.loops(scores).dimensions[ofScores->k];
  std::pair<Value, unsigned> factors[] = {{scores.getDpsInputs()[parts.kQueries], summed},
                                          {scores.getDpsInputs()[parts.kKeys], summed},
                                          {last.getDpsInputs()[parts.kValues], size}};
  Type element = getElementTypeOrSelf(factors[0].first);
  for (auto [factor, contiguous] : factors)
    if (BlockArgument read = operandOf(factor);
        !read || dimensions.of(read).back() != contiguous || getElementTypeOrSelf(factor) != element)
      return false;
  if (dimensions.isStatic(size) && dimensions.size(size) <= kColumns &&
      !changesOfPositions(kernel, parts, positions, dimensions).empty())
    return false;
  if (!(element.isBF16() || element.isF16()) || getElementTypeOrSelf(last.getDpsInputs()[parts.kWeights]) != element)
    return false;
  int64_t tiles = 1;
  for (unsigned dimension : dimensions.of(kernel.initArgument(0))) {
    if (!dimensions.isStatic(dimension))
      return false;
    if (dimension != size)
      tiles *= dimensions.size(dimension);
  }
  constexpr int64_t kLeastSize = 48;
  auto fits = [&](unsigned dimension) {
    return dimensions.isStatic(dimension) && dimensions.size(dimension) >= kLeastSize &&
           dimensions.size(dimension) <= kMostOfRing;
  };
  return fits(size) && fits(summed) && tiles / kRingRows >= target.multiprocessors;
}

/// Positions of a ring's step. A thread has registers for the sums and the scores of a row that it shares with three
/// others, for what the scores are changed by at each position, and for what a function computes of them on the way.
/// Larger heads have no shared memory for two slots of more positions.
int64_t positionsOfStep(group::KernelOp kernel, const group::AttentionParts &parts, unsigned positions, unsigned size,
                        const GroupDimensions &dimensions) {
  constexpr int64_t kCostOfFunction = 16, kBitsOfNumber = 32;
  linalg::LinalgOp maximum = parts.maximum;
  int64_t columns = llvm::PowerOf2Ceil(dimensions.size(size)), ofRow = columns + kRingStep;
  auto bitsOf = [](Type element) { return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64; };
  for (BlockArgument change : changesOfPositions(kernel, parts, positions, dimensions))
    ofRow += kRingStep * bitsOf(getElementTypeOrSelf(change)) / kBitsOfNumber;
  // Where rows are not aligned and a kernel without a ring is launched, columns behind the end are masked in registers.
  if (columns != dimensions.size(size))
    ofRow += kRingStep / 4;
  // The expansion computes what costs much once, in an op of its own.
  auto changed = maximum.getDpsInputs()[0].getDefiningOp<linalg::LinalgOp>();
  if (changed && changed != linalg::LinalgOp(parts.scores) && elementCost(changed) >= kCostOfFunction)
    ofRow += kRingStep + kRingStep / 2;
  return columns > kMostWideColumns || ofRow > kMostOfStep ? kRingStep / 2 : kRingStep;
}
} // namespace

Schedules scheduleAttention(group::KernelOp kernel, const group::AttentionParts &parts,
                            const GroupDimensions &dimensions, const TargetInfo &target, std::string &whyNot) {
  linalg::LinalgOp last = parts.product;
  const GroupDimensions::Loops &loops = dimensions.loops(last);
  std::optional<unsigned> tokens = dimensionOf(dimensions, kernel.initArgument(0), parts.tokens);
  std::optional<Contraction> product = tokens ? contractionOf(last, dimensions, tokens) : std::nullopt;
  if (!product) {
    whyNot = "its tokens are no dimension of their own";
    return {};
  }
  unsigned rowLoop = loops.dimensions[product->m] == *tokens ? product->m : product->n;
  unsigned sizeLoop = rowLoop == product->m ? product->n : product->m;
  int64_t size = dimensions.size(loops.dimensions[sizeLoop]);
  auto isF32 = [](Value tensor) { return getElementTypeOrSelf(tensor).getIntOrFloatBitWidth() >= 32; };
  linalg::LinalgOp scores = parts.scores;
  bool isWide = isF32(scores.getDpsInputs()[parts.kQueries]) || isF32(last.getDpsInputs()[parts.kValues]);
  bool byRing = dimensions.isStatic(*tokens) && dimensions.size(*tokens) >= kRingRows &&
                goesByRing(kernel, parts, *product, sizeLoop, dimensions, target);
  bool isWhole = !ShapedType::isDynamic(size) && size <= (isWide ? kColumns : kMostWideColumns);
  int64_t side = isWide || !target.copiesAsync ? kSmallSide : kSide;
  ArrayRef<unsigned> made = loops.operands[last.getDpsInitOperand(0)->getOperandNumber()];
  ArrayRef<unsigned> own = dimensions.of(kernel.initArgument(0));
  if (own.size() != made.size()) {
    whyNot = "its result has other dimensions than its product";
    return {};
  }
  auto make = [&](int64_t rows, bool hasAllColumns) {
    TileSchedule schedule;
    schedule.summedStep = hasAllColumns ? std::max<int64_t>(kLeastRows, llvm::PowerOf2Ceil(size)) : kColumns;
    schedule.online = OnlineSoftmax{
        last, parts.maximum, parts.sum, parts.changed, parts.kWeights, *tokens, isWide ? kPositionsOfF32 : side};
    schedule.blocks.assign(own.size(), kPoint);
    // The result's conversions may have its dimensions in another order.
    for (auto [position, dimension] : llvm::enumerate(own)) {
      if (dimension == *tokens)
        schedule.blocks[position] = rows;
      else if (dimension == loops.dimensions[sizeLoop])
        schedule.blocks[position] = schedule.summedStep;
    }
    schedule.stages = target.copiesAsync ? 2 : 1;
    return schedule;
  };
  if (byRing) {
    TileSchedule schedule = make(kRingRows, /*hasAllColumns=*/true);
    schedule.online->step =
        positionsOfStep(kernel, parts, loops.dimensions[product->k], loops.dimensions[sizeLoop], dimensions);
    schedule.warps = kRingWarps;
    schedule.ring = true;
    return {{std::nullopt, 0, schedule, make(side, isWhole)}};
  }
  if (dimensions.isStatic(*tokens)) {
    int64_t count = std::max<int64_t>(1, dimensions.size(*tokens));
    return {{std::nullopt, 0, make(std::clamp<int64_t>(llvm::PowerOf2Ceil(count), kLeastRows, side), isWhole)}};
  }
  Schedules all{{*tokens, kFewRows, make(kFewRows, isWhole)}};
  all.push_back({std::nullopt, 0, make(side, isWhole)});
  return all;
}
} // namespace lispier::tensors
