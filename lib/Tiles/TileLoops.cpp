//===- TileLoops.cpp - buffers of tiles, and loops over their elements ----===//
#include "TileLoops.h"
#include "lispier/Device/ReducedViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include <map>

using namespace mlir;

namespace lispier::tiles {
namespace {
/// The most that the tiles of a program take of the stack, which may be that of a fiber.
constexpr int64_t kStackBytes = 32 * 1024;
constexpr int64_t kAlignment = 64;

int64_t bytesOfType(MemRefType type) {
  Type element = type.getElementType();
  return type.getNumElements() * (element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

Type memoryType(Type element) { return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element; }
} // namespace

Value toMemory(OpBuilder &b, Location loc, Value element, Type type) {
  return element.getType() == type ? element : arith::ExtUIOp::create(b, loc, type, element).getResult();
}

Value fromMemory(OpBuilder &b, Location loc, Value element, Type type) {
  return element.getType() == type ? element : arith::TruncIOp::create(b, loc, type, element).getResult();
}

Value viewOf(OpBuilder &b, Location loc, Value memref, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
             ArrayRef<bool> isDropped) {
  // Passes that compare memrefs see a name for the whole as another memref.
  auto isWhole = [&](auto part) {
    auto [size, offset, count, dropped] = part;
    return !dropped && getConstantIntValue(offset) == 0 && getConstantIntValue(count) == size;
  };
  if (llvm::all_of(llvm::zip(cast<MemRefType>(memref.getType()).getShape(), offsets, sizes, isDropped), isWhole))
    return memref;
  SmallVector<OpFoldResult> steps(offsets.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [size, dropped] : llvm::zip(sizes, isDropped))
    if (!dropped)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return device::reducedView(b, loc, memref, shape, offsets, sizes, steps);
}

//===-- Memory ------------------------------------------------------------===//

Value memoryOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    buffer = view.getSource();
  return buffer;
}

MemRefType TileLoops::bufferType(Type element, ArrayRef<int64_t> shape) {
  return MemRefType::get(properSizes(shape), memoryType(element));
}

Value TileLoops::newBuffer(Type type) {
  auto tile = dyn_cast<VectorType>(type);
  OpBuilder b = OpBuilder::atBlockBegin(entry);
  auto memory = memref::AllocaOp::create(
      b, function.getLoc(), bufferType(getElementTypeOrSelf(type), tile ? tile.getShape() : ArrayRef<int64_t>()),
      b.getI64IntegerAttr(kAlignment));
  allocations.push_back(memory);
  return memory;
}

void TileLoops::setBuffer(Value tile, Value buffer) {
  buffers[tile] = buffer;
  occupants[buffer].push_back(tile);
}

Value TileLoops::place(Value tile) {
  Value chosen = destinations.lookup(tile);
  return chosen ? chosen : newBuffer(tile.getType());
}

void TileLoops::placeBuffers() {
  SmallVector<std::pair<int64_t, size_t>> bySize; // The second orders those of one size.
  for (auto [i, stack] : llvm::enumerate(allocations))
    bySize.emplace_back(llvm::alignTo(bytesOfType(stack.getType()), kAlignment), i);
  llvm::sort(bySize);
  int64_t bytes = 0;
  SmallVector<Operation *> ends;
  function->walk([&](Operation *op) {
    if (isa<gpu::ReturnOp, func::ReturnOp>(op))
      ends.push_back(op);
  });
  for (auto [size, i] : bySize) {
    bytes += size;
    if (bytes <= kStackBytes)
      continue;
    memref::AllocaOp stack = allocations[i];
    OpBuilder b(stack);
    auto heap = memref::AllocOp::create(b, stack.getLoc(), stack.getType(), stack.getAlignmentAttr());
    stack.replaceAllUsesWith(heap.getResult());
    stack.erase();
    for (Operation *end : ends) {
      b.setInsertionPoint(end);
      memref::DeallocOp::create(b, end->getLoc(), heap);
    }
  }
}

//===-- Elements ----------------------------------------------------------===//

Value TileLoops::scalarConstant(OpBuilder &b, Location loc, TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

Value TileLoops::uniformValue(OpBuilder &b, Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || bufferOf(tile))
    return nullptr;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return scalarConstant(b, op->getLoc(), cast<SplatElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>());
  if (!isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::FromElementsOp>(op))
    return nullptr;
  Value source = op->getOperand(0);
  return tileType(source) ? uniformValue(b, source) : source;
}

/// Builds the scalar ops for an element of a tile. How stored elements are loaded and what the indices are is the
/// caller's: in the body of a linalg.generic, or in loops.
class ElementBuilder {
public:
  ElementBuilder(OpBuilder &b, TileLoops &tiles, const LoopPart &part,
                 function_ref<Value(Value tile, const Axes &)> load, function_ref<Value(int loop)> index)
      : b(b), tiles(tiles), part(part), load(load), index(index) {}

  Value at(Value tile, const Axes &axes) {
    auto [known, isNew] = made.try_emplace({tile.getAsOpaquePointer(), axes});
    if (isNew) {
      Value element = tiles.bufferOf(tile) ? load(tile, axes) : compute(tile.getDefiningOp(), axes);
      return made[{tile.getAsOpaquePointer(), axes}] = element;
    }
    return known->second;
  }

private:
  Value compute(Operation *op, const Axes &axes) {
    Location loc = op->getLoc();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return tiles.scalarConstant(b, loc, cast<SplatElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>());
    if (isa<vector::StepOp>(op))
      return indexOf(loc, axes[0]);
    if (auto mask = dyn_cast<vector::CreateMaskOp>(op))
      return inside(loc, axes, llvm::to_vector_of<OpFoldResult>(mask.getOperands()));
    if (auto mask = dyn_cast<vector::ConstantMaskOp>(op))
      return inside(loc, axes, getAsIndexOpFoldResult(b.getContext(), mask.getMaskDimSizes()));
    auto sources = operandsAt(op, axes);
    if (isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::FromElementsOp>(op))
      return sources.empty() ? op->getOperand(0) : at(sources[0].first, sources[0].second);
    if (auto select = dyn_cast<arith::SelectOp>(op); select && sources.size() == 3)
      if (std::optional<bool> known = conditionIn(part, sources[0].first, sources[0].second)) {
        auto &[chosen, place] = sources[*known ? 1 : 2];
        return at(chosen, place);
      }
    IRMapping mapping;
    for (auto &[operand, source] : sources)
      mapping.map(operand, at(operand, source));
    Operation *scalar = b.clone(*op, mapping);
    scalar->getResult(0).setType(getElementTypeOrSelf(op->getResult(0).getType()));
    return scalar->getResult(0);
  }

  Value indexOf(Location loc, int axis) {
    return axis == kOnly ? arith::ConstantIndexOp::create(b, loc, 0).getResult() : index(axis);
  }

  /// Whether each index is less than its bound.
  Value inside(Location loc, const Axes &axes, ArrayRef<OpFoldResult> bounds) {
    Value all;
    for (auto [axis, bound] : llvm::zip(axes, bounds)) {
      Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, indexOf(loc, axis),
                                        getValueOrCreateConstantIndexOp(b, loc, bound));
      all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
    }
    return all;
  }

  OpBuilder &b;
  TileLoops &tiles;
  const LoopPart &part;
  function_ref<Value(Value, const Axes &)> load;
  function_ref<Value(int)> index;
  std::map<std::pair<void *, Axes>, Value> made;
};

Value TileLoops::elementAt(OpBuilder &b, Location loc, Value tile, const Axes &axes, ValueRange indices) {
  auto load = [&](Value stored, const Axes &at) -> Value {
    SmallVector<Value> position;
    for (int axis : at)
      if (axis != kOnly)
        position.push_back(indices[axis]);
    auto element = [&](OpBuilder &at) {
      Value element = memref::LoadOp::create(at, loc, bufferOf(stored), position);
      return fromMemory(at, loc, element, tileType(stored).getElementType());
    };
    auto end = shorts.find(stored);
    if (end == shorts.end())
      return element(b);
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position.back(), end->second.length);
    auto choice = scf::IfOp::create(
        b, loc, isThere, [&](OpBuilder &yes, Location) { scf::YieldOp::create(yes, loc, element(yes)); },
        [&](OpBuilder &no, Location) { scf::YieldOp::create(no, loc, end->second.beyond); });
    return choice.getResult(0);
  };
  auto index = [&](int loop) { return indices[loop]; };
  return ElementBuilder(b, *this, LoopPart(), load, index).at(tile, axes);
}

void TileLoops::storeElement(OpBuilder &b, Location loc, Value element, Value buffer, ValueRange indices) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  memref::StoreOp::create(b, loc, toMemory(b, loc, element, type), buffer, indices);
}

void TileLoops::nest(OpBuilder &b, Location loc, ArrayRef<int64_t> sizes, const Box *box,
                     function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> lower, upper, steps;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  for (auto [i, size] : llvm::enumerate(properSizes(sizes))) {
    Value first = box ? getValueOrCreateConstantIndexOp(b, loc, box->offsets[i]) : zero;
    Value count = box ? getValueOrCreateConstantIndexOp(b, loc, box->sizes[i])
                      : arith::ConstantIndexOp::create(b, loc, size).getResult();
    lower.push_back(first);
    upper.push_back(b.createOrFold<arith::AddIOp>(loc, first, count));
    steps.push_back(one);
  }
  scf::buildLoopNest(b, loc, lower, upper, steps,
                     [&](OpBuilder &inner, Location, ValueRange indices) { body(inner, indices); });
}

/// The inputs of a linalg.generic: each tile in memory once for each way of reading it.
struct TileLoops::Inputs {
  SmallVector<std::pair<Value, Axes>> tiles;
  SmallVector<Value> memory;
  SmallVector<AffineMap> maps;

  bool contains(Value tile, const Axes &axes) const { return llvm::is_contained(tiles, std::pair(tile, axes)); }
  size_t find(Value tile, const Axes &axes) const { return llvm::find(tiles, std::pair(tile, axes)) - tiles.begin(); }
};

TileLoops::Inputs TileLoops::inputsOf(OpBuilder &b, Location loc, const Loops &loops, const LoopPart &part) {
  Inputs inputs;
  auto add = [&](Value tile, const Axes &axes) {
    if (inputs.contains(tile, axes) || (part.beyond && isShortAlong(tile, axes, part)))
      return;
    SmallVector<AffineExpr> positions;
    Box view;
    for (int axis : axes) {
      if (axis == kOnly)
        continue;
      positions.push_back(b.getAffineDimExpr(axis));
      if (loops.box) {
        view.offsets.push_back(loops.box->offsets[axis]);
        view.sizes.push_back(loops.box->sizes[axis]);
      }
    }
    Value buffer = bufferOf(tile);
    AffineMap map = AffineMap::get(loops.iterators.size(), 0, positions, b.getContext());
    if (buffer == loops.out && map == loops.outMap)
      return; // The old element of the result is at hand.
    if (loops.box && !positions.empty())
      buffer = viewOf(b, loc, buffer, view.offsets, view.sizes, SmallVector<bool>(positions.size(), false));
    inputs.tiles.emplace_back(tile, axes);
    inputs.memory.push_back(buffer);
    inputs.maps.push_back(map);
  };
  for (auto &[tile, axes] : loops.sources)
    forEachStored(tile, axes, add);
  return inputs;
}

void TileLoops::emitPart(OpBuilder &b, Location loc, const Loops &loops, const LoopPart &part) {
  Inputs inputs = inputsOf(b, loc, loops, part);
  SmallVector<AffineMap> maps(inputs.maps);
  maps.push_back(loops.outMap);
  auto fillBody = [&](OpBuilder &body, Location, ValueRange arguments) {
    Value old = fromMemory(body, loc, arguments.back(), loops.element);
    auto load = [&](Value tile, const Axes &axes) {
      if (part.beyond && isShortAlong(tile, axes, part))
        return shorts.find(tile)->second.beyond;
      size_t i = inputs.find(tile, axes);
      return i == inputs.tiles.size() ? old : fromMemory(body, loc, arguments[i], tileType(tile).getElementType());
    };
    auto index = [&](int loop) -> Value {
      Value here = linalg::IndexOp::create(body, loc, loop);
      if (!loops.box || isConstantIntValue(loops.box->offsets[loop], 0))
        return here;
      Value first = getValueOrCreateConstantIndexOp(body, loc, loops.box->offsets[loop]);
      return arith::AddIOp::create(body, loc, here, first);
    };
    ElementBuilder builder(body, *this, part, load, index);
    SmallVector<Value> elements;
    for (auto &[tile, axes] : loops.sources)
      elements.push_back(builder.at(tile, axes));
    Value result = loops.combine(body, elements, old);
    linalg::YieldOp::create(body, loc, toMemory(body, loc, result, arguments.back().getType()));
  };
  linalg::GenericOp::create(b, loc, inputs.memory, loops.out, maps, loops.iterators, fillBody);
}

void TileLoops::forEachStored(Value tile, const Axes &axes, function_ref<void(Value, const Axes &)> see) const {
  forEachSource(tile, axes, [&](Value one) { return bool(bufferOf(one)); }, see);
}

static Value takeFirst(OpBuilder &, ValueRange elements, Value) { return elements[0]; }

void TileLoops::evaluate(OpBuilder &b, Location loc, Value tile, Value buffer, const Box *box) {
  if (bufferOf(tile) == buffer)
    return;
  auto memory = cast<MemRefType>(buffer.getType());
  if (Value value = uniformValue(b, tile)) {
    linalg::FillOp::create(b, loc, toMemory(b, loc, value, memory.getElementType()), buffer);
    return;
  }
  int rank = memory.getRank();
  if (Value source = bufferOf(tile);
      source && getElementTypeOrSelf(source) == memory.getElementType() && !shorts.contains(tile)) {
    if (box && rank)
      source = viewOf(b, loc, source, box->offsets, box->sizes, SmallVector<bool>(rank, false));
    linalg::CopyOp::create(b, loc, source, buffer);
    return;
  }
  Loops loops = copyLoops(b, tile, buffer);
  loops.box = box;
  emit(b, loc, loops);
}

Loops TileLoops::copyLoops(OpBuilder &b, Value tile, Value out) {
  VectorType type = tileType(tile);
  int64_t rank = cast<MemRefType>(out.getType()).getRank();
  Loops loops;
  loops.sources.emplace_back(tile, identityAxes(type));
  loops.out = out;
  loops.outMap = b.getMultiDimIdentityMap(rank);
  loops.iterators.assign(rank, utils::IteratorType::parallel);
  loops.element = type.getElementType();
  loops.combine = takeFirst;
  return loops;
}

bool TileLoops::readsBefore(const Move &reader, Value written) const {
  bool reads = false;
  Axes axes = identityAxes(tileType(reader.tile));
  forEachStored(reader.tile, axes, [&](Value source, const Axes &at) {
    bool isOnlyAsWritten = bufferOf(source) == reader.target && written == reader.target && at == axes;
    reads |= memoryOf(bufferOf(source)) == memoryOf(written) && !isOnlyAsWritten;
  });
  return reads;
}

void TileLoops::assign(OpBuilder &b, Location loc, ValueRange tiles, ValueRange targets) {
  SmallVector<Move> moves;
  for (auto [tile, target] : llvm::zip_equal(tiles, targets))
    if (bufferOf(tile) != target)
      moves.push_back({tile, target});
  SmallVector<std::pair<Value, Value>> late;
  while (!moves.empty()) {
    // A buffer is written when no other tile that is still to be computed reads it, and its own only as it is written.
    auto next = llvm::find_if(moves, [&](const Move &move) {
      return llvm::none_of(moves, [&](const Move &reader) { return readsBefore(reader, move.target); });
    });
    bool isCycle = next == moves.end();
    Move move = isCycle ? moves.front() : *next;
    Value out = isCycle ? newBuffer(move.tile.getType()) : move.target;
    evaluate(b, loc, move.tile, out);
    if (isCycle)
      late.emplace_back(out, move.target);
    moves.erase(isCycle ? moves.begin() : next);
  }
  for (auto [between, target] : late)
    linalg::CopyOp::create(b, loc, between, target);
}
} // namespace lispier::tiles
