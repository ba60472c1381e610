//===- KeptOrder.cpp - what tensor ops are not moved across ---------------===//
#include "KeptOrder.h"
#include "lispier/Buffers/MemoryOrigins.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// The values whose memory the op takes for its results.
SmallVector<Value> overwrittenBy(Operation *op) {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (isa<TensorType>(value.getType()) && !value.getDefiningOp<tensor::EmptyOp>())
      values.push_back(value);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::InsertSliceOp, tensor::InsertOp>([&](auto insertion) { add(insertion.getDest()); })
      .Case<scf::ForOp, scf::WhileOp>([&](auto loop) {
        for (Value init : loop.getInits())
          add(init);
      })
      .Default([&](Operation *other) { // Of what is no nn op either, no operand is written.
        for (OpOperand &operand : other->getOpOperands())
          if (nn::writes(nn::accessOf(operand)))
            add(operand.get());
      });
  return values;
}

bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
      op);
}

/// Calls of which each may be observed from outside of the program, or observes something there.
bool isCallWithEffects(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    StringRef callee = call.getCallee().value_or("");
    return callee != "lispier_rt_check_failed" && callee != "malloc" && callee != "free";
  }
  return isa<LLVM::InlineAsmOp, func::CallIndirectOp>(op) || op->hasAttr(kEffectsAttr);
}

/// Finds the functions that make such calls.
class EffectSearch {
public:
  explicit EffectSearch(ModuleOp module) : symbols(module) {}

  bool hasEffects(func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    return !callee || hasEffects(callee);
  }

private:
  bool hasEffects(func::FuncOp function) {
    auto [entry, isNew] = found.try_emplace(function, function.isExternal()); // A recursive call adds none.
    if (!isNew)
      return entry->second;
    bool has = entry->second;
    function.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      has |= call ? hasEffects(call) : isCallWithEffects(op);
    });
    return found[function] = has;
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, bool> found;
};
} // namespace

KeptOrder::KeptOrder(FunctionOpInterface function) {
  MemoryOrigins origins;
  SmallVector<bufferization::ToTensorOp> reads;
  function.walk([&](bufferization::ToTensorOp read) { reads.push_back(read); });
  auto forEachAround = [&](Operation *op, llvm::function_ref<void(Operation *)> visit) {
    for (; op != function; op = op->getParentOp())
      visit(op);
  };
  function.walk([&](Operation *op) {
    if (isCallWithEffects(op))
      forEachAround(op, [&](Operation *around) { calling.insert(around); });
    SmallVector<Value> written = reads.empty() ? SmallVector<Value>() : origins.writtenBy(op);
    for (bufferization::ToTensorOp read : written.empty() ? ArrayRef<bufferization::ToTensorOp>() : ArrayRef(reads))
      if (llvm::any_of(written, [&](Value memory) { return origins.mayOverlap(memory, read.getBuffer()); }))
        forEachAround(op, [&](Operation *around) { overwritten[around].push_back(read.getResult()); });
  });
}

void KeptOrder::forEachReaderBefore(Operation *op, llvm::function_ref<void(Operation *)> visit) const {
  SmallVector<Value> values = overwrittenBy(op);
  if (auto found = overwritten.find(op); found != overwritten.end())
    llvm::append_range(values, found->second);
  llvm::SmallPtrSet<Operation *, 8> seen{op};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
      if (!reader || !reader->isBeforeInBlock(op) || !seen.insert(user).second)
        continue;
      if (isView(user))
        values.push_back(user->getResult(0));
      else
        visit(reader);
    }
}

bool KeptOrder::isOverwrittenBetween(Operation *reader, Operation *end) const {
  bool found = false;
  for (Operation *op = reader->getNextNode(); op && op != end && !found; op = op->getNextNode())
    forEachReaderBefore(op, [&](Operation *before) { found |= before == reader; });
  return found;
}

bool KeptOrder::mayMoveBefore(Operation *op, Operation *end) const {
  if (isOverwrittenBetween(op, end))
    return false;
  if (calling.empty() || !isTensorWork(op))
    return true;
  for (Operation *between = op->getNextNode(); between && between != end; between = between->getNextNode())
    if (hasEffects(between))
      return false;
  return true;
}

bool isTensorWork(Operation *op) {
  return op
      ->walk<WalkOrder::PreOrder>([](Operation *inside) {
        bool isWork = !nn::operandRows(inside).empty() || isa<group::AttentionOp, group::ScanOp>(inside);
        auto linalgOp = dyn_cast<linalg::LinalgOp>(inside);
        if (linalgOp && linalgOp.hasPureTensorSemantics() && !isa<linalg::FillOp>(inside))
          isWork = roleOf(linalgOp) != TensorRole::Elementwise || !isCheaperThanMemory(linalgOp);
        return isWork ? WalkResult::interrupt() : linalgOp ? WalkResult::skip() : WalkResult::advance();
      })
      .wasInterrupted();
}

void markCallsWithEffects(ModuleOp module) {
  EffectSearch search(module);
  module.walk([&](func::CallOp call) {
    if (search.hasEffects(call))
      call->setAttr(kEffectsAttr, UnitAttr::get(call.getContext()));
  });
}
} // namespace lispier
