//===- SplitSums.cpp - long sums of few results in parts -----------------===//
//
// Before: a kernel, on memrefs, whose results are so few and whose sums are so long that
// most of a GPU would be idle. After: a kernel that sums parts, each by other programs,
// and the kernel itself, which adds the parts and does what follows the sums. Every result
// is added in one order, whatever order the programs run in. Of a length that only the
// call knows, it chooses between these and the kernel as it was.
//
//===----------------------------------------------------------------------===//
#include "SplitColumnSums.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SPLITSUMS
#include "lispier/Schedule/Passes.h.inc"

namespace {
class SumSplitter {
public:
  SumSplitter(group::KernelOp kernel, LongSums found)
      : kernel(kernel), found(std::move(found)), name(kernel.getName().str()), b(kernel), loc(kernel.getLoc()) {}

  void split() {
    findSizes();
    if (!found.isStatic())
      chooseByLength();
    SmallVector<Value> parts = makeParts();
    addParts(parts);
    b.setInsertionPointAfter(kernel);
    for (Value memory : parts)
      memref::DeallocOp::create(b, loc, memory);
  }

private:
  /// One of the sums of a kernel, as that kernel computes it.
  struct PartialSum {
    const CutSum *sum;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<utils::IteratorType> loops;
    Value memory;
  };

  void findSizes();
  void chooseByLength();
  SmallVector<Value> makeParts();
  void addParts(ArrayRef<Value> parts);
  Value memoryOf(const CutSum &sum);
  PartialSum partsOf(const CutSum &sum, Value memory);
  PartialSum restOf(const CutSum &sum, Value memory);
  void makeKernel(StringRef suffix, ArrayRef<PartialSum> sums);
  void addParts(const CutSum &sum, BlockArgument parts);
  AffineMap widened(AffineMap map, unsigned cut) const;
  Value memrefOf(OpOperand &operand) { return kernel->getOperand(cast<BlockArgument>(operand.get()).getArgNumber()); }
  static std::optional<unsigned> positionIn(const CutSum &sum, OpOperand &operand);
  Value elements(Value memref, unsigned position, OpFoldResult first, OpFoldResult length);
  Value expanded(const CutSum &sum, OpOperand &operand);
  bool isWhole() const { return found.each == 1; } ///< A part has no loop then.
  bool leavesSome() const { return !isConstantIntValue(left, 0); }

  group::KernelOp kernel;
  LongSums found;
  std::string name;
  OpBuilder b;
  Location loc;
  OpFoldResult length, count;                        ///< Of the loops that are cut; of parts that are whole.
  OpFoldResult begin, left;                          ///< What is behind these: where it begins, and how many elements.
  DenseMap<std::pair<Value, unsigned>, Value> views; ///< Of operands, by what is cut, so that sums share them.
};

void SumSplitter::findSizes() {
  if (found.isStatic()) {
    int64_t parts = found.length / found.each;
    count = b.getIndexAttr(parts);
    begin = b.getIndexAttr(parts * found.each);
    left = b.getIndexAttr(found.length % found.each);
    return;
  }
  CutSum &sum = found.sums.front();
  OpOperand *operand =
      *llvm::find_if(sum.op.getDpsInputOperands(), [&](OpOperand *each) { return positionIn(sum, *each).has_value(); });
  Value all = memref::DimOp::create(b, loc, memrefOf(*operand), *positionIn(sum, *operand));
  Value each = arith::ConstantIndexOp::create(b, loc, found.each);
  Value parts = b.createOrFold<arith::DivUIOp>(loc, all, each), end = b.createOrFold<arith::MulIOp>(loc, parts, each);
  length = all;
  count = parts;
  begin = end;
  left = isWhole() ? OpFoldResult(b.getIndexAttr(0)) : arith::SubIOp::create(b, loc, all, end).getResult();
}

/// Shorter sums are made in one, by a copy of the kernel.
void SumSplitter::chooseByLength() {
  Value least = arith::ConstantIndexOp::create(b, loc, found.least);
  Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, cast<Value>(length), least);
  auto choice = scf::IfOp::create(b, loc, isLong, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.elseYield());
  b.clone(*kernel);
  kernel->moveBefore(choice.thenYield());
  kernel.setName(name + "_added");
  b.setInsertionPoint(kernel);
}

/// The map with a loop for the parts in front of the loop that is cut.
AffineMap SumSplitter::widened(AffineMap map, unsigned cut) const {
  if (isWhole())
    return map;
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loop == cut)
      results.push_back(getAffineDimExpr(loop, map.getContext()));
    results.push_back(getAffineDimExpr(loop + (loop >= cut ? 1 : 0), map.getContext()));
  }
  return AffineMap::get(map.getNumDims() + 1, 0, results, map.getContext());
}

/// The place of the loop that is cut among the operand's dimensions.
std::optional<unsigned> SumSplitter::positionIn(const CutSum &sum, OpOperand &operand) {
  SmallVector<unsigned> loops = *loopDimsOf(sum.op, operand);
  auto *at = llvm::find(loops, sum.loop);
  return at == loops.end() ? std::nullopt : std::optional<unsigned>(at - loops.begin());
}

Value SumSplitter::elements(Value memref, unsigned position, OpFoldResult first, OpFoldResult length) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
  offsets[position] = first;
  sizes[position] = length;
  return memref::SubViewOp::create(b, loc, memref, offsets, sizes, strides);
}

/// The whole parts of an operand, with a dimension for the parts.
Value SumSplitter::expanded(const CutSum &sum, OpOperand &operand) {
  Value memory = memrefOf(operand);
  std::optional<unsigned> position = positionIn(sum, operand);
  if (!position || isWhole())
    return memory;
  Value &view = views[{memory, *position}];
  if (view)
    return view;
  if (leavesSome())
    memory = elements(memory, *position, b.getIndexAttr(0), begin);
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> pieces;
  for (auto [i, size] : llvm::enumerate(memref::getMixedSizes(b, loc, memory))) {
    ReassociationIndices &piece = pieces.emplace_back();
    if (i == *position) {
      piece.push_back(sizes.size());
      sizes.push_back(count);
    }
    piece.push_back(sizes.size());
    sizes.push_back(i == *position ? OpFoldResult(b.getIndexAttr(found.each)) : size);
  }
  SmallVector<int64_t> shape = std::get<0>(decomposeMixedValues(sizes));
  return view = memref::ExpandShapeOp::create(b, loc, shape, memory, pieces, sizes);
}

/// A kernel that makes these sums, each into its memory, from the neutral element on.
void SumSplitter::makeKernel(StringRef suffix, ArrayRef<PartialSum> sums) {
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results, made;
  for (const PartialSum &each : sums) {
    inputs.insert_range(each.inputs);
    results.push_back(each.memory);
  }
  auto part = group::KernelOp::create(b, loc, name + suffix.str(), kernel.getKind(), inputs.getArrayRef(), results);
  Block &body = part.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  for (auto [i, each] : llvm::enumerate(sums)) {
    linalg::LinalgOp op = each.sum->op;
    Value neutral = arith::ConstantOp::create(inside, loc, *arith::getNeutralElement(each.sum->combiner));
    Value start = linalg::FillOp::create(inside, loc, neutral, part.initArgument(i)).getResult(0);
    IRMapping mapping;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value constant : captured)
      inside.clone(*constant.getDefiningOp(), mapping);
    auto arguments = llvm::map_to_vector(each.inputs, [&](Value input) -> Value {
      return body.getArgument(llvm::find(inputs, input) - inputs.begin());
    });
    auto sum = linalg::GenericOp::create(inside, loc, start.getType(), arguments, start, each.maps, each.loops);
    op->getRegion(0).cloneInto(&sum.getRegion(), mapping);
    if (Attribute precision = op->getAttr(tile::kPrecision))
      sum->setAttr(tile::kPrecision, precision);
    made.push_back(sum.getResult(0));
  }
  group::YieldOp::create(inside, loc, made);
}

/// Memory for all parts of a sum: a dimension of the parts, then those of the sum.
Value SumSplitter::memoryOf(const CutSum &sum) {
  auto made = cast<RankedTensorType>(linalg::LinalgOp(sum.op)->getResult(0).getType());
  OpFoldResult parts = count;
  if (leavesSome()) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    parts = getAsOpFoldResult(b.createOrFold<arith::AddIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, count), one));
  }
  auto [shape, dynamicSizes] = decomposeMixedValues({parts});
  llvm::append_range(shape, made.getShape());
  Value memory = memref::AllocOp::create(b, loc, MemRefType::get(shape, made.getElementType()), dynamicSizes,
                                         b.getI64IntegerAttr(64));
  memory.getDefiningOp()->setAttr(kIntermediateAttr, b.getUnitAttr());
  return memory;
}

SumSplitter::PartialSum SumSplitter::partsOf(const CutSum &sum, Value memory) {
  linalg::LinalgOp op = sum.op;
  PartialSum parts{&sum, {}, {}, op.getIteratorTypesArray(), memory};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    parts.inputs.push_back(expanded(sum, *operand));
    parts.maps.push_back(widened(op.getMatchingIndexingMap(operand), sum.loop));
  }
  AffineMap results = widened(op.getIndexingMapsArray().back(), sum.loop);
  parts.maps.push_back(results.insertResult(getAffineDimExpr(sum.loop, b.getContext()), 0));
  if (isWhole())
    parts.loops[sum.loop] = utils::IteratorType::parallel;
  else
    parts.loops.insert(parts.loops.begin() + sum.loop, utils::IteratorType::parallel);
  if (leavesSome())
    parts.memory = elements(memory, 0, b.getIndexAttr(0), count);
  return parts;
}

/// What the whole parts leave over, which is the last part.
SumSplitter::PartialSum SumSplitter::restOf(const CutSum &sum, Value memory) {
  linalg::LinalgOp op = sum.op;
  PartialSum rest{&sum, {}, op.getIndexingMapsArray(), op.getIteratorTypesArray(), nullptr};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<unsigned> position = positionIn(sum, *operand);
    Value input = position ? elements(memrefOf(*operand), *position, begin, left) : expanded(sum, *operand);
    rest.inputs.push_back(input);
  }
  Value last = elements(memory, 0, count, b.getIndexAttr(1));
  rest.memory = *memref::SubViewOp::rankReduceIfNeeded(b, loc, last,
                                                       cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  return rest;
}

/// Kernels that sum the parts, and the memory that has them.
SmallVector<Value> SumSplitter::makeParts() {
  SmallVector<Value> memory = llvm::map_to_vector(found.sums, [&](const CutSum &sum) { return memoryOf(sum); });
  auto make = [&](StringRef suffix, auto &&partsOf) {
    SmallVector<PartialSum> sums;
    for (auto [sum, each] : llvm::zip(found.sums, memory))
      sums.push_back(partsOf(sum, each));
    makeKernel(suffix, sums);
  };
  make("_parts", [&](const CutSum &sum, Value each) { return partsOf(sum, each); });
  if (leavesSome())
    make("_rest", [&](const CutSum &sum, Value each) { return restOf(sum, each); });
  return memory;
}

/// Replaces a sum by that of its parts.
void SumSplitter::addParts(const CutSum &sum, BlockArgument parts) {
  linalg::LinalgOp op = sum.op;
  OpBuilder inside(op);
  int64_t rank = cast<RankedTensorType>(parts.getType()).getRank();
  AffineMap all = inside.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[0] = utils::IteratorType::reduction;
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  auto added = linalg::GenericOp::create(
      inside, loc, op->getResultTypes(), ValueRange(parts), op.getDpsInits(), {all, all.dropResult(0)}, loops,
      [&](OpBuilder &nested, Location, ValueRange numbers) {
        IRMapping mapping;
        for (Value operand : sum.combiner->getOperands())
          mapping.map(operand, numbers[operand == sofar ? 1 : 0]);
        linalg::YieldOp::create(nested, loc, nested.clone(*sum.combiner, mapping)->getResults());
      });
  op->replaceAllUsesWith(added);
  op->erase();
}

void SumSplitter::addParts(ArrayRef<Value> parts) {
  Block &body = kernel.getBody().front();
  unsigned number = kernel.getInputs().size();
  kernel.getInputsMutable().append(parts);
  for (auto [i, memory] : llvm::enumerate(parts))
    addParts(found.sums[i], body.insertArgument(number + i, group::KernelOp::argumentTypeOf(memory.getType()), loc));
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
      b.getStringAttr("not in " + name + "_parts: more programs sum parts than there would be for whole sums"));
  kernel.setApartAttr(b.getArrayAttr(reasons));
  kernel->removeAttr(kCostAttr);
}

/// Makes the elementwise ops of a kernel that only its sums use a part of these, so that they read memory alone.
void fuseIntoSums(group::KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  auto fuseOne = [&] {
    for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
      for (OpOperand *operand : op.getDpsInputOperands()) {
        auto made = operand->get().getDefiningOp<linalg::GenericOp>();
        if (op.getNumReductionLoops() == 0 || !made || !made->hasOneUse() || !linalg::areElementwiseOpsFusable(operand))
          continue;
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
        if (failed(fused))
          continue;
        rewriter.replaceOp(op, fused->fusedOp->getResults().take_back(op->getNumResults()));
        rewriter.eraseOp(made);
        return true;
      }
    return false;
  };
  while (fuseOne())
    ;
}

/// The sums of a kernel in parts, of what it computes from memory, too.
void splitSums(group::KernelOp kernel, int64_t multiprocessors) {
  if (std::optional<ColumnSums> columns = columnSumsOf(kernel))
    return splitColumnSums(kernel, *columns);
  std::optional<LongSums> sums = longSumsOf(kernel, multiprocessors);
  if (!sums && kernel.getKind() == group::Kind::Row) {
    auto fused = cast<group::KernelOp>(OpBuilder(kernel).clone(*kernel));
    fuseIntoSums(fused);
    sums = longSumsOf(fused, multiprocessors);
    (sums ? kernel : fused).erase();
    kernel = fused;
  }
  if (sums)
    SumSplitter(kernel, std::move(*sums)).split();
}

struct SplitSums : impl::SplitSumsBase<SplitSums> {
  using SplitSumsBase::SplitSumsBase;
  void runOnOperation() override {
    SmallVector<group::KernelOp> kernels;
    getOperation()->walk([&](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0)
        kernels.push_back(kernel);
    });
    for (group::KernelOp kernel : kernels)
      splitSums(kernel, multiprocessors);
  }
};
} // namespace
} // namespace lispier
