//===- SplitSums.cpp - long sums of few results in parts -----------------===//
//
// Before: a kernel, on memrefs, whose results are so few and whose sum is so long that
// most of a GPU would be idle. After: a kernel that sums parts, each by other programs,
// and the kernel itself, which adds the parts and does what follows the sum. Every result
// is added in one order, whatever order the programs run in.
//
//===----------------------------------------------------------------------===//
#include "TensorRoles.h"
#include "TileSchedule.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SPLITSUMS
#include "lispier/Tensor/Passes.h.inc"

namespace {
/// The sum of a kernel, and how it is cut.
struct LongSum {
  linalg::LinalgOp op;
  Operation *combiner; ///< In the op's region: an element, or a product, with what there is so far.
  unsigned loop;       ///< The summed loop that is cut.
  int64_t parts;       ///< Divides the loop's size.
};

/// The op of the body that combines elements, if that is one with one result.
linalg::LinalgOp onlyReduction(group::KernelOp kernel) {
  linalg::LinalgOp found;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops() > 0) {
      if (found)
        return {};
      found = op;
    }
  return found && found.getNumDpsInits() == 1 ? found : linalg::LinalgOp();
}

/// What combines the elements with the result so far, if that has a neutral element.
Operation *combinerOf(linalg::LinalgOp op) {
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  bool combines = combiner && combiner->getBlock() == op.getBlock() && combiner->getNumOperands() == 2 &&
                  sofar.hasOneUse() && *sofar.user_begin() == combiner && arith::getNeutralElement(combiner);
  return combines ? combiner : nullptr;
}

/// Products of matrices of known sizes that are read from memory.
std::optional<LongSum> longSumOf(group::KernelOp kernel) {
  linalg::LinalgOp op = onlyReduction(kernel);
  if (!op || kernel.getKind() != group::Kind::Contraction || roleOf(op) != TensorRole::Contraction ||
      op.hasIndexSemantics() || !llvm::all_of(op.getDpsInputs(), llvm::IsaPred<BlockArgument>) || !combinerOf(op))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return std::nullopt;
  std::optional<SmallVector<unsigned>> a = loopDimsOf(op, *op.getDpsInputOperand(0)),
                                       c = loopDimsOf(op, *op.getDpsInputOperand(1));
  if (op.getNumDpsInputs() != 2 || !a || !c)
    return std::nullopt;
  tensors::ProductSizes product{1, 1, 1, 1};
  std::optional<unsigned> summed;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    bool isRow = llvm::is_contained(*a, loop), isColumn = llvm::is_contained(*c, loop);
    bool isSummed = op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    if (isSummed && !summed)
      summed = loop;
    (isSummed ? product.k : isRow && isColumn ? product.batch : isRow ? product.m : product.n) *= size;
  }
  int64_t parts = tensors::partsOfSum(product, sizes[*summed]);
  return parts > 1 ? std::optional(LongSum{op, combinerOf(op), *summed, parts}) : std::nullopt;
}

class SumSplitter {
public:
  SumSplitter(group::KernelOp kernel, LongSum sum)
      : kernel(kernel), sum(sum), whole(sum.op.getStaticLoopRanges()[sum.loop] == sum.parts), b(kernel),
        loc(kernel.getLoc()) {}

  void split() {
    Value parts = makeParts();
    addParts(parts);
    b.setInsertionPointAfter(kernel);
    memref::DeallocOp::create(b, loc, parts);
  }

private:
  Value makeParts();
  void addParts(Value parts);
  AffineMap widened(AffineMap map) const;
  Value expanded(OpOperand &factor);
  StringRef name() { return kernel.getName(); }

  group::KernelOp kernel;
  LongSum sum;
  bool whole; ///< Each iteration of the loop is a part: then it needs no second loop.
  OpBuilder b;
  Location loc;
};

/// The map with a loop for the parts in front of the loop that is cut.
AffineMap SumSplitter::widened(AffineMap map) const {
  if (whole)
    return map;
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loop == sum.loop)
      results.push_back(getAffineDimExpr(loop, map.getContext()));
    results.push_back(getAffineDimExpr(loop + (loop >= sum.loop ? 1 : 0), map.getContext()));
  }
  return AffineMap::get(map.getNumDims() + 1, 0, results, map.getContext());
}

/// The memref of a factor, with a dimension for the parts.
Value SumSplitter::expanded(OpOperand &factor) {
  Value memref = kernel->getOperand(cast<BlockArgument>(factor.get()).getArgNumber());
  SmallVector<unsigned> loops = *loopDimsOf(sum.op, factor);
  if (whole || !llvm::is_contained(loops, sum.loop))
    return memref;
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> pieces;
  for (auto [loop, size] : llvm::zip(loops, type.getShape())) {
    ReassociationIndices &piece = pieces.emplace_back();
    if (loop == sum.loop) {
      piece.push_back(shape.size());
      shape.push_back(sum.parts);
    }
    piece.push_back(shape.size());
    shape.push_back(loop == sum.loop ? size / sum.parts : size);
  }
  MemRefType made = *memref::ExpandShapeOp::computeExpandedType(type, shape, pieces);
  return memref::ExpandShapeOp::create(b, loc, made, memref, pieces);
}

/// A kernel that sums the parts, and the memory that has them: a dimension of the parts, then those of the sum.
Value SumSplitter::makeParts() {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *factor : sum.op.getDpsInputOperands()) {
    inputs.push_back(expanded(*factor));
    maps.push_back(widened(sum.op.getMatchingIndexingMap(factor)));
  }
  auto made = cast<RankedTensorType>(sum.op->getResult(0).getType());
  SmallVector<int64_t> shape{sum.parts};
  llvm::append_range(shape, made.getShape());
  auto memory = memref::AllocOp::create(b, loc, MemRefType::get(shape, made.getElementType()), b.getI64IntegerAttr(64));
  memory->setAttr(kIntermediateAttr, b.getUnitAttr());
  auto part = group::KernelOp::create(b, loc, (name() + "_parts").str(), kernel.getKind(), inputs, memory.getResult());
  Block &body = part.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value neutral = arith::ConstantOp::create(inside, loc, *arith::getNeutralElement(sum.combiner));
  Value start = linalg::FillOp::create(inside, loc, neutral, part.initArgument(0)).getResult(0);

  AffineMap results = widened(sum.op.getMatchingIndexingMap(sum.op.getDpsInitOperand(0)));
  maps.push_back(results.insertResult(getAffineDimExpr(sum.loop, b.getContext()), 0));
  SmallVector<utils::IteratorType> loops = sum.op.getIteratorTypesArray();
  if (whole)
    loops[sum.loop] = utils::IteratorType::parallel;
  else
    loops.insert(loops.begin() + sum.loop, utils::IteratorType::parallel);
  auto sums =
      linalg::GenericOp::create(inside, loc, start.getType(), body.getArguments().drop_back(), start, maps, loops);
  IRMapping mapping;
  sum.op->getRegion(0).cloneInto(&sums.getRegion(), mapping);
  group::YieldOp::create(inside, loc, sums.getResults());
  return memory;
}

/// Replaces the sum by that of the parts.
void SumSplitter::addParts(Value parts) {
  Block &body = kernel.getBody().front();
  unsigned number = kernel.getInputs().size();
  Type type = group::KernelOp::argumentTypeOf(parts.getType());
  kernel.getInputsMutable().append(parts);
  BlockArgument argument = body.insertArgument(number, type, loc);
  OpBuilder inside(sum.op);
  int64_t rank = cast<RankedTensorType>(type).getRank();
  AffineMap all = inside.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[0] = utils::IteratorType::reduction;
  BlockArgument sofar = sum.op.getMatchingBlockArgument(sum.op.getDpsInitOperand(0));
  auto added = linalg::GenericOp::create(
      inside, loc, sum.op->getResultTypes(), argument, sum.op.getDpsInits(), {all, all.dropResult(0)}, loops,
      [&](OpBuilder &nested, Location, ValueRange numbers) {
        IRMapping mapping;
        for (Value operand : sum.combiner->getOperands())
          mapping.map(operand, numbers[operand == sofar ? 1 : 0]);
        linalg::YieldOp::create(nested, loc, nested.clone(*sum.combiner, mapping)->getResults());
      });
  sum.op->replaceAllUsesWith(added);
  sum.op->erase();
  for (unsigned each = number; each-- > 0;)
    if (body.getArgument(each).use_empty()) {
      body.eraseArgument(each);
      kernel.getInputsMutable().erase(each);
    }
  kernel.setKind(group::Kind::Row);
  SmallVector<Attribute> reasons;
  if (ArrayAttr known = kernel.getApartAttr())
    llvm::append_range(reasons, known);
  reasons.push_back(
      b.getStringAttr("not in " + name() + "_parts: more programs sum parts than there would be for whole sums"));
  kernel.setApartAttr(b.getArrayAttr(reasons));
  kernel->removeAttr(kCostAttr);
}

struct SplitSums : impl::SplitSumsBase<SplitSums> {
  void runOnOperation() override {
    getOperation()->walk([](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0)
        if (std::optional<LongSum> sum = longSumOf(kernel))
          SumSplitter(kernel, *sum).split();
    });
  }
};
} // namespace
} // namespace lispier
