//===- GroupNorm.cpp - groups that normalise rows -------------------------===//
#include "GroupNorm.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace lispier {
Value epsilonOf(const NormFormula &norm, OpBuilder &b, Location loc) {
  return norm.epsilonValue ? norm.epsilonValue
                           : arith::ConstantOp::create(b, loc, b.getF32FloatAttr(norm.epsilon)).getResult();
}

std::optional<NormFormula> groupNormOf(group::KernelOp kernel) {
  std::optional<NormFormula> norm;
  if (kernel && kernel.getKind() == group::Kind::Row)
    norm = normFormulaOf(kernel.yieldOp().getResults()[0]);
  if (!norm)
    return std::nullopt;
  for (Value *operand : {&norm->x, &norm->weight, &norm->bias})
    if (*operand && (!(*operand = memrefOf(kernel, *operand)) || !nn::isFloat(getElementTypeOrSelf(*operand))))
      return std::nullopt;
  bool isAlike = !norm->bias || getElementTypeOrSelf(norm->weight) == getElementTypeOrSelf(norm->bias);
  return isAlike ? norm : std::nullopt;
}

std::pair<group::KernelOp, memref::AllocOp> producerOf(Value x, ArrayRef<Operation *> products) {
  auto alloc = rootOf(x).getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc->hasAttr(kIntermediateAttr))
    return {};
  group::KernelOp producer;
  for (Operation *user : usersOf(alloc)) {
    if (llvm::is_contained(products, user) || isa<memref::DeallocOp>(user))
      continue;
    auto kernel = dyn_cast<group::KernelOp>(user);
    if (!kernel || producer)
      return {};
    producer = kernel;
  }
  bool isOnlyResult = producer && producer->getBlock() == products[0]->getBlock() && producer.getInits().size() == 1 &&
                      producer.getInits()[0] == alloc && !llvm::is_contained(producer.getInputs(), alloc.getResult());
  return isOnlyResult && producer->isBeforeInBlock(products[0]) ? std::pair(producer, alloc)
                                                                : std::pair<group::KernelOp, memref::AllocOp>();
}
} // namespace lispier
