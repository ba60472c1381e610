//===- RegionValue.cpp - elements that linalg ops compute -----------------===//
#include "RegionValue.h"

using namespace mlir;

namespace lispier::tensors {
std::optional<ReducedElement> reducedElementOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Value sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!combiner || combiner->getBlock() != op.getBlock() || combiner->getNumOperands() != 2 || !sofar.hasOneUse() ||
      *sofar.user_begin() != combiner)
    return std::nullopt;
  return ReducedElement{{op, combiner->getOperand(combiner->getOperand(0) == sofar ? 1 : 0)}, combiner};
}

RegionValue RegionValues::origin(RegionValue at) const {
  while (OpOperand *operand = operandOf(at)) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    if (!producer || !hasAllLoops(at.op, *operand) || llvm::is_contained(dimensions.loops(producer).reduced, true) ||
        dimensions.loops(producer).dimensions != dimensions.loops(at.op).dimensions)
      break;
    unsigned result = cast<OpResult>(operand->get()).getResultNumber();
    at = {producer, producer.getBlock()->getTerminator()->getOperand(result)};
  }
  return at;
}

OpOperand *RegionValues::operandOf(RegionValue at) {
  auto argument = dyn_cast<BlockArgument>(at.value);
  return argument && argument.getOwner() == at.op.getBlock() ? at.op.getMatchingOpOperand(argument) : nullptr;
}

bool RegionValues::areEqual(RegionValue a, RegionValue b) const {
  a = origin(a);
  b = origin(b);
  if (a.value == b.value)
    return true;
  OpOperand *first = operandOf(a), *second = operandOf(b);
  if (first || second)
    return first && second && first->get() == second->get() &&
           dimensionsOf(a.op, *first) == dimensionsOf(b.op, *second);
  Operation *left = a.definingOp(), *right = b.definingOp();
  if (!left || !right || left->getName() != right->getName() || left->getAttrs() != right->getAttrs() ||
      left->getNumOperands() != right->getNumOperands() || left->getNumRegions() ||
      left->getBlock() != a.op.getBlock() || right->getBlock() != b.op.getBlock())
    return false;
  return llvm::all_of(llvm::seq<unsigned>(0, left->getNumOperands()),
                      [&](unsigned i) { return areEqual(a.operand(i), b.operand(i)); });
}

bool RegionValues::varies(RegionValue at, unsigned dimension) const {
  if (OpOperand *operand = operandOf(at))
    return isa<RankedTensorType>(operand->get().getType()) &&
           llvm::is_contained(dimensionsOf(at.op, *operand), dimension);
  Operation *op = at.definingOp();
  if (!op || op->getBlock() != at.op.getBlock()) // From outside of the region.
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    const GroupDimensions::Loops &loops = dimensions.loops(at.op);
    std::optional<unsigned> loop = loops.ofIterator[index.getDim()];
    return loop && loops.dimensions[*loop] == dimension;
  }
  return op->getNumRegions() || llvm::any_of(llvm::seq<unsigned>(0, op->getNumOperands()),
                                             [&](unsigned i) { return varies(at.operand(i), dimension); });
}

SmallVector<unsigned> RegionValues::dimensionsOf(linalg::LinalgOp op, OpOperand &operand) const {
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  return llvm::map_to_vector(loops.operands[operand.getOperandNumber()],
                             [&](unsigned loop) { return loops.dimensions[loop]; });
}

bool RegionValues::hasAllLoops(linalg::LinalgOp op, OpOperand &operand) const {
  ArrayRef<unsigned> loops = dimensions.loops(op).operands[operand.getOperandNumber()];
  return llvm::equal(loops, llvm::seq<unsigned>(0, dimensions.loops(op).dimensions.size()));
}
} // namespace lispier::tensors
