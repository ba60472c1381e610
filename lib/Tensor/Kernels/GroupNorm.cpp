//===- GroupNorm.cpp - groups that normalise rows -------------------------===//
#include "GroupNorm.h"
#include "Formulas/NormFormula.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// The number of columns of the memref, or of what it is a view of; null if the op that makes it does not say.
OpFoldResult columnsOf(Value memref) {
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes().back();
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  return view ? view.getMixedSizes().back() : OpFoldResult();
}

/// Whether the integer is the number of columns of the memref.
bool isColumnsOf(Value memref, Value integer) {
  auto value = dyn_cast_if_present<Value>(columnsOf(memref));
  auto cast = value ? value.getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  return cast && cast.getIn() == integer;
}

/// Whether the integer or index, of the kernel or from outside of it, is the number of columns of the memref.
bool isColumnCount(group::KernelOp kernel, Value memref, Value index) {
  if (!index.getType().isIndex())
    return isColumnsOf(memref, index);
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  if (auto dim = index.getDefiningOp<tensor::DimOp>())
    return dim.getConstantIndex() == last && memrefOf(kernel, dim.getSource()) == memref;
  if (auto dim = index.getDefiningOp<memref::DimOp>(); dim && dim.getSource() == memref)
    return dim.getConstantIndex() == last;
  return columnsOf(memref) == OpFoldResult(index);
}

bool isOfFloats(Value memref) { return nn::isFloat(getElementTypeOrSelf(memref)); }
} // namespace

Value GroupNorm::epsilonIn(OpBuilder &b, Location loc) const {
  return epsilonValue ? epsilonValue : arith::ConstantOp::create(b, loc, b.getF32FloatAttr(epsilon)).getResult();
}

std::optional<GroupNorm> groupNormOf(group::KernelOp kernel) {
  std::optional<NormFormula> formula;
  if (kernel && kernel.getKind() == group::Kind::Row)
    formula = normFormulaOf(kernel.yieldOp().getResults()[0]);
  if (!formula)
    return std::nullopt;
  GroupNorm norm{memrefOf(kernel, formula->x), memrefOf(kernel, formula->weight),
                 formula->bias ? memrefOf(kernel, formula->bias) : Value(), formula->epsilon, formula->epsilonValue};
  if (!norm.x || !norm.weight || !isOfFloats(norm.x) || !isOfFloats(norm.weight) ||
      (formula->columns && !isColumnCount(kernel, norm.x, formula->columns)))
    return std::nullopt;
  if (formula->bias && (!norm.bias || getElementTypeOrSelf(norm.weight) != getElementTypeOrSelf(norm.bias)))
    return std::nullopt;
  return norm;
}

std::pair<group::KernelOp, memref::AllocOp> producerOf(Value x, ArrayRef<Operation *> products) {
  auto alloc = rootOf(x).getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc->hasAttr(kIntermediateAttr))
    return {};
  group::KernelOp producer;
  SmallVector<Value> aliases{alloc};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(aliases, user->getResults());
      } else if (auto kernel = dyn_cast<group::KernelOp>(user); kernel && !producer) {
        producer = kernel;
      } else if (!llvm::is_contained(products, user) && !isa<memref::DeallocOp, memref::DimOp>(user)) {
        return {};
      }
    }
  bool isOnlyResult = producer && producer->getBlock() == products[0]->getBlock() && producer.getInits().size() == 1 &&
                      producer.getInits()[0] == alloc && !llvm::is_contained(producer.getInputs(), alloc.getResult());
  return isOnlyResult && producer->isBeforeInBlock(products[0]) ? std::pair(producer, alloc)
                                                                : std::pair<group::KernelOp, memref::AllocOp>();
}
} // namespace lispier
