//===- AttendInBlocks.cpp - attention in blocks of rows on a CPU ----------===//
//
// Before: group.kernel of kind attention on memrefs, which no tile program and no nn op
// computes. After: an scf.parallel over heads and blocks of tokens, in which linalg ops
// on buffers of the thread compute the block in chunks of positions, so that no score
// leaves the cache. As on a GPU (TileAttention.cpp), a loop over the chunks carries the
// maximum, the sum of exponentials and the sum of values with these as weights.
//
//===----------------------------------------------------------------------===//
#include "BlockEmitter.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Tensor/Explain/SourcePlaces.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace lispier {
#define GEN_PASS_DEF_ATTENDINBLOCKS
#include "lispier/Schedule/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace tensors {
namespace {
/// Tokens of a block. Fewer than kLeastTokens read keys and values too seldom for copies of these to pay, and have
/// few scores.
constexpr int64_t kTokens = 64, kLeastTokens = 8;
/// What a chunk's copies of keys and values have, which stay in the second-level cache with the scores; and the largest
/// size of a head, beyond which buffers would exceed the cache and the stack.
constexpr int64_t kChunkBytes = 192 * 1024, kLeastPositions = 64, kMostPositions = 512, kLargestHead = 512;
/// The same for heads of a size that only the run knows, for which buffers are made.
constexpr int64_t kLargestUnknownHead = 256;

SmallVector<unsigned> loopsOf(linalg::LinalgOp op, OpOperand &operand) { return *loopDimsOf(op, operand); }
SmallVector<unsigned> loopsOfResult(linalg::LinalgOp op) { return loopsOf(op, *op.getDpsInitOperand(0)); }

/// For those of `all` that are `first` or `second`: 0 or 1.
SmallVector<unsigned, 2> orderOf(ArrayRef<unsigned> all, unsigned first, unsigned second) {
  SmallVector<unsigned, 2> order;
  for (unsigned each : all)
    if (each == first || each == second)
      order.push_back(each == first ? 0 : 1);
  return order;
}

Value multiplyAdd(OpBuilder &b, ValueRange factors, Value sum) {
  return arith::AddFOp::create(b, sum.getLoc(), sum, arith::MulFOp::create(b, sum.getLoc(), factors[0], factors[1]));
}

/// Computes one group.
class BlockedAttention {
public:
  explicit BlockedAttention(group::KernelOp kernel)
      : kernel(kernel), loc(kernel.getLoc()), b(kernel), parts(group::expandAttention(group::attentionIn(kernel))) {}

  /// Replaces the kernel, or fails with the reason. Where only the run knows whether blocks pay, the kernel stays for
  /// when they do not.
  LogicalResult emit(std::string &whyNot);
  /// What was emitted, for --explain.
  std::string text() const {
    return "blocks of " + std::to_string(loops[tokens].most) + " tokens, in chunks of " +
           std::to_string(loops[positions].most) + " positions";
  }

private:
  bool analyze(std::string &whyNot);
  OpFoldResult sizeOfResult(unsigned loop);
  Value guardOf(OpFoldResult positions);
  static BlockAxis wholeHead(OpFoldResult size) {
    return {Value(), size, getConstantIntValue(size).value_or(kLargestUnknownHead)};
  }
  void setAxes(scf::ParallelOp parallel);
  bool emitBlock(BlockEmitter &blocks, Value count);
  bool emitQueries(BlockEmitter &blocks);
  bool emitChunks(BlockEmitter &blocks, Value count);
  bool emitChunk(BlockEmitter &blocks);
  void emitSoftmax(BlockEmitter &blocks);
  bool emitResult(BlockEmitter &blocks);
  bool emitLogSum(BlockEmitter &blocks);
  Value copied(BlockEmitter &blocks, linalg::LinalgOp op, OpOperand &operand, ArrayRef<BlockAxis> axes, unsigned first,
               unsigned second);
  bool axesOfMaximum(SmallVectorImpl<BlockAxis> &axes, unsigned &rows, unsigned &columns);
  SmallVector<BlockAxis> axesOf(linalg::LinalgOp op, OpOperand &operand, ArrayRef<BlockAxis> axes) {
    return llvm::map_to_vector(loopsOf(op, operand), [&](unsigned loop) { return axes[loop]; });
  }
  int64_t positionsOfChunk() {
    int64_t bytes = std::max<int64_t>(1, (ofKeys.most + ofValues.most) * sum.getWidth() / 8);
    return std::clamp<int64_t>(llvm::bit_floor(uint64_t(kChunkBytes / bytes)), kLeastPositions, kMostPositions);
  }

  group::KernelOp kernel;
  Location loc;
  OpBuilder b;
  group::AttentionParts parts;
  linalg::LinalgOp product, scores;
  OpOperand *weights, *valuesRead, *queriesRead, *keysRead; ///< Of the product, and of the scores.
  unsigned tokens, positions, size;                         ///< Loops of the product.
  unsigned headSize, rowsOfScores, columnsOfScores;         ///< Loops of the scores.
  SmallVector<unsigned> outer; ///< Loops of the product that the parallel loop has, the tokens last.
  FloatType sum;               ///< In which everything is computed.
  BlockAxis ofKeys, ofValues;  ///< Whole heads.

  // Of the block.
  SmallVector<BlockAxis> loops, loopsOfQueries; ///< Axes of the product, and of the scores.
  Value queries, maximum, shrink, total, sums, score;
};

bool BlockedAttention::analyze(std::string &whyNot) {
  auto fail = [&](StringRef why) { return whyNot = why.str(), false; };
  for (Value operand : kernel->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()); type && llvm::is_contained(type.getShape(), 0))
      return fail("it has an operand without elements");
  product = parts.product, scores = parts.scores;
  weights = product.getDpsInputOperand(parts.kWeights), valuesRead = product.getDpsInputOperand(parts.kValues);
  queriesRead = scores.getDpsInputOperand(parts.kQueries), keysRead = scores.getDpsInputOperand(parts.kKeys);
  sum = Float32Type::get(kernel.getContext());
  for (Type type :
       {parts.changed.getType(), getElementTypeOrSelf(scores->getResult(0)), getElementTypeOrSelf(queriesRead->get()),
        getElementTypeOrSelf(valuesRead->get()), getElementTypeOrSelf(product->getResult(0))})
    if (cast<FloatType>(type).getWidth() > sum.getWidth())
      sum = cast<FloatType>(type);
  // Loops of the product are the result's dimensions, and the positions; those of the scores a row's number, the
  // positions, and the head size.
  tokens = parts.tokens, size = parts.valueSize, positions = product.getNumLoops() - 1;
  headSize = scores.getNumLoops() - 1, columnsOfScores = headSize - 1, rowsOfScores = headSize - 2;
  if (std::max(scores.getStaticLoopRanges()[headSize], product.getStaticLoopRanges()[size]) > kLargestHead)
    return fail("its heads are larger than " + std::to_string(kLargestHead));
  for (unsigned loop : loopsOfResult(product))
    if (loop != tokens && loop != size)
      outer.push_back(loop);
  outer.push_back(tokens);
  return true;
}

OpFoldResult BlockedAttention::sizeOfResult(unsigned loop) {
  return memref::getMixedSize(b, loc, kernel.getInits()[0], loop);
}

/// Whether blocks pay, a constant where sizes are known. A softmax of no positions is multiplied with none, which is 0.
Value BlockedAttention::guardOf(OpFoldResult positions) {
  auto compare = [&](OpFoldResult size, arith::CmpIPredicate predicate, int64_t limit) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, getValueOrCreateConstantIndexOp(b, loc, size),
                                         arith::ConstantIndexOp::create(b, loc, limit));
  };
  Value pays = compare(sizeOfResult(tokens), arith::CmpIPredicate::uge, kLeastTokens);
  pays = b.createOrFold<arith::AndIOp>(loc, pays, compare(positions, arith::CmpIPredicate::uge, 1));
  for (const BlockAxis &head : {ofKeys, ofValues})
    if (!getConstantIntValue(head.size))
      pays = b.createOrFold<arith::AndIOp>(loc, pays, compare(head.size, arith::CmpIPredicate::ule, head.most));
  return pays;
}

LogicalResult BlockedAttention::emit(std::string &whyNot) {
  if (!analyze(whyNot))
    return failure();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> lower(outer.size(), zero), upper, steps(outer.size(), one);
  for (unsigned loop : outer)
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, sizeOfResult(loop)));
  steps.back() = arith::ConstantIndexOp::create(b, loc, kTokens);
  auto parallel = scf::ParallelOp::create(b, loc, lower, upper, steps);
  auto giveUp = [&](StringRef why) {
    whyNot = why.str();
    parallel.erase();
    return failure();
  };
  b.setInsertionPoint(parallel);
  BlockEmitter blocks(kernel, b, parallel);
  auto sizeOf = [&](linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
    SmallVector<unsigned> all = loopsOf(op, operand);
    return blocks.size(operand.get(), llvm::find(all, loop) - all.begin());
  };
  OpFoldResult count = sizeOf(product, *valuesRead, positions), keySize = sizeOf(scores, *keysRead, headSize);
  if (!count || !keySize)
    return giveUp("the number of its positions, or the size of its heads, is not found");
  ofKeys = wholeHead(keySize), ofValues = wholeHead(sizeOfResult(size));
  Value pays = guardOf(count);
  std::optional<int64_t> known = getConstantIntValue(pays);
  if (known == 0)
    return giveUp("it has few tokens");
  std::optional<int64_t> rows = getConstantIntValue(sizeOfResult(tokens));
  if (rows && *rows <= kTokens &&
      llvm::all_of(ArrayRef(upper).drop_back(), [](Value each) { return isConstantIntValue(each, 1); }))
    return giveUp("it is one block, which one thread would compute");
  Value all = blocks.index(count);
  b.setInsertionPointToStart(parallel.getBody());
  setAxes(parallel);
  if (!emitBlock(blocks, all))
    return giveUp(blocks.whyNot().empty() ? "its ops have other dimensions than attention's" : blocks.whyNot());
  if (known) {
    kernel.erase();
    return success();
  }
  b.setInsertionPoint(parallel);
  auto branch = scf::IfOp::create(b, loc, pays, /*withElseRegion=*/true);
  parallel->moveBefore(branch.thenYield());
  kernel->moveBefore(branch.elseYield());
  return success();
}

void BlockedAttention::setAxes(scf::ParallelOp parallel) {
  loops.assign(product.getNumLoops(), BlockAxis());
  for (auto [loop, at] : llvm::zip(outer, parallel.getInductionVars()))
    loops[loop].start = at;
  std::optional<int64_t> known = getConstantIntValue(sizeOfResult(tokens));
  BlockAxis &rows = loops[tokens];
  rows.most = known ? std::min(*known, kTokens) : kTokens;
  rows.size = b.getIndexAttr(rows.most);
  if (!known || *known % rows.most) {
    Value left = arith::SubIOp::create(b, loc, parallel.getUpperBound().back(), rows.start);
    rows.size = arith::MinUIOp::create(b, loc, left, parallel.getStep().back()).getResult();
  }
  loops[size] = ofValues;
}

bool BlockedAttention::emitBlock(BlockEmitter &blocks, Value count) {
  loopsOfQueries.assign(scores.getNumLoops(), BlockAxis());
  for (auto [own, loop] : llvm::zip(loopsOfResult(scores), loopsOf(product, *weights)))
    loopsOfQueries[own] = loops[loop];
  loopsOfQueries[headSize] = ofKeys;
  const BlockAxis &rows = loops[tokens];
  queries = copied(blocks, scores, *queriesRead, loopsOfQueries, rowsOfScores, headSize);
  maximum = blocks.buffer(sum, rows), shrink = blocks.buffer(sum, rows), total = blocks.buffer(sum, rows);
  sums = blocks.buffer(sum, {rows, loops[size]});
  // What is below all finite numbers would make -inf - -inf of a position that is not seen.
  blocks.fill(maximum, sum.isF64() ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest());
  blocks.fill(total, 0);
  blocks.fill(sums, 0);
  return queries && emitChunks(blocks, count) && emitResult(blocks);
}

/// A copy of the factor of a product whose block has the dimensions `first` and `second`, in that order.
Value BlockedAttention::copied(BlockEmitter &blocks, linalg::LinalgOp op, OpOperand &operand, ArrayRef<BlockAxis> axes,
                               unsigned first, unsigned second) {
  std::optional<BlockMemory> source = blocks.block(operand.get(), axesOf(op, operand, axes));
  if (!source)
    return {};
  Value target = blocks.buffer(sum, {axes[first], axes[second]}, /*padded=*/true);
  blocks.copy(*source, orderOf(loopsOf(op, operand), first, second), target);
  return target;
}

bool BlockedAttention::emitChunks(BlockEmitter &blocks, Value count) {
  std::optional<int64_t> all = getConstantIntValue(count);
  int64_t most = all ? std::min(*all, positionsOfChunk()) : positionsOfChunk();
  SmallVector<BlockAxis> ofMaximum;
  unsigned rows, columns;
  if (!axesOfMaximum(ofMaximum, rows, columns))
    return false;
  LoopRange seen = blocks.seen(parts.maximum, parts.changed, ofMaximum, columns);
  Value step = arith::ConstantIndexOp::create(b, loc, most), begin = arith::ConstantIndexOp::create(b, loc, 0);
  bool isWhole = all && *all % most == 0 && !seen.begin && !seen.end;
  if (seen.begin)
    begin = arith::MaxSIOp::create(b, loc, begin, seen.begin);
  if (seen.end)
    count = arith::MinSIOp::create(b, loc, count, seen.end);
  auto walk = scf::ForOp::create(b, loc, begin, count, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(walk.getBody());
  BlockAxis chunk{walk.getInductionVar(), b.getIndexAttr(most), most};
  if (!isWhole) {
    Value left = arith::SubIOp::create(b, loc, count, chunk.start);
    chunk.size = arith::MinSIOp::create(b, loc, left, step).getResult();
  }
  loops[positions] = loopsOfQueries[columnsOfScores] = chunk;
  blocks.enter(walk);
  bool isComplete = emitChunk(blocks);
  blocks.leave();
  return isComplete;
}

/// The axes of the loops of the softmax's maximum, whose dimensions are those of the weights but the positions; and
/// which of them are tokens and positions.
bool BlockedAttention::axesOfMaximum(SmallVectorImpl<BlockAxis> &axes, unsigned &rows, unsigned &columns) {
  linalg::LinalgOp op = parts.maximum;
  SmallVector<unsigned> kept = loopsOfResult(op), ofWeights = loopsOf(product, *weights), reduced;
  op.getReductionDims(reduced);
  llvm::erase(ofWeights, positions);
  if (kept.size() != ofWeights.size() || reduced.size() != 1 || kept.size() + 1 != op.getNumLoops())
    return false;
  axes.assign(op.getNumLoops(), loops[positions]);
  for (auto [loop, ofProduct] : llvm::zip(kept, ofWeights)) {
    axes[loop] = loops[ofProduct];
    if (ofProduct == tokens)
      rows = loop;
  }
  columns = reduced[0];
  return true;
}

/// sums += weights of the chunk's positions times their values.
bool BlockedAttention::emitChunk(BlockEmitter &blocks) {
  Value keys = copied(blocks, scores, *keysRead, loopsOfQueries, headSize, columnsOfScores);
  if (!keys)
    return false;
  score = blocks.buffer(sum, {loops[tokens], loops[positions]});
  blocks.fill(score, 0);
  blocks.generic("ppr", {{queries, {0, 2}}, {keys, {2, 1}}}, {score, {0, 1}}, multiplyAdd);
  blocks.provide(scores->getResult(0), axesOf(scores, *scores.getDpsInitOperand(0), loopsOfQueries),
                 {score, orderOf(loopsOfResult(scores), rowsOfScores, columnsOfScores)});
  SmallVector<BlockAxis> ofMaximum;
  unsigned rows, columns;
  if (!axesOfMaximum(ofMaximum, rows, columns) ||
      !blocks.compute(parts.maximum, parts.changed, ofMaximum, score, {rows, columns}))
    return false;
  emitSoftmax(blocks);
  Value values = copied(blocks, product, *valuesRead, loops, positions, size);
  if (!values)
    return false;
  blocks.generic("ppr", {{score, {0, 2}}, {values, {2, 1}}}, {sums, {0, 1}}, multiplyAdd);
  return true;
}

/// The sums divided by those of the weights, and what the kernel makes of them.
bool BlockedAttention::emitResult(BlockEmitter &blocks) {
  auto divide = [&](OpBuilder &inside, ValueRange inputs, Value output) -> Value {
    return arith::DivFOp::create(inside, loc, inputs.size() == 2 ? inputs[1] : output, inputs[0]);
  };
  SmallVector<BlockAxis> ofResult = axesOf(product, *product.getDpsInitOperand(0), loops);
  if (kernel.getInits().size() == 2 && !emitLogSum(blocks))
    return false;
  Value yielded = kernel.yieldOp().getResults()[0];
  Value target = blocks.block(kernel.initArgument(0), ofResult)->memory;
  SmallVector<unsigned, 2> order = orderOf(loopsOfResult(product), tokens, size);
  if (yielded == product->getResult(0)) {
    blocks.generic("pp", {{total, {0}}, {sums, {0, 1}}}, {target, order}, divide);
    return true;
  }
  blocks.generic("pp", {{total, {0}}}, {sums, {0, 1}}, divide);
  blocks.provide(product->getResult(0), ofResult, {sums, order});
  auto op = yielded.getDefiningOp<linalg::LinalgOp>();
  std::optional<SmallVector<unsigned>> made = op ? loopDimsOf(op, *op.getDpsInitOperand(0)) : std::nullopt;
  if (!made || made->size() != op.getNumLoops() || op->getNumResults() != 1)
    return false;
  SmallVector<BlockAxis> ofLoops(op.getNumLoops());
  SmallVector<unsigned> outLoops;
  for (auto [loop, axis] : llvm::zip(*made, ofResult)) {
    ofLoops[loop] = axis;
    if (!axis.isPoint())
      outLoops.push_back(loop);
  }
  return blocks.compute(op, op.getBlock()->getTerminator()->getOperand(0), ofLoops, target, outLoops);
}

/// The second result: the maximum and the logarithm of the sum.
bool BlockedAttention::emitLogSum(BlockEmitter &blocks) {
  auto op = kernel.yieldOp().getResults()[1].getDefiningOp<linalg::LinalgOp>();
  SmallVector<BlockAxis> ofMaximum, ofResult;
  unsigned rows, columns;
  if (!axesOfMaximum(ofMaximum, rows, columns))
    return false;
  for (unsigned loop : loopsOfResult(op)) // Its loops are those of the maximum, but the positions.
    ofResult.push_back(ofMaximum[loop]);
  std::optional<BlockMemory> target = blocks.block(kernel.initArgument(1), ofResult);
  if (!target)
    return false;
  blocks.generic("p", {{maximum, {0}}, {total, {0}}}, {target->memory, {0}},
                 [&](OpBuilder &inside, ValueRange inputs, Value) -> Value {
                   Value logarithm = math::LogOp::create(inside, loc, inputs[1]);
                   Value made = arith::AddFOp::create(inside, loc, inputs[0], logarithm);
                   Type type = getElementTypeOrSelf(target->memory);
                   return made.getType() == type ? made : arith::TruncFOp::create(inside, loc, type, made).getResult();
                 });
  return true;
}

/// Of the scores their exponentials, of which `maximum` and `total` have the maximum and the sum; what was summed
/// before shrinks when the maximum grows.
void BlockedAttention::emitSoftmax(BlockEmitter &blocks) {
  blocks.generic("p", {{maximum, {0}}}, {shrink, {0}},
                 [&](OpBuilder &, ValueRange inputs, Value) { return inputs[0]; });
  blocks.generic("pr", {{score, {0, 1}}}, {maximum, {0}}, [&](OpBuilder &inside, ValueRange inputs, Value output) {
    return arith::MaximumFOp::create(inside, loc, output, inputs[0]);
  });
  blocks.generic("p", {{maximum, {0}}}, {shrink, {0}}, [&](OpBuilder &inside, ValueRange inputs, Value output) {
    return math::ExpOp::create(inside, loc, arith::SubFOp::create(inside, loc, output, inputs[0]));
  });
  // Below the least x of which e^x is a normal number, a weight is 0: beside one that is 1 it is negligible, and
  // a subnormal number takes Intel's processors some 300 cycles here, and again in each product.
  double least = sum.isF64() ? -708.0 : -87.0;
  blocks.generic("pp", {{maximum, {0}}}, {score, {0, 1}}, [&](OpBuilder &inside, ValueRange inputs, Value output) {
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(inside, loc, inside.getFloatAttr(sum, value));
    };
    Value below = arith::SubFOp::create(inside, loc, output, inputs[0]);
    Value isTiny = arith::CmpFOp::create(inside, loc, arith::CmpFPredicate::OLT, below, number(least));
    Value none = number(-std::numeric_limits<double>::infinity());
    return math::ExpOp::create(inside, loc, arith::SelectOp::create(inside, loc, isTiny, none, below));
  });
  auto times = [&](OpBuilder &inside, ValueRange inputs, Value output) {
    return arith::MulFOp::create(inside, loc, output, inputs[0]);
  };
  blocks.generic("p", {{shrink, {0}}}, {total, {0}}, times);
  blocks.generic("pr", {{score, {0, 1}}}, {total, {0}}, [&](OpBuilder &inside, ValueRange inputs, Value output) {
    return arith::AddFOp::create(inside, loc, output, inputs[0]);
  });
  blocks.generic("pp", {{shrink, {0}}}, {sums, {0, 1}}, times);
}

struct AttendInBlocks : impl::AttendInBlocksBase<AttendInBlocks> {
  using AttendInBlocksBase::AttendInBlocksBase;

  void runOnOperation() override {
    SmallVector<group::KernelOp> kernels;
    getOperation().walk([&](group::KernelOp kernel) {
      if (group::attentionIn(kernel) && kernel->getNumResults() == 0)
        kernels.push_back(kernel);
    });
    for (group::KernelOp kernel : kernels) {
      std::string whyNot;
      Location place = firstOf(sourcePlacesOf(kernel.getLoc()), kernel.getContext());
      StringAttr name = kernel.getNameAttr();
      BlockedAttention attention(kernel);
      bool isEmitted = succeeded(attention.emit(whyNot));
      if (!isEmitted)
        kernel->setAttr(kUnscheduledAttr, StringAttr::get(&getContext(), whyNot));
      if (explain)
        emitRemark(place) << "kernel " << name.getValue() << ": "
                          << (isEmitted ? attention.text() : "its ops one after the other, since " + whyNot);
    }
  }
};
} // namespace
} // namespace tensors
} // namespace lispier
