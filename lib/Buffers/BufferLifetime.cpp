//===- BufferLifetime.cpp - how long an allocation is in use --------------===//
#include "BufferLifetime.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
class Aliases {
public:
  /// What gets the memory through `end` is not followed.
  explicit Aliases(Value memory, OpOperand *end = nullptr) : end(end) { add(memory); }

  /// Visits all uses; false where one hands the memory to something that is not followed.
  bool follow(llvm::function_ref<bool(OpOperand &)> visit) {
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (&use != end && (!visit(use) || !handsOn(use)))
          return false;
    return true;
  }

private:
  /// Also what is computed of an address, except for comparisons.
  void add(Value value, bool isAddress = false) {
    if (isa<BaseMemRefType>(value.getType()) || (isAddress && !value.getType().isInteger(1)))
      values.insert(value);
  }

  /// Adds what an op makes of the memory; false where this is not known.
  bool handsOn(OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<memref::DeallocOp, device::DownloadOp, device::UploadOp, group::KernelOp, linalg::LinalgOp>(op))
      return true;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      return entersLoop(loop, use);
    if (op->hasTrait<OpTrait::IsTerminator>())
      return leavesRegion(op, use);
    if (op->getNumRegions() > 0)
      return false;
    bool isAddress = isa<memref::ExtractAlignedPointerAsIndexOp>(op) || !isa<BaseMemRefType>(use.get().getType());
    for (Value result : op->getResults())
      add(result, isAddress);
    return true;
  }

  bool entersLoop(LoopLikeOpInterface loop, OpOperand &use) {
    if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use)) {
      add(carried);
      if (auto each = dyn_cast<scf::ForOp>(*loop))
        add(each.getTiedLoopResult(&use));
      return isa<scf::ForOp, scf::WhileOp>(*loop);
    }
    return false;
  }

  bool leavesRegion(Operation *op, OpOperand &use) {
    unsigned i = use.getOperandNumber();
    Operation *parent = op->getParentOp();
    if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      auto loop = cast<scf::WhileOp>(parent);
      add(loop.getAfterArguments()[i - 1]);
      add(loop.getResult(i - 1));
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      add(loop.getBeforeArguments()[i]);
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      add(loop.getRegionIterArg(i));
    if (!isa<scf::ForOp, scf::IfOp, device::ReplayOp>(parent))
      return false;
    add(parent->getResult(i));
    return true;
  }

  llvm::SetVector<Value> values;
  OpOperand *end;
};
} // namespace

Operation *lastUseOf(memref::AllocOp alloc) {
  Block *block = alloc->getBlock();
  Operation *last = alloc;
  bool isKnown = Aliases(alloc).follow([&](OpOperand &use) {
    if (isa<memref::DeallocOp>(use.getOwner()))
      return true;
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    if (!here || here->hasTrait<OpTrait::IsTerminator>())
      return false;
    if (last->isBeforeInBlock(here))
      last = here;
    return true;
  });
  return isKnown ? last : nullptr;
}

bool isHandedOnOnlyBy(memref::AllocOp alloc, OpOperand &use) {
  Block *block = alloc->getBlock();
  return Aliases(alloc, &use).follow([&](OpOperand &other) {
    Operation *here = block->findAncestorOpInBlock(*other.getOwner());
    return here && here->isBeforeInBlock(use.getOwner());
  });
}

bool isOnlyRead(Value memref) {
  return llvm::all_of(memref.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto kernel = dyn_cast<group::KernelOp>(op))
      return !kernel.isDpsInit(&use);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return copy.getTarget() != use.get();
    return isa<memref::DimOp, memref::LoadOp>(op);
  });
}

bool mayOverwrite(OpOperand &given, llvm::function_ref<bool(Operation *)> isOwn) {
  auto alloc = given.get().getDefiningOp<memref::AllocOp>();
  return alloc && isOwn(alloc) && alloc->getBlock() == given.getOwner()->getBlock() && isHandedOnOnlyBy(alloc, given);
}

void giveCopy(OpOperand &given, RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(given.getOwner());
  Value source = given.get();
  Location loc = source.getLoc();
  auto type = cast<MemRefType>(source.getType());
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(rewriter, loc, source, d));
  auto copy = memref::AllocOp::create(rewriter, loc, type, sizes, rewriter.getI64IntegerAttr(64));
  memref::CopyOp::create(rewriter, loc, source, copy);
  rewriter.modifyOpInPlace(given.getOwner(), [&] { given.set(copy); });
}

bool outlivesIteration(BlockArgument memref) {
  Operation *end = memref.getOwner()->getTerminator();
  return !Aliases(memref).follow([&](OpOperand &use) { return use.getOwner() != end; });
}
} // namespace lispier
