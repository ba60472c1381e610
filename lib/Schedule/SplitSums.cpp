//===- SplitSums.cpp - long sums of few results in parts -----------------===//
//
// Before: a kernel, on memrefs, whose results are so few and whose sum is so long that
// most of a GPU would be idle. After: a kernel that sums parts, each by other programs,
// and the kernel itself, which adds the parts and does what follows the sum. Every result
// is added in one order, whatever order the programs run in. Of a length that only the
// call knows, it chooses between these and the kernel as it was.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  SumSplitter(group::KernelOp kernel, LongSum sum)
      : kernel(kernel), sum(sum), name(kernel.getName().str()), b(kernel), loc(kernel.getLoc()) {}

  void split() {
    findSizes();
    if (!sum.isStatic())
      chooseByLength();
    Value parts = makeParts();
    addParts(parts);
    b.setInsertionPointAfter(kernel);
    memref::DeallocOp::create(b, loc, parts);
  }

private:
  void findSizes();
  void chooseByLength();
  Value makeParts();
  void addParts(Value parts);
  void makeKernel(StringRef suffix, ValueRange inputs, ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> loops,
                  Value memory);
  AffineMap widened(AffineMap map) const;
  Value memrefOf(OpOperand &operand) { return kernel->getOperand(cast<BlockArgument>(operand.get()).getArgNumber()); }
  std::optional<unsigned> positionIn(OpOperand &operand) const;
  Value elements(Value memref, unsigned position, OpFoldResult first, OpFoldResult length);
  Value expanded(OpOperand &operand);
  bool isWhole() const { return sum.each == 1; } ///< A part has no loop then.
  bool leavesSome() const { return !isConstantIntValue(left, 0); }

  group::KernelOp kernel;
  LongSum sum;
  std::string name;
  OpBuilder b;
  Location loc;
  OpFoldResult length, count; ///< Of the loop that is cut; of parts that are whole.
  OpFoldResult begin, left;   ///< What is behind these: where it begins, and how many elements.
};

void SumSplitter::findSizes() {
  if (sum.isStatic()) {
    int64_t parts = sum.length / sum.each;
    count = b.getIndexAttr(parts);
    begin = b.getIndexAttr(parts * sum.each);
    left = b.getIndexAttr(sum.length % sum.each);
    return;
  }
  OpOperand *operand =
      *llvm::find_if(sum.op.getDpsInputOperands(), [&](OpOperand *each) { return positionIn(*each).has_value(); });
  Value all = memref::DimOp::create(b, loc, memrefOf(*operand), *positionIn(*operand));
  Value each = arith::ConstantIndexOp::create(b, loc, sum.each);
  Value parts = b.createOrFold<arith::DivUIOp>(loc, all, each), end = b.createOrFold<arith::MulIOp>(loc, parts, each);
  length = all;
  count = parts;
  begin = end;
  left = isWhole() ? OpFoldResult(b.getIndexAttr(0)) : arith::SubIOp::create(b, loc, all, end).getResult();
}

/// Shorter sums are made in one, by a copy of the kernel.
void SumSplitter::chooseByLength() {
  Value least = arith::ConstantIndexOp::create(b, loc, sum.least);
  Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, cast<Value>(length), least);
  auto choice = scf::IfOp::create(b, loc, isLong, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.elseYield());
  b.clone(*kernel);
  kernel->moveBefore(choice.thenYield());
  kernel.setName(name + "_added");
  b.setInsertionPoint(kernel);
}

/// The map with a loop for the parts in front of the loop that is cut.
AffineMap SumSplitter::widened(AffineMap map) const {
  if (isWhole())
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

/// The place of the loop that is cut among the operand's dimensions.
std::optional<unsigned> SumSplitter::positionIn(OpOperand &operand) const {
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
Value SumSplitter::expanded(OpOperand &operand) {
  Value memory = memrefOf(operand);
  std::optional<unsigned> position = positionIn(operand);
  if (!position || isWhole())
    return memory;
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
    sizes.push_back(i == *position ? OpFoldResult(b.getIndexAttr(sum.each)) : size);
  }
  SmallVector<int64_t> shape = std::get<0>(decomposeMixedValues(sizes));
  return memref::ExpandShapeOp::create(b, loc, shape, memory, pieces, sizes);
}

/// A kernel that sums into `memory`, from the neutral element on.
void SumSplitter::makeKernel(StringRef suffix, ValueRange inputs, ArrayRef<AffineMap> maps,
                             ArrayRef<utils::IteratorType> loops, Value memory) {
  auto part = group::KernelOp::create(b, loc, name + suffix.str(), kernel.getKind(), inputs, memory);
  Block &body = part.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value neutral = arith::ConstantOp::create(inside, loc, *arith::getNeutralElement(sum.combiner));
  Value start = linalg::FillOp::create(inside, loc, neutral, part.initArgument(0)).getResult(0);
  IRMapping mapping;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(sum.op->getRegions(), captured);
  for (Value constant : captured)
    inside.clone(*constant.getDefiningOp(), mapping);
  auto sums =
      linalg::GenericOp::create(inside, loc, start.getType(), body.getArguments().drop_back(), start, maps, loops);
  sum.op->getRegion(0).cloneInto(&sums.getRegion(), mapping);
  group::YieldOp::create(inside, loc, sums.getResults());
}

/// Kernels that sum the parts, and the memory that has them: a dimension of the parts, then those of the sum.
Value SumSplitter::makeParts() {
  auto made = cast<RankedTensorType>(sum.op->getResult(0).getType());
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

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps = sum.op.getIndexingMapsArray(), widenedMaps;
  for (OpOperand *operand : sum.op.getDpsInputOperands()) {
    inputs.push_back(expanded(*operand));
    widenedMaps.push_back(widened(sum.op.getMatchingIndexingMap(operand)));
  }
  AffineMap results = widened(maps.back());
  widenedMaps.push_back(results.insertResult(getAffineDimExpr(sum.loop, b.getContext()), 0));
  SmallVector<utils::IteratorType> loops = sum.op.getIteratorTypesArray(), partLoops = loops;
  if (isWhole())
    partLoops[sum.loop] = utils::IteratorType::parallel;
  else
    partLoops.insert(partLoops.begin() + sum.loop, utils::IteratorType::parallel);
  makeKernel("_parts", inputs, widenedMaps, partLoops,
             leavesSome() ? elements(memory, 0, b.getIndexAttr(0), count) : memory);
  if (!leavesSome())
    return memory;
  for (auto [input, operand] : llvm::zip(inputs, sum.op.getDpsInputOperands()))
    if (std::optional<unsigned> position = positionIn(*operand))
      input = elements(memrefOf(*operand), *position, begin, left);
  Value last = elements(memory, 0, count, b.getIndexAttr(1));
  last = *memref::SubViewOp::rankReduceIfNeeded(b, loc, last, made.getShape());
  makeKernel("_rest", inputs, maps, loops, last);
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
      b.getStringAttr("not in " + name + "_parts: more programs sum parts than there would be for whole sums"));
  kernel.setApartAttr(b.getArrayAttr(reasons));
  kernel->removeAttr(kCostAttr);
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
      if (std::optional<LongSum> sum = longSumOf(kernel, multiprocessors))
        SumSplitter(kernel, *sum).split();
  }
};
} // namespace
} // namespace lispier
