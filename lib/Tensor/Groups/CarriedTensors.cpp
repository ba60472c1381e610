//===- CarriedTensors.cpp - loops that carry one buffer -------------------===//
#include "CarriedTensors.h"
#include "KernelDestinations.h"
#include "lispier/Buffers/OuterSizes.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
namespace {
/// The tensors that the loop of which `body` is what it repeats carries, each with its value before the loop.
SmallVector<std::pair<Value, OpOperand *>> carriedTensors(Block &body) {
  SmallVector<std::pair<Value, OpOperand *>> result;
  auto add = [&](Value carried, OpOperand &init) {
    if (isa<RankedTensorType>(carried.getType()))
      result.push_back({carried, &init});
  };
  if (auto loop = dyn_cast<scf::ForOp>(body.getParentOp()))
    for (auto [carried, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgsMutable()))
      add(carried, init);
  // The condition of a while loop hands on what it has got.
  if (auto loop = dyn_cast<scf::WhileOp>(body.getParentOp()); loop && loop.getAfterBody() == &body)
    for (auto [carried, given] : llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      if (auto before = dyn_cast<BlockArgument>(given);
          before && before.getOwner() == loop.getBeforeBody() && carried.getType() == before.getType())
        add(carried, loop->getOpOperand(before.getArgNumber()));
  return result;
}

class CarriedReuse {
public:
  CarriedReuse(Block &body, const KeptOrder &order, IRRewriter &rewriter)
      : body(body), order(order), rewriter(rewriter) {}

  void run() {
    for (auto [carried, init] : carriedTensors(body))
      reusable[carried] = init;
    auto kernels = llvm::to_vector(body.getOps<group::KernelOp>());
    for (group::KernelOp kernel : llvm::reverse(kernels))
      moveBehindReaders(kernel);
    for (auto kernel : body.getOps<group::KernelOp>())
      for (unsigned result : llvm::seq(kernel->getNumResults()))
        if (kernel.getInits()[result].getDefiningOp<tensor::EmptyOp>())
          reuseFor(kernel, result);
  }

private:
  /// Where the carried value has other readers, such as a sum of it beside the next value: moves the kernel behind them
  /// if its own results, and what its operands are, permit that.
  void moveBehindReaders(group::KernelOp kernel) {
    Operation *first = body.getTerminator();
    for (Operation *user : kernel->getUsers())
      if (Operation *here = body.findAncestorOpInBlock(*user); here->isBeforeInBlock(first))
        first = here;
    Operation *last = nullptr;
    for (Value operand : kernel.getInputs())
      if (reusable.contains(operand))
        for (Operation *user : operand.getUsers())
          if (Operation *here = body.findAncestorOpInBlock(*user);
              here != first && here->isBeforeInBlock(first) && (!last || last->isBeforeInBlock(here)))
            last = here;
    if (!last || last->isBeforeInBlock(kernel) || !order.mayMoveBefore(kernel, last->getNextNode()))
      return;
    for (Operation *op = kernel->getNextNode(); op != last->getNextNode(); op = op->getNextNode())
      if (auto other = dyn_cast<group::KernelOp>(op))
        for (Value init : other.getInits())
          if (llvm::is_contained(kernel.getInputs(), init))
            return;
    kernel->moveAfter(last);
  }

  void reuseFor(group::KernelOp kernel, unsigned result) {
    for (OpOperand &operand : kernel.getInputsMutable())
      if (canReplace(kernel, operand, result)) {
        OpOperand *init = reusable.lookup(operand.get());
        overwriteOperand(kernel, operand, result, operand.get(), rewriter);
        reusable[kernel->getResult(result)] = init;
        keepArgument(*init);
        return;
      }
  }

  bool canReplace(group::KernelOp kernel, OpOperand &operand, unsigned result) {
    Value value = operand.get();
    if (!reusable.contains(value))
      return false;
    bool isLastUse = llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = body.findAncestorOpInBlock(*use.getOwner());
      return &use == &operand || (user != kernel && user->isBeforeInBlock(kernel));
    });
    return isLastUse && mayOverwrite(kernel, operand, result);
  }

  /// The loop overwrites what it begins with; an argument of the function is not the function's to overwrite, unless it
  /// is written in place, and its numbers are not needed any more.
  void keepArgument(OpOperand &init) {
    auto argument = dyn_cast<BlockArgument>(init.get());
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (!function)
      return;
    bool isLastUse = llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      Operation *user = argument.getOwner()->findAncestorOpInBlock(*use.getOwner());
      return &use == &init || (user != init.getOwner() && user->isBeforeInBlock(init.getOwner()));
    });
    if (isLastUse && init.getOwner()->getBlock() == argument.getOwner() &&
        function.getArgAttr(argument.getArgNumber(), kInoutAttr))
      return;
    rewriter.setInsertionPoint(init.getOwner());
    init.set(bufferization::AllocTensorOp::create(rewriter, init.getOwner()->getLoc(),
                                                  cast<RankedTensorType>(argument.getType()), ValueRange(),
                                                  /*copy=*/argument));
  }

  Block &body;
  const KeptOrder &order;
  IRRewriter &rewriter;
  llvm::DenseMap<Value, OpOperand *> reusable; ///< With what it is when the loop begins.
};

/// Whether the loop's iterations are the slices of the tensor along its first dimension.
bool countsSlices(scf::ForOp loop, tensor::EmptyOp whole) {
  if (whole.getType().getRank() == 0 || !isZeroInteger(loop.getLowerBound()) || !isOneInteger(loop.getStep()))
    return false;
  OpFoldResult count = whole.getMixedSizes().front();
  std::optional<int64_t> constant = getConstantIntValue(count);
  return constant ? getConstantIntValue(loop.getUpperBound()) == constant : cast<Value>(count) == loop.getUpperBound();
}

/// Whether the insertion writes all of the slice that is the loop's iteration.
bool writesSlice(tensor::InsertSliceOp insertion, scf::ForOp loop, tensor::EmptyOp whole, OuterSizes &known) {
  SmallVector<OpFoldResult> offsets = insertion.getMixedOffsets(), sizes = insertion.getMixedSizes();
  if (offsets.front() != OpFoldResult(loop.getInductionVar()) || !isOneInteger(sizes.front()) ||
      !llvm::all_of(ArrayRef(offsets).drop_front(), isZeroInteger) ||
      !llvm::all_of(insertion.getMixedStrides(), isOneInteger))
    return false;
  return llvm::all_of(llvm::seq<int64_t>(1, sizes.size()), [&](int64_t d) {
    if (std::optional<int64_t> constant = getConstantIntValue(sizes[d]))
      return whole.getType().getDimSize(d) == *constant;
    auto all = dyn_cast<Value>(whole.getMixedSizes()[d]);
    std::optional<SymbolicSize> size = known.ofIndex(cast<Value>(sizes[d]));
    return all && size && size == known.ofIndex(all);
  });
}
} // namespace

void beginWithoutFills(scf::ForOp loop, IRRewriter &rewriter) {
  OuterSizes known(cast<LoopLikeOpInterface>(loop.getOperation()));
  for (OpOperand &init : loop.getInitArgsMutable()) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    auto whole =
        fill && fill.hasPureTensorSemantics() ? fill.output().getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
    if (!whole || !countsSlices(loop, whole))
      continue;
    BlockArgument carried = loop.getTiedLoopRegionIterArg(&init);
    tensor::InsertSliceOp insertion;
    bool isOnlyWritten = llvm::all_of(carried.getUses(), [&](OpOperand &use) {
      if (isa<tensor::DimOp>(use.getOwner()))
        return true;
      bool isFirst = !insertion;
      insertion = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return isFirst && insertion && use.get() == insertion.getDest() && insertion.getSource() != carried;
    });
    Value next = loop.getTiedLoopYieldedValue(carried)->get();
    if (!isOnlyWritten || !insertion || next != insertion.getResult() || !next.hasOneUse() ||
        insertion->getBlock() != loop.getBody() || !writesSlice(insertion, loop, whole, known))
      continue;
    rewriter.setInsertionPoint(loop);
    init.set(rewriter.clone(*whole)->getResult(0)); // Of its own: two may not have the same memory.
    if (fill->use_empty())
      rewriter.eraseOp(fill);
  }
}

void overwriteCarried(Block &body, const KeptOrder &order, IRRewriter &rewriter) {
  CarriedReuse(body, order, rewriter).run();
}
} // namespace lispier
