//===- RegisterNeed.cpp - how many registers a thread's tiles take --------===//
#include "RegisterNeed.h"
#include "CarriedValues.h"
#include "LayoutRules.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using lispier::tile::LayoutAttr;

namespace lispier {
namespace {
/// Of the op that makes the tile, or carries it.
LayoutAttr layoutOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    op = tile.getParentBlock()->getParentOp();
  if (auto convert = dyn_cast<tile::ConvertOp>(op))
    return convert.getLayout();
  Attribute attribute = op->getAttr(tile::kLayout);
  auto all = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!all)
    return dyn_cast_or_null<LayoutAttr>(attribute);
  if (!carriesValues(op))
    return dyn_cast<LayoutAttr>(all[cast<OpResult>(tile).getResultNumber()]);
  for (auto [value, layout] : llvm::zip(carriedValues(op), all))
    if (llvm::is_contained(value.targets, tile))
      return dyn_cast<LayoutAttr>(layout);
  return {};
}

/// Numbers of more than a bit; indices and bits are computed where they are used.
int64_t registersOf(Value tile) {
  LayoutAttr layout = layoutOf(tile);
  Type element = getElementTypeOrSelf(tile.getType());
  if (!layout || element.isIndex() || element.isInteger(1))
    return 0;
  constexpr int64_t kRegisterBytes = 4;
  return llvm::divideCeil(layout.layoutOf(shapeOfTile(tile)).numRegisters() * elementBytes(tile), kRegisterBytes);
}

/// The same registers under another name.
bool isAlias(Operation *op) {
  return isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::ExtractStridedSliceOp>(op);
}

/// Whether each element can be had again without its being kept.
bool isMadeAgain(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isTile(value))
    return true;
  if (!op)
    return false;
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return isShared(read);
  return isMadeWhereUsed(op) && llvm::all_of(op->getOperands(), isMadeAgain);
}

class Estimate {
public:
  using Tiles = llvm::SetVector<Value>;

  RegisterNeed need;

  /// `around` are the tiles that are kept through the whole of `block`.
  void visit(Block &block, const Tiles &around) {
    llvm::MapVector<Value, Operation *> lastUses; // Of the tiles of this block so far.
    auto begins = [&](Value value) {
      if (isTile(value) && registersOf(value) && !isMadeAgain(value))
        if (Operation *last = lastUse(value, block))
          lastUses[value] = last;
    };
    llvm::for_each(block.getArguments(), begins);
    for (Operation &op : block) {
      Tiles kept = around;
      for (auto [value, last] : lastUses)
        if (op.isBeforeInBlock(last) || (last == &op && isa<LoopLikeOpInterface>(op) && isUsedInside(value, &op)))
          kept.insert(value);
      if (op.getNumRegions()) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            visit(inner, kept);
      } else if (needsWholeTile(&op)) {
        if (auto product = dyn_cast<vector::ContractionOp>(op); product && isTile(product.getResult()))
          kept.insert(product.getResult());
        count(&op, kept);
      }
      llvm::for_each(op.getResults(), begins);
    }
  }

private:
  static bool needsWholeTile(Operation *op) {
    return isa<vector::ContractionOp, vector::MultiDimReductionOp, vector::ScanOp, tile::ConvertOp>(op);
  }

  static bool isUsedInside(Value value, Operation *op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return op->isProperAncestor(user) || (isAlias(user) && isUsedInside(user->getResult(0), op));
    });
  }

  /// The op of `block` that uses the value last, itself or in its regions; null if none does.
  static Operation *lastUse(Value value, Block &block) {
    Operation *last = nullptr;
    auto extend = [&](Operation *op) {
      if (op && (!last || last->isBeforeInBlock(op)))
        last = op;
    };
    for (Operation *user : value.getUsers()) {
      extend(block.findAncestorOpInBlock(*user));
      if (isAlias(user))
        extend(lastUse(user->getResult(0), block));
    }
    return last;
  }

  void count(Operation *op, const Tiles &kept) {
    RegisterNeed here{0, op, {}};
    for (Value value : kept) {
      Operation *made = value.getDefiningOp();
      if (made && isAlias(made) && kept.contains(made->getOperand(0)))
        continue;
      bool isAgain = made && isElementwise(made) && llvm::all_of(made->getOperands(), [&](Value operand) {
                       return isMadeAgain(operand) || kept.contains(operand);
                     });
      if (isAgain)
        continue;
      here.registers += registersOf(value);
      if (!here.largest || registersOf(value) > registersOf(here.largest))
        here.largest = value;
    }
    if (here.registers > need.registers)
      need = here;
  }
};
} // namespace

RegisterNeed registerNeed(gpu::GPUFuncOp kernel) {
  Estimate estimate;
  for (Block &block : kernel.getBody())
    estimate.visit(block, {});
  return estimate.need;
}

RegisterNeed largestAccess(gpu::GPUFuncOp kernel) {
  RegisterNeed most;
  auto count = [&](Operation *op, Value tile) {
    if (int64_t registers = isTile(tile) ? registersOf(tile) : 0; registers > most.registers)
      most = {registers, op, tile};
  };
  kernel.walk([&](Operation *op) {
    if (auto read = dyn_cast<vector::TransferReadOp>(op); read && !isShared(read))
      count(op, read.getVector());
    else if (auto write = dyn_cast<vector::TransferWriteOp>(op); write && !isShared(write))
      count(op, write.getValueToStore());
  });
  return most;
}
} // namespace lispier
