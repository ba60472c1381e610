//===- LowerGroupOps.cpp - reductions over warps and blocks ---------------===//
//
// Before: gpu.subgroup_reduce, gpu.all_reduce and subgroup queries. After:
// gpu.shuffle over the target's warp width, shared memory and barriers, which are
// the ops that the vendors' conversions support.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Gpu/ShuffleGroups.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERGROUPOPS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Maximum number of threads in a block on any supported GPU.
constexpr unsigned kMostThreads = 1024;

/// Builds index arithmetic for the threads of a kernel, in i32.
struct Block {
  ImplicitLocOpBuilder b;
  unsigned warpWidth;
  std::optional<unsigned> threads; ///< Number of threads in a block, if the kernel declares it.
  Value zero, id, count;           ///< Linear thread id; number of threads in the block.

  Value constant(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
  Value size(gpu::Dimension d) { return toI32(gpu::BlockDimOp::create(b, d)); }
  Value thread(gpu::Dimension d) { return toI32(gpu::ThreadIdOp::create(b, d)); }
  Value toI32(Value index) { return arith::IndexCastOp::create(b, b.getI32Type(), index); }
  Value toIndex(Value value) { return arith::IndexCastUIOp::create(b, b.getIndexType(), value); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(x, y); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }

  Block(Operation *op, unsigned warpWidth) : b(op->getLoc(), op), warpWidth(warpWidth) {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    std::array<Value, 3> sizes;
    std::optional<ArrayRef<int32_t>> known;
    if (kernel)
      known = kernel.getKnownBlockSize();
    if (known)
      threads = (*known)[0] * (*known)[1] * (*known)[2];
    constexpr gpu::Dimension kAxes[] = {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
    for (unsigned i = 0; i < 3; ++i)
      sizes[i] = known ? constant((*known)[i]) : size(kAxes[i]);
    zero = constant(0);
    id = thread(kAxes[0]);
    if (!known || (*known)[1] != 1 || (*known)[2] != 1) {
      Value plane = add(thread(kAxes[1]), mul(sizes[1], thread(kAxes[2])));
      id = add(id, mul(sizes[0], plane));
    }
    count = threads ? constant(*threads) : mul(sizes[0], mul(sizes[1], sizes[2]));
  }

  Value lane() { return arith::AndIOp::create(b, id, constant(warpWidth - 1)); }
  Value warp() { return arith::ShRUIOp::create(b, id, constant(llvm::Log2_32(warpWidth))); }
  /// Number of warps in the block; the last one may be partial.
  Value warps() {
    return b.createOrFold<arith::ShRUIOp>(add(count, constant(warpWidth - 1)), constant(llvm::Log2_32(warpWidth)));
  }
  bool warpsAreFull() const { return threads && *threads % warpWidth == 0; }
};

using Combine = llvm::function_ref<Value(Value, Value)>;

/// Butterfly reduction with `combine` over `lanes` lanes, a power of two; all of them get the result. If `active` is
/// given, only the lanes below it exist, and the result is valid in lane 0.
Value butterfly(Block &block, Value value, unsigned lanes, Value lane, Value active, Combine combine) {
  for (unsigned step = 1; step < lanes; step *= 2) {
    Value offset = block.constant(step), width = block.constant(block.warpWidth);
    Value other = gpu::ShuffleOp::create(block.b, value, offset, width, gpu::ShuffleMode::XOR).getShuffleResult();
    Value sum = combine(value, other);
    if (active) {
      Value partner = arith::XOrIOp::create(block.b, lane, offset);
      Value exists = arith::CmpIOp::create(block.b, arith::CmpIPredicate::ult, partner, active);
      sum = arith::SelectOp::create(block.b, exists, sum, value);
    }
    value = sum;
  }
  return value;
}

/// Combines the partial results of the warps, stored in `parts`; every thread gets the result.
Value combineParts(Block &block, Value parts, Combine combine) {
  auto &b = block.b;
  unsigned warps = block.threads ? llvm::divideCeil(*block.threads, block.warpWidth) : 0;
  if (block.warpsAreFull() && llvm::isPowerOf2_32(warps) && warps <= block.warpWidth) {
    Value mine = arith::AndIOp::create(b, block.id, block.constant(warps - 1));
    Value part = memref::LoadOp::create(b, parts, ValueRange{block.toIndex(mine)});
    return butterfly(block, part, warps, Value(), Value(), combine);
  }
  Value first = memref::LoadOp::create(b, parts, ValueRange{block.toIndex(block.zero)});
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, one, block.toIndex(block.warps()), one, ValueRange(first));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value part = memref::LoadOp::create(b, parts, ValueRange{loop.getInductionVar()});
  scf::YieldOp::create(b, combine(loop.getRegionIterArg(0), part));
  return loop.getResult(0);
}

/// `kept`: the operation by which a full warp reduces, if that is left to the vendor's passes.
Value reduceBlock(Block &block, gpu::GPUFuncOp kernel, Value value, bool again,
                  std::optional<gpu::AllReduceOperation> kept, Combine combine) {
  auto &b = block.b;
  Value lane = block.lane(), active;
  if (!block.warpsAreFull()) {
    Value before = block.mul(block.warp(), block.constant(block.warpWidth));
    active = arith::SubIOp::create(b, block.count, before); // Threads in this warp, if less than its width.
  }
  Value sum = kept && !active ? gpu::SubgroupReduceOp::create(b, value, *kept, /*uniform=*/false).getResult()
                              : butterfly(block, value, block.warpWidth, lane, active, combine);
  if (block.threads && *block.threads <= block.warpWidth && block.warpsAreFull())
    return sum; // There is one full warp, in which every lane has the result.
  unsigned most = llvm::divideCeil(block.threads.value_or(kMostThreads), block.warpWidth);
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value parts = kernel.addWorkgroupAttribution(
      MemRefType::get({most}, value.getType(), MemRefLayoutAttrInterface(), space), b.getLoc());
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, block.zero);
  auto once = scf::IfOp::create(b, isFirst);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.thenBlock());
    memref::StoreOp::create(b, sum, parts, ValueRange{block.toIndex(block.warp())});
  }
  gpu::BarrierOp::create(b);
  Value total = combineParts(block, parts, combine);
  if (again) // Wait, so that the next round does not overwrite parts that a slower warp has not read yet.
    gpu::BarrierOp::create(b);
  return total;
}

/// Inlines the region of a reduction that combines two values.
Value inlineBody(OpBuilder &b, Region &body, Value x, Value y) {
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{x, y});
  for (Operation &op : body.front().without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(body.front().getTerminator()->getOperand(0));
}

/// One register, and one number in it.
bool isWord(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32; }

LogicalResult lowerReduction(gpu::AllReduceOp op, unsigned warpWidth, bool keepReductions) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel)
    return op.emitOpError("belongs in a kernel");
  bool straight = op->getParentOp() == kernel && llvm::hasSingleElement(kernel.getBody());
  if (!straight && !op.getUniform())
    return op.emitOpError("stands in control flow; mark it uniform if all threads of the block get there or none");
  if (!op.getBody().empty() && !llvm::hasSingleElement(op.getBody()))
    return op.emitOpError("has a body of several blocks");
  Block block(op, warpWidth);
  auto combine = [&](Value x, Value y) -> Value {
    if (op.getOp())
      return vector::makeArithReduction(block.b, block.b.getLoc(), gpu::convertReductionKind(*op.getOp()), x, y);
    return inlineBody(block.b, op.getBody(), x, y);
  };
  Value total = reduceBlock(block, kernel, op.getValue(), !straight,
                            keepReductions && isWord(op.getType()) ? op.getOp() : std::nullopt, combine);
  op.replaceAllUsesWith(total);
  op.erase();
  return success();
}

/// Shuffles a value as 32-bit words. The result is valid if any word's is, as all have the same source lane.
std::pair<SmallVector<Value>, Value> shuffleWords(OpBuilder &b, gpu::ShuffleOp op, ValueRange words) {
  SmallVector<Value> results;
  Value valid;
  for (Value word : words) {
    auto part = gpu::ShuffleOp::create(b, op.getLoc(), word, op.getOffset(), op.getWidth(), op.getMode());
    results.push_back(part.getShuffleResult());
    valid = part.getValid();
  }
  return {results, valid};
}

/// Shuffles are 32 bits wide: extends narrower values to one word and splits short vectors into several words.
struct ShuffleByWords : OpRewritePattern<gpu::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = op.getValue();
    Type type = value.getType(), word = b.getI32Type();
    auto vector = dyn_cast<VectorType>(type);
    Type element = getElementTypeOrSelf(type);
    unsigned bits = element.getIntOrFloatBitWidth() * (vector ? vector.getNumElements() : 1);
    if (!vector && bits < 32) {
      Type integer = b.getIntegerType(bits);
      Value raw = element.isInteger() ? value : arith::BitcastOp::create(b, loc, integer, value).getResult();
      auto [words, valid] = shuffleWords(b, op, arith::ExtUIOp::create(b, loc, word, raw).getResult());
      Value narrow = arith::TruncIOp::create(b, loc, integer, words.front());
      b.replaceOp(op, {element.isInteger() ? narrow : arith::BitcastOp::create(b, loc, type, narrow), valid});
      return success();
    }
    if (!vector || bits % 32 != 0)
      return b.notifyMatchFailure(op, "fits one word, or no number of words");
    auto wordVector = VectorType::get({bits / 32}, word);
    Value raw = vector::BitCastOp::create(b, loc, wordVector, value);
    SmallVector<Value> parts;
    for (unsigned i = 0; i < bits / 32; ++i)
      parts.push_back(vector::ExtractOp::create(b, loc, raw, i));
    auto [words, valid] = shuffleWords(b, op, parts);
    Value joined = vector::FromElementsOp::create(b, loc, wordVector, words);
    b.replaceOp(op, {vector::BitCastOp::create(b, loc, type, joined), valid});
    return success();
  }
};

/// Lowers a reduction over a warp that may be partial; upstream's patterns, which run later, read from all lanes.
void lowerInPart(gpu::SubgroupReduceOp op, unsigned warpWidth) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!kernel || op.getClusterSize() || (vector && vector.getRank() != 1))
    return;
  Block block(op, warpWidth);
  if (block.warpsAreFull())
    return;
  auto &b = block.b;
  auto combine = [&](Value x, Value y) {
    return vector::makeArithReduction(b, b.getLoc(), gpu::convertReductionKind(op.getOp()), x, y);
  };
  bool isSmall = block.threads && *block.threads < warpWidth && llvm::isPowerOf2_32(*block.threads);
  auto reduce = [&](Value value) -> Value {
    if (isSmall) // The partner lanes of so few steps always exist.
      return butterfly(block, value, *block.threads, Value(), Value(), combine);
    Value before = block.mul(block.warp(), block.constant(warpWidth));
    Value active = arith::SubIOp::create(b, block.count, before); // Threads in this warp, if less than its width.
    Value first = butterfly(block, value, warpWidth, block.lane(), active, combine);
    return gpu::ShuffleOp::create(b, first, block.zero, block.constant(warpWidth), gpu::ShuffleMode::IDX)
        .getShuffleResult();
  };
  if (!vector) {
    op.replaceAllUsesWith(reduce(op.getValue()));
  } else {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      elements.push_back(reduce(vector::ExtractOp::create(b, op.getValue(), i)));
    op.replaceAllUsesWith(vector::FromElementsOp::create(b, vector, elements).getResult());
  }
  op.erase();
}

/// Lowers a shuffle over groups of `width` lanes, fewer than a warp or known only at run time, to a shuffle over the
/// warp with explicit source lanes. The vendors' conversions are correct for the first group only.
struct ShuffleInGroups : OpRewritePattern<gpu::ShuffleOp> {
  ShuffleInGroups(MLIRContext *context, unsigned warpWidth) : OpRewritePattern(context), warpWidth(warpWidth) {}

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, PatternRewriter &rewriter) const override {
    std::optional<APInt> known = knownLanes(op.getWidth());
    if (known && *known == warpWidth)
      return rewriter.notifyMatchFailure(op, "is over the whole warp");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value whole = arith::ConstantIntOp::create(b, warpWidth, 32);
    if (staysInGroup(op)) {
      rewriter.replaceOpWithNewOp<gpu::ShuffleOp>(op, op.getValue(), op.getOffset(), whole, gpu::ShuffleMode::XOR);
      return success();
    }
    GroupPartner partner = partnerInGroup(b, op);
    Value result =
        gpu::ShuffleOp::create(b, op.getValue(), partner.lane, whole, gpu::ShuffleMode::IDX).getShuffleResult();
    rewriter.replaceOp(op, {result, partner.valid});
    return success();
  }

  unsigned warpWidth;
};

/// Rejects a width that is not a power of two up to the warp width.
LogicalResult checkWidth(gpu::ShuffleOp op, unsigned warpWidth) {
  std::optional<APInt> width = knownLanes(op.getWidth());
  if (!width || (width->isPowerOf2() && width->ule(warpWidth)))
    return success();
  return op.emitOpError("is over ") << width->getSExtValue() << " lanes; the width is a power of two up to "
                                    << warpWidth << ", the lanes of a warp here";
}

/// Lowers gpu.subgroup_size, subgroup_id and num_subgroups to arithmetic on thread ids.
void lowerSubgroupQuery(Operation *op, unsigned warpWidth) {
  Block block(op, warpWidth);
  Value answer;
  if (isa<gpu::SubgroupSizeOp>(op))
    answer = arith::ConstantIndexOp::create(block.b, warpWidth);
  else
    answer = block.toIndex(isa<gpu::SubgroupIdOp>(op) ? block.warp() : block.warps());
  op->replaceAllUsesWith(ValueRange{answer});
  op->erase();
}

struct LowerGroupOps : impl::LowerGroupOpsBase<LowerGroupOps> {
  using LowerGroupOpsBase::LowerGroupOpsBase;

  /// Applies patterns to the gpu dialect's ops alone: a kernel has few of them. `keeps`: upstream's patterns would take
  /// the reductions that are left to the vendor's passes.
  LogicalResult apply(RewritePatternSet patterns, bool keeps) {
    SmallVector<Operation *> lowered;
    getOperation().walk([&](Operation *op) {
      auto reduction = dyn_cast<gpu::SubgroupReduceOp>(op);
      bool kept = keeps && reduction && !reduction.getClusterSize() && isWord(reduction.getType());
      if (isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) && op->getNumRegions() == 0 && !kept)
        lowered.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(lowered, std::move(patterns), config);
  }

  void runOnOperation() override {
    const TargetInfo *info = device::targetInfoOf(getOperation());
    unsigned width = warpWidth ? warpWidth : info ? info->warpWidth : 32;
    bool keeps = keepReductions || (info && info->warpReductions);
    if (!llvm::isPowerOf2_32(width) || width > 64) {
      getOperation().emitError("warp-width is a power of two up to 64, not ") << width;
      return signalPassFailure();
    }
    SmallVector<Operation *> questions;
    SmallVector<gpu::AllReduceOp> reductions;
    SmallVector<gpu::SubgroupReduceOp> warpReductions;
    getOperation().walk([&](Operation *op) {
      if (isa<gpu::SubgroupSizeOp, gpu::SubgroupIdOp, gpu::NumSubgroupsOp>(op))
        questions.push_back(op);
      if (auto reduction = dyn_cast<gpu::AllReduceOp>(op))
        reductions.push_back(reduction);
      if (auto reduction = dyn_cast<gpu::SubgroupReduceOp>(op))
        warpReductions.push_back(reduction);
    });
    for (gpu::SubgroupReduceOp reduction : warpReductions)
      lowerInPart(reduction, width);
    for (gpu::AllReduceOp reduction : reductions)
      if (failed(lowerReduction(reduction, width, keeps)))
        return signalPassFailure();
    for (Operation *question : questions)
      lowerSubgroupQuery(question, width);
    WalkResult checked = getOperation().walk([&](gpu::ShuffleOp shuffle) {
      return succeeded(checkWidth(shuffle, width)) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populateGpuBreakDownSubgroupReducePatterns(patterns, /*maxShuffleBitwidth=*/32, PatternBenefit(3));
    for (auto [bits, benefit] : {std::pair(32u, 2), std::pair(64u, 1)}) {
      populateGpuLowerSubgroupReduceToShufflePatterns(patterns, width, bits, PatternBenefit(benefit));
      populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns, width, bits, PatternBenefit(benefit));
    }
    populateGpuShufflePatterns(patterns); // Splits 64-bit shuffles in two.
    patterns.add<ShuffleByWords>(&getContext());
    if (!masks && !(info && info->shuffleMasks))
      patterns.add<ShuffleInGroups>(&getContext(), width);
    populateGpuGlobalIdPatterns(patterns);
    if (failed(apply(std::move(patterns), keeps)))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
