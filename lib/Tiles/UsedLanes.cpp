//===- UsedLanes.cpp - which elements of a tile something uses ------------===//
#include "UsedLanes.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <numeric>

using namespace mlir;

namespace lispier {
namespace {
/// More lists than these are not told apart.
constexpr size_t kMostLists = 4;
const UsedLanes kAll{{}};

VectorType shapeOf(Value value) { return dyn_cast<VectorType>(value.getType()); }

bool isSubset(ArrayRef<LaneCondition> small, ArrayRef<LaneCondition> large) {
  return llvm::all_of(small, [&](const LaneCondition &one) { return llvm::is_contained(large, one); });
}

/// Adds elements; returns whether that are more than before.
bool add(UsedLanes &lanes, ArrayRef<LaneCondition> more) {
  if (llvm::any_of(lanes, [&](auto &known) { return isSubset(known, more); }))
    return false;
  llvm::erase_if(lanes, [&](auto &known) { return isSubset(more, known); });
  lanes.emplace_back(more);
  if (lanes.size() > kMostLists)
    lanes = kAll;
  return true;
}

/// The same elements under another numbering of dimensions: axis i is `axisOf[i]`. Those that differ in an axis without
/// a number only are one.
UsedLanes renumbered(const UsedLanes &lanes, ArrayRef<std::optional<unsigned>> axisOf) {
  UsedLanes result;
  for (const auto &list : lanes) {
    SmallVector<LaneCondition> kept;
    for (LaneCondition condition : list) {
      bool isKnown = llvm::all_of(condition.axes, [&](unsigned axis) { return axisOf[axis].has_value(); });
      for (unsigned &axis : condition.axes)
        axis = axisOf[axis].value_or(0);
      if (isKnown)
        kept.push_back(std::move(condition));
    }
    add(result, kept);
  }
  return result;
}

/// Those of which `condition` holds, too.
UsedLanes narrowed(UsedLanes lanes, const LaneCondition &condition) {
  for (auto &list : lanes)
    if (!llvm::is_contained(list, condition))
      list.push_back(condition);
  return lanes;
}

/// Of a tile of the same dimensions.
LaneCondition conditionOf(Value tile, Value memref = Value(), unsigned dimension = 0) {
  LaneCondition condition{tile, Value(), memref, dimension};
  for (auto [axis, size] : llvm::enumerate(shapeOf(tile).getShape()))
    if (size != 1)
      condition.axes.push_back(axis);
  return condition;
}

/// Whether the tile is computed from places and numbers that all elements share.
bool isOfPlaces(Value value) {
  if (!shapeOf(value))
    return true;
  Operation *op = value.getDefiningOp();
  bool isMade =
      op &&
      (OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<OpTrait::ConstantLike>() ||
       isa<vector::StepOp, vector::CreateMaskOp, vector::BroadcastOp, vector::ShapeCastOp, vector::TransposeOp>(op));
  return isMade && llvm::all_of(op->getOperands(), isOfPlaces);
}

/// For each axis of the result of an op that moves elements, the operand's; nullopt if it is no such op.
std::optional<SmallVector<std::optional<unsigned>>> movedAxes(Operation *op) {
  VectorType to = shapeOf(op->getResult(0)), from = shapeOf(op->getOperand(0));
  SmallVector<std::optional<unsigned>> axisOf(to.getRank());
  if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
    for (auto [axis, source] : llvm::enumerate(transpose.getPermutation()))
      axisOf[axis] = source;
    return axisOf;
  }
  if (isa<vector::BroadcastOp>(op)) {
    unsigned leading = to.getRank() - from.getRank();
    for (int64_t axis : llvm::seq(from.getRank()))
      if (from.getDimSize(axis) == to.getDimSize(leading + axis))
        axisOf[leading + axis] = axis;
    return axisOf;
  }
  if (!isa<vector::ShapeCastOp>(op))
    return std::nullopt;
  int64_t source = 0;
  for (int64_t axis : llvm::seq(to.getRank())) {
    if (to.getDimSize(axis) == 1)
      continue;
    while (source < from.getRank() && from.getDimSize(source) == 1)
      ++source;
    if (source == from.getRank() || from.getDimSize(source) != to.getDimSize(axis))
      return std::nullopt;
    axisOf[axis] = source++;
  }
  return axisOf;
}
} // namespace

bool UsedLanesAnalysis::use(Value value, UsedLanes lanes) {
  if (!value || !shapeOf(value))
    return false;
  UsedLanes &known = used[value];
  bool changed = false;
  for (const auto &list : lanes)
    changed |= add(known, list);
  return changed;
}

bool UsedLanesAnalysis::useTransfer(Operation *op) {
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (read)
    return use(read.getMask(), of(read.getResult()));
  auto type = write.getVectorType();
  int64_t leading = write.getIndices().size() - type.getRank();
  UsedLanes lanes = kAll;
  SmallVector<bool> inBounds = write.getInBoundsValues();
  if (leading >= 0 && write.getPermutationMap().isMinorIdentity())
    for (int64_t axis : llvm::seq(type.getRank()))
      if (!inBounds[axis])
        lanes = narrowed(lanes, {.start = write.getIndices()[leading + axis],
                                 .memref = write.getBase(),
                                 .dimension = unsigned(leading + axis),
                                 .axes = {unsigned(axis)}});
  bool changed = use(write.getMask(), lanes);
  return use(write.getVector(), write.getMask() ? narrowed(lanes, conditionOf(write.getMask())) : lanes) || changed;
}

/// A gather and the ops that write elements: what is outside of memory, or masked, is not accessed.
bool UsedLanesAnalysis::useScattered(Operation *op) {
  bool changed = false;
  auto at = [&](UsedLanes lanes, ValueRange indices, Value mask) {
    changed |= use(mask, lanes);
    if (mask)
      lanes = narrowed(lanes, conditionOf(mask));
    for (Value index : indices)
      changed |= use(index, lanes);
    return lanes;
  };
  auto written = [&](auto op) {
    UsedLanes lanes = at(kAll, op.getIndices(), op.getMask());
    for (auto [dimension, index] : llvm::enumerate(op.getIndices()))
      lanes = narrowed(lanes, conditionOf(index, op.getBase(), dimension));
    changed |= use(op.getValue(), lanes);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::GatherOp op) { at(of(op.getResult()), op.getIndices(), op.getMask()); })
      .Case<tile::ScatterOp, tile::AtomicAddOp>(written);
  return changed;
}

/// Without conditions on what the loop computes: another iteration has other values of it.
static UsedLanes ofAllIterations(const UsedLanes &lanes, scf::ForOp loop) {
  UsedLanes result;
  for (const auto &list : lanes) {
    SmallVector<LaneCondition> kept;
    for (const LaneCondition &condition : list)
      if (llvm::all_of(std::array{condition.tile, condition.start, condition.memref},
                       [&](Value value) { return !value || loop.isDefinedOutsideOfLoop(value); }))
        kept.push_back(condition);
    add(result, kept);
  }
  return result;
}

/// What loops and branches pass on.
bool UsedLanesAnalysis::useControl(Operation *op) {
  bool changed = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, result] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
      changed |= use(init, ofAllIterations(of(argument), loop));
      changed |= use(init, of(result));
    }
    return changed;
  }
  Operation *around = op->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(around))
    for (auto [value, argument] : llvm::zip(op->getOperands(), loop.getRegionIterArgs()))
      changed |= use(value, ofAllIterations(of(argument), loop));
  bool isPassedOn = isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(around);
  for (auto [number, value] : llvm::enumerate(op->getOperands()))
    changed |= use(value, isPassedOn ? of(around->getResult(number)) : kAll);
  return changed;
}

bool UsedLanesAnalysis::useReduced(vector::MultiDimReductionOp op) {
  SmallVector<std::optional<unsigned>> kept;
  for (auto [axis, isReduced] : llvm::enumerate(op.getReductionMask()))
    if (!isReduced)
      kept.push_back(axis);
  bool changed = use(op.getSource(), renumbered(of(op.getResult()), kept));
  return use(op.getAcc(), of(op.getResult())) || changed;
}

bool UsedLanesAnalysis::useFactors(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto factor = [&](Value value, AffineMap map) {
    SmallVector<std::optional<unsigned>> axisOf;
    for (AffineExpr result : maps.back().getResults())
      axisOf.push_back(map.getResultPosition(result));
    return use(value, renumbered(of(op.getResult()), axisOf));
  };
  bool changed = factor(op.getLhs(), maps[0]);
  changed |= factor(op.getRhs(), maps[1]);
  return use(op.getAcc(), of(op.getResult())) || changed;
}

/// Of an op that computes each element of its result from one element of each operand.
bool UsedLanesAnalysis::useElements(Operation *op) {
  UsedLanes lanes = of(op->getResult(0));
  bool changed = false;
  auto choice = dyn_cast<arith::SelectOp>(op);
  if (!choice || !shapeOf(choice.getCondition()) || !isOfPlaces(choice.getCondition())) {
    for (Value operand : op->getOperands())
      changed |= use(operand, lanes);
    return changed;
  }
  LaneCondition condition = conditionOf(choice.getCondition());
  changed |= use(choice.getCondition(), lanes);
  changed |= use(choice.getTrueValue(), narrowed(lanes, condition));
  condition.isNegated = true;
  return use(choice.getFalseValue(), narrowed(lanes, condition)) || changed;
}

bool UsedLanesAnalysis::useOperands(Operation *op) {
  if (isa<vector::TransferReadOp, vector::TransferWriteOp>(op))
    return useTransfer(op);
  if (isa<tile::GatherOp, tile::ScatterOp, tile::AtomicAddOp>(op))
    return useScattered(op);
  if (isa<scf::ForOp, scf::YieldOp>(op))
    return useControl(op);
  if (op->getNumResults() == 1 && shapeOf(op->getResult(0))) {
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      return useReduced(reduction);
    if (auto product = dyn_cast<vector::ContractionOp>(op))
      return useFactors(product);
    if (OpTrait::hasElementwiseMappableTraits(op))
      return useElements(op);
    if (op->getNumOperands() == 1 && shapeOf(op->getOperand(0))) {
      auto axisOf = movedAxes(op);
      return use(op->getOperand(0), axisOf ? renumbered(of(op->getResult(0)), *axisOf) : kAll);
    }
  }
  bool changed = false;
  for (Value operand : op->getOperands())
    changed |= use(operand, kAll);
  return changed;
}

/// The value, or a copy of what computes it before `op`. Null if it is not known there.
Value UsedLanesAnalysis::available(Value value, Operation *op) {
  if (dominance.properlyDominates(value, op))
    return value;
  Operation *made = value.getDefiningOp();
  if (!made || made->getNumRegions() || !isMemoryEffectFree(made) || device::mayFail(made))
    return {};
  IRMapping mapping;
  for (Value operand : made->getOperands()) {
    Value here = available(operand, op);
    if (!here)
      return {};
    mapping.map(operand, here);
  }
  return OpBuilder(op).clone(*made, mapping)->getResult(cast<OpResult>(value).getResultNumber());
}

/// A tile of the shape of the result of `op`; null if the condition cannot be told there.
Value UsedLanesAnalysis::bits(const LaneCondition &condition, Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  VectorType type = shapeOf(op->getResult(0));
  Value tile = condition.tile ? available(condition.tile, op) : Value();
  Value start = condition.start ? available(condition.start, op) : Value();
  Value memref = condition.memref ? available(condition.memref, op) : Value();
  if ((condition.tile && !tile) || (condition.start && !start) || (condition.memref && !memref))
    return {};
  if (start) {
    tile = vector::StepOp::create(b, VectorType::get({type.getDimSize(condition.axes[0])}, b.getIndexType()));
    tile = arith::AddIOp::create(b, tile, vector::BroadcastOp::create(b, tile.getType(), start));
  }
  if (memref) {
    Value size = memref::DimOp::create(b, memref, int64_t(condition.dimension));
    Value sizes = vector::BroadcastOp::create(b, tile.getType(), size);
    tile = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, tile, sizes);
  }
  if (condition.isNegated)
    tile = arith::XOrIOp::create(
        b, tile, arith::ConstantOp::create(b, DenseElementsAttr::get(cast<ShapedType>(tile.getType()), true)));
  SmallVector<int64_t> own, spread(type.getRank(), 1), order(condition.axes.size());
  for (unsigned axis : condition.axes) {
    own.push_back(type.getDimSize(axis));
    spread[axis] = own.back();
  }
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t x, int64_t y) { return condition.axes[x] < condition.axes[y]; });
  auto reshaped = [&](ArrayRef<int64_t> shape) {
    auto wanted = VectorType::get(shape, b.getI1Type());
    if (tile.getType() != wanted)
      tile = vector::ShapeCastOp::create(b, wanted, tile);
  };
  if (!llvm::is_sorted(order)) {
    reshaped(own);
    tile = vector::TransposeOp::create(b, tile, order);
  }
  reshaped(spread);
  auto wide = type.clone(b.getI1Type());
  return tile.getType() == wide ? tile : vector::BroadcastOp::create(b, wide, tile).getResult();
}

Value UsedLanesAnalysis::mask(Operation *op) {
  OpBuilder b(op);
  Value any;
  for (const auto &list : of(op->getResult(0))) {
    Value all;
    for (const LaneCondition &condition : list)
      if (Value one = bits(condition, op))
        all = all ? arith::AndIOp::create(b, op->getLoc(), all, one).getResult() : one;
    if (!all)
      return {};
    any = any ? arith::OrIOp::create(b, op->getLoc(), any, all).getResult() : all;
  }
  return any;
}

UsedLanesAnalysis::UsedLanesAnalysis(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : llvm::reverse(ops))
      changed |= useOperands(op);
  }
}
} // namespace lispier
