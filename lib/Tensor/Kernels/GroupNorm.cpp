//===- GroupNorm.cpp - groups that normalise rows -------------------------===//
#include "GroupNorm.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
/// Whether the integer or index, of the kernel or from outside of it, is the number of columns of the memref.
static bool isColumnCount(group::KernelOp kernel, Value memref, Value number) {
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  if (auto dim = number.getDefiningOp<tensor::DimOp>())
    return dim.getConstantIndex() == last && memrefOf(kernel, dim.getSource()) == memref;
  if (auto dim = number.getDefiningOp<memref::DimOp>(); dim && dim.getSource() == memref)
    return dim.getConstantIndex() == last;
  OpFoldResult columns = knownSize(memref, last);
  auto made = dyn_cast_if_present<Value>(columns);
  auto cast = made ? made.getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  return cast && !number.getType().isIndex() ? cast.getIn() == number : columns && isSameSize(columns, number);
}

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
  return isAlike && (!norm->columns || isColumnCount(kernel, norm->x, norm->columns)) ? norm : std::nullopt;
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
