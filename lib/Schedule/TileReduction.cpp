//===- TileReduction.cpp - reductions and contractions on tiles -----------===//
//
// A reduced dimension is in one tile, or a loop goes over its tiles with a running
// result for each place of a tile, so that threads meet only behind the loop. The
// elements of a tile that are outside of the tensor do not change the result.
//
//===----------------------------------------------------------------------===//
#include "RegionValue.h"
#include "TileEmitter.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// Of several summed loops, the longest is a product's if it fills the shortest matrix instruction, or, of factors for
/// which there is none, a short step of a loop.
constexpr int64_t kLeastSummedOfSeveral = 16, kLeastSummedWithoutMatrices = 3;
/// Of several loops of a factor's own that fill a tile, it has the one that is innermost in the result. Tiles of
/// factors for which there are no matrix instructions are small.
constexpr int64_t kFullSide = 128, kFullSideWithoutMatrices = 28;

/// What a reduction's region does with each element.
struct Combiner {
  Operation *op = nullptr;
  Value element; ///< What it combines with the result so far.
  vector::CombiningKind kind;
  TypedAttr neutral;
};

std::optional<std::pair<vector::CombiningKind, arith::AtomicRMWKind>> kindOf(Operation *op) {
  using Vector = vector::CombiningKind;
  using Arith = arith::AtomicRMWKind;
  using Kinds = std::optional<std::pair<Vector, Arith>>;
  return llvm::TypeSwitch<Operation *, Kinds>(op)
      .Case([](arith::AddFOp) { return Kinds({Vector::ADD, Arith::addf}); })
      .Case([](arith::AddIOp) { return Kinds({Vector::ADD, Arith::addi}); })
      .Case([](arith::MulFOp) { return Kinds({Vector::MUL, Arith::mulf}); })
      .Case([](arith::MulIOp) { return Kinds({Vector::MUL, Arith::muli}); })
      .Case([](arith::MaximumFOp) { return Kinds({Vector::MAXIMUMF, Arith::maximumf}); })
      .Case([](arith::MinimumFOp) { return Kinds({Vector::MINIMUMF, Arith::minimumf}); })
      // Not NaN, which would be the result of a row without numbers.
      .Case([](arith::MaxNumFOp) { return Kinds({Vector::MAXNUMF, Arith::maximumf}); })
      .Case([](arith::MinNumFOp) { return Kinds({Vector::MINNUMF, Arith::minimumf}); })
      .Case([](arith::MaxSIOp) { return Kinds({Vector::MAXSI, Arith::maxs}); })
      .Case([](arith::MinSIOp) { return Kinds({Vector::MINSI, Arith::mins}); })
      .Case([](arith::MaxUIOp) { return Kinds({Vector::MAXUI, Arith::maxu}); })
      .Case([](arith::MinUIOp) { return Kinds({Vector::MINUI, Arith::minu}); })
      .Case([](arith::AndIOp) { return Kinds({Vector::AND, Arith::andi}); })
      .Case([](arith::OrIOp) { return Kinds({Vector::OR, Arith::ori}); })
      .Default([](Operation *) { return Kinds(); });
}

std::optional<Combiner> combinerOf(OpBuilder &b, linalg::LinalgOp op, unsigned result) {
  Combiner combiner;
  combiner.op = op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  if (!combiner.op || combiner.op->getBlock() != op.getBlock() || !sofar.hasOneUse() ||
      *sofar.user_begin() != combiner.op)
    return std::nullopt;
  auto kinds = kindOf(combiner.op);
  if (!kinds)
    return std::nullopt;
  combiner.element = combiner.op->getOperand(combiner.op->getOperand(0) == sofar ? 1 : 0);
  combiner.kind = kinds->first;
  combiner.neutral =
      cast<TypedAttr>(arith::getIdentityValueAttr(kinds->second, combiner.op->getResult(0).getType(), b, op.getLoc()));
  return combiner;
}

/// A value without the conversions to a wider type.
Value narrow(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The product of the op's two inputs that is added to its result.
bool isProduct(linalg::LinalgOp op) {
  Operation *sum = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Operation *product = sum->getOperand(sum->getOperand(0) == sofar ? 1 : 0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) || !llvm::is_contained(sum->getOperands(), sofar))
    return false;
  Value a = narrow(product->getOperand(0)), c = narrow(product->getOperand(1));
  Value first = op.getBlock()->getArgument(0), second = op.getBlock()->getArgument(1);
  return (a == first && c == second) || (a == second && c == first);
}

/// Whether the factors' digits are kept by multiplying in their own type, element by element.
bool mayBeExact(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInputs(), [](Value factor) {
    return getElementTypeOrSelf(factor).isF32() || getElementTypeOrSelf(factor).isF64();
  });
}

/// Whether they are: a product that may round them takes matrix instructions where sums are long enough.
bool isExact(linalg::LinalgOp op) { return mayBeExact(op) && !op->hasAttr(tile::kPrecision); }
} // namespace

std::optional<Contraction> contractionOf(linalg::LinalgOp op, const GroupDimensions &dimensions,
                                         std::optional<unsigned> rows) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !isProduct(op))
    return std::nullopt;
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  Contraction found{};
  SmallVector<unsigned> sides[3]; // m, n, k
  for (unsigned loop = 0; loop < loops.dimensions.size(); ++loop) {
    bool a = llvm::is_contained(loops.operands[0], loop), c = llvm::is_contained(loops.operands[1], loop);
    if (loops.reduced[loop] ? !(a && c) : !(a || c))
      return std::nullopt;
    (loops.reduced[loop] ? sides[2] : a && c ? found.batch : a ? sides[0] : sides[1]).push_back(loop);
  }
  int64_t full = isExact(op) ? kFullSideWithoutMatrices : kFullSide;
  ArrayRef<unsigned> made = loops.operands[op.getDpsInitOperand(0)->getOperandNumber()];
  for (auto [side, chosen] : {std::pair(&sides[0], &found.m), {&sides[1], &found.n}, {&sides[2], &found.k}}) {
    auto sizeOf = [&](unsigned loop) { // What only the call knows counts as large.
      unsigned dimension = loops.dimensions[loop];
      return rows == dimension                ? std::numeric_limits<int64_t>::max()
             : dimensions.isStatic(dimension) ? dimensions.size(dimension)
                                              : std::numeric_limits<int64_t>::max() - 1;
    };
    bool isOwn = side != &sides[2];
    auto rankOf = [&](unsigned loop) {
      int64_t size = sizeOf(loop);
      int64_t place = isOwn ? llvm::find(made, loop) - made.begin() : loop;
      return std::pair(isOwn && rows != loops.dimensions[loop] ? std::min(size, full) : size, place);
    };
    auto *own = llvm::max_element(*side, [&](unsigned a, unsigned c) { return rankOf(a) < rankOf(c); });
    int64_t least = mayBeExact(op) ? kLeastSummedWithoutMatrices : kLeastSummedOfSeveral;
    bool isShort = side == &sides[2] && side->size() > 1 && sizeOf(*own) < least;
    if (side->empty() || isShort)
      return std::nullopt;
    *chosen = *own;
    side->erase(own);
    llvm::append_range(side == &sides[2] ? found.outer : found.batch, *side);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool readsOneElement(linalg::LinalgOp op, const GroupDimensions &dimensions) {
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  if (op.getNumDpsInits() != 1 || llvm::count(loops.reduced, true) != 1)
    return false;
  unsigned loop = llvm::find(loops.reduced, true) - loops.reduced.begin();
  OpBuilder b(op);
  std::optional<Combiner> combiner = combinerOf(b, op, 0);
  return combiner && selectedPlace({op, combiner->element}, loops.dimensions[loop], combiner->neutral, dimensions);
}

Value TileEmitter::reduce(Region &region, unsigned result) {
  linalg::LinalgOp op = region.op;
  if (std::optional<Contraction> product = contractionOf(op, dimensions, rowsOfProducts()))
    if (region.axes[product->m].size != kPoint && region.axes[product->n].size != kPoint)
      return contract(region, *product);
  SmallVector<unsigned> looped;
  for (auto [loop, reduced] : llvm::enumerate(region.loops.reduced)) {
    if (!reduced)
      continue;
    auto how = schedule.reduced.find(region.loops.dimensions[loop]);
    if (how == schedule.reduced.end())
      return fail(op, "reduces dimensions that one tile does not have together");
    if (!size(region.loops.dimensions[loop]))
      return fail(op, "reduces a dimension whose size is computed with its elements");
    region.axes[loop] = {Value(), how->second.size};
    if (how->second.looped)
      looped.push_back(loop);
  }
  std::optional<Combiner> combiner = combinerOf(b, op, result);
  if (!combiner)
    return fail(op, "combines elements in a way that has no rule");
  OpOperand *init = op.getDpsInitOperand(result);
  if (llvm::count(region.loops.reduced, true) == 1) {
    unsigned loop = llvm::find(region.loops.reduced, true) - region.loops.reduced.begin();
    if (Value alone = selectedElement(region, combiner->element, loop, combiner->neutral)) {
      std::optional<Piece> first = operandElement(region, *init);
      return first ? vector::makeArithReduction(b, loc, combiner->kind, alone, first->value) : Value();
    }
    if (!reason.empty())
      return {};
  }
  auto combined = [&]() -> Value {
    std::optional<Piece> piece = element(region, combiner->element);
    return piece ? neutralOutside(region, widen(region, *piece, allLoops(region)), combiner->neutral, allLoops(region))
                 : Value();
  };
  ArrayRef<unsigned> kept = region.loops.operands[init->getOperandNumber()];
  bool isInOneLoop = looped.size() == 1;
  if (isInOneLoop)
    if (Value known =
            maximumOfShiftedSum(op, llvm::map_to_vector(kept, [&](unsigned loop) { return region.axes[loop]; })))
      return known;
  std::optional<ShiftedSum> shifted = isInOneLoop ? sumInOnePass(op) : std::nullopt;
  if (!looped.empty())
    if (Value known = jointResult(region, looped, combiner->kind, combiner->neutral); known || !reason.empty())
      return known;
  Value all = shifted          ? sumShifted(region, *shifted, looped.front())
              : looped.empty() ? combined()
                               : combineInLoops(region, looped, combiner->kind, combiner->neutral, combined);
  return all ? combinedFromFirst(region, *init, all, combiner->kind) : Value();
}

Value TileEmitter::combinedFromFirst(Region &region, OpOperand &init, Value all, vector::CombiningKind kind) {
  std::optional<Piece> first = operandElement(region, init);
  if (!first)
    return {};
  SmallVector<bool> reduced;
  for (unsigned loop : allLoops(region).set_bits())
    reduced.push_back(region.loops.reduced[loop]);
  ArrayRef<unsigned> kept = region.loops.operands[init.getOperandNumber()];
  Value begin = widen(region, *first, properLoops(region, kept));
  Value made = llvm::is_contained(reduced, true)
                   ? vector::MultiDimReductionOp::create(b, loc, all, begin, reduced, kind).getResult()
                   : vector::makeArithReduction(b, loc, kind, all, begin);
  return inOrder(region, made, kept);
}

/// What `body` makes of the carried values for each tile along the loops, the first of which is the outermost. Empty if
/// it fails.
SmallVector<Value> TileEmitter::carryInLoops(Region &region, ArrayRef<unsigned> looped, ValueRange initial,
                                             llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  auto outside = std::exchange(region.known, llvm::DenseMap<Value, Piece>());
  std::function<SmallVector<Value>(ArrayRef<unsigned>, ValueRange)> carry =
      [&](ArrayRef<unsigned> loops, ValueRange sofar) -> SmallVector<Value> {
    if (loops.empty())
      return body(sofar);
    TileAxis &axis = region.axes[loops.front()];
    auto step = [&](Value start, ValueRange carried) {
      axis.start = start;
      return carry(loops.drop_front(), carried);
    };
    FailureOr<scf::ForOp> made = loop(region.loops.dimensions[loops.front()], axis.step(), sofar, step);
    axis.start = Value();
    if (failed(made))
      return {};
    if (loops.size() == 1)
      readAhead(*made);
    if (roleOf(region.op) == TensorRole::Contraction)
      sums.push_back({*made});
    else if (looped.size() == 1)
      reductions.push_back(*made);
    return made->getResults();
  };
  SmallVector<Value> all = carry(looped, initial);
  region.known = std::move(outside);
  return all;
}

/// A tile whose elements are combined from all tiles along the loops.
Value TileEmitter::combineInLoops(Region &region, ArrayRef<unsigned> looped, vector::CombiningKind kind,
                                  TypedAttr neutral, llvm::function_ref<Value()> combined) {
  Value none = splat(neutral, shapeOf(region, allLoops(region)));
  SmallVector<Value> all = carryInLoops(region, looped, none, [&](ValueRange sofar) -> SmallVector<Value> {
    Value tile = combined();
    return tile ? SmallVector<Value>{vector::makeArithReduction(b, loc, kind, tile, sofar.front())}
                : SmallVector<Value>();
  });
  return all.empty() ? Value() : all.front();
}

SmallVector<Value> TileEmitter::sumColumns(ArrayRef<linalg::LinalgOp> sums,
                                           llvm::function_ref<TileAxis(unsigned)> axisOf,
                                           llvm::function_ref<bool(ArrayRef<Value>)> store) {
  auto axesOf = [&](const GroupDimensions::Loops &loops, ArrayRef<Value> starts) {
    TileAxes axes;
    for (unsigned dimension : loops.dimensions) {
      axes.push_back(axisOf(dimension));
      if (auto *at = llvm::find(schedule.rows, dimension); at != schedule.rows.end() && !starts.empty())
        axes.back().start = starts[at - schedule.rows.begin()];
    }
    return axes;
  };
  SmallVector<Combiner> combiners;
  SmallVector<Value> initial, starts;
  for (linalg::LinalgOp sum : sums) {
    std::optional<Combiner> combiner = combinerOf(b, sum, 0);
    if (!combiner)
      return fail(sum, "combines elements in a way that has no rule"), SmallVector<Value>();
    combiners.push_back(*combiner);
    initial.push_back(splat(combiner->neutral, shapeOf(axesOf(dimensions.loops(sum), {}))));
  }
  auto step = [&](ValueRange sofar) -> SmallVector<Value> {
    SmallVector<Value> next;
    for (auto [sum, combiner, before] : llvm::zip(sums, combiners, sofar)) {
      Region region{sum, dimensions.loops(sum), axesOf(dimensions.loops(sum), starts), llvm::DenseMap<Value, Piece>()};
      LoopSet all = allLoops(region);
      std::optional<Piece> piece = element(region, combiner.element);
      if (!piece)
        return {};
      Value tile = neutralOutside(region, widen(region, *piece, all), combiner.neutral, all);
      next.push_back(vector::makeArithReduction(b, loc, combiner.kind, tile, before));
    }
    return store(starts) ? next : SmallVector<Value>();
  };
  std::function<SmallVector<Value>(ArrayRef<unsigned>, ValueRange)> walk = [&](ArrayRef<unsigned> rows,
                                                                               ValueRange sofar) -> SmallVector<Value> {
    if (rows.empty())
      return step(sofar);
    FailureOr<scf::ForOp> made =
        loop(rows.front(), axisOf(rows.front()).step(), sofar, [&](Value start, ValueRange carried) {
          starts.push_back(start);
          SmallVector<Value> next = walk(rows.drop_front(), carried);
          starts.pop_back();
          return next;
        });
    if (succeeded(made) && rows.size() == 1 && schedule.readsAhead)
      readAhead(*made);
    return succeeded(made) ? SmallVector<Value>(made->getResults()) : SmallVector<Value>();
  };
  SmallVector<Value> tiles, totals = walk(schedule.rows, initial);
  for (auto [number, all] : llvm::enumerate(totals)) {
    linalg::LinalgOp sum = sums[number];
    const Combiner &combiner = combiners[number];
    Region region{sum, dimensions.loops(sum), axesOf(dimensions.loops(sum), {}), llvm::DenseMap<Value, Piece>()};
    tiles.push_back(combinedFromFirst(region, *sum.getDpsInitOperand(0), all, combiner.kind));
    if (!tiles.back())
      return {};
  }
  return tiles;
}

Value TileEmitter::neutralOutside(Region &region, Value value, TypedAttr neutral, const LoopSet &all) {
  LoopSet reduced(all);
  for (unsigned loop : all.set_bits())
    if (!region.loops.reduced[loop])
      reduced.reset(loop);
  if (!mayEnd(region, reduced))
    return value;
  if (auto read = value.getDefiningOp<vector::TransferReadOp>(); read && claimPadding(read, neutral))
    return value;
  Value mask = inside(region, reduced, all);
  return arith::SelectOp::create(b, loc, mask, value, splat(neutral, shapeOf(region, all)));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

Value TileEmitter::contract(Region &region, const Contraction &product) {
  linalg::LinalgOp op = region.op;
  if (llvm::any_of(product.batch, [&](unsigned loop) { return region.axes[loop].size != kPoint; }))
    return fail(op, "is a batch of products of which a tile has several");
  OpOperand *init = op.getDpsInitOperand(0);
  ArrayRef<unsigned> kept = region.loops.operands[init->getOperandNumber()];
  Value first = tile(init->get(), llvm::map_to_vector(kept, [&](unsigned loop) { return region.axes[loop]; }));
  if (!first)
    return {};
  if (schedule.online && schedule.online->product == op)
    return contractOnline(region, product, first);
  auto isStatic = [&](unsigned loop) { return dimensions.isStatic(region.loops.dimensions[loop]); };
  if (!product.outer.empty() && schedule.inner.empty() && isStatic(product.k) && llvm::all_of(product.outer, isStatic))
    return sumInOneLoop(region, product, first);
  if (!product.outer.empty() && schedule.ring && !llvm::is_contained(schedule.inner, op) &&
      llvm::all_of(product.outer, isStatic))
    return sumChainInOneLoop(region, product, first);
  return sumProducts(region, product, product.outer, first);
}

/// The same as sumProducts in one loop over all steps, so that what a step reads is on its way in the step before,
/// whichever loop that is of.
Value TileEmitter::sumInOneLoop(Region &region, const Contraction &product, Value first) {
  SmallVector<unsigned> loops(product.outer);
  loops.push_back(product.k);
  auto widthOf = [&](unsigned loop) { return loop == product.k ? schedule.summedStep : 1; };
  auto stepsOf = [&](unsigned loop) {
    return int64_t(llvm::divideCeil(dimensions.size(region.loops.dimensions[loop]), widthOf(loop)));
  };
  int64_t all = 1;
  for (unsigned loop : loops)
    all *= stepsOf(loop);
  auto body = [&](Value number, ValueRange carried) {
    auto startOf = [&](Value step, int64_t width) -> Value {
      return width == 1 ? step : arith::MulIOp::create(b, loc, step, index(width)).getResult();
    };
    for (unsigned loop : llvm::reverse(loops)) {
      bool isLast = loop == loops.front();
      Value step = isLast ? number : arith::RemUIOp::create(b, loc, number, index(stepsOf(loop))).getResult();
      region.axes[loop] = {startOf(step, widthOf(loop)), loop == product.k ? schedule.summedStep : kPoint};
      depthOfStart[region.axes[loop].start] = scopes.size() - 1;
      if (!isLast)
        number = arith::DivUIOp::create(b, loc, number, index(stepsOf(loop)));
    }
    Value a = factor(region, 0, product.k), c = factor(region, 1, product.k);
    Value sum = a && c ? multiply(region, product, a, c, carried.front()) : Value();
    return sum ? SmallVector<Value>{sum} : SmallVector<Value>();
  };
  unsigned summed = region.loops.dimensions[product.k];
  FailureOr<scf::ForOp> made = loop(summed, 1, first, body, {index(0), index(all)});
  if (failed(made))
    return {};
  sums.push_back({*made});
  return made->getResult(0);
}

/// The same as sumProducts for a chain by a ring, whose loop has no others in it: for each tile along the summed loop
/// the products of all indices of the outer ones. It walks tiles along the summed loop that a mask leaves for any of
/// these.
Value TileEmitter::sumChainInOneLoop(Region &region, const Contraction &product, Value sofar) {
  int64_t width = schedule.summedStep, all = 1;
  auto sizeOf = [&](unsigned loop) { return dimensions.size(region.loops.dimensions[loop]); };
  for (unsigned loop : product.outer) {
    region.axes[loop] = {Value(), sizeOf(loop)};
    all *= sizeOf(loop);
  }
  SeenRange seen = nonzeroRange(region, product.k, width);
  auto body = [&](Value number, ValueRange carried) {
    auto setAxis = [&](unsigned loop, Value start, int64_t size) {
      region.axes[loop] = {start, size};
      depthOfStart[start] = scopes.size() - 1;
    };
    for (unsigned loop : llvm::reverse(product.outer)) {
      setAxis(loop, arith::RemUIOp::create(b, loc, number, index(sizeOf(loop))), kPoint);
      number = arith::DivUIOp::create(b, loc, number, index(sizeOf(loop)));
    }
    setAxis(product.k, arith::MulIOp::create(b, loc, number, index(width)), width);
    Value a = factor(region, 0, product.k), c = factor(region, 1, product.k);
    Value sum = a && c ? multiply(region, product, a, c, carried.front()) : Value();
    return sum ? SmallVector<Value>{sum} : SmallVector<Value>();
  };
  unsigned summed = region.loops.dimensions[product.k];
  auto stepsUntil = [&](Value end) -> Value {
    Value tiles = b.createOrFold<arith::CeilDivUIOp>(loc, end ? end : size(summed), index(width));
    return b.createOrFold<arith::MulIOp>(loc, tiles, index(all));
  };
  SmallVector<scf::ForOp, 2> loops;
  for (auto [range, isWhole] : partsOf(seen, summed, width)) {
    if (isWhole)
      for (Value condition : seen.conditions)
        holding.insert(condition.getAsOpaquePointer());
    LoopRange steps{range.begin ? stepsUntil(range.begin) : index(0), stepsUntil(range.end)};
    FailureOr<scf::ForOp> made = loop(summed, 1, sofar, body, steps);
    holding.clear();
    if (failed(made))
      return {};
    loops.push_back(*made);
    sofar = made->getResult(0);
  }
  sums.push_back(std::move(loops));
  return sofar;
}

/// `sofar`, and the products along the summed loop and those of `outer`, the first of which is the outermost.
Value TileEmitter::sumProducts(Region &region, const Contraction &product, ArrayRef<unsigned> outer, Value sofar) {
  bool isInner = llvm::is_contained(schedule.inner, region.op), isOuter = !outer.empty();
  unsigned along = isOuter ? outer.front() : product.k, summed = region.loops.dimensions[along];
  int64_t width = isOuter   ? kPoint
                  : isInner ? int64_t(llvm::PowerOf2Ceil(dimensions.size(summed)))
                            : schedule.summedStep;
  auto step = [&](Value start, Value sum) -> Value {
    region.axes[along] = {start, width};
    if (isOuter)
      return sumProducts(region, product, outer.drop_front(), sum);
    Value a = factor(region, 0, product.k), c = factor(region, 1, product.k);
    return a && c ? multiply(region, product, a, c, sum) : Value();
  };
  if (dimensions.isStatic(summed) && dimensions.size(summed) == 0)
    return sofar; // There is no product, and no element to read at a point.
  if (dimensions.isStatic(summed) && dimensions.size(summed) <= width)
    return step(Value(), sofar);
  SeenRange seen;
  if (!schedule.inner.empty() && !isInner && !isOuter)
    seen = nonzeroRange(region, product.k, width);
  auto body = [&](Value start, ValueRange carried) {
    Value sum = step(start, carried.front());
    return sum ? SmallVector<Value>{sum} : SmallVector<Value>();
  };
  SmallVector<scf::ForOp, 2> loops;
  for (auto [range, isWhole] : partsOf(seen, summed, width)) {
    if (isWhole)
      for (Value condition : seen.conditions)
        holding.insert(condition.getAsOpaquePointer());
    FailureOr<scf::ForOp> made = loop(summed, std::max<int64_t>(1, width), sofar, body, range);
    holding.clear();
    if (failed(made))
      return {};
    loops.push_back(*made);
    sofar = made->getResult(0);
  }
  if (outer.size() == product.outer.size())
    sums.push_back(std::move(loops));
  return sofar;
}

/// sum + a c, with the precision that the op asks for. Factors of two types are extended.
Value TileEmitter::multiply(const Region &region, const Contraction &product, Value a, Value c, Value sum) {
  linalg::LinalgOp op = region.op;
  ArrayRef<unsigned> kept = region.loops.operands[op.getDpsInitOperand(0)->getOperandNumber()];
  // What another product needs in registers has the rows of the first factor, also if the program has them last.
  bool isTransposed = !schedule.inner.empty() && llvm::find(kept, product.n) < llvm::find(kept, product.m);
  unsigned rows = isTransposed ? product.n : product.m, columns = isTransposed ? product.m : product.n;
  auto mapOf = [&](unsigned operand) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : region.loops.operands[operand])
      if (loop == rows || loop == columns || loop == product.k)
        results.push_back(b.getAffineDimExpr(loop == rows ? 0 : loop == columns ? 1 : 2));
    return AffineMap::get(3, 0, results, b.getContext());
  };
  SmallVector<AffineMap> maps{mapOf(0), mapOf(1), mapOf(op.getDpsInitOperand(0)->getOperandNumber())};
  if (isTransposed) {
    std::swap(a, c);
    std::swap(maps[0], maps[1]);
  }
  using Iterator = vector::IteratorType;
  SmallVector<Attribute> iterators;
  for (Iterator each : {Iterator::parallel, Iterator::parallel, Iterator::reduction})
    iterators.push_back(vector::IteratorTypeAttr::get(b.getContext(), each));
  if (getElementTypeOrSelf(a) != getElementTypeOrSelf(c)) {
    a = extended(a, getElementTypeOrSelf(sum));
    c = extended(c, getElementTypeOrSelf(sum));
  }
  auto made =
      vector::ContractionOp::create(b, loc, a, c, sum, b.getAffineMapArrayAttr(maps), b.getArrayAttr(iterators));
  // Of fewer elements, matrix instructions are slower than what is exact.
  if (Attribute precision = op->getAttr(tile::kPrecision);
      precision && getElementTypeOrSelf(a).isF32() && schedule.summedStep >= kLeastOfRounded)
    made->setAttr(tile::kPrecision, precision);
  return made;
}

/// An operand of a product, which is 0 beyond the end of the summed dimension.
Value TileEmitter::factor(Region &region, unsigned operand, unsigned summed) {
  ArrayRef<unsigned> loops = region.loops.operands[operand];
  Value made = tile(region.op->getOperand(operand),
                    llvm::map_to_vector(loops, [&](unsigned loop) { return region.axes[loop]; }));
  if (!made || isWhole(region.loops.dimensions[summed], region.axes[summed]))
    return made;
  TypedAttr zero = b.getZeroAttr(getElementTypeOrSelf(made));
  if (auto read = made.getDefiningOp<vector::TransferReadOp>(); read && claimPadding(read, zero))
    return made;
  Value inside = neutralOutside(region, inLoops(region, made, loops), zero, properLoops(region, loops));
  return inOrder(region, inside, loops);
}

Value TileEmitter::extended(Value tile, Type element) {
  Type type = cast<VectorType>(tile.getType()).clone(element);
  if (tile.getType() == type)
    return tile;
  return isa<FloatType>(element) ? arith::ExtFOp::create(b, loc, type, tile).getResult()
                                 : arith::ExtSIOp::create(b, loc, type, tile).getResult();
}
} // namespace lispier::tensors
