//===- LongRows.cpp - variances of long rows in parts ---------------------===//
//
// Before: two reductions of rows that are few and long, s = sum(x) and sum((x - c)^2)
// where c is made of s, so that each needs a pass of its own. After: the same of parts
// of the rows, with the mean of the part as c, which one pass makes, and of their
// results s = sum(s_p) and sum(q_p + n (s_p / n - c)^2), for parts of n elements. Chan,
// Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979.
//
//===----------------------------------------------------------------------===//
#include "LongRows.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
bool reducesFewLongRows(linalg::LinalgOp op) {
  int64_t rows = 1, elements = 1;
  for (auto [size, type] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    (linalg::isParallelIterator(type) ? rows : elements) *= ShapedType::isDynamic(size) ? 0 : size;
  return roleOf(op) == TensorRole::Reduction && rows > 0 && rows <= kFewRows && elements >= kLongRow;
}

namespace {
/// What an op adds to its only result, and the op of its region that does.
std::optional<std::pair<Value, arith::AddFOp>> addedBy(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return std::nullopt;
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!add || !sofar.hasOneUse() || *sofar.user_begin() != add)
    return std::nullopt;
  return std::pair(add.getLhs() == sofar ? add.getRhs() : add.getLhs(), add);
}

/// The argument of which a value is an element, widened or not.
BlockArgument elementRead(Value value, linalg::GenericOp op) {
  if (auto wide = value.getDefiningOp<arith::ExtFOp>())
    value = wide.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBody() ? argument : BlockArgument();
}

/// The ops of the op's region that a value is made by, in order.
SmallVector<Operation *> stepsOf(Value value, linalg::GenericOp op) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  SmallVector<Value> open{value};
  while (!open.empty())
    if (Operation *step = open.pop_back_val().getDefiningOp();
        step && step->getBlock() == op.getBody() && needed.insert(step).second)
      llvm::append_range(open, step->getOperands());
  SmallVector<Operation *> steps;
  for (Operation &step : *op.getBody())
    if (needed.contains(&step))
      steps.push_back(&step);
  return steps;
}

/// Two reductions of the same elements.
struct Variance {
  linalg::GenericOp sum, squares;
  OpOperand *elements; ///< Of `squares`.
  Value shift;         ///< c, in its region.
};

/// A sum of what `added` makes of the inputs' elements and of `init`.
Value reduce(OpBuilder &b, Location loc, Value init, ArrayRef<Value> inputs, ArrayRef<AffineMap> maps,
             ArrayRef<utils::IteratorType> loops, llvm::function_ref<Value(OpBuilder &, ValueRange)> added) {
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, loops,
                                   [&](OpBuilder &inside, Location at, ValueRange numbers) {
                                     Value sum =
                                         arith::AddFOp::create(inside, at, added(inside, numbers), numbers.back());
                                     linalg::YieldOp::create(inside, at, sum);
                                   })
      .getResult(0);
}

class VarianceSplitter {
public:
  VarianceSplitter(Variance found, IRRewriter &rewriter)
      : found(found), b(rewriter), loc(found.squares.getLoc()), type(getElementTypeOrSelf(found.squares.getType(0))) {}

  void split();

private:
  bool cut();
  std::pair<Value, Value> reduceParts();
  void addParts(Value sums, Value squares);
  Value expanded(Value tensor);
  AffineMap inParts(AffineMap map);
  AffineMap ofResults(AffineMap map);
  Value zeros(ArrayRef<int64_t> shape);
  Value number(double value) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value)); }

  /// A loop over elements of rows, in parts: it is one of the row's own, or goes over parts, or over the elements of
  /// one.
  struct Loop {
    int64_t size;
    enum { Row, Parts, Part } kind;
    unsigned of; ///< The op's own loop.
  };

  Variance found;
  IRRewriter &b;
  Location loc;
  Type type;
  SmallVector<Loop> loops;
  double count = 1; ///< Elements of a part.
};

/// Loops from the outermost inwards become loops over parts, until there are enough of these; the last is divided.
/// False if it cannot be divided.
bool VarianceSplitter::cut() {
  constexpr int64_t kMostParts = 16 * kProgramsOfColumns, kAccess = 4;
  SmallVector<int64_t> sizes = found.squares.getStaticLoopRanges();
  int64_t programs = 1, left = found.squares.getNumReductionLoops();
  for (auto [size, kind] : llvm::zip(sizes, found.squares.getIteratorTypesArray()))
    programs *= linalg::isParallelIterator(kind) ? size : 1;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    unsigned own = loop;
    if (linalg::isParallelIterator(found.squares.getIteratorTypesArray()[loop])) {
      loops.push_back({size, Loop::Row, own});
      continue;
    }
    bool isLast = --left == 0;
    if (programs >= kProgramsOfColumns) {
      loops.push_back({size, Loop::Part, own});
      continue;
    }
    if (!isLast && programs * size <= kMostParts) {
      loops.push_back({size, Loop::Parts, own});
      programs *= size;
      continue;
    }
    int64_t parts = llvm::divideCeil(kProgramsOfColumns, programs);
    while (parts < size && (size % parts != 0 || size / parts % kAccess != 0))
      ++parts;
    if (parts >= size || programs * parts > kMostParts)
      return false;
    loops.push_back({parts, Loop::Parts, own});
    loops.push_back({size / parts, Loop::Part, own});
    programs *= parts;
  }
  return programs >= kProgramsOfColumns;
}

/// The map by the loops in parts.
AffineMap VarianceSplitter::inParts(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    for (auto [i, loop] : llvm::enumerate(loops))
      if (loop.of == cast<AffineDimExpr>(result).getPosition())
        results.push_back(b.getAffineDimExpr(i));
  return AffineMap::get(loops.size(), 0, results, b.getContext());
}

/// The map, of rows, by the loops over rows and parts.
AffineMap VarianceSplitter::ofResults(AffineMap map) {
  SmallVector<unsigned> own;
  for (const Loop &loop : loops)
    if (loop.kind != Loop::Part)
      own.push_back(loop.of);
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(b.getAffineDimExpr(llvm::find(own, cast<AffineDimExpr>(result).getPosition()) - own.begin()));
  return AffineMap::get(own.size(), 0, results, b.getContext());
}

/// The elements, with a dimension for the parts of a loop that is divided.
Value VarianceSplitter::expanded(Value tensor) {
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> pieces;
  for (AffineExpr result : found.squares.getMatchingIndexingMap(found.elements).getResults()) {
    ReassociationIndices &piece = pieces.emplace_back();
    for (const Loop &loop : loops)
      if (loop.of == cast<AffineDimExpr>(result).getPosition()) {
        piece.push_back(shape.size());
        shape.push_back(loop.size);
      }
  }
  auto whole = cast<RankedTensorType>(tensor.getType());
  return shape == whole.getShape() ? tensor : tensor::ExpandShapeOp::create(b, loc, whole.clone(shape), tensor, pieces);
}

Value VarianceSplitter::zeros(ArrayRef<int64_t> shape) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, type);
  return linalg::FillOp::create(b, loc, number(0.0), empty).getResult(0);
}

void VarianceSplitter::split() {
  if (!cut())
    return;
  b.setInsertionPoint(found.sum);
  for (const Loop &loop : loops)
    if (loop.kind == Loop::Part)
      count *= double(loop.size);
  auto [sums, squares] = reduceParts();
  addParts(sums, squares);
}

/// The sums of all parts, and those of the squares of the differences from their means.
std::pair<Value, Value> VarianceSplitter::reduceParts() {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> ofPart;
  SmallVector<utils::IteratorType> kinds;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    bool isPart = loop.kind == Loop::Part;
    kinds.push_back(isPart ? utils::IteratorType::reduction : utils::IteratorType::parallel);
    if (isPart)
      continue;
    ofPart.push_back(b.getAffineDimExpr(i));
    shape.push_back(loop.size);
  }
  Value elements = expanded(found.elements->get());
  AffineMap read = inParts(found.squares.getMatchingIndexingMap(found.elements)),
            write = AffineMap::get(loops.size(), 0, ofPart, b.getContext());
  auto widened = [&](OpBuilder &inside, Value element) -> Value {
    return element.getType() == type ? element : arith::ExtFOp::create(inside, loc, type, element).getResult();
  };
  Value sums = reduce(b, loc, zeros(shape), elements, {read, write}, kinds,
                      [&](OpBuilder &inside, ValueRange numbers) { return widened(inside, numbers[0]); });
  Value share = number(1 / count);
  Value squares = reduce(b, loc, zeros(shape), {elements, sums}, {read, write, write}, kinds,
                         [&](OpBuilder &inside, ValueRange numbers) -> Value {
                           Value mean = arith::MulFOp::create(inside, loc, numbers[1], share);
                           Value from = arith::SubFOp::create(inside, loc, widened(inside, numbers[0]), mean);
                           return arith::MulFOp::create(inside, loc, from, from);
                         });
  return {sums, squares};
}

void VarianceSplitter::addParts(Value sums, Value squares) {
  SmallVector<utils::IteratorType> kinds;
  for (const Loop &loop : loops)
    if (loop.kind != Loop::Part)
      kinds.push_back(loop.kind == Loop::Parts ? utils::IteratorType::reduction : utils::IteratorType::parallel);
  AffineMap all = b.getMultiDimIdentityMap(kinds.size());
  auto ofInit = [&](linalg::GenericOp op) { return ofResults(op.getMatchingIndexingMap(op.getDpsInitOperand(0))); };
  b.replaceOp(found.sum, reduce(b, loc, found.sum.getDpsInits()[0], sums, {all, ofInit(found.sum)}, kinds,
                                [](OpBuilder &, ValueRange numbers) { return numbers[0]; }));
  linalg::GenericOp op = found.squares;
  b.setInsertionPoint(op);
  SmallVector<Value> inputs{squares, sums};
  SmallVector<AffineMap> maps{all, all};
  SmallVector<BlockArgument> arguments;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand != found.elements) {
      inputs.push_back(operand->get());
      maps.push_back(ofResults(op.getMatchingIndexingMap(operand)));
      arguments.push_back(op.getMatchingBlockArgument(operand));
    }
  maps.push_back(ofInit(op));
  Value share = number(1 / count), each = number(count);
  auto added = [&](OpBuilder &inside, ValueRange numbers) -> Value {
    IRMapping mapping;
    for (auto [argument, number] : llvm::zip(arguments, numbers.drop_front(2)))
      mapping.map(argument, number);
    for (Operation *step : stepsOf(found.shift, op))
      inside.clone(*step, mapping);
    Value mean = arith::MulFOp::create(inside, loc, numbers[1], share);
    Value from = arith::SubFOp::create(inside, loc, mean, mapping.lookupOrDefault(found.shift));
    Value square = arith::MulFOp::create(inside, loc, from, from);
    return arith::AddFOp::create(inside, loc, numbers[0], arith::MulFOp::create(inside, loc, square, each));
  };
  b.replaceOp(op, reduce(b, loc, op.getDpsInits()[0], inputs, maps, kinds, added));
}

/// The sum of the squares' elements that is before them, if it is of the same rows.
linalg::GenericOp sumBefore(linalg::GenericOp squares, OpOperand &elements) {
  AffineMap read = squares.getMatchingIndexingMap(&elements);
  for (OpOperand &use : elements.get().getUses()) {
    auto sum = dyn_cast<linalg::GenericOp>(use.getOwner());
    auto added = sum && sum != squares && sum->getBlock() == squares->getBlock() && sum->isBeforeInBlock(squares)
                     ? addedBy(sum)
                     : std::nullopt;
    if (added && elementRead(added->first, sum) == sum.getMatchingBlockArgument(&use) &&
        sum.getMatchingIndexingMap(&use) == read && sum.getType(0) == squares.getType(0) &&
        sum.getIteratorTypesArray() == squares.getIteratorTypesArray() && sum.getNumDpsInputs() == 1)
      return sum;
  }
  return {};
}

std::optional<Variance> varianceOf(linalg::GenericOp op) {
  auto added = reducesFewLongRows(op) && !op.hasIndexSemantics() ? addedBy(op) : std::nullopt;
  auto square = added ? added->first.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  auto difference =
      square && square.getLhs() == square.getRhs() ? square.getLhs().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  BlockArgument element = difference ? elementRead(difference.getLhs(), op) : BlockArgument();
  if (!element)
    return std::nullopt;
  OpOperand *elements = op.getMatchingOpOperand(element);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isOfRows = llvm::all_of(map.getResults(), [&](AffineExpr result) {
      auto loop = dyn_cast<AffineDimExpr>(result);
      return loop && linalg::isParallelIterator(op.getIteratorTypesArray()[loop.getPosition()]);
    });
    if (&operand == elements ? !map.isPermutation() : !isOfRows)
      return std::nullopt;
  }
  SmallVector<Operation *> steps = stepsOf(difference.getRhs(), op);
  BlockArgument last = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  auto isOfElement = [&](Value value) { return value == element || value == last; };
  if (isOfElement(difference.getRhs()) || llvm::any_of(steps, [&](Operation *step) {
        return step->getNumRegions() || llvm::any_of(step->getOperands(), isOfElement);
      }))
    return std::nullopt;
  linalg::GenericOp sum = sumBefore(op, *elements);
  return sum ? std::optional(Variance{sum, op, elements, difference.getRhs()}) : std::nullopt;
}
} // namespace

void splitVariances(Block &block, IRRewriter &rewriter) {
  for (linalg::GenericOp op : llvm::to_vector(block.getOps<linalg::GenericOp>()))
    if (std::optional<Variance> variance = varianceOf(op))
      VarianceSplitter(*variance, rewriter).split();
}
} // namespace lispier
