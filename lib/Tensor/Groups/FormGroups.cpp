//===- FormGroups.cpp - tensor ops to kernels of several ------------------===//
//
// Before: linalg ops on tensors. After: each is in the body of a group.kernel, and
// what only one kernel needs is no tensor outside of it. Bufferization then gives
// memory to what kernels exchange, and nothing else. GroupPlan decides, this file
// rewrites.
//
//===----------------------------------------------------------------------===//
#include "CarriedTensors.h"
#include "GroupPlan.h"
#include "LongRows.h"
#include "RingProducts.h"
#include "RoundedValues.h"
#include "Simplify/StoredResults.h"
#include "WrittenTensors.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "lispier/Tensor/Formulas/AttentionFormula.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
#define GEN_PASS_DEF_FORMGROUPS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Gives each use of a fill as an op's destination a fill of its own, which can be in that op's group: one of a block
/// around, where equal fills have become one, would be a tensor in memory.
void separateFills(Block &block, IRRewriter &rewriter) {
  for (auto op : block.getOps<DestinationStyleOpInterface>())
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto fill = init.get().getDefiningOp<linalg::FillOp>();
      if (!fill || fill->getBlock() == &block)
        continue;
      rewriter.setInsertionPoint(op);
      init.set(rewriter.clone(*fill)->getResult(0));
      if (fill->use_empty())
        rewriter.eraseOp(fill);
    }
  // In the program's order: that of a value's uses depends on what passes did, and would be seen in the code.
  llvm::SmallPtrSet<Operation *, 8> taken;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      auto fill = use.get().getDefiningOp<linalg::FillOp>();
      if (!fill || fill->getBlock() != &block || !fill.hasPureTensorSemantics() || taken.insert(fill).second)
        continue;
      rewriter.setInsertionPoint(fill);
      use.set(rewriter.clone(*fill)->getResult(0));
    }
  });
}

/// nn ops read nothing of their destination and of scratch: what fills only these is not computed.
void dropFilledDestinations(Block &block, IRRewriter &rewriter) {
  for (Operation &op : block)
    for (OpOperand &operand : op.getOpOperands())
      if (auto fill = operand.get().getDefiningOp<linalg::FillOp>();
          fill && nn::writes(nn::accessOf(operand)) && !nn::readsBefore(nn::accessOf(operand)) && fill->hasOneUse()) {
        operand.set(fill.output());
        rewriter.eraseOp(fill);
      }
}

/// Each element times a number of F32, rounded to its type.
Value multiplied(Value tensor, ArrayRef<OpFoldResult> sizes, Value factor, IRRewriter &rewriter) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  auto body = [&](OpBuilder &b, Location at, ValueRange arguments) {
    Value wide = arguments[0];
    if (!type.getElementType().isF32())
      wide = arith::ExtFOp::create(b, at, b.getF32Type(), wide);
    Value made = arith::MulFOp::create(b, at, wide, factor);
    if (!type.getElementType().isF32())
      made = arith::TruncFOp::create(b, at, type.getElementType(), made);
    linalg::YieldOp::create(b, at, made);
  };
  return linalg::GenericOp::create(rewriter, loc, type, tensor, empty, maps, iterators, body)->getResult(0);
}

/// Attention of larger heads is two products, with a softmax between them: of so many columns of the result a block has
/// no rows, and for parts of them it would compute the scores again.
void expandLargeHeads(func::FuncOp function) {
  constexpr int64_t kLargestHead = 256;
  SmallVector<group::AttentionOp> large;
  function.walk([&](group::AttentionOp op) {
    SmallVector<unsigned> loops = op.loopsOf(2);
    auto type = cast<RankedTensorType>(op.getValue().getType());
    if (type.getDimSize(llvm::find(loops, op.valueSize()) - loops.begin()) > kLargestHead)
      large.push_back(op);
  });
  for (group::AttentionOp op : large)
    group::expandAttention(op);
}

/// Multiplies queries by what the scale of attention is beside 1 / sqrt(head size), if only the call knows it: where it
/// is just that, this changes no query, also none of 16 bits. It is done before reshapes, beside what makes the
/// queries.
void scaleQueries(group::AttentionOp op, IRRewriter &rewriter) {
  std::optional<KernelAttention> attention = kernelAttentionOf(op);
  if (!attention || !attention->scaleValue)
    return;
  Location loc = op.getLoc();
  OpOperand *operand = &op.getQueryMutable();
  SmallVector<OpFoldResult> sizes;
  unsigned last = attention->q.order.back();
  OpFoldResult size;
  auto reshape = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  if (reshape && !reshape->hasOneUse())
    reshape = nullptr;
  if (reshape)
    size = reshape.getMixedOutputShape()[last];
  for (Operation *each = reshape;
       isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(each) && each->hasOneUse();
       each = operand->get().getDefiningOp())
    operand = &each->getOpOperand(0);
  if (Operation *made = attention->scaleValue.getDefiningOp();
      made && made->getBlock() == operand->getOwner()->getBlock() && !made->isBeforeInBlock(operand->getOwner()))
    return; // The queries are there before the scale.
  rewriter.setInsertionPoint(operand->getOwner());
  sizes = sizesMadeWith(operand->get());
  if (sizes.empty())
    sizes = tensor::getMixedSizes(rewriter, loc, operand->get());
  Value number = getValueOrCreateConstantIndexOp(rewriter, loc, reshape ? size : sizes[last]);
  if (!reshape && isa<Value>(sizes[last]))
    sizes[last] = number;
  Value wide = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), number);
  wide = arith::SIToFPOp::create(rewriter, loc, rewriter.getF32Type(), wide);
  Value root = math::SqrtOp::create(rewriter, loc, wide);
  Value factor = arith::MulFOp::create(rewriter, loc, attention->scaleValue, root);
  Value usual = math::RsqrtOp::create(rewriter, loc, wide);
  op->replaceUsesOfWith(attention->scaleValue, usual);
  operand->set(multiplied(operand->get(), sizes, factor, rewriter));
}

/// Rewrites one group as a kernel.
class KernelBuilder {
public:
  KernelBuilder(const GroupPlan::Group &group, std::string name, IRRewriter &rewriter)
      : group(group), name(std::move(name)), rewriter(rewriter) {
    ops = group.members();
    members.insert(ops.begin(), ops.end());
  }

  group::KernelOp build() {
    rewriter.setInsertionPointAfter(ops.back());
    findResults();
    findInputs();
    SmallVector<Location> places = llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
    for (Operation *op : ops) // Those of ops that were merged into it, such as masks.
      op->walk([&](Operation *inside) {
        if (!inside->hasTrait<OpTrait::ConstantLike>())
          places.push_back(inside->getLoc());
      });
    Location place = FusedLoc::get(rewriter.getContext(), places);
    auto kernel = group::KernelOp::create(rewriter, place, name, group.kind(), inputs.getArrayRef(), destinations);
    fillBody(kernel);
    for (auto [made, result] : llvm::zip(results, kernel.getResults()))
      rewriter.replaceUsesWithIf(made, result, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    for (Operation *op : llvm::reverse(ops))
      rewriter.eraseOp(op);
    return kernel;
  }

private:
  bool isInside(Operation *op) const {
    for (; op; op = op->getParentOp())
      if (members.contains(op))
        return true;
    return false;
  }

  /// Whether the body has a copy of the op, rather than its result as an input.
  bool isCopied(Operation *op) const {
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return dim.getConstantIndex() && (inputs.contains(dim.getSource()) || isInside(dim.getSource().getDefiningOp()));
    if (isa<tensor::ExtractOp>(op)) // The host may not be able to read the number.
      return llvm::all_of(op->getOperands().drop_front(),
                          [](Value index) { return matchPattern(index, m_Constant()); });
    if (isa<arith::IndexCastOp>(op))
      return op->getOperand(0).getDefiningOp<tensor::ExtractOp>() && isCopied(op->getOperand(0).getDefiningOp());
    return op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp, tensor::PadOp>(op); // padWindows has made it.
  }

  /// Results that others use, and for each the tensor that the first op of its chain of destinations overwrites.
  void findResults() {
    llvm::SmallPtrSet<OpOperand *, 4> taken;
    for (Operation *op : ops)
      for (OpResult result : op->getResults()) {
        if (llvm::all_of(result.getUsers(), [&](Operation *user) { return isInside(user); }))
          continue;
        OpOperand *start = startOf(result);
        bool isFree = taken.insert(start).second; // Else another result is in that place.
        results.push_back(result);
        starts.push_back(isFree ? start : nullptr);
        destinations.push_back(destinationLike(start->get(), isFree));
      }
  }

  /// Several groups may have the same one, and the memory of one's result would be overwritten while it is in use.
  static bool isViewOfEmpty(Value place) {
    while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(place.getDefiningOp()))
      place = place.getDefiningOp()->getOperand(0);
    return place.getDefiningOp<tensor::EmptyOp>() != nullptr;
  }

  Value destinationLike(Value place, bool isFree) {
    auto empty = place.getDefiningOp<tensor::EmptyOp>();
    if (!empty && isFree && !isViewOfEmpty(place))
      return place;
    if (empty)
      return rewriter.clone(*empty)->getResult(0);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, place.getLoc(), place);
    return tensor::EmptyOp::create(rewriter, place.getLoc(), sizes, getElementTypeOrSelf(place.getType()));
  }

  OpOperand *startOf(OpResult result) const {
    while (true) {
      OpOperand *init = cast<DestinationStyleOpInterface>(result.getOwner()).getTiedOpOperand(result);
      auto next = dyn_cast<OpResult>(init->get());
      bool isOwn = next && members.contains(next.getOwner()) &&
                   llvm::all_of(next.getUsers(), [&](Operation *user) { return isInside(user); });
      if (!isOwn)
        return init;
      result = next;
    }
  }

  void findInputs() {
    llvm::SmallSetVector<Operation *, 8> copies;
    for (bool sizesToo : {false, true}) // Tensors first: their sizes are known in the body.
      for (Operation *op : ops)
        op->walk<WalkOrder::PreOrder>([&](Operation *inside) {
          for (OpOperand &operand : inside->getOpOperands())
            if (!llvm::is_contained(starts, &operand) || operand.get().getDefiningOp<tensor::EmptyOp>())
              addInput(operand.get(), sizesToo, op);
        });
  }

  void addInput(Value value, bool sizesToo, Operation *member) {
    Operation *made = value.getDefiningOp();
    if (made && (members.contains(made) || member->isProperAncestor(made)))
      return;
    if (auto argument = dyn_cast<BlockArgument>(value); argument && isInside(argument.getOwner()->getParentOp()))
      return;
    if (isa<TensorType>(value.getType()) ? !(made && isCopied(made))
                                         : sizesToo && !(made && isCopied(made)) && !findSize(value))
      inputs.insert(value);
    else if (made && isCopied(made))
      for (Value operand : made->getOperands())
        if (!isa<TensorType>(operand.getType()) || isa<tensor::ExtractOp, tensor::PadOp>(made))
          addInput(operand, sizesToo, member);
  }

  /// A dimension of an input that has that size: it was made so.
  std::optional<std::pair<Value, int64_t>> findSize(Value size) const {
    for (Value input : inputs) {
      Value place = input;
      while (auto made = place.getDefiningOp<DestinationStyleOpInterface>())
        place = made.getTiedOpOperand(cast<OpResult>(place))->get();
      auto empty = place.getDefiningOp<tensor::EmptyOp>();
      if (!empty)
        continue;
      for (auto [d, each] : llvm::enumerate(empty.getMixedSizes()))
        if (each == OpFoldResult(size))
          return std::pair(input, int64_t(d));
    }
    return std::nullopt;
  }

  void fillBody(group::KernelOp kernel) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, kernel.getBody().getArguments()))
      mapping.map(input, argument);
    for (Operation *op : ops) {
      op->walk([&](Operation *inside) {
        for (Value operand : inside->getOperands())
          copyInto(operand, mapping);
      });
      Operation *copy = rewriter.clone(*op, mapping);
      for (auto [i, start] : llvm::enumerate(starts))
        if (start && start->getOwner() == op)
          copy->setOperand(start->getOperandNumber(), kernel.initArgument(i));
    }
    SmallVector<Value> values = llvm::map_to_vector(results, [&](Value made) { return mapping.lookup(made); });
    group::YieldOp::create(rewriter, kernel.getLoc(), values);
  }

  void copyInto(Value value, IRMapping &mapping) {
    Operation *made = value.getDefiningOp();
    if (mapping.contains(value) || (made && isInside(made)))
      return;
    if (value.getType().isIndex() && !(made && isCopied(made)))
      if (auto found = findSize(value)) {
        Location loc = value.getLoc();
        Value dimension = arith::ConstantIndexOp::create(rewriter, loc, found->second);
        mapping.map(value, tensor::DimOp::create(rewriter, loc, mapping.lookup(found->first), dimension).getResult());
        return;
      }
    if (!made || !isCopied(made))
      return;
    made->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (!made->isAncestor(operand.getParentBlock()->getParentOp()))
          copyInto(operand, mapping);
    });
    rewriter.clone(*made, mapping);
  }

  const GroupPlan::Group &group;
  SmallVector<Operation *> ops;
  std::string name;
  IRRewriter &rewriter;
  llvm::SmallPtrSet<Operation *, 8> members;
  llvm::SmallSetVector<Value, 8> inputs;
  SmallVector<OpResult> results;
  SmallVector<OpOperand *> starts; ///< For each result: the operand that becomes its `outs`; null if there is none.
  SmallVector<Value> destinations;
};

/// The ops of an elementwise kernel become one, of several results if others need these. A body has what it reads twice
/// twice, which doubles along a chain such as x x, (x x) (x x), ...: large ones stay apart.
void mergeElementwise(group::KernelOp kernel, IRRewriter &rewriter) {
  constexpr size_t kMostOps = 512;
  auto fits = [](linalg::GenericOp consumer, linalg::GenericOp producer) {
    return producer &&
           consumer.getBody()->getOperations().size() + producer.getBody()->getOperations().size() <= kMostOps;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (linalg::GenericOp consumer : kernel.getBody().getOps<linalg::GenericOp>()) {
      OpOperand *operand = nullptr;
      for (OpOperand *each : consumer.getDpsInputOperands())
        if (fits(consumer, each->get().getDefiningOp<linalg::GenericOp>()) && linalg::areElementwiseOpsFusable(each))
          operand = each;
      if (!operand)
        continue;
      Operation *producer = operand->get().getDefiningOp();
      rewriter.setInsertionPoint(consumer);
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      // The fused op may still read the producer's result elsewhere, as may ops before it.
      auto isBehind = [&](OpOperand &use) {
        return use.getOwner() == consumer || fused->fusedOp->isBeforeInBlock(use.getOwner());
      };
      for (auto [before, after] : fused->replacements)
        rewriter.replaceUsesWithIf(before, after, isBehind);
      rewriter.eraseOp(consumer);
      if (producer->use_empty())
        rewriter.eraseOp(producer);
      changes = true;
      break;
    }
  }
}

/// Gives each op that uses the memory of a bufferization.to_buffer one of its own, just before it: there bufferization
/// assumes that the tensor is read, and gives the memory to another tensor afterwards.
void sinkReads(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isa<bufferization::ToBufferOp, memref::CastOp>(op))
      continue;
    llvm::SmallSetVector<Operation *, 4> users(op.user_begin(), op.user_end());
    for (Operation *user : users.getArrayRef().drop_front(users.empty() ? 0 : 1)) {
      Operation *own = OpBuilder(user).clone(op);
      user->replaceUsesOfWith(op.getResult(0), own->getResult(0));
    }
    if (!users.empty())
      op.moveBefore(users.front());
  }
}

/// Lets kernels of attention read one fill where they read equal ones: attention contains none, so that each would be a
/// kernel.
void shareFills(Block &block) {
  SmallVector<linalg::FillOp> shared;
  for (auto attention : block.getOps<group::AttentionOp>())
    for (Value operand : {Value(attention.getQuery()), Value(attention.getKey()), Value(attention.getValue())}) {
      auto fill = operand.getDefiningOp<linalg::FillOp>();
      if (!fill || llvm::is_contained(shared, fill))
        continue;
      auto isEqual = [&](linalg::FillOp other) {
        return other.value() == fill.value() && other.output() == fill.output();
      };
      auto *other = llvm::find_if(shared, isEqual);
      if (other == shared.end())
        shared.push_back(fill);
      else if ((*other)->isBeforeInBlock(fill))
        operand.replaceAllUsesWith((*other)->getResult(0));
    }
}

/// Gives each product that multiplies windows, of which none has to be made for it, windows of its own.
void copyWindows(linalg::GenericOp op, IRRewriter &rewriter) {
  auto isRead = [&](OpOperand *operand) { return readsWindows(op, *operand); };
  if (op->getNumResults() != 1 || op.getNumReductionLoops() || elementCost(op) > 2 ||
      !llvm::any_of(op.getDpsInputOperands(), isRead))
    return;
  SmallVector<OpOperand *> uses;
  bool hasOthers = false;
  for (OpOperand &use : op->getUses()) {
    if (isa<linalg::ContractionOpInterface>(use.getOwner()))
      uses.push_back(&use);
    else
      hasOthers = true;
  }
  if (!hasOthers && !uses.empty()) // It is one's already.
    uses.pop_back();
  rewriter.setInsertionPoint(op);
  for (OpOperand *use : uses)
    use->set(rewriter.clone(*op)->getResult(0));
}

/// Whether all uses of a tensor are reductions of windows of it.
bool isReducedByWindows(Value tensor) {
  return llvm::all_of(tensor.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    return op && op.getNumReductionLoops() > 0 && op.isDpsInput(&use) && readsWindows(op, use);
  });
}

/// Makes tensor.pad of what is inserted into equal numbers and then reduced, window by window: a tile program reads the
/// tensor itself, and the border is no memory.
void padWindows(Block &block, IRRewriter &rewriter) {
  for (tensor::InsertSliceOp insert : llvm::to_vector(block.getOps<tensor::InsertSliceOp>())) {
    auto fill = insert.getDest().getDefiningOp<linalg::FillOp>();
    RankedTensorType type = insert.getResultType(), source = insert.getSourceType();
    if (!fill || !matchPattern(fill.value(), m_Constant()) || !type.hasStaticShape() || !source.hasStaticShape() ||
        type.getRank() != source.getRank() || !insert.hasUnitStride() || insert.use_empty() ||
        llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic) || !isReducedByWindows(insert))
      continue;
    SmallVector<OpFoldResult> low, high;
    for (auto [offset, size, all] : llvm::zip(insert.getStaticOffsets(), source.getShape(), type.getShape())) {
      low.push_back(rewriter.getIndexAttr(offset));
      high.push_back(rewriter.getIndexAttr(all - size - offset));
    }
    rewriter.setInsertionPoint(insert);
    rewriter.replaceOp(
        insert, tensor::PadOp::create(rewriter, insert.getLoc(), type, insert.getSource(), low, high, fill.value()));
    if (fill->use_empty())
      rewriter.eraseOp(fill);
  }
}

struct FormGroups : impl::FormGroupsBase<FormGroups> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    count = 0;
    opsCompared = 0;
    if (tilePrograms && !alone)
      expandLargeHeads(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      Operation *parent = block->getParentOp();
      if (!isa<linalg::LinalgOp, group::AttentionOp, group::KernelOp, gpu::LaunchOp>(parent))
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](scf::ForOp loop) { beginWithoutFills(loop, rewriter); });
    SmallVector<SmallVector<ProductChain>> chains(blocks.size());
    if (tilePrograms && !alone)
      llvm::transform(blocks, chains.begin(), [&](Block *block) { return separateChains(*block, rewriter); });
    KeptOrder order(getOperation());
    for (auto [block, own] : llvm::zip(blocks, chains))
      formIn(*block, order, own, rewriter);
    getOperation()->walk([](grad::AgainOp again) { // It has kept apart what is computed twice.
      again.replaceAllUsesWith(again.getValue());
      again.erase();
    });
    writeInPlace(getOperation(), rewriter);
    getOperation()->walk([](func::CallOp call) { call->removeAttr(kEffectsAttr); });
    if (countWork)
      emitRemark(getOperation().getLoc()) << opsCompared << " ops compared";
  }

  void formIn(Block &block, const KeptOrder &order, ArrayRef<ProductChain> chains, IRRewriter &rewriter) {
    checkSizesFirst(block);
    if (tilePrograms && !alone) {
      splitVariances(block, rewriter);
      padWindows(block, rewriter);
    }
    separateFills(block, rewriter);
    dropFilledDestinations(block, rewriter);
    for (group::AttentionOp attention : llvm::to_vector(block.getOps<group::AttentionOp>()))
      scaleQueries(attention, rewriter);
    shareFills(block);
    for (linalg::GenericOp op : llvm::to_vector(block.getOps<linalg::GenericOp>()))
      copyWindows(op, rewriter);
    if (rings && !alone)
      leaveRingsAlone(block, rewriter);
    GroupPlan plan(block, order, tilePrograms, columnSums, chains);
    if (!alone)
      plan.form();
    opsCompared += plan.numOpsCompared();
    SmallVector<const GroupPlan::Group *> groups = plan.groups();
    if (groups.empty()) {
      sinkReads(block);
      return nameOps(block);
    }
    for (Operation *op : plan.order())
      op->moveBefore(&block, block.end());
    sinkReads(block);
    SmallVector<SmallVector<Attribute>> reasons = llvm::map_to_vector(
        groups, [&](const GroupPlan::Group *group) { return reasonsOf(plan, *group, groups, rewriter); });
    for (auto [group, why] : llvm::zip(groups, reasons)) {
      group::KernelOp kernel = KernelBuilder(*group, nameOf(count++), rewriter).build();
      if (!why.empty())
        kernel.setApartAttr(rewriter.getArrayAttr(why));
      if (kernel.getKind() == group::Kind::Elementwise || kernel.getKind() == group::Kind::Copy)
        mergeElementwise(kernel, rewriter);
      keepWideInside(kernel);
      kernel.walk([](linalg::LinalgOp op) { forgetRing(op); });
    }
    for (tensor::PadOp pad : llvm::make_early_inc_range(block.getOps<tensor::PadOp>()))
      if (pad.use_empty())
        rewriter.eraseOp(pad);
    nameOps(block);
    overwriteCarried(block, order, rewriter);
  }

  /// Names nn ops on tensors as kernels, which they are.
  void nameOps(Block &block) {
    for (Operation &op : block)
      if (!nn::operandRows(&op).empty() && op.getNumResults() > 0)
        op.setAttr(kKernelNameAttr, StringAttr::get(&getContext(), nameOf(count++)));
  }

  std::string nameOf(unsigned i) { return (getOperation().getSymName() + "_" + Twine(i)).str(); }

  /// Why the group does not begin earlier: for each group whose result it uses, its number and a reason.
  SmallVector<Attribute> reasonsOf(const GroupPlan &plan, const GroupPlan::Group &group,
                                   ArrayRef<const GroupPlan::Group *> groups, Builder &b) {
    llvm::SmallSetVector<const GroupPlan::Group *, 4> producers;
    auto addProducers = [&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *made = operand.getDefiningOp(); made && plan.groupOf(made) && plan.groupOf(made) != &group)
          producers.insert(plan.groupOf(made));
    };
    llvm::for_each(group.members(), addProducers);
    SmallVector<Attribute> result;
    for (const GroupPlan::Group *producer : producers) {
      unsigned i = llvm::find(groups, producer) - groups.begin() + count;
      std::string why = alone ? "each op is a kernel" : plan.whyApart(*producer, group);
      result.push_back(b.getStringAttr("not in " + nameOf(i) + ": " + why));
    }
    return result;
  }

  unsigned count = 0;
  uint64_t opsCompared = 0;
};
} // namespace
} // namespace lispier
