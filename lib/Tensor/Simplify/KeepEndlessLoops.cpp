//===- KeepEndlessLoops.cpp - loops that may have no end ------------------===//
//
// Before: a while loop without effects whose results are not needed is dead code to
// MLIR, which takes each loop to end. After: its condition has an effect, a
// device.may_not_end, so that a program whose loop does not end stays in it. Loops
// whose results are needed are as before: an effect would keep them from being
// optimized. Precedes the first canonicalization, which erases dead code. With `lower`
// the effect is an llvm.intr.assume of true, which code generation leaves out, and
// which upstream's deallocation of buffers, in between, would not take.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lispier {
#define GEN_PASS_DEF_KEEPENDLESSLOOPS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Whether the loop's result is a value from before it, by which canonicalization replaces it.
bool isInvariant(OpResult result) {
  auto loop = dyn_cast<scf::WhileOp>(result.getOwner());
  if (!loop)
    return false;
  Value last = loop.getConditionOp().getArgs()[result.getResultNumber()];
  auto carried = dyn_cast<BlockArgument>(last);
  if (!carried || carried.getOwner() != loop.getBeforeBody())
    return loop.isDefinedOutsideOfLoop(last);
  Value next = loop.getYieldOp().getResults()[carried.getArgNumber()];
  auto same = dyn_cast<BlockArgument>(next);
  return next == loop.getInits()[carried.getArgNumber()] ||
         (same && same.getOwner() == loop.getAfterBody() &&
          loop.getConditionOp().getArgs()[same.getArgNumber()] == last);
}

/// Ops that have no effect and whose results only such ops need. Users are asked first for all ops of a block, from its
/// last one on, so that the recursion is as deep as regions are.
class DeadOps {
public:
  explicit DeadOps(Operation *root) {
    root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) { has(op); });
  }

  bool has(Operation *op) {
    auto [known, isNew] = dead.try_emplace(op, false);
    if (!isNew)
      return known->second;
    bool result = op->hasTrait<OpTrait::IsTerminator>() ? isYieldOfDead(op) : isUnneeded(op);
    return dead[op] = result;
  }

  /// Whether the op is dead, or is part of one that is.
  bool hasWhole(Operation *op) {
    for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
      if (has(op))
        return true;
    return false;
  }

private:
  /// What a loop or an `if` yields is needed where its results are.
  bool isYieldOfDead(Operation *terminator) {
    Operation *parent = terminator->getParentOp();
    return isa_and_nonnull<scf::SCFDialect>(parent->getDialect()) && has(parent);
  }
  bool isUnneeded(Operation *op) {
    return wouldOpBeTriviallyDead(op) && llvm::all_of(op->getResults(), [&](OpResult result) {
             return isInvariant(result) ||
                    llvm::all_of(result.getUsers(), [&](Operation *user) { return hasWhole(user); });
           });
  }

  llvm::DenseMap<Operation *, bool> dead;
};

void keep(Operation *root) {
  DeadOps dead(root);
  root->walk([&](scf::WhileOp loop) {
    OpBuilder b(loop.getConditionOp());
    if (dead.hasWhole(loop))
      device::MayNotEndOp::create(b, loop.getLoc());
  });
}

void lowerEffects(Operation *root) {
  root->walk([](device::MayNotEndOp effect) {
    OpBuilder b(effect);
    LLVM::AssumeOp::create(b, effect.getLoc(), arith::ConstantIntOp::create(b, effect.getLoc(), 1, 1));
    effect.erase();
  });
}

struct KeepEndlessLoops : impl::KeepEndlessLoopsBase<KeepEndlessLoops> {
  using KeepEndlessLoopsBase::KeepEndlessLoopsBase;
  void runOnOperation() override { lower ? lowerEffects(getOperation()) : keep(getOperation()); }
};
} // namespace
} // namespace lispier
