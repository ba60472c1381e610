//===- FormScans.cpp - scans of loops over slices -------------------------===//
//
// Before: a loop along a dimension that combines the slices of a tensor one by one, and
// inserts what was combined so far into another. After: group.scan, between elementwise
// ops on whole tensors for what the loop's ops do beside. Tile programs and vectors scan a
// row in parallel, where the loop would be a launch or a column for each of its elements.
// What is no associative op alone is the scan's step, if a kernel is to have the loop.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
#define GEN_PASS_DEF_FORMSCANS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// A number of steps is a size, which is not negative.
Value countedSize(Value count) {
  auto most = count.getDefiningOp<arith::MaxSIOp>();
  return most && matchPattern(most.getRhs(), m_Zero()) ? most.getLhs() : count;
}

/// Whether the tensor has so many elements along a dimension, as far as its type or what has made it says.
bool hasSize(Value tensor, int64_t dimension, OpFoldResult size) {
  if (int64_t known = cast<RankedTensorType>(tensor.getType()).getDimSize(dimension); !ShapedType::isDynamic(known))
    return getConstantIntValue(size) == known;
  auto value = dyn_cast<Value>(size);
  if (!value)
    return false;
  value = countedSize(value);
  auto dim = value.getDefiningOp<tensor::DimOp>();
  if (dim && dim.getSource() == tensor && dim.getConstantIndex() == dimension)
    return true;
  SmallVector<OpFoldResult> made = sizesMadeWith(tensor);
  auto known = made.empty() ? Value() : dyn_cast<Value>(made[dimension]);
  return known && countedSize(known) == value;
}

/// The op if each element of its one result is computed of the elements at the same place.
linalg::GenericOp elementwiseOp(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  bool isElementwise = op && op->getNumResults() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
                       !op.hasIndexSemantics() && op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
  return isElementwise ? op : linalg::GenericOp();
}

/// constant + perStep i + perCount n, in step i of n.
struct LinearPlace {
  int64_t constant = 0, perStep = 0, perCount = 0;
};

/// Which places of a loop's steps its checks leave.
class StepChecks {
public:
  explicit StepChecks(scf::ForOp loop) : loop(loop) {}

  /// Whether the condition is false in each step.
  bool isNever(Value condition) const {
    auto negation = condition.getDefiningOp<arith::XOrIOp>();
    return negation && matchPattern(negation.getRhs(), m_One()) && isAlways(negation.getLhs());
  }

private:
  bool isAlways(Value condition) const {
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return isAlways(both.getLhs()) && isAlways(both.getRhs());
    auto compared = condition.getDefiningOp<arith::CmpIOp>();
    if (!compared)
      return matchPattern(condition, m_One());
    std::optional<LinearPlace> a = linear(compared.getLhs()), c = linear(compared.getRhs());
    switch (compared.getPredicate()) {
    case arith::CmpIPredicate::sge:
      return a && c && isAtLeast(*a, *c, 0);
    case arith::CmpIPredicate::sgt:
      return a && c && isAtLeast(*a, *c, 1);
    case arith::CmpIPredicate::sle:
      return a && c && isAtLeast(*c, *a, 0);
    case arith::CmpIPredicate::slt:
      return a && c && isAtLeast(*c, *a, 1);
    default:
      return false;
    }
  }

  /// a >= c + more for each i of 0 to n - 1: a linear function of i, and of n - 1 - i.
  bool isAtLeast(LinearPlace a, LinearPlace c, int64_t more) const {
    int64_t constant = a.constant - c.constant - more, perStep = a.perStep - c.perStep,
            perCount = a.perCount - c.perCount;
    if (std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound()))
      return perCount == 0 && constant >= 0 && constant + perStep * (*count - 1) >= 0;
    return constant + perCount >= 0 && perStep + perCount >= 0 && perCount >= 0;
  }

  std::optional<LinearPlace> linear(Value value) const {
    if (value == loop.getInductionVar())
      return LinearPlace{0, 1, 0};
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return LinearPlace{*number, 0, 0};
    if (value == loop.getUpperBound() || value == countedSize(loop.getUpperBound()))
      return LinearPlace{0, 0, 1};
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    std::optional<LinearPlace> a = linear(op->getOperand(0)), c = linear(op->getOperand(1));
    int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
    if (!a || !c)
      return std::nullopt;
    return LinearPlace{a->constant + sign * c->constant, a->perStep + sign * c->perStep,
                       a->perCount + sign * c->perCount};
  }

  mutable scf::ForOp loop;
};

/// A loop as a scan.
class ScanLoop {
public:
  explicit ScanLoop(scf::ForOp loop) : loop(loop) {}

  /// `inOrder`: also what goes from one element to the next.
  bool match(bool inOrder) {
    if (!matchLoop() || !matchInsertion() || !matchResult())
      return false;
    return (matchCombination() && matchStart(element.getType()) && matchSlices()) || (inOrder && matchStep());
  }
  void replace(IRRewriter &rewriter);

private:
  bool matchLoop();
  bool matchInsertion();
  bool matchResult();
  bool matchCombination();
  bool matchStep();
  bool isStep(Value value);
  Value stepOf(Value value, Block &block, OpBuilder &b) const;
  bool matchStart(Type type);
  bool matchSlices();
  bool isPlace(OpFoldResult offset, bool &isReverse) const;
  bool isElementOf(tensor::ExtractSliceOp slice);
  Value slicedTensor(tensor::ExtractSliceOp slice) const;
  Value whole(tensor::ExtractSliceOp slice, IRRewriter &rewriter) const;
  bool isOutside(Value value) const { return loop.isDefinedOutsideOfLoop(value); }
  BlockArgument carried(unsigned number) const { return loop.getRegionIterArgs()[number]; }
  Value elements(IRRewriter &rewriter);

  mutable scf::ForOp loop;
  unsigned made = 0, sofar = 0; ///< Which of the carried values is the result, and which what is combined.
  tensor::InsertSliceOp insertion;
  int64_t along = 0;
  bool reverse = false, exclusive = false;
  linalg::GenericOp step, last; ///< The op that combines, and one on what is inserted; null if there is none.
  OpOperand *before = nullptr;  ///< Of `step`: what is combined so far.
  Operation *combination = nullptr;
  Value element, start;        ///< What `combination` adds, and the number with which it begins.
  tensor::ExtractSliceOp next; ///< Without a combination: the elements that the steps take.
};

/// One of the loop's results is used. Checks that never fail, as of slices at the places of all steps, have no effect.
bool ScanLoop::matchLoop() {
  auto used = llvm::make_filter_range(loop.getResults(), [](OpResult result) { return !result.use_empty(); });
  if (!llvm::hasSingleElement(used) || !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  made = (*used.begin()).getResultNumber();
  StepChecks checks(loop);
  return llvm::all_of(*loop.getBody(), [&](Operation &op) {
    auto check = dyn_cast<scf::IfOp>(op);
    return op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op) ||
           (check && check->getNumResults() == 0 && !check.elseBlock() && checks.isNever(check.getCondition()));
  });
}

/// Whether the offset is the loop's number, from the first or from the last one on.
bool ScanLoop::isPlace(OpFoldResult offset, bool &isReverse) const {
  auto value = dyn_cast<Value>(offset);
  isReverse = value && value != loop.getInductionVar();
  if (!isReverse)
    return value != nullptr;
  auto place = value.getDefiningOp<arith::SubIOp>();
  if (!place || place.getRhs() != loop.getInductionVar())
    return false;
  std::optional<int64_t> most = getConstantIntValue(place.getLhs()), count = getConstantIntValue(loop.getUpperBound());
  auto lessOne = place.getLhs().getDefiningOp<arith::SubIOp>();
  return (most && count && *most == *count - 1) ||
         (lessOne && lessOne.getLhs() == loop.getUpperBound() && matchPattern(lessOne.getRhs(), m_One()));
}

/// The result is overwritten whole, a slice in each step.
bool ScanLoop::matchInsertion() {
  insertion = loop.getYieldedValues()[made].getDefiningOp<tensor::InsertSliceOp>();
  auto isOwn = [&](Operation *user) { // What is read there is read before.
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    return user == insertion || (slice && slicedTensor(slice));
  };
  if (!insertion || insertion.getDest() != carried(made) || !llvm::all_of(carried(made).getUsers(), isOwn) ||
      !insertion.hasUnitStride() || insertion.getSourceType().getRank() != insertion.getDestType().getRank())
    return false;
  std::optional<int64_t> axis;
  for (auto [dimension, offset] : llvm::enumerate(insertion.getMixedOffsets()))
    if (!isZeroInteger(offset)) {
      if (axis || !isPlace(offset, reverse))
        return false;
      axis = dimension;
    }
  Value whole = loop.getInitArgs()[made];
  if (!axis || !isOneInteger(insertion.getMixedSizes()[*axis]) || !hasSize(whole, *axis, loop.getUpperBound()))
    return false;
  along = *axis;
  if (insertion.getDestType().getDimSize(along) == 1) // No dimension of a kernel.
    return false;
  for (auto [dimension, size] : llvm::enumerate(insertion.getMixedSizes()))
    if (int64_t(dimension) != along && !hasSize(whole, dimension, size))
      return false;
  return true;
}

/// What is inserted is combined in this step, or in those before it, maybe converted.
bool ScanLoop::matchResult() {
  auto numberOf = [&](Value value) -> std::optional<unsigned> {
    for (auto [number, next] : llvm::enumerate(loop.getYieldedValues()))
      if (number != made && (value == next || value == carried(number)))
        return number;
    return std::nullopt;
  };
  Value inserted = insertion.getSource();
  std::optional<unsigned> number = numberOf(inserted);
  if (!number) {
    last = elementwiseOp(inserted);
    OpOperand *operand = last && last.getNumDpsInputs() == 1 ? last.getDpsInputOperand(0) : nullptr;
    if (!operand || !last.getMatchingIndexingMap(operand).isIdentity() ||
        last.payloadUsesValueFromOperand(last.getDpsInitOperand(0)))
      return false;
    inserted = operand->get();
    number = numberOf(inserted);
  }
  if (!number)
    return false;
  sofar = *number;
  exclusive = inserted == carried(sofar);
  return true;
}

bool ScanLoop::matchCombination() {
  step = elementwiseOp(loop.getYieldedValues()[sofar]);
  if (!step)
    return false;
  for (OpOperand &operand : step->getOpOperands())
    if (operand.get() == carried(sofar) && step.payloadUsesValueFromOperand(&operand)) {
      if (before || !step.getMatchingIndexingMap(&operand).isIdentity())
        return false;
      before = &operand;
    }
  if (!before)
    return false;
  BlockArgument number0 = step.getMatchingBlockArgument(before);
  combination = step.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combination || !linalg::getCombinerOpKind(combination) || !number0.hasOneUse() ||
      *number0.user_begin() != combination)
    return false;
  element = combination->getOperand(combination->getOperand(0) == number0 ? 1 : 0);
  return true;
}

/// Whether the value is made of what is combined so far and of the next elements of one tensor, element by element.
bool ScanLoop::isStep(Value value) {
  if (value == carried(sofar))
    return true;
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
    bool isSame = !next || (slicedTensor(next) == slicedTensor(slice) && next.getType() == slice.getType());
    next = slice;
    return isSame && isElementOf(slice) && slicedTensor(slice) &&
           getElementTypeOrSelf(slice) == getElementTypeOrSelf(carried(sofar));
  }
  linalg::GenericOp op = elementwiseOp(value);
  if (!op || op->getBlock() != loop.getBody() || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  for (Operation &inside : op.getBody()->without_terminator()) {
    if (!isPure(&inside) ||
        (!inside.hasTrait<OpTrait::ConstantLike>() && !OpTrait::hasElementwiseMappableTraits(&inside)))
      return false;
    for (Value operand : inside.getOperands())
      if (operand.getParentBlock() != op.getBody() && !isOutside(operand))
        return false;
  }
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return isa<RankedTensorType>(operand->get().getType())
               ? op.getMatchingIndexingMap(operand).isIdentity() && isStep(operand->get())
               : isOutside(operand->get());
  });
}

bool ScanLoop::matchStep() {
  step = {};
  combination = nullptr;
  Value made = loop.getYieldedValues()[sofar];
  return made != carried(sofar) && isStep(made) && next && matchStart(getElementTypeOrSelf(made));
}

/// The number of the block, a step, that the value's elements are.
Value ScanLoop::stepOf(Value value, Block &block, OpBuilder &b) const {
  if (value == carried(sofar))
    return block.getArgument(0);
  if (value.getDefiningOp<tensor::ExtractSliceOp>())
    return block.getArgument(1);
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands())
    mapping.map(op.getMatchingBlockArgument(operand), stepOf(operand->get(), block, b));
  for (Operation &inside : op.getBody()->without_terminator())
    b.clone(inside, mapping);
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

bool ScanLoop::matchStart(Type type) {
  Value filled = loop.getInitArgs()[sofar];
  if (auto fill = filled.getDefiningOp<linalg::FillOp>())
    start = fill.value();
  else if (auto made = elementwiseOp(filled))
    start = made.getBody()->getTerminator()->getOperand(0);
  return start && start.getType() == type && !isa<linalg::LinalgOp>(start.getParentBlock()->getParentOp());
}

/// What the loop takes a slice of in each step; null if it is computed in the loop. Adjoints take slices of a tensor
/// that they carry, and overwrite them.
Value ScanLoop::slicedTensor(tensor::ExtractSliceOp slice) const {
  Value source = slice.getSource();
  if (isOutside(source))
    return source;
  auto argument = dyn_cast<BlockArgument>(source);
  OpOperand *init = argument && argument.getOwner() == loop.getBody() ? loop.getTiedLoopInit(argument) : nullptr;
  if (!init)
    return {};
  auto next = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<tensor::InsertSliceOp>();
  bool isOverwritten = next && next.getDest() == argument && next.getMixedOffsets() == slice.getMixedOffsets() &&
                       next.getMixedSizes() == slice.getMixedSizes() && next.hasUnitStride();
  return isOverwritten ? init->get() : Value();
}

/// The tensor whose slices these are, as large as the result.
Value ScanLoop::whole(tensor::ExtractSliceOp slice, IRRewriter &rewriter) const {
  Value source = slicedTensor(slice), result = loop.getInitArgs()[made];
  bool isWhole = true;
  for (auto [dimension, size] : llvm::enumerate(slice.getMixedSizes()))
    isWhole &= hasSize(source, dimension, int64_t(dimension) == along ? OpFoldResult(loop.getUpperBound()) : size);
  if (isWhole)
    return source;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, slice.getLoc(), result);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, slice.getLoc(), source, offsets, sizes, strides);
}

/// Whether the slice is what its tensor has at the place of the step.
bool ScanLoop::isElementOf(tensor::ExtractSliceOp slice) {
  if (!slice.hasUnitStride() || slice.getType().getRank() != slice.getSourceType().getRank())
    return false;
  for (auto [dimension, pair] : llvm::enumerate(llvm::zip(slice.getMixedOffsets(), slice.getMixedSizes()))) {
    auto [offset, size] = pair;
    bool isReverse = false;
    if (int64_t(dimension) == along ? !isPlace(offset, isReverse) || isReverse != reverse || !isOneInteger(size)
                                    : !isZeroInteger(offset) || size != insertion.getMixedSizes()[dimension])
      return false;
  }
  return true;
}

/// All that is combined are slices of tensors at the place of the step, and numbers.
bool ScanLoop::matchSlices() {
  for (Operation &op : step.getBody()->without_terminator())
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != step.getBody() && !isOutside(operand))
        return false;
  for (OpOperand *operand : step.getDpsInputOperands()) {
    if (operand == before || !step.payloadUsesValueFromOperand(operand))
      continue;
    if (!isa<RankedTensorType>(operand->get().getType())) {
      if (!isOutside(operand->get()))
        return false;
      continue;
    }
    auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !slicedTensor(slice) || !isElementOf(slice) || !step.getMatchingIndexingMap(operand).isIdentity())
      return false;
  }
  return true;
}

/// The tensor of what is combined.
Value ScanLoop::elements(IRRewriter &rewriter) {
  SmallVector<Value> inputs;
  SmallVector<BlockArgument> arguments;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : step.getDpsInputOperands()) {
    if (operand == before || !step.payloadUsesValueFromOperand(operand))
      continue;
    auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
    inputs.push_back(slice ? whole(slice, rewriter) : operand->get());
    arguments.push_back(step.getMatchingBlockArgument(operand));
    maps.push_back(step.getMatchingIndexingMap(operand));
  }
  if (inputs.size() == 1 && element == arguments.front() && isa<RankedTensorType>(inputs.front().getType()))
    return inputs.front();
  Location loc = step.getLoc();
  maps.push_back(rewriter.getMultiDimIdentityMap(step.getNumLoops()));
  SmallVector<utils::IteratorType> iterators(step.getNumLoops(), utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, loop.getInitArgs()[made]),
                                        element.getType());
  auto body = [&](OpBuilder &b, Location, ValueRange numbers) {
    IRMapping mapping;
    mapping.map(arguments, numbers.drop_back());
    for (Operation &op : step.getBody()->without_terminator())
      if (&op != combination)
        b.clone(op, mapping);
    linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(element));
  };
  return linalg::GenericOp::create(rewriter, loc, empty.getType(), inputs, empty, maps, iterators, body)->getResult(0);
}

void ScanLoop::replace(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  Location loc = step ? step.getLoc() : loop.getYieldedValues()[sofar].getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, loop.getInitArgs()[made]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, start.getType());
  Value source = combination ? elements(rewriter) : whole(next, rewriter);
  if (source.getType() != empty.getType())
    source = tensor::CastOp::create(rewriter, loc, empty.getType(), source);
  auto kind = combination ? linalg::getCombinerOpKind(combination) : std::nullopt;
  auto scan = group::ScanOp::create(rewriter, loc, kind, source, along, start, reverse, exclusive, empty);
  if (!combination) {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = rewriter.createBlock(&scan.getStep(), {}, TypeRange{start.getType(), start.getType()}, {loc, loc});
    group::NextOp::create(rewriter, loc, stepOf(loop.getYieldedValues()[sofar], *block, rewriter));
  }
  Value result = scan.getResult();
  if (last) {
    Value place = tensor::EmptyOp::create(rewriter, last.getLoc(), sizes, getElementTypeOrSelf(last.getResult(0)));
    auto whole = cast<linalg::GenericOp>(mlir::clone(rewriter, last, place.getType(), {result, place}));
    result = whole->getResult(0);
  }
  Value old = loop.getResult(made);
  if (result.getType() != old.getType())
    result = tensor::CastOp::create(rewriter, loc, old.getType(), result);
  rewriter.replaceAllUsesWith(old, result);
  rewriter.eraseOp(loop);
}

struct FormScans : impl::FormScansBase<FormScans> {
  using FormScansBase::FormScansBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : llvm::reverse(loops)) // An adjoint may be all that needs what another has kept.
      if (ScanLoop scan(loop); scan.match(inOrder))
        scan.replace(rewriter);
  }
};
} // namespace
} // namespace lispier
