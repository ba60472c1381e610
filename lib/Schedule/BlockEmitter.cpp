//===- BlockEmitter.cpp - a group's values, a block at a time -------------===//
#include "BlockEmitter.h"
#include "GatheredReads.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/ReducedViews.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
constexpr int64_t kBlockAlignment = 64, kPadding = 16;

SmallVector<BlockAxis> keptOf(BlockEmitter::Axes axes) {
  return llvm::to_vector(llvm::make_filter_range(axes, [](const BlockAxis &axis) { return !axis.isPoint(); }));
}

/// Bits have no vectors in memory: there they are bytes.
Type storedType(OpBuilder &b, Type element) { return element.isInteger(1) ? b.getI8Type() : element; }

Value converted(OpBuilder &b, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (type.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(from));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, type, value);
  Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), value); // BF16 and F16.
  return arith::TruncFOp::create(b, loc, type, wide);
}

/// The ops of the region that `value` needs, and the block arguments.
void collect(linalg::LinalgOp op, Value value, llvm::SetVector<Operation *> &ops,
             llvm::SetVector<BlockArgument> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == op.getBlock())
      arguments.insert(argument);
    return;
  }
  Operation *made = value.getDefiningOp();
  if (made->getBlock() != op.getBlock() || !ops.insert(made))
    return;
  for (Value operand : made->getOperands())
    collect(op, operand, ops, arguments);
}
} // namespace

std::nullopt_t BlockEmitter::fail(Operation *op, const llvm::Twine &why) {
  if (reason.empty())
    reason = (op->getName().getStringRef() + " " + why).str();
  return std::nullopt;
}

Value BlockEmitter::index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

//===----------------------------------------------------------------------===//
// What the kernel has from outside
//===----------------------------------------------------------------------===//

Value BlockEmitter::whole(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return argument.getOwner() == &kernel.getBody().front() ? kernel->getOperand(argument.getArgNumber()) : Value();
  if (Value memory = memories.lookup(tensor))
    return memory;
  auto cast = tensor.getDefiningOp<tensor::CastOp>();
  auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
  Value source = cast ? whole(cast.getSource()) : expand ? whole(expand.getSrc()) : Value();
  auto from = source ? dyn_cast<MemRefType>(source.getType()) : MemRefType();
  if (!from)
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Value result;
  if (cast) {
    auto type = MemRefType::get(cast.getType().getShape(), from.getElementType(), from.getLayout());
    if (memref::CastOp::areCastCompatible(from, type))
      result = memref::CastOp::create(b, loc, type, source);
  } else {
    FailureOr<MemRefType> type =
        memref::ExpandShapeOp::computeExpandedType(from, expand.getType().getShape(), expand.getReassociationIndices());
    SmallVector<OpFoldResult> sizes;
    for (OpFoldResult size : expand.getMixedOutputShape()) {
      auto number = dyn_cast<Value>(size);
      Value known = number ? outside(number) : Value();
      if (number && !known)
        return {};
      sizes.push_back(number ? OpFoldResult(known) : size);
    }
    if (succeeded(type))
      result = memref::ExpandShapeOp::create(b, loc, *type, source, expand.getReassociationIndices(), sizes);
  }
  return memories[tensor] = result;
}

Value BlockEmitter::outside(Value number) {
  if (auto argument = dyn_cast<BlockArgument>(number))
    return argument.getOwner() == &kernel.getBody().front() ? kernel->getOperand(argument.getArgNumber()) : Value();
  if (Value known = numbers.lookup(number))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Operation *op = number.getDefiningOp();
  SmallVector<Value> operands;
  if (!op || op->getBlock() != &kernel.getBody().front() || op->getNumRegions() || !isPure(op))
    return {};
  for (Value operand : op->getOperands()) {
    Value mapped = isa<RankedTensorType>(operand.getType()) ? whole(operand) : outside(operand);
    if (!mapped)
      return {};
    operands.push_back(mapped);
  }
  Value result;
  if (isa<tensor::DimOp>(op))
    result = memref::DimOp::create(b, loc, operands[0], operands[1]);
  else if (isa<tensor::ExtractOp>(op))
    result = memref::LoadOp::create(b, loc, operands[0], ArrayRef(operands).drop_front());
  else if (!llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) && op->getNumResults() == 1) {
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    result = b.clone(*op, mapping)->getResult(0);
  }
  return numbers[number] = result;
}

OpFoldResult BlockEmitter::size(Value tensor, unsigned dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return b.getIndexAttr(type.getDimSize(dimension));
  if (Value memory = whole(tensor))
    return memref::getMixedSize(b, loc, memory, dimension);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
    Value known = outside(cast<Value>(empty.getMixedSizes()[dimension]));
    return known ? OpFoldResult(known) : OpFoldResult();
  }
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return {};
  AffineMap made = op.getMatchingIndexingMap(op.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber()));
  for (OpOperand &operand : op->getOpOperands())
    for (auto [at, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (result == made.getResult(dimension))
        if (OpFoldResult known = size(operand.get(), at))
          return known;
  return {};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value BlockEmitter::buffer(Type element, Axes axes, bool padded) {
  SmallVector<BlockAxis> kept = keptOf(axes);
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  bool isFull = true;
  for (const BlockAxis &axis : kept) {
    if (ShapedType::isDynamic(axis.most))
      return {};
    shape.push_back(axis.most);
    sizes.push_back(axis.size);
    isFull &= getConstantIntValue(axis.size) == axis.most;
  }
  if (padded && !shape.empty()) {
    shape.back() += kPadding;
    isFull = false;
  }
  Value memory;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    memory = memref::AllocaOp::create(b, loc, MemRefType::get(shape, element), b.getI64IntegerAttr(kBlockAlignment))
                 .getResult();
  }
  if (isFull)
    return memory;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), strides(shape.size(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, loc, memory, offsets, sizes, strides);
}

/// The part of an operand.
std::optional<BlockMemory> BlockEmitter::part(Value memory, Axes axes) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  BlockMemory result;
  for (const BlockAxis &axis : axes) {
    offsets.push_back(axis.start ? OpFoldResult(axis.start) : OpFoldResult(b.getIndexAttr(0)));
    sizes.push_back(axis.isPoint() ? b.getIndexAttr(1) : axis.size);
    if (axis.isPoint())
      continue;
    shape.push_back(getConstantIntValue(axis.size).value_or(ShapedType::kDynamic));
    result.order.push_back(result.order.size());
  }
  result.memory = device::reducedView(b, loc, memory, shape, offsets, sizes, strides);
  return result;
}

static std::pair<void *, std::vector<std::pair<void *, bool>>> keyOf(Value tensor, BlockEmitter::Axes axes) {
  std::vector<std::pair<void *, bool>> places;
  for (const BlockAxis &axis : axes)
    places.push_back({axis.start.getAsOpaquePointer(), axis.isPoint()});
  return {tensor.getAsOpaquePointer(), std::move(places)};
}

void BlockEmitter::provide(Value tensor, Axes axes, BlockMemory block) {
  known[keyOf(tensor, axes)] = std::move(block);
}

std::optional<BlockMemory> BlockEmitter::block(Value tensor, Axes axes) {
  auto key = keyOf(tensor, axes);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  OpBuilder::InsertionGuard guard(b);
  bool isInner = inner && llvm::any_of(axes, [&](const BlockAxis &axis) {
                   return axis.start && axis.start == inner.getInductionVar();
                 });
  if (inner && !isInner)
    b.setInsertionPoint(inner);
  std::optional<BlockMemory> result;
  if (Value memory = whole(tensor)) {
    result = part(memory, axes);
    if (cast<MemRefType>(memory.getType()).getElementType().isInteger(1))
      result = bytesOf(*result, axes);
  } else if (auto op = tensor.getDefiningOp<linalg::LinalgOp>()) {
    result = make(op, cast<OpResult>(tensor).getResultNumber(), axes);
  } else if (Operation *op = tensor.getDefiningOp()) {
    fail(op, "has no rule that makes a block of it");
  }
  if (result)
    known[key] = *result;
  return result;
}

std::optional<BlockMemory> BlockEmitter::bytesOf(const BlockMemory &bits, Axes axes) {
  Value bytes = buffer(b.getI8Type(), axes);
  if (!bytes)
    return std::nullopt;
  copy(bits, bits.order, bytes);
  return BlockMemory{bytes, bits.order};
}

/// The buffer of an operand that has no other use, and an element for each of the result.
Value BlockEmitter::reusable(linalg::LinalgOp op, ArrayRef<unsigned> outLoops, Type element, Axes axes) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    std::optional<SmallVector<unsigned>> loops = loopDimsOf(op, *operand);
    if (!producer || !operand->get().hasOneUse() || !loops || *loops != outLoops)
      continue;
    SmallVector<BlockAxis> own = llvm::map_to_vector(*loops, [&](unsigned d) { return axes[d]; });
    std::optional<BlockMemory> source = block(operand->get(), own);
    if (source && llvm::is_sorted(source->order) && getElementTypeOrSelf(source->memory.getType()) == element)
      return source->memory;
  }
  return {};
}

std::optional<BlockMemory> BlockEmitter::make(linalg::LinalgOp op, unsigned result, Axes axes) {
  OpOperand *init = op.getDpsInitOperand(result);
  std::optional<SmallVector<unsigned>> made = loopDimsOf(op, *init);
  if (roleOf(op) != TensorRole::Elementwise || !made || made->size() != op.getNumLoops())
    return fail(op, "has no rule that makes a block of it");
  SmallVector<BlockAxis> ofLoops(op.getNumLoops());
  for (auto [loop, axis] : llvm::zip(*made, axes))
    ofLoops[loop] = axis;
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  Type element = storedType(b, yielded.getType());
  Value out = reusable(op, *made, element, ofLoops);
  if (!out)
    out = buffer(element, axes);
  if (!out)
    return fail(op, "makes a block of unknown size");
  SmallVector<unsigned> outLoops;
  for (unsigned loop : *made)
    if (!ofLoops[loop].isPoint())
      outLoops.push_back(loop);
  if (!compute(op, yielded, ofLoops, out, outLoops))
    return std::nullopt;
  return BlockMemory{out, llvm::to_vector<2>(llvm::seq<unsigned>(0, outLoops.size()))};
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void BlockEmitter::generic(StringRef kinds, ArrayRef<Operand> inputs, Operand output, Body body) {
  auto mapOf = [&](ArrayRef<unsigned> dims) {
    auto results = llvm::map_to_vector(dims, [&](unsigned d) { return b.getAffineDimExpr(d); });
    return AffineMap::get(kinds.size(), 0, results, b.getContext());
  };
  SmallVector<Value> memories;
  SmallVector<AffineMap> maps;
  for (const Operand &input : inputs) {
    memories.push_back(input.memory);
    maps.push_back(mapOf(input.dims));
  }
  maps.push_back(mapOf(output.dims));
  auto iterators = llvm::map_to_vector(
      kinds, [](char kind) { return kind == 'p' ? utils::IteratorType::parallel : utils::IteratorType::reduction; });
  linalg::GenericOp::create(
      b, loc, memories, output.memory, maps, iterators, [&](OpBuilder &inside, Location at, ValueRange values) {
        Value result = body(inside, values.drop_back(), values.back());
        linalg::YieldOp::create(inside, at, converted(inside, at, result, values.back().getType()));
      });
}

void BlockEmitter::copy(const BlockMemory &from, ArrayRef<unsigned> dims, Value to) {
  SmallVector<unsigned, 2> read = llvm::map_to_vector<2>(from.order, [&](unsigned kept) { return dims[kept]; });
  auto type = cast<MemRefType>(to.getType());
  generic(std::string(type.getRank(), 'p'), {{from.memory, read}},
          {to, llvm::to_vector<2>(llvm::seq<unsigned>(0, type.getRank()))},
          [&](OpBuilder &inside, ValueRange values, Value output) {
            return converted(inside, loc, values[0], output.getType());
          });
}

void BlockEmitter::fill(Value memory, double number) {
  auto type = cast<MemRefType>(memory.getType());
  Value value = arith::ConstantOp::create(b, loc, b.getFloatAttr(type.getElementType(), number));
  linalg::FillOp::create(b, loc, value, memory);
}

/// An op of the region; false if there is no rule for it.
bool BlockEmitter::cloneRegion(linalg::LinalgOp op, Operation &inside, Axes axes, ArrayRef<int> dimOf, OpBuilder &body,
                               IRMapping &mapping) {
  if (auto at = dyn_cast<linalg::IndexOp>(inside)) {
    const BlockAxis &axis = axes[at.getDim()];
    Value number = axis.start;
    if (!axis.isPoint()) {
      number = linalg::IndexOp::create(body, loc, dimOf[at.getDim()]);
      if (axis.start)
        number = arith::AddIOp::create(body, loc, number, axis.start);
    }
    mapping.map(at.getResult(), number ? number : arith::ConstantIndexOp::create(body, loc, 0).getResult());
    return true;
  }
  auto extract = dyn_cast<tensor::ExtractOp>(inside);
  for (Value operand : inside.getOperands()) {
    if (mapping.contains(operand))
      continue;
    Value mapped = extract && operand == extract.getTensor() ? whole(operand) : outside(operand);
    if (!mapped)
      return fail(&inside, "reads what is made in the kernel"), false;
    mapping.map(operand, mapped);
  }
  if (extract) {
    auto indices = llvm::map_to_vector(extract.getIndices(), [&](Value each) { return mapping.lookup(each); });
    Value table = mapping.lookup(extract.getTensor());
    for (unsigned dimension : uncheckedDimensions(extract, op)) {
      Value size = memref::DimOp::create(body, extract.getLoc(), table, int64_t(dimension));
      device::RequireIndexOp::create(body, extract.getLoc(), indices[dimension], size, dimension);
    }
    mapping.map(extract.getResult(), memref::LoadOp::create(body, loc, table, indices).getResult());
    return true;
  }
  if (inside.getNumRegions())
    return fail(&inside, "has no rule in a block"), false;
  body.clone(inside, mapping);
  return true;
}

bool BlockEmitter::compute(linalg::LinalgOp op, Value yielded, Axes axes, Value out, ArrayRef<unsigned> outLoops) {
  SmallVector<int> dimOf(axes.size(), -1);
  unsigned rank = 0;
  for (auto [loop, axis] : llvm::enumerate(axes))
    if (!axis.isPoint())
      dimOf[loop] = rank++;
  llvm::SetVector<Operation *> needed;
  llvm::SetVector<BlockArgument> arguments;
  collect(op, yielded, needed, arguments);
  SmallVector<Operand> inputs;
  SmallVector<BlockArgument> read;
  IRMapping mapping;
  for (BlockArgument argument : arguments) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!op.isDpsInput(operand))
      return fail(op, "reads what its result had before"), false;
    if (!isa<RankedTensorType>(operand->get().getType())) {
      Value number = outside(operand->get());
      if (!number)
        return fail(op, "reads a number that is made in the kernel"), false;
      mapping.map(argument, number);
      continue;
    }
    SmallVector<BlockAxis> own;
    SmallVector<unsigned> dims;
    for (AffineExpr result : op.getMatchingIndexingMap(operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      auto constant = dyn_cast<AffineConstantExpr>(result);
      if (!dim && !(constant && constant.getValue() == 0))
        return fail(op, "reads elements whose places it computes"), false;
      own.push_back(dim ? axes[dim.getPosition()] : BlockAxis());
      if (dim && !own.back().isPoint())
        dims.push_back(dimOf[dim.getPosition()]);
    }
    std::optional<BlockMemory> source = block(operand->get(), own);
    if (!source)
      return false;
    inputs.push_back(
        {source->memory, llvm::map_to_vector<2>(source->order, [&](unsigned kept) { return dims[kept]; })});
    read.push_back(argument);
  }
  auto outDims = llvm::map_to_vector<2>(outLoops, [&](unsigned loop) { return unsigned(dimOf[loop]); });
  if (llvm::is_contained(read, yielded) && inputs.size() == 1 && inputs[0].memory == out && inputs[0].dims == outDims)
    return true; // It is there already.
  bool isComplete = true;
  generic(std::string(rank, 'p'), inputs, {out, outDims}, [&](OpBuilder &body, ValueRange values, Value) -> Value {
    for (auto [argument, value] : llvm::zip(read, values))
      mapping.map(argument, converted(body, loc, value, argument.getType()));
    for (Operation &inside : op.getBlock()->without_terminator())
      if (needed.contains(&inside))
        isComplete &= isComplete && cloneRegion(op, inside, axes, dimOf, body, mapping);
    Value result = mapping.contains(yielded) ? mapping.lookup(yielded) : isComplete ? outside(yielded) : Value();
    isComplete &= result != nullptr;
    return result ? result : arith::ConstantOp::create(body, loc, b.getZeroAttr(yielded.getType())).getResult();
  });
  return isComplete;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

struct BlockEmitter::BlockSite : MaskSite {
  BlockSite(BlockEmitter &emitter, linalg::LinalgOp op, Axes axes)
      : MaskSite(op), emitter(emitter), axes(axes.begin(), axes.end()) {}

  unsigned loopCount() const override { return axes.size(); }
  std::optional<unsigned> loopOf(unsigned iterator) const override { return iterator; }
  Value indexAt(unsigned loop, bool isLast) const override {
    const BlockAxis &axis = axes[loop];
    Value at = axis.start ? axis.start : emitter.index(emitter.b.getIndexAttr(0));
    if (axis.isPoint() || !isLast)
      return at;
    Value last = emitter.b.createOrFold<arith::SubIOp>(emitter.loc, emitter.index(axis.size),
                                                       emitter.index(emitter.b.getIndexAttr(1)));
    return emitter.b.createOrFold<arith::AddIOp>(emitter.loc, at, last);
  }
  Value number(Value value) override {
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *made = value.getDefiningOp();
    if (made && made->getBlock() == op.getBlock())
      return emitter.b.clone(*made)->getResult(0);
    if (!argument || argument.getOwner() != op.getBlock())
      return emitter.outside(value);
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return emitter.outside(operand->get());
    std::optional<SmallVector<unsigned>> loops = loopDimsOf(op, *operand);
    if (!loops || !llvm::all_of(*loops, [&](unsigned loop) { return axes[loop].isPoint(); }))
      return {};
    std::optional<BlockMemory> element =
        emitter.block(operand->get(), llvm::map_to_vector(*loops, [&](unsigned loop) { return axes[loop]; }));
    return element ? memref::LoadOp::create(emitter.b, emitter.loc, element->memory).getResult() : Value();
  }
  std::optional<Origin> originOf(Value value) override;

  BlockEmitter &emitter;
  SmallVector<BlockAxis> axes;
};

std::optional<MaskSite::Origin> BlockEmitter::BlockSite::originOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!producer || producer.getNumParallelLoops() != producer.getNumLoops())
    return std::nullopt;
  unsigned result = cast<OpResult>(operand->get()).getResultNumber();
  std::optional<SmallVector<unsigned>> written = loopDimsOf(producer, *producer.getDpsInitOperand(result)),
                                       read = loopDimsOf(op, *operand);
  if (!written || !read || written->size() != producer.getNumLoops())
    return std::nullopt;
  SmallVector<BlockAxis> own(written->size());
  Origin origin{nullptr, producer.getBlock()->getTerminator()->getOperand(result), {}};
  for (auto [to, from] : llvm::zip(*written, *read)) {
    own[to] = axes[from];
    origin.loops.push_back({from, to});
  }
  origin.site = std::make_unique<BlockSite>(emitter, producer, own);
  return origin;
}

LoopRange BlockEmitter::seen(linalg::LinalgOp op, Value value, Axes axes, unsigned loop) {
  BlockSite site(*this, op, axes);
  return seenRange(b, loc, site, value, loop);
}
} // namespace lispier::tensors
