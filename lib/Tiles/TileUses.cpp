//===- TileUses.cpp - which tiles are stored, and who reads them ----------===//
#include "TileUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier::tiles {
namespace {
/// Loading a stored element costs as much as an addition.
constexpr int64_t kSimple = 1, kExpensive = 16;
/// What is not more expensive is computed at each use, rather than written and read once more.
constexpr int64_t kRecomputed = 8;

/// Whether the op reads memory that its operand has, so that the operand must be stored.
bool needsMemory(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<vector::ContractionOp>(user))
    return use.getOperandNumber() < 2;
  return isReshape(user) || isa<vector::ExtractOp>(user);
}

/// Whether elements of the operand are used several times each.
bool repeatsElements(Operation *op) {
  auto broadcast = dyn_cast<vector::BroadcastOp>(op);
  auto source = broadcast ? dyn_cast<VectorType>(broadcast.getSourceType()) : VectorType();
  return source && source.getNumElements() != broadcast.getResultVectorType().getNumElements();
}
} // namespace

Axes identityAxes(VectorType type) {
  int next = 0;
  return llvm::map_to_vector<4>(type.getShape(), [&](int64_t size) { return size == 1 ? kOnly : next++; });
}

SmallVector<int64_t> properSizes(ArrayRef<int64_t> sizes) {
  return llvm::to_vector(llvm::make_filter_range(sizes, [](int64_t size) { return size != 1; }));
}

bool isReshape(Operation *op) {
  auto cast = dyn_cast<vector::ShapeCastOp>(op);
  return cast && properSizes(cast.getSourceVectorType().getShape()) != properSizes(cast.getType().getShape());
}

bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || !tileType(op->getResult(0)))
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto elements = dyn_cast<vector::FromElementsOp>(op))
    return elements.getElements().size() == 1;
  if (isa<vector::ShapeCastOp>(op))
    return !isReshape(op);
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<vector::BroadcastOp, vector::TransposeOp, vector::StepOp, vector::CreateMaskOp, vector::ConstantMaskOp>(
             op);
}

SmallVector<std::pair<Value, Axes>, 4> operandsAt(Operation *op, const Axes &axes) {
  SmallVector<std::pair<Value, Axes>, 4> result;
  if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
    Axes source(axes.size());
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
      source[from] = axes[i];
    result.emplace_back(transpose.getVector(), source);
    return result;
  }
  for (Value operand : op->getOperands()) {
    VectorType type = tileType(operand);
    if (!type)
      continue;
    Axes source;
    if (isa<vector::ShapeCastOp>(op)) {
      auto next = llvm::make_filter_range(axes, [](int axis) { return axis != kOnly; }).begin();
      for (int64_t size : type.getShape())
        source.push_back(size == 1 ? kOnly : *next++);
    } else { // A broadcast has further dimensions in front, and ones where the result has more.
      for (auto [size, axis] : llvm::zip(type.getShape(), ArrayRef(axes).take_back(type.getRank())))
        source.push_back(size == 1 ? kOnly : axis);
    }
    result.emplace_back(operand, source);
  }
  return result;
}

void forEachSource(Value tile, const Axes &axes, function_ref<bool(Value)> isSource,
                   function_ref<void(Value, const Axes &)> see) {
  if (isSource(tile))
    return see(tile, axes);
  for (auto &[operand, at] : operandsAt(tile.getDefiningOp(), axes))
    forEachSource(operand, at, isSource, see);
}

TileUses::TileUses(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isElementwise(op))
      return;
    int64_t cost = costOf(op);
    if (isWorthMemory(op, cost))
      return;
    computed.insert(op->getResult(0));
    costs[op->getResult(0)] = cost;
  });
  writes = findWritten(function);
}

std::optional<SmallVector<Value>> TileUses::findWritten(Operation *function) const {
  llvm::SetVector<Value> found;
  bool areKnown = true;
  function->walk([&](Operation *op) {
    if (op == function || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    auto write = dyn_cast<vector::TransferWriteOp>(op);
    if (write && isa<BlockArgument>(write.getBase()) && write.getBase().getParentBlock()->isEntryBlock())
      found.insert(write.getBase());
    else
      areKnown &= !write && (hasEffect<MemoryEffects::Read>(op) || isMemoryEffectFree(op)) &&
                  !hasEffect<MemoryEffects::Write>(op);
  });
  return areKnown ? std::optional(found.takeVector()) : std::nullopt;
}

bool TileUses::needsBuffer(Value tile) { return llvm::any_of(tile.getUses(), needsMemory); }

int64_t TileUses::costOf(Operation *op) const {
  bool isExpensive = isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                         arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op) ||
                     (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::FmaOp>(op));
  bool isFree =
      isa<arith::ConstantOp, vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::FromElementsOp>(op);
  int64_t cost = isExpensive ? kExpensive : isFree ? 0 : kSimple;
  for (Value operand : op->getOperands())
    if (tileType(operand))
      cost += isStored(operand) ? kSimple : costs.lookup(operand);
  return cost;
}

bool TileUses::isWorthMemory(Operation *op, int64_t cost) const {
  Value tile = op->getResult(0);
  if (needsBuffer(tile))
    return true;
  if (cost <= kRecomputed)
    return false;
  return !tile.hasOneUse() || (*tile.user_begin())->getBlock() != op->getBlock() || repeatsElements(*tile.user_begin());
}

void TileUses::forEachReader(Value tile, function_ref<void(Operation *)> see) const {
  llvm::SmallVector<Value> pending{tile};
  llvm::SmallDenseSet<Value> seen{tile};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      bool passesOn = isReshape(user) || (isElementwise(user) && !isStored(user->getResult(0)));
      if (!passesOn)
        see(user);
      else if (seen.insert(user->getResult(0)).second)
        pending.push_back(user->getResult(0));
    }
}

} // namespace lispier::tiles
