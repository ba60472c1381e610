//===- LoopRules.cpp - adjoints of branches and loops ---------------------===//
//
// The adjoint of a branch computes the branch again. That of a loop is a loop from the
// last iteration to the first, which carries the cotangents of what the loop carries
// and of what it uses from outside. Of an iteration it needs values: those that are
// expensive, and what the loop carries, the loop itself keeps in stacks, tensors with
// a dimension more; others are computed again from these.
//
//===----------------------------------------------------------------------===//
#include "RecomputeRule.h"
#include "Rules.h"
#include "SmallestCut.h"
#include "lispier/Buffers/OuterSizes.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// Active values of outside that the regions use.
SmallVector<Value> activeFromOutside(MutableArrayRef<Region> regions, Reverse &reverse) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(regions, used);
  return llvm::filter_to_vector(used, [&](Value value) { return reverse.isActive(value); });
}

/// Whether a product of matrices in a batch has more elements than its factors together, and is summed along 256 at
/// most, as the scores of attention for many tokens are: storing and loading it would cost more than to compute it
/// again.
bool isLargeBatchProduct(linalg::ContractOp op) {
  constexpr int64_t kMostSummed = 256, kUnknown = 1024;
  SmallVector<int64_t> sizes = cast<linalg::LinalgOp>(op.getOperation()).getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto has = [&](unsigned operand, unsigned loop) { return maps[operand].isFunctionOfDim(loop); };
  bool isBatch = false;
  int64_t counts[] = {1, 1, 1};
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    int64_t number = ShapedType::isDynamic(size) ? kUnknown : size;
    isBatch |= has(0, loop) && has(1, loop) && has(2, loop);
    if (!has(2, loop) && (ShapedType::isDynamic(size) || size > kMostSummed))
      return false;
    for (unsigned operand : {0, 1, 2})
      if (has(operand, loop))
        counts[operand] *= number;
  }
  return isBatch && counts[2] > counts[0] + counts[1];
}

/// Takes over what an inner walk reports.
void takeResults(Reverse &outer, Reverse &inner) {
  outer.visited += inner.visited;
  outer.replacedResult.insert(inner.replacedResult.begin(), inner.replacedResult.end());
  llvm::append_range(outer.replaced, inner.replaced);
  llvm::append_range(outer.kept, inner.kept);
  outer.stacks.insert(inner.stacks.begin(), inner.stacks.end());
}

/// The adjoint of one branch in a block: the branch again, and behind it the cotangents of what is outside.
struct BranchAdjoint {
  BranchAdjoint(Block &block, Reverse &outer) : b(block.getParentOp()->getContext()), reverse(b, outer.active) {
    b.setInsertionPointToEnd(&block);
  }

  LogicalResult run(Block &branch, ArrayRef<Value> results, ArrayRef<Value> outside) {
    IRMapping mapping;
    SmallVector<Operation *> copies = copyForAdjoint(b, branch, mapping);
    for (Operation *copy : copies)
      reverse.active.visit(copy);
    for (auto [yielded, cotangent] : llvm::zip(branch.getTerminator()->getOperands(), results))
      reverse.add(mapping.lookupOrDefault(yielded), cotangent);
    if (failed(reverse.visit(copies)))
      return failure();
    for (Value value : outside)
      cotangents.push_back(reverse.take(value));
    return success();
  }

  OpBuilder b;
  Reverse reverse;
  SmallVector<Value> cotangents; ///< Of what is outside.
};

/// The adjoint of a loop.
class LoopAdjoint {
public:
  LoopAdjoint(scf::ForOp loop, Reverse &outer)
      : loop(loop), outer(outer), b(loop.getContext()), reverse(b, outer.active), loc(loop.getLoc()) {}

  LogicalResult run() {
    OpBuilder &ob = outer.b;
    countIterations();
    outside = activeFromOutside(loop->getRegions(), outer);
    SmallVector<Value> inits;
    for (auto [i, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
      Value cotangent = outer.take(loop.getResult(i));
      if (!outer.isActive(carried))
        continue;
      active.push_back(i);
      inits.push_back(cotangent ? cotangent : outer.zerosLike(loc, loop.getInitArgs()[i]));
    }
    for (Value value : outside)
      inits.push_back(outer.zerosLike(loc, value));
    Value zero = arith::ConstantIndexOp::create(ob, loc, 0), one = arith::ConstantIndexOp::create(ob, loc, 1);
    adjoint = scf::ForOp::create(ob, loc, zero, count, one, inits);
    b.setInsertionPointToEnd(adjoint.getBody());
    if (failed(buildBody(one)))
      return failure();
    readSizesElsewhere();
    keepValues();
    for (auto [i, number] : llvm::enumerate(active))
      outer.add(loop.getInitArgs()[number], adjoint.getResult(i));
    for (auto [i, value] : llvm::enumerate(outside))
      outer.add(value, adjoint.getResult(active.size() + i));
    return success();
  }

private:
  Value asIndex(OpBuilder &at, Value number) {
    return number.getType().isIndex() ? number
                                      : arith::IndexCastOp::create(at, loc, at.getIndexType(), number).getResult();
  }

  /// How many iterations the loop has, before it.
  void countIterations() {
    OpBuilder before(loop);
    Value low = asIndex(before, loop.getLowerBound()), high = asIndex(before, loop.getUpperBound());
    Value range = arith::SubIOp::create(before, loc, high, low);
    Value zero = arith::ConstantIndexOp::create(before, loc, 0);
    range = arith::MaxSIOp::create(before, loc, range, zero);
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    count = step == 1 ? range : arith::CeilDivUIOp::create(before, loc, range, asIndex(before, loop.getStep()));
    if (std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
        last = getConstantIntValue(loop.getUpperBound());
        first && last && step)
      count = arith::ConstantIndexOp::create(before, loc, std::max<int64_t>(0, (*last - *first + *step - 1) / *step));
  }

  /// One iteration: the loop's body again, and the cotangents of what it carries and uses.
  LogicalResult buildBody(Value one) {
    Value last = arith::SubIOp::create(b, loc, count, one);
    iteration = arith::SubIOp::create(b, loc, last, adjoint.getInductionVar());
    Value number = arith::AddIOp::create(b, loc, asIndex(b, loop.getLowerBound()),
                                         arith::MulIOp::create(b, loc, iteration, asIndex(b, loop.getStep())));
    if (!loop.getInductionVar().getType().isIndex())
      number = arith::IndexCastOp::create(b, loc, loop.getInductionVar().getType(), number);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), number);
    for (Value carried : loop.getRegionIterArgs()) {
      // Stands for the value until it is known which ones the loop keeps.
      auto place = UnrealizedConversionCastOp::create(b, loc, carried.getType(), ValueRange());
      places.push_back(place);
      mapping.map(carried, place.getResult(0));
      if (outer.isActive(carried))
        outer.active.insert(place.getResult(0));
    }
    SmallVector<Operation *> copies = copyForAdjoint(b, *loop.getBody(), mapping);
    for (Operation *copy : copies)
      outer.active.visit(copy);
    for (Operation &op : loop.getBody()->without_terminator())
      for (Value result : op.getResults())
        if (Value copy = mapping.lookupOrNull(result); copy && !isa<grad::RecomputeOp>(op))
          original[copy] = result;
    for (auto [i, carried] : llvm::enumerate(active))
      reverse.add(mapping.lookupOrDefault(loop.getYieldedValues()[carried]), adjoint.getRegionIterArg(i));
    LogicalResult visited = reverse.visit(copies);
    takeResults(outer, reverse);
    if (failed(visited))
      return failure();

    SmallVector<Value> next;
    for (unsigned carried : active) {
      Value place = places[carried].getResult(0), cotangent = reverse.take(place);
      next.push_back(cotangent ? cotangent : reverse.zerosLike(loc, loop.getInitArgs()[carried]));
    }
    auto isOwnRow = [&](const Piece &piece) {
      for (auto [offset, size] : llvm::zip(piece.offsets, piece.sizes))
        if (llvm::dyn_cast_if_present<Value>(offset) == number && isConstantIntValue(size, 1))
          return true;
      return false;
    };
    for (auto [i, value] : llvm::enumerate(outside))
      next.push_back(reverse.addTo(adjoint.getRegionIterArg(active.size() + i), value, isOwnRow));
    scf::YieldOp::create(b, loc, next);
    return success();
  }

  /// Whether to keep the op's result rather than compute it again.
  static bool isExpensive(Operation *op) {
    if (auto product = dyn_cast<linalg::ContractOp>(op))
      return !isLargeBatchProduct(product);
    return !isa<linalg::GenericOp, linalg::FillOp>(op) &&
           !isa<arith::ArithDialect, math::MathDialect, tensor::TensorDialect, bufferization::BufferizationDialect>(
               op->getDialect());
  }

  /// Has the adjoint read sizes of what values are made in, so that no value is kept for its sizes.
  void readSizesElsewhere() {
    adjoint.walk([](tensor::DimOp size) {
      std::optional<int64_t> dimension = size.getConstantIndex();
      Value value = size.getSource();
      while (Operation *made = dimension ? value.getDefiningOp() : nullptr) {
        auto inPlace = dyn_cast<DestinationStyleOpInterface>(made);
        if (!inPlace && !isa<tensor::CastOp>(made))
          break;
        value = inPlace ? inPlace.getTiedOpOperand(cast<OpResult>(value))->get() : made->getOperand(0);
      }
      auto empty = value.getDefiningOp<tensor::EmptyOp>();
      if (empty && dimension && empty.getType().isDynamicDim(*dimension)) {
        size.replaceAllUsesWith(empty.getDynamicSize(*dimension));
        size.erase();
      } else {
        size.getSourceMutable().set(value);
      }
    });
  }

  /// What an op of the adjoint's body is to what the loop keeps.
  enum class Role {
    Kept,    ///< Made by the loop: what it carries, or is expensive.
    Again,   ///< Can be computed again of its operands.
    Adjoint, ///< No copy of an op of the loop.
  };
  Role roleOf(Operation *op, OuterSizes &sizes) {
    if (isa<UnrealizedConversionCastOp>(op))
      return Role::Kept;
    auto isNeeded = [](Value result) { return !result.use_empty(); };
    auto needed = llvm::make_filter_range(op->getResults(), isNeeded);
    if (llvm::none_of(needed, [&](Value result) { return originalOf(result); }))
      return Role::Adjoint;
    bool keeps = isExpensive(op) && !loop->hasAttr(grad::kRecompute) &&
                 llvm::all_of(needed, [&](Value result) { return canKeep(result, sizes); });
    return keeps ? Role::Kept : Role::Again;
  }

  /// The ops of the adjoint's body that it needs, operands first; of what the loop keeps not what that is made of.
  SmallVector<Operation *> neededOps(OuterSizes &sizes) {
    llvm::DenseSet<Operation *> needed;
    SmallVector<Value> open(adjoint.getBody()->getTerminator()->getOperands());
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !adjoint->isProperAncestor(op))
        continue;
      while (op->getParentOp() != adjoint)
        op = op->getParentOp();
      if (needed.insert(op).second && roleOf(op, sizes) != Role::Kept)
        op->walk([&](Operation *inside) { llvm::append_range(open, inside->getOperands()); });
    }
    auto inOrder = llvm::make_filter_range(*adjoint.getBody(), [&](Operation &op) { return needed.contains(&op); });
    return llvm::map_to_vector(inOrder, [](Operation &op) { return &op; });
  }

  /// Finds what the adjoint needs of an iteration, and has the loop keep the least of which the rest can be computed: a
  /// product, or what it is rounded to, if all else follows from that.
  void keepValues() {
    OuterSizes sizes(cast<LoopLikeOpInterface>(loop.getOperation()));
    SmallestCut cut;
    SmallVector<Value> nodes;
    llvm::DenseMap<Value, unsigned> numbers; // What is there without the loop has none.
    auto addNode = [&](Value value, bool mayKeep) {
      nodes.push_back(value);
      return numbers[value] = cut.addNode(mayKeep ? costOf(value.getType()) : SmallestCut::kUncuttable);
    };
    for (Operation *op : neededOps(sizes)) {
      Role role = roleOf(op, sizes);
      llvm::SetVector<unsigned> operands;
      op->walk([&](Operation *inside) {
        for (Value operand : inside->getOperands())
          if (auto node = numbers.find(operand); node != numbers.end())
            operands.insert(node->second);
      });
      if (role == Role::Adjoint) {
        llvm::for_each(operands, [&](unsigned operand) { cut.addTarget(operand); });
        continue;
      }
      for (Value result : op->getResults()) {
        if (result.use_empty() || (role == Role::Again && operands.empty()))
          continue;
        unsigned node =
            addNode(result, role == Role::Kept || (canKeep(result, sizes) && !loop->hasAttr(grad::kRecompute)));
        if (role == Role::Kept)
          cut.addSource(node);
        else
          llvm::for_each(operands, [&](unsigned operand) { cut.addEdge(operand, node); });
      }
    }
    SmallVector<Value> kept = llvm::map_to_vector(cut.find(), [&](unsigned node) { return nodes[node]; });
    if (!kept.empty())
      extendLoop(kept, sizes);
  }

  /// Bytes.
  static int64_t costOf(Type type) {
    constexpr int64_t kUnknown = 1024, kMost = int64_t(1) << 50;
    Type element = getElementTypeOrSelf(type);
    int64_t cost = element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : 8;
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t size : tensor.getShape())
        cost = std::min(kMost, cost * (ShapedType::isDynamic(size) ? kUnknown : std::max<int64_t>(size, 1)));
    return cost;
  }

  /// The value in the loop that a value of the adjoint is a copy of; null if it is none.
  Value originalOf(Value copy) {
    for (auto [i, place] : llvm::enumerate(places))
      if (place.getResult(0) == copy)
        return loop.getRegionIterArg(i);
    if (Value own = original.lookup(copy))
      return own;
    Value before = outer.replacedResult.lookup(copy);
    return before ? original.lookup(before) : Value();
  }

  /// Whether the loop can keep a value: one whose sizes are known before it.
  bool canKeep(Value copy, OuterSizes &sizes) {
    Value value = originalOf(copy);
    if (!value)
      return false;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value.getType().isIntOrIndexOrFloat();
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d) && !sizes.of(value, d))
        return false;
    return true;
  }

  /// A size of a value in the loop, before it. What the loop carries keeps its sizes.
  OpFoldResult sizeBefore(OpBuilder &before, Value value, int64_t dimension, OuterSizes &sizes) {
    if (std::optional<SymbolicSize> size = sizes.of(value, dimension))
      return sizes.emit(before, loc, *size, [](Value outer) { return outer; });
    auto carried = cast<BlockArgument>(value);
    return tensor::DimOp::create(before, loc, loop.getTiedLoopInit(carried)->get(), dimension).getResult();
  }

  /// How many iterations the loop has at most, as is known of one whose end is the least of two.
  OpFoldResult mostIterations() {
    auto least = loop.getUpperBound().getDefiningOp<arith::MinSIOp>();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    for (Value end : least &&step ? ValueRange(least->getOperands()) : ValueRange())
      if (auto sum = end.getDefiningOp<arith::AddIOp>(); sum && sum.getLhs() == loop.getLowerBound())
        if (APInt length; matchPattern(sum.getRhs(), m_ConstantInt(&length)))
          return OpBuilder(loop).getIndexAttr(llvm::divideCeil(length.getSExtValue(), *step));
    return getAsOpFoldResult(count);
  }

  /// The loop with stacks of what is kept, and the adjoint with slices of these.
  void extendLoop(ArrayRef<Value> kept, OuterSizes &sizes) {
    OpBuilder before(loop);
    SmallVector<Value> inits(loop.getInitArgs()), values;
    for (Value copy : kept) {
      Value value = originalOf(copy);
      SmallVector<OpFoldResult> shape{mostIterations()};
      Type element = getElementTypeOrSelf(value.getType());
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        for (int64_t d = 0; d < type.getRank(); ++d)
          shape.push_back(type.isDynamicDim(d) ? sizeBefore(before, value, d, sizes)
                                               : before.getIndexAttr(type.getDimSize(d)));
      values.push_back(value);
      auto stack = tensor::EmptyOp::create(before, loc, shape, element);
      outer.kept.push_back({value.getLoc(), stack.getType(), /*isStack=*/true});
      inits.push_back(stack);
    }
    auto longer =
        scf::ForOp::create(before, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    for (auto [old, fresh] : llvm::zip(loop.getBody()->getArguments(), longer.getBody()->getArguments())) {
      if (outer.isActive(old))
        outer.active.insert(fresh);
      for (Value &value : values)
        value = value == old ? Value(fresh) : value;
      old.replaceAllUsesWith(fresh);
    }
    longer.getBody()->getOperations().splice(longer.getBody()->end(), loop.getBody()->getOperations());
    Operation *yield = &longer.getBody()->back();
    OpBuilder inside(yield);
    Value number = arith::SubIOp::create(inside, loc, asIndex(inside, longer.getInductionVar()),
                                         asIndex(inside, longer.getLowerBound()));
    if (getConstantIntValue(longer.getStep()) != 1)
      number = arith::DivUIOp::create(inside, loc, number, asIndex(inside, longer.getStep()));
    SmallVector<Value> yielded(yield->getOperands());
    unsigned own = loop.getNumResults();
    OpBuilder first(&adjoint.getBody()->front());
    first.setInsertionPointAfterValue(iteration);
    for (auto [i, kept, value] : llvm::enumerate(kept, values)) {
      yielded.push_back(stacked(inside, value, longer.getRegionIterArg(own + i), number));
      outer.stacks.insert(longer.getResult(own + i));
      Value copy = kept;
      copy.replaceAllUsesWith(unstacked(first, longer.getResult(own + i), copy.getType()));
    }
    yield->setOperands(yielded);
    for (auto [old, fresh] : llvm::zip(loop.getResults(), longer.getResults())) {
      if (outer.isActive(old))
        outer.active.insert(fresh);
      outer.replacedResult[fresh] = old;
      old.replaceAllUsesWith(fresh);
    }
    outer.replaced.push_back(loop);
  }

  /// The offsets, sizes and strides of a value in its stack.
  Piece slot(OpBuilder &at, Value stack, Value number) {
    Piece piece;
    piece.sizes = tensor::getMixedSizes(at, loc, stack);
    piece.offsets.assign(piece.sizes.size(), at.getIndexAttr(0));
    piece.strides.assign(piece.sizes.size(), at.getIndexAttr(1));
    piece.offsets[0] = number;
    piece.sizes[0] = at.getIndexAttr(1);
    return piece;
  }

  Value stacked(OpBuilder &at, Value value, Value stack, Value number) {
    if (!isa<RankedTensorType>(value.getType()))
      return tensor::InsertOp::create(at, loc, value, stack, number);
    Piece there = slot(at, stack, number);
    return tensor::InsertSliceOp::create(at, loc, value, stack, there.offsets, there.sizes, there.strides);
  }

  Value unstacked(OpBuilder &at, Value stack, Type type) {
    if (!isa<RankedTensorType>(type))
      return tensor::ExtractOp::create(at, loc, stack, iteration);
    Piece there = slot(at, stack, iteration);
    auto own = cast<RankedTensorType>(stack.getType());
    auto sliced = RankedTensorType::get(own.getShape().drop_front(), own.getElementType());
    Value value = tensor::ExtractSliceOp::create(at, loc, sliced, stack, there.offsets, there.sizes, there.strides);
    return sliced == type ? value : tensor::CastOp::create(at, loc, type, value).getResult();
  }

  scf::ForOp loop, adjoint;
  Reverse &outer;
  OpBuilder b;
  Reverse reverse; ///< In the adjoint's body.
  Location loc;
  Value count;                                    ///< Of iterations.
  Value iteration;                                ///< Which one the adjoint's body is of, from 0.
  SmallVector<unsigned> active;                   ///< What the loop carries with a cotangent.
  SmallVector<Value> outside;                     ///< Active values that the body uses.
  SmallVector<UnrealizedConversionCastOp> places; ///< In the adjoint, of what the loop carries.
  llvm::DenseMap<Value, Value> original;          ///< Values of the loop's body by their copies in the adjoint.
};
} // namespace

SmallVector<Operation *> copyForAdjoint(OpBuilder &b, Block &block, IRMapping &mapping) {
  SmallVector<Operation *> copies;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() == 0)
      continue;
    if (auto again = dyn_cast<grad::RecomputeOp>(op)) {
      Block &body = again.getBody().front();
      llvm::append_range(copies, copyForAdjoint(b, body, mapping));
      for (auto [result, value] : llvm::zip(op.getResults(), body.getTerminator()->getOperands()))
        mapping.map(result, mapping.lookupOrDefault(value));
      continue;
    }
    Operation *copy = b.clone(op, mapping);
    copies.push_back(copy);
    SmallVector<Operation *> effects;
    copy->walk([&](Operation *inside) {
      if (isa<scf::SCFDialect, func::FuncDialect, LLVM::LLVMDialect>(inside->getDialect()) && inside != copy &&
          inside->getNumResults() == 0 && !inside->hasTrait<OpTrait::IsTerminator>())
        effects.push_back(inside);
    });
    for (Operation *effect : effects) // Those in another one first.
      effect->erase();
  }
  return copies;
}

LogicalResult reverseIf(Operation *op, Reverse &reverse) {
  auto branches = cast<scf::IfOp>(op);
  OpBuilder &b = reverse.b;
  Location loc = op->getLoc();
  SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(reverse.take(result));
  SmallVector<Value> outside = activeFromOutside(op->getRegions(), reverse);
  auto untyped = scf::IfOp::create(b, loc, TypeRange(), branches.getCondition(), /*withElseRegion=*/true);
  untyped.thenBlock()->clear();
  untyped.elseBlock()->clear();
  BranchAdjoint ofThen(*untyped.thenBlock(), reverse), ofElse(*untyped.elseBlock(), reverse);
  bool isGood = succeeded(ofThen.run(*branches.thenBlock(), results, outside)) &&
                succeeded(ofElse.run(*branches.elseBlock(), results, outside));
  SmallVector<Value> reached;
  for (BranchAdjoint *branch : {&ofThen, &ofElse})
    takeResults(reverse, branch->reverse);
  if (!isGood)
    return failure();
  SmallVector<Value> ofThenYield, ofElseYield;
  for (auto [value, a, c] : llvm::zip(outside, ofThen.cotangents, ofElse.cotangents)) {
    if (!a && !c)
      continue;
    reached.push_back(value);
    ofThenYield.push_back(a ? a : ofThen.reverse.zerosLike(loc, value));
    ofElseYield.push_back(c ? c : ofElse.reverse.zerosLike(loc, value));
  }
  scf::YieldOp::create(ofThen.b, loc, ofThenYield);
  scf::YieldOp::create(ofElse.b, loc, ofElseYield);
  auto adjoint = scf::IfOp::create(b, loc, TypeRange(ValueRange(reached)), branches.getCondition());
  for (auto [to, from] : llvm::zip(adjoint->getRegions(), untyped->getRegions()))
    to.takeBody(from);
  untyped.erase();
  for (auto [value, cotangent] : llvm::zip(reached, adjoint.getResults()))
    reverse.add(value, cotangent);
  return success();
}

LogicalResult reverseFor(Operation *op, Reverse &reverse) { return LoopAdjoint(cast<scf::ForOp>(op), reverse).run(); }
} // namespace lispier
