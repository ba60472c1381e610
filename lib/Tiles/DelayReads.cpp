//===- DelayReads.cpp - read fragments where products take them -----------===//
//
// Before: a step of a pipelined loop reads all of its tiles from their slots, and then
// computes. After: it reads the fragments of a product as the product takes them. Else
// the factors of all products of a step would be in registers at the same time, since
// neither LLVM nor ptxas moves a read past a barrier.
//
// ShareMemory has not inserted its barriers yet: those that are there belong to the
// loop's copies, and what is read must not move past them.
//
//===----------------------------------------------------------------------===//
#include "DelayReads.h"
#include "SharedAllocations.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
bool isOfBlock(Value memory) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// The memory of the block that the op reads; null for another op.
Value memoryRead(Operation *op) {
  Value memory = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case([](memref::LoadOp load) { return load.getMemRef(); })
                     .Case([](vector::LoadOp load) { return load.getBase(); })
                     .Case([](tile::LoadMatrixOp load) { return load.getSource(); })
                     .Default(Value());
  return memory && isOfBlock(memory) ? memory : Value();
}

/// Whether a read of an allocation of the block may not move past the op, which may write it by another name.
bool isOrdered(Operation *op, Value allocation) {
  if (isa<gpu::BarrierOp, tile::WaitCopiesOp, tile::FilledOp, tile::ReleaseOp>(op))
    return true;
  return op
      ->walk([&](Operation *inner) {
        if (isa<gpu::BarrierOp, tile::ReleaseOp>(inner))
          return WalkResult::interrupt();
        auto access = dyn_cast<MemoryEffectOpInterface>(inner);
        SmallVector<MemoryEffects::EffectInstance> effects;
        if (access)
          access.getEffects(effects);
        bool writes = llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
          return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue() &&
                 sharedAllocationOf(effect.getValue()) == allocation;
        });
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first op of the block that uses a result of `op`, or contains one that does.
Operation *firstUse(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (inBlock && (!first || inBlock->isBeforeInBlock(first)))
      first = inBlock;
  }
  return first;
}

bool hasVector(TypeRange types) { return llvm::any_of(types, llvm::IsaPred<VectorType>); }

/// The reads of a block, and the vectors that are made of nothing but these and constants.
llvm::SetVector<Operation *> movable(Block &block) {
  llvm::SetVector<Operation *> found;
  auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
  auto isFound = [&](Value value) { return found.contains(value.getDefiningOp()); };
  for (Operation &op : block) {
    bool isOfVectors = hasVector(op.getOperandTypes()) || hasVector(op.getResultTypes());
    bool follows = isOfVectors && isPure(&op) && !op.getNumRegions() && llvm::any_of(op.getOperands(), isFound) &&
                   llvm::all_of(op.getOperands(), [&](Value value) { return isConstant(value) || isFound(value); });
    if (follows || memoryRead(&op))
      found.insert(&op);
  }
  return found;
}

void delayRead(Operation *op) {
  Operation *use = firstUse(op);
  if (!use)
    return;
  Value memory = memoryRead(op), allocation = memory ? sharedAllocationOf(memory) : Value();
  Operation *place = op->getNextNode();
  while (place != use && !(allocation && isOrdered(place, allocation)))
    place = place->getNextNode();
  op->moveBefore(place);
}

/// Of whole tiles, whose elements were taken from what made them: each would be a use of all.
void eraseRenamings(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<vector::ToElementsOp, vector::FromElementsOp>(op) && op.use_empty())
      op.erase();
}

/// Whether a loop in the op, or a branch around one, has products of warp groups, which may be distributed already.
bool isLoopOfProducts(Operation *op) {
  auto find = [](Operation *inner) {
    bool isProduct = isa<tile::WarpgroupMmaOp>(inner) || inner->hasAttr(tile::kWarpgroup);
    return isProduct ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op->getNumRegions() && op->walk(find).wasInterrupted();
}

/// Of what is computed behind a loop of products, each part where it is used.
void delayParts(Operation *loop) {
  SmallVector<Operation *> behind;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
    if (isPure(op) && !op->getNumRegions() && !op->hasTrait<OpTrait::ConstantLike>() &&
        (hasVector(op->getOperandTypes()) || hasVector(op->getResultTypes())))
      behind.push_back(op);
  for (Operation *op : llvm::reverse(behind))
    if (Operation *use = firstUse(op))
      op->moveBefore(use);
}
} // namespace

bool isComputedInParts(Operation *op) {
  constexpr int64_t kFew = 8;
  Operation *loop = op->getPrevNode();
  int64_t count = 0;
  auto countOf = [&](Operation *each) {
    count += OpTrait::hasElementwiseMappableTraits(each) && hasVector(each->getResultTypes());
  };
  for (Operation *each = op; each; each = each->getNextNode())
    countOf(each);
  for (; loop && !isLoopOfProducts(loop); loop = loop->getPrevNode())
    countOf(loop);
  return loop && count > kFew;
}

void delayReads(gpu::GPUFuncOp kernel) {
  // Not beside fused multiply-adds, of which a step has many: they would wait for what is not read ahead. And not
  // before a loop, where reads would keep their memory from the loop's slots.
  SmallVector<Block *> blocks;
  kernel.walk([&](Block *block) {
    if (!block->getOps<tile::MmaOp>().empty() || !block->getOps<tile::WarpgroupMmaOp>().empty())
      blocks.push_back(block);
  });
  for (Block *block : blocks) {
    eraseRenamings(*block);
    llvm::SetVector<Operation *> ops = movable(*block);
    for (Operation *op : llvm::reverse(ops)) // The last first: each then stops where its uses are now.
      delayRead(op);
  }
  SmallVector<Operation *> loops;
  for (Operation &op : kernel.getBody().front())
    if (isLoopOfProducts(&op))
      loops.push_back(&op);
  if (!loops.empty() && isComputedInParts(loops.back()->getNextNode())) {
    eraseRenamings(kernel.getBody().front());
    delayParts(loops.back());
  }
}
} // namespace lispier
