//===- InlineGroups.cpp - kernels of tensor ops to linalg on memrefs ------===//
//
// Before: group.kernel on memrefs, with bodies on tensors. After: the linalg ops of
// the bodies, on memrefs, one kernel after the other. An intermediate value is in
// the memory of the kernel's result if that is free until then, else in memory of
// its own, which is freed behind the kernel. On a CPU, ops that read rows by number are
// in loops over rows. Where errors are reported, elements that are read by number are
// checked to be inside.
//
//===----------------------------------------------------------------------===//
#include "GatheredReads.h"
#include "RowLoops.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/ScanLoop.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace lispier {
#define GEN_PASS_DEF_INLINEGROUPS
#include "lispier/Schedule/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kAlignment = 64;

/// Whether `op` reads of the operand, in each iteration, the element that it writes.
bool replacesElements(linalg::LinalgOp op, OpOperand &operand) {
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getNumParallelLoops() == op.getNumLoops() && op->getNumResults() == 1 &&
         operand.get().getType() == init->get().getType() &&
         op.getMatchingIndexingMap(&operand) == op.getMatchingIndexingMap(init);
}

/// What the memref is a view of. The plan of memory keeps the places of values apart that are in use together.
Value placeOf(Value memref) {
  for (Operation *made = memref.getDefiningOp(); made; made = memref.getDefiningOp()) {
    if (made->hasAttr(kIntermediateAttr) || !isa<ViewLikeOpInterface, memref::TransposeOp>(made))
      break;
    memref = made->getOperand(0);
  }
  return memref;
}

/// Whether nothing in the kernel reads, at `first` or behind it, the old numbers of the memory of result `i`: a kernel
/// may have one memref as an operand and as a result. `first` may read each element where it writes it.
bool isFreeFrom(group::KernelOp kernel, unsigned i, linalg::LinalgOp first) {
  Value place = placeOf(kernel.getInits()[i]);
  return llvm::all_of(llvm::zip(kernel.getInputs(), kernel.getBody().getArguments()), [&](auto pair) {
    auto [input, argument] = pair;
    if (!isa<MemRefType>(input.getType()) || placeOf(input) != place)
      return true;
    return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      return isa<linalg::LinalgOp>(use.getOwner()) &&
             (use.getOwner() == first ? replacesElements(first, use) : use.getOwner()->isBeforeInBlock(first));
    });
  });
}

/// The last op of a result takes its destination from an operand that is at its end there, and which thereby lies in
/// the memory of the result: the exponentials of a softmax, which the last op divides.
void shareDestinations(group::KernelOp kernel) {
  for (auto [i, value] : llvm::enumerate(kernel.yieldOp().getResults())) {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getNumResults() != 1 || op.getDpsInits()[0] != kernel.initArgument(i) ||
        !kernel.initArgument(i).hasOneUse() || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      continue;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
      if (!producer || producer->getNumResults() != 1 || !replacesElements(op, *operand))
        continue;
      bool isLast = llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return user == op || (!isa<group::YieldOp>(user) && user->isBeforeInBlock(op));
      });
      linalg::LinalgOp first = producer;
      while (auto filler = first.getDpsInits()[0].getDefiningOp<linalg::LinalgOp>()) // Of sums, what they begin with.
        first = filler;
      OpOperand *place = first.getDpsInitOperand(0);
      if (!isLast || !place->get().getDefiningOp<tensor::EmptyOp>() || !isFreeFrom(kernel, i, first))
        continue;
      place->set(kernel.initArgument(i));
      op.setDpsInitOperand(0, operand->get());
      break;
    }
  }
}

/// Gives each sum initial numbers of its own, in the memory of its result. Where two sums share them, bufferization
/// computes one sum in the memory of the first result and the other in a copy: storing the one overwrites the other.
void separateBeginnings(group::KernelOp kernel) {
  auto begins = [](linalg::LinalgOp op) {
    auto isNumber = [](OpOperand *operand) { return !isa<ShapedType>(operand->get().getType()); };
    return op->getNumResults() == 1 && llvm::all_of(op.getDpsInputOperands(), isNumber);
  };
  for (auto op : llvm::make_early_inc_range(kernel.getBody().getOps<linalg::LinalgOp>())) {
    if (!begins(op) || op->hasOneUse())
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto sum = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!sum || !sum.isDpsInit(&use))
        continue;
      OpBuilder b(sum);
      Value place;
      for (auto [i, value] : llvm::enumerate(kernel.yieldOp().getResults()))
        if (value == sum.getTiedOpResult(&use) &&
            (kernel.initArgument(i).use_empty() || op.getDpsInits()[0] == kernel.initArgument(i)))
          place = kernel.initArgument(i);
      if (!place)
        place = tensor::EmptyOp::create(b, op.getLoc(), tensor::getMixedSizes(b, op.getLoc(), op.getDpsInits()[0]),
                                        getElementTypeOrSelf(use.get().getType()));
      auto own = cast<linalg::LinalgOp>(b.clone(*op));
      own.setDpsInitOperand(0, place);
      use.set(own->getResult(0));
    }
    if (op->use_empty())
      op->erase();
  }
}

/// A product whose factor is made of windows reads the tensor that these are of: they are no memory.
void multiplyWindows(group::KernelOp kernel, IRRewriter &rewriter) {
  SmallVector<linalg::ContractOp> products;
  kernel.getBody().walk([&](linalg::ContractOp op) { products.push_back(op); });
  auto readsWindows = [](linalg::GenericOp made) {
    return llvm::any_of(made.getIndexingMapsArray(), [](AffineMap map) {
      return llvm::any_of(map.getResults(), llvm::IsaPred<AffineBinaryOpExpr>);
    });
  };
  for (linalg::ContractOp product : products)
    for (unsigned factor : {0, 1}) {
      auto made = product.getInputs()[factor].getDefiningOp<linalg::GenericOp>();
      if (!made || made.getNumReductionLoops() || !made->hasOneUse() || !readsWindows(made))
        continue;
      rewriter.setInsertionPoint(product);
      FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(rewriter, product);
      if (failed(general))
        break;
      OpOperand *operand = general->getDpsInputOperand(factor);
      if (!linalg::areElementwiseOpsFusable(operand))
        break;
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
      if (succeeded(fused)) {
        for (Value result : general->getResults())
          rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
        rewriter.eraseOp(*general);
        rewriter.eraseOp(made);
      }
      break;
    }
}

/// Moves the body before the kernel, on the tensors that its memrefs hold.
void inlineBody(group::KernelOp kernel, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();
  SmallVector<Value> arguments;
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      arguments.push_back(operand.get());
      continue;
    }
    Type type = group::KernelOp::argumentTypeOf(operand.get().getType());
    arguments.push_back(bufferization::ToTensorOp::create(rewriter, loc, type, operand.get(), /*restrict=*/true,
                                                          /*writable=*/kernel.isDpsInit(&operand)));
  }
  SmallVector<Value> values(kernel.yieldOp().getResults());
  SmallVector<Value> places(kernel.getInits());
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    rewriter.clone(op, mapping);
  for (auto [value, place] : llvm::zip(values, places)) {
    auto store =
        bufferization::MaterializeInDestinationOp::create(rewriter, loc, mapping.lookupOrDefault(value), place);
    store.setRestrict(true);
    store.setWritable(true);
  }
}

LogicalResult bufferizeFunction(func::FuncOp function) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferAlignment = kAlignment;
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(function, options, state);
}

/// For memory whose users are in its own block, or in views there.
void freeAfterLastUse(memref::AllocOp alloc, IRRewriter &rewriter) {
  Operation *last = alloc;
  SmallVector<Value> views{alloc};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        views.append(user->result_begin(), user->result_end());
      if (Operation *inBlock = alloc->getBlock()->findAncestorOpInBlock(*user); last->isBeforeInBlock(inBlock))
        last = inBlock;
    }
  rewriter.setInsertionPointAfter(last);
  memref::DeallocOp::create(rewriter, alloc.getLoc(), alloc);
}

struct InlineGroups : impl::InlineGroupsBase<InlineGroups> {
  void runOnOperation() override {
    SmallVector<group::KernelOp> kernels;
    getOperation().walk([&](group::KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return;
    IRRewriter rewriter(&getContext());
    bool isHost = !getOperation()->getParentOfType<ModuleOp>()->hasAttr(device::kTarget);
    const TargetInfo *target = device::targetInfoOf(getOperation());
    for (group::KernelOp kernel : kernels) {
      if (group::AttentionOp attention = group::attentionIn(kernel))
        group::expandAttention(attention);
      if (group::ScanOp scan = group::scanIn(kernel); scan && !isHost)
        group::expandScan(scan);
      if (isHost || (target && target->reportsErrors))
        requireElements(kernel);
      else
        readZerosOutside(kernel);
      multiplyWindows(kernel, rewriter);
      separateBeginnings(kernel);
      shareDestinations(kernel);
      inlineBody(kernel, rewriter);
    }
    for (group::KernelOp kernel : kernels)
      rewriter.eraseOp(kernel);
    llvm::SmallPtrSet<Operation *, 16> others;
    getOperation().walk([&](memref::AllocOp op) { others.insert(op); });
    if (failed(bufferizeFunction(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](memref::CopyOp op) { // What was computed in its place.
      if (op.getSource() == op.getTarget())
        rewriter.eraseOp(op);
    });
    getOperation().walk([&](memref::AllocOp op) {
      if (!others.contains(op))
        freeAfterLastUse(op, rewriter);
    });
    if (!isHost)
      return;
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      loopOverRows(op, rewriter);
  }
};
} // namespace
} // namespace lispier
