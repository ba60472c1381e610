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
  if (dimensions.isStatic(*tokens)) {
    int64_t count = std::max<int64_t>(1, dimensions.size(*tokens));
    return {{std::nullopt, 0, make(std::clamp<int64_t>(llvm::PowerOf2Ceil(count), kLeastRows, side))}};
  }
  Schedules all{{*tokens, kFewRows, make(kFewRows)}};
  all.push_back({std::nullopt, 0, make(side)});
  return all;
}
} // namespace lispier::tensors
