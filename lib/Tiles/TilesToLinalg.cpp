//===- TilesToLinalg.cpp - tile programs as loops on buffers --------------===//
//
// Before: a tile program, on vectors. After: the same kernel with linalg ops and
// loops on buffers of its own, for one thread. It is what the simulator without
// a chip runs, and the CPU, where lib/Loops makes vectors of the linalg ops.
//
// Values that loops carry stay in one buffer. A tile is computed there directly
// if the buffer's old tile is not read any more, or only element by element.
//
//===----------------------------------------------------------------------===//
#include "TilesToLinalg.h"
#include "LowerTileAccesses.h"
#include "TileLoops.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lispier {
#define GEN_PASS_DEF_TILESTOLINALG
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier::tiles {
namespace {
bool hasTileValues(Operation *op) {
  auto isTile = [](Value value) { return bool(tileType(value)); };
  return llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile);
}

SmallVector<Value> tilesOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return bool(tileType(value)); });
}

SmallVector<Value> scalarsOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !tileType(value); });
}

/// As many lanes have a sum of their own of a long row: a GPU's threads do, and one sum in f32 would lose what is added
/// to it as soon as it is 2^24 times as large.
constexpr int64_t kSumLanes = 128;
/// Sums of so many numbers are one chain.
constexpr int64_t kShortSum = 4096;

/// Makes a long sum of floats one of lanes' sums: element i belongs to lane i modulo kSumLanes.
void splitSum(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  SmallVector<int64_t> reduced;
  for (auto [axis, isReduced] : llvm::enumerate(op.getReductionMask()))
    if (isReduced && type.getDimSize(axis) != 1)
      reduced.push_back(axis);
  if (op.getKind() != vector::CombiningKind::ADD || !isa<FloatType>(type.getElementType()) || reduced.size() != 1)
    return;
  int64_t axis = reduced[0], size = type.getDimSize(axis);
  if (size <= kShortSum || size % kSumLanes)
    return;
  SmallVector<int64_t> lanes(type.getShape());
  lanes[axis] = kSumLanes;
  SmallVector<int64_t> split(lanes);
  split.insert(split.begin() + axis, size / kSumLanes);
  SmallVector<bool> mask(split.size(), false);
  mask[axis] = true;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto sums = VectorType::get(lanes, type.getElementType());
  Value rows = vector::ShapeCastOp::create(b, loc, VectorType::get(split, type.getElementType()), op.getSource());
  Value zeros = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(sums)));
  Value ofLanes = vector::MultiDimReductionOp::create(b, loc, rows, zeros, mask, op.getKind());
  op.getSourceMutable().assign(ofLanes);
}

class Lowering {
public:
  Lowering(FunctionOpInterface function, SymbolTable &symbols, bool readInPlace)
      : function(function), symbols(symbols), tiles(function), readInPlace(readInPlace) {}

  LogicalResult run() {
    for (Block &block : function.getFunctionBody())
      if (failed(lowerBlock(block)))
        return failure();
    for (Operation *op : replaced)
      op->dropAllReferences(); // They are each other's operands, in any order.
    for (Operation *op : replaced)
      op->erase();
    tiles.placeBuffers();
    return success();
  }

private:
  //===-- Blocks ----------------------------------------------------------===//

  LogicalResult lowerBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        continue; // The op around it moves what it yields.
      if (failed(lowerOp(&op)))
        return failure();
    }
    return success();
  }

  LogicalResult lowerOp(Operation *op) {
    if (op->getNumRegions() && isa<scf::SCFDialect>(op->getDialect()))
      return lowerControl(op);
    if (!hasTileValues(op))
      return success();
    replaced.push_back(op);
    if (std::optional<LogicalResult> access = lowerTileAccess(op, tiles, readInPlace))
      return *access;
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](vector::MultiDimReductionOp reduction) { return lowerReduction(reduction); })
        .Case([&](vector::ContractionOp product) { return lowerProduct(product); })
        .Case([&](vector::ScanOp scan) { return lowerScan(scan); })
        .Case([&](vector::ExtractOp extract) { return lowerExtract(extract); })
        .Default([&](Operation *) { return lowerOther(op); });
  }

  LogicalResult lowerOther(Operation *op) {
    OpBuilder b(op);
    if (isReshape(op)) {
      Value source = tiles.bufferOf(op->getOperand(0));
      auto type =
          TileLoops::bufferType(tileType(op->getResult(0)).getElementType(), tileType(op->getResult(0)).getShape());
      SmallVector<int64_t> strides = computeStrides(type.getShape());
      tiles.setBuffer(op->getResult(0),
                      memref::ReinterpretCastOp::create(b, op->getLoc(), type, source, 0, type.getShape(), strides));
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isElementwise(op))
      return lowerConstant(constant);
    if (!isElementwise(op))
      return op->emitOpError("is no op of a tile program");
    Value tile = op->getResult(0);
    if (!tiles.uses.isStored(tile))
      return success();
    Value buffer = tiles.place(tile);
    tiles.store(b, op->getLoc(), tile, buffer);
    return success();
  }

  /// A tile of given numbers is a global of the function's module.
  LogicalResult lowerConstant(arith::ConstantOp op) {
    auto value = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!value)
      return op.emitOpError("is no op of a tile program");
    OpBuilder b(op);
    MemRefType type = TileLoops::bufferType(value.getElementType(), value.getType().getShape());
    if (value.getElementType() != type.getElementType())
      value = value.mapValues(type.getElementType(), [](const APInt &bit) { return bit.zext(8); });
    value = value.reshape(RankedTensorType::get(type.getShape(), type.getElementType()));
    OpBuilder module = OpBuilder::atBlockBegin(function->getBlock());
    auto global = memref::GlobalOp::create(module, op.getLoc(), (function.getName() + "_constant").str(),
                                           module.getStringAttr("private"), type, value, /*constant=*/true,
                                           /*alignment=*/IntegerAttr());
    symbols.insert(global);
    tiles.setBuffer(op, memref::GetGlobalOp::create(b, op.getLoc(), type, global.getSymName()));
    return success();
  }

  LogicalResult lowerExtract(vector::ExtractOp op) {
    if (tileType(op))
      return op.emitOpError("is no op of a tile program");
    OpBuilder b(op);
    SmallVector<Value> position;
    for (auto [size, at] : llvm::zip(op.getSourceVectorType().getShape(), op.getMixedPosition()))
      if (size != 1)
        position.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), at));
    Value element = memref::LoadOp::create(b, op.getLoc(), tiles.bufferOf(op.getSource()), position);
    op.getResult().replaceAllUsesWith(fromMemory(b, op.getLoc(), element, op.getType()));
    return success();
  }

  //===-- Sums and products -----------------------------------------------===//

  /// Where the result is computed, with the initial value in it.
  Value accumulator(OpBuilder &b, Operation *op, Value initial) {
    Value result = op->getResult(0);
    if (tileType(result)) {
      Value out = tiles.place(result);
      tiles.evaluate(b, op->getLoc(), initial, out);
      tiles.setBuffer(result, out);
      return out;
    }
    Value out = tiles.newBuffer(result.getType());
    Type type = cast<MemRefType>(out.getType()).getElementType();
    linalg::FillOp::create(b, op->getLoc(), toMemory(b, op->getLoc(), initial, type), out);
    return out;
  }

  /// A result without dimensions is a number, not a tile.
  void replaceNumber(OpBuilder &b, Operation *op, Value out) {
    Value result = op->getResult(0);
    if (tileType(result))
      return;
    Value number = memref::LoadOp::create(b, op->getLoc(), out);
    result.replaceAllUsesWith(fromMemory(b, op->getLoc(), number, result.getType()));
  }

  LogicalResult lowerReduction(vector::MultiDimReductionOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    VectorType type = op.getSourceVectorType();
    Value source = op.getSource();
    Loops loops;
    Axes axes = identityAxes(type);
    SmallVector<AffineExpr> kept;
    for (auto [axis, isReduced] : llvm::zip(axes, op.getReductionMask())) {
      if (axis == kOnly)
        continue;
      loops.iterators.push_back(isReduced ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      if (!isReduced)
        kept.push_back(b.getAffineDimExpr(axis));
    }
    loops.out = accumulator(b, op, op.getAcc());
    loops.outMap = AffineMap::get(loops.iterators.size(), 0, kept, b.getContext());
    loops.element = type.getElementType();
    loops.kind = op.getKind();
    loops.sources.emplace_back(source, axes);
    auto combine = [&](OpBuilder &body, ValueRange elements, Value old) {
      return vector::makeArithReduction(body, loc, op.getKind(), elements[0], old);
    };
    loops.combine = combine;
    // A linalg op finds the size of each loop in an operand, which a tile of indices alone is not.
    llvm::SmallDenseSet<int> covered{kOnly};
    tiles.forEachStored(source, axes, [&](Value, const Axes &at) { covered.insert(at.begin(), at.end()); });
    bool isCovered = llvm::all_of(axes, [&](int axis) { return covered.contains(axis); });
    if (!isCovered) {
      Value memory = tiles.newBuffer(type);
      tiles.evaluate(b, loc, source, memory);
      tiles.setBuffer(source, memory);
    }
    tiles.emit(b, loc, loops);
    if (!isCovered)
      tiles.forgetBuffer(source);
    replaceNumber(b, op, loops.out);
    return success();
  }

  LogicalResult lowerProduct(vector::ContractionOp op) {
    if (op.getKind() != vector::CombiningKind::ADD)
      return op.emitOpError("is no op of a tile program: products are added");
    OpBuilder b(op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<int64_t> sizes;
    op.getIterationBounds(sizes);
    Axes loopOf;
    Loops loops;
    for (auto [size, iterator] : llvm::zip(sizes, op.getIteratorTypesArray())) {
      loopOf.push_back(size == 1 ? kOnly : int(loops.iterators.size()));
      if (size != 1)
        loops.iterators.push_back(iterator == vector::IteratorType::parallel ? utils::IteratorType::parallel
                                                                             : utils::IteratorType::reduction);
    }
    auto axesOf = [&](AffineMap map) {
      return llvm::map_to_vector<4>(map.getResults(),
                                    [&](AffineExpr e) { return loopOf[cast<AffineDimExpr>(e).getPosition()]; });
    };
    SmallVector<AffineExpr> kept;
    for (int axis : axesOf(maps[2]))
      if (axis != kOnly)
        kept.push_back(b.getAffineDimExpr(axis));
    loops.sources = {{op.getLhs(), axesOf(maps[0])}, {op.getRhs(), axesOf(maps[1])}};
    loops.out = accumulator(b, op, op.getAcc());
    loops.outMap = AffineMap::get(loops.iterators.size(), 0, kept, b.getContext());
    loops.element = getElementTypeOrSelf(op.getResultType());
    auto combine = [&](OpBuilder &body, ValueRange elements, Value old) {
      return multiplyAdd(body, op.getLoc(), elements, old);
    };
    loops.combine = combine;
    tiles.emit(b, op.getLoc(), loops);
    replaceNumber(b, op, loops.out);
    return success();
  }

  /// old + x * y, in the type of the sum.
  static Value multiplyAdd(OpBuilder &b, Location loc, ValueRange factors, Value old) {
    SmallVector<Value> wide(factors);
    bool isFloat = isa<FloatType>(old.getType());
    for (Value &factor : wide)
      if (factor.getType() != old.getType())
        factor = isFloat ? arith::ExtFOp::create(b, loc, old.getType(), factor).getResult()
                         : arith::ExtSIOp::create(b, loc, old.getType(), factor).getResult();
    if (isFloat)
      return arith::AddFOp::create(b, loc, old, arith::MulFOp::create(b, loc, wide[0], wide[1]));
    return arith::AddIOp::create(b, loc, old, arith::MulIOp::create(b, loc, wide[0], wide[1]));
  }

  /// As upstream's only lowering: an inclusive scan begins with the first element, an exclusive one with the initial
  /// value, which has one dimension less.
  LogicalResult lowerScan(vector::ScanOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    VectorType type = op.getSourceType();
    int64_t along = op.getReductionDim();
    Axes axes = identityAxes(type), rest = axes;
    rest.erase(rest.begin() + along);
    Value out = tiles.place(op.getDest()), last = tiles.place(op.getAccumulatedValue());
    SmallVector<int64_t> outer(type.getShape());
    outer[along] = 1;
    auto one = [&](OpBuilder &at, int64_t i) { return arith::ConstantIndexOp::create(at, loc, i).getResult(); };
    tiles.nest(b, loc, outer, nullptr, [&](OpBuilder &body, ValueRange indices) {
      auto position = [&](OpBuilder &at, Value i) { // With the index along the scan, at its place.
        SmallVector<Value> all(indices);
        if (op->hasAttr(tile::kReverse))
          i = arith::SubIOp::create(at, loc, one(at, type.getDimSize(along) - 1), i);
        if (axes[along] != kOnly)
          all.insert(all.begin() + axes[along], i);
        return all;
      };
      auto store = [&](OpBuilder &at, Value i, Value element) {
        tiles.storeElement(at, loc, element, out, position(at, i));
      };
      auto element = [&](OpBuilder &at, Value i) {
        return tiles.elementAt(at, loc, op.getSource(), axes, position(at, i));
      };
      Axes outerAxes = rest; // Of the initial value: loops are numbered without the scan's.
      for (int &axis : outerAxes)
        axis -= axis != kOnly && axes[along] != kOnly && axis > axes[along];
      Value first = op.getInclusive() ? element(body, one(body, 0))
                                      : tiles.elementAt(body, loc, op.getInitialValue(), outerAxes, indices);
      store(body, one(body, 0), first);
      auto loop = scf::ForOp::create(
          body, loc, one(body, 1), one(body, type.getDimSize(along)), one(body, 1), first,
          [&](OpBuilder &step, Location, Value i, ValueRange sum) {
            Value from = op.getInclusive() ? i : arith::SubIOp::create(step, loc, i, one(step, 1)).getResult();
            Value next = vector::makeArithReduction(step, loc, op.getKind(), sum[0], element(step, from));
            store(step, i, next);
            scf::YieldOp::create(step, loc, next);
          });
      tiles.storeElement(body, loc, loop.getResult(0), last, indices);
    });
    tiles.setBuffer(op.getDest(), out);
    tiles.setBuffer(op.getAccumulatedValue(), last);
    return success();
  }

  //===-- Control ---------------------------------------------------------===//

  LogicalResult lowerControl(Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](scf::ForOp loop) { return lowerFor(loop); })
        .Case([&](scf::WhileOp loop) { return lowerWhile(loop); })
        .Case<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>([&](auto choice) { return lowerChoice(choice); })
        .Default([&](Operation *) {
          WalkResult found = op->walk(
              [](Operation *inner) { return hasTileValues(inner) ? WalkResult::interrupt() : WalkResult::advance(); });
          return found.wasInterrupted() ? op->emitOpError("is no op of a tile program") : success();
        });
  }

  /// Whether `op`, which computes its result in the buffer of `old`, reads of it only what it writes next.
  bool readsInPlace(Operation *op, Value result, Value old) {
    auto isSource = [&](Value tile) { return tiles.uses.isStored(tile); };
    auto onlyAsWritten = [&](Value tile) { // `tile` is written element by element.
      bool all = true;
      Axes axes = identityAxes(tileType(tile));
      forEachSource(tile, axes, isSource, [&](Value source, const Axes &at) { all &= source != old || at == axes; });
      return all && !readsReshaped(tile, old);
    };
    auto never = [&](Value tile) {
      bool none = true;
      forEachSource(tile, identityAxes(tileType(tile)), isSource,
                    [&](Value source, const Axes &) { none &= source != old; });
      return none && !readsReshaped(tile, old);
    };
    if (auto product = dyn_cast<vector::ContractionOp>(op))
      return never(product.getLhs()) && never(product.getRhs()) && onlyAsWritten(product.getAcc());
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      return never(reduction.getSource()) && onlyAsWritten(reduction.getAcc());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, carried] : llvm::zip(loop.getInits(), loop.getResults()))
        if (tileType(init) && !(carried == result ? onlyAsWritten(init) : never(init)))
          return false;
      return true;
    }
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return true; // Its branches are looked at when they are lowered.
    if (!isElementwise(op))
      return false;
    return llvm::all_of(operandsAt(op, identityAxes(tileType(result))), [&](auto &operand) {
      bool all = !readsReshaped(operand.first, old);
      forEachSource(operand.first, operand.second, isSource, [&](Value source, const Axes &at) {
        all &= source != old || at == identityAxes(tileType(result));
      });
      return all;
    });
  }

  /// Whether the tile is computed from a reshape of `old`, which has its memory.
  bool readsReshaped(Value tile, Value old) {
    bool found = false;
    auto isSource = [&](Value one) { return tiles.uses.isStored(one); };
    forEachSource(tile, identityAxes(tileType(tile)), isSource, [&](Value source, const Axes &) {
      while (Operation *op = source.getDefiningOp()) {
        if (!isReshape(op))
          break;
        source = op->getOperand(0);
        found |= source == old;
      }
    });
    return found;
  }

  /// Whether `tile`, a result of `op`, may be written to a buffer: no tile that is there is read later in the block.
  bool mayReplace(Operation *op, Value tile, Value buffer) {
    bool may = true;
    for (Value old : tiles.occupantsOf(buffer))
      tiles.uses.forEachReader(old, [&](Operation *reader) {
        Operation *here = op->getBlock()->findAncestorOpInBlock(*reader);
        if (!here || here->isBeforeInBlock(op))
          return; // Of another branch, or of the code around: that has read what it needs.
        bool isInside = here == op && reader != op;
        bool looksItself = isa<scf::IfOp, scf::IndexSwitchOp>(op);
        may &= here == op && (looksItself || !isInside) && readsInPlace(op, tile, old);
      });
    return may;
  }

  /// Lets the tiles that the block's end passes on be computed in the buffers that they go to, where possible.
  void chooseDestinations(Block &block, ValueRange passed, ValueRange targets) {
    for (auto [tile, target] : llvm::zip_equal(passed, targets)) {
      Operation *op = tile.getDefiningOp();
      if (op && op->getBlock() == &block && tiles.uses.isStored(tile) && !isReshape(op) && !tiles.destinationOf(tile) &&
          !isDense(op) && mayReplace(op, tile, target))
        tiles.setDestination(tile, target);
    }
  }

  static bool isDense(Operation *op) { return isa<arith::ConstantOp>(op) && !isElementwise(op); }

  /// At the end of a block: moves tiles to the buffers where they are expected. The terminator keeps the scalars.
  LogicalResult lowerBody(Block &block, ValueRange targets) {
    Operation *end = block.getTerminator();
    SmallVector<Value> passed = tilesOf(end->getOperands());
    chooseDestinations(block, passed, targets);
    if (failed(lowerBlock(block)))
      return failure();
    OpBuilder b(end);
    tiles.assign(b, end->getLoc(), passed, targets);
    for (unsigned i = end->getNumOperands(); i-- > 0;)
      if (tileType(end->getOperand(i)))
        end->eraseOperand(i);
    return success();
  }

  /// Where the tiles among the results of `op` are.
  SmallVector<Value> placeResults(Operation *op) {
    return llvm::map_to_vector(tilesOf(op->getResults()), [&](Value tile) { return tiles.place(tile); });
  }

  /// Gives the op's scalar results to `made`, its replacement, and the tiles to their buffers.
  void replace(Operation *op, Operation *made, ValueRange buffers) {
    for (auto [scalar, next] : llvm::zip_equal(scalarsOf(op->getResults()), made->getResults()))
      scalar.replaceAllUsesWith(next);
    for (auto [tile, buffer] : llvm::zip_equal(tilesOf(op->getResults()), buffers))
      tiles.setBuffer(tile, buffer);
    replaced.push_back(op);
  }

  /// Moves the ops of `from` to `to`, whose arguments are the scalar ones. The old block keeps its arguments: tiles
  /// that are in buffers by now.
  void moveBody(Block &from, Block &to) {
    for (auto [old, argument] : llvm::zip_equal(scalarsOf(from.getArguments()), to.getArguments()))
      old.replaceAllUsesWith(argument);
    to.getOperations().splice(to.end(), from.getOperations());
  }

  LogicalResult lowerFor(scf::ForOp loop) {
    OpBuilder b(loop);
    if (!hasTileValues(loop))
      return lowerBlock(*loop.getBody());
    SmallVector<Value> buffers = placeResults(loop);
    tiles.assign(b, loop.getLoc(), tilesOf(loop.getInits()), buffers);
    auto made = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                   scalarsOf(loop.getInits()));
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    made.getBody()->clear();
    for (auto [tile, buffer] : llvm::zip_equal(tilesOf(loop.getRegionIterArgs()), buffers))
      tiles.setBuffer(tile, buffer);
    moveBody(*loop.getBody(), *made.getBody());
    if (failed(lowerBody(*made.getBody(), buffers)))
      return failure();
    replace(loop, made, buffers);
    return success();
  }

  /// The tiles that the condition passes on as they came stay where they are.
  LogicalResult lowerWhile(scf::WhileOp loop) {
    OpBuilder b(loop);
    if (!hasTileValues(loop))
      return success(succeeded(lowerBlock(*loop.getBeforeBody())) && succeeded(lowerBlock(*loop.getAfterBody())));
    SmallVector<Value> before, after;
    for (Value tile : tilesOf(loop.getBeforeArguments())) {
      before.push_back(tiles.newBuffer(tile.getType()));
      tiles.setBuffer(tile, before.back());
    }
    for (Value tile : tilesOf(loop.getConditionOp().getArgs())) {
      bool isBefore = llvm::is_contained(loop.getBeforeArguments(), tile);
      bool isFree = isBefore && !llvm::is_contained(after, tiles.bufferOf(tile));
      after.push_back(isFree ? tiles.bufferOf(tile) : tiles.newBuffer(tile.getType()));
    }
    tiles.assign(b, loop.getLoc(), tilesOf(loop.getInits()), before);
    auto types = [](ValueRange values) { return llvm::to_vector(ValueRange(scalarsOf(values)).getTypes()); };
    auto made = scf::WhileOp::create(b, loop.getLoc(), types(loop.getResults()), scalarsOf(loop.getInits()));
    auto lowerRegion = [&](Block &from, Region &to, ArrayRef<Value> targets) {
      SmallVector<Value> scalars = scalarsOf(from.getArguments());
      SmallVector<Location> places(scalars.size(), loop.getLoc());
      Block *block = b.createBlock(&to, to.end(), ValueRange(scalars).getTypes(), places);
      moveBody(from, *block);
      return lowerBody(*block, targets);
    };
    Block &from = *loop.getAfterBody();
    if (failed(lowerRegion(*loop.getBeforeBody(), made.getBefore(), after)))
      return failure();
    for (auto [tile, buffer] : llvm::zip_equal(tilesOf(from.getArguments()), after))
      tiles.setBuffer(tile, buffer);
    if (failed(lowerRegion(from, made.getAfter(), before)))
      return failure();
    replace(loop, made, after);
    return success();
  }

  /// scf.if, scf.index_switch, scf.execute_region: every branch writes to the same buffers.
  LogicalResult lowerChoice(Operation *op) {
    SmallVector<Value> buffers = placeResults(op);
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      if (!region.hasOneBlock())
        return op->emitOpError("is no op of a tile program: it has several blocks");
      if (failed(lowerBody(region.front(), buffers)))
        return failure();
    }
    if (buffers.empty())
      return success();
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), {}, op->getAttrs());
    for (Value scalar : scalarsOf(op->getResults()))
      state.addTypes(scalar.getType());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *made = OpBuilder(op).create(state);
    replace(op, made, buffers);
    return success();
  }

  FunctionOpInterface function;
  SymbolTable &symbols;
  TileLoops tiles;
  bool readInPlace;
  SmallVector<Operation *> replaced; ///< Ops on tiles; they are erased when nothing reads them any more.
};

} // namespace

LogicalResult lowerTilesToLinalg(FunctionOpInterface function, SymbolTable &symbols, bool readInPlace) {
  if (!readInPlace) // The simulator adds in the order of a device; a CPU has vectors of sums (lib/Loops).
    function.walk([](vector::MultiDimReductionOp op) { splitSum(op); });
  return Lowering(function, symbols, readInPlace).run();
}

namespace {
struct TilesToLinalg : lispier::impl::TilesToLinalgBase<TilesToLinalg> {
  using TilesToLinalgBase::TilesToLinalgBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (tile::programOf(kernel) && failed(lowerTilesToLinalg(kernel, symbols, readInPlace)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace lispier::tiles
