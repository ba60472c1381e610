//===- ScheduleAttention.cpp - tiles of attention -------------------------===//
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
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

/// Which attention goes by rings (ComputingLoops.cpp in lib/Tiles), where `product` is that of the weights: of known
/// sizes, of heads whose rows fill or nearly fill those of a slot, in so many tiles that all multiprocessors have one,
/// with factors of 16 bits that are read from memory by rows, and scores that are changed by numbers of their places
/// alone. All other attention is pipelined.
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
  SmallVector<BlockArgument> read;
  for (auto [factor, contiguous] : factors) {
    read.push_back(operandOf(factor));
    if (!read.back() || dimensions.of(read.back()).back() != contiguous || getElementTypeOrSelf(factor) != element)
      return false;
  }
  if (!(element.isBF16() || element.isF16()) || getElementTypeOrSelf(last.getDpsInputs()[parts.kWeights]) != element)
    return false;
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isa<RankedTensorType>(argument.getType()) && !llvm::is_contained(read, argument) &&
        llvm::is_contained(dimensions.of(argument), positions))
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
           dimensions.size(dimension) <= kMostWideColumns;
  };
  return fits(size) && fits(summed) && tiles / kRingRows >= target.multiprocessors;
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
  bool isWhole = !ShapedType::isDynamic(size) && size <= (isWide ? kColumns : kMostWideColumns);
  int64_t side = isWide || !target.copiesAsync ? kSmallSide : kSide;
  ArrayRef<unsigned> made = loops.operands[last.getDpsInitOperand(0)->getOperandNumber()];
  ArrayRef<unsigned> own = dimensions.of(kernel.initArgument(0));
  if (own.size() != made.size()) {
    whyNot = "its result has other dimensions than its product";
    return {};
  }
  auto make = [&](int64_t rows) {
    TileSchedule schedule;
    schedule.summedStep = isWhole ? std::max<int64_t>(kLeastRows, llvm::PowerOf2Ceil(size)) : kColumns;
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
  if (dimensions.isStatic(*tokens) && dimensions.size(*tokens) >= kRingRows && isWhole &&
      goesByRing(kernel, parts, *product, sizeLoop, dimensions, target)) {
    TileSchedule schedule = make(kRingRows);
    schedule.online->step = kRingStep;
    schedule.warps = kRingWarps;
    schedule.ring = true;
    return {{std::nullopt, 0, schedule}};
  }
  if (dimensions.isStatic(*tokens)) {
    int64_t count = std::max<int64_t>(1, dimensions.size(*tokens));
    return {{std::nullopt, 0, make(std::clamp<int64_t>(llvm::PowerOf2Ceil(count), kLeastRows, side))}};
  }
  Schedules all{{*tokens, kFewRows, make(kFewRows)}};
  all.push_back({std::nullopt, 0, make(side)});
  return all;
}
} // namespace lispier::tensors
