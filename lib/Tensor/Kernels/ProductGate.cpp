//===- ProductGate.cpp - gates of products' outputs -----------------------===//
#include "ProductGate.h"
#include "Formulas/TensorFormulas.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace lispier {
namespace {
/// Whether the part has all rows of the outputs and, of their columns, as many as `columns` from `first` on.
bool isOfColumns(const MemoryPart &part, memref::AllocOp outputs, OpFoldResult first, OpFoldResult columns) {
  return isConstantIntValue(part.offsets[0], 0) && isSameSize(part.sizes[0], outputs.getMixedSizes()[0]) &&
         isSameSize(part.offsets[1], first) && isSameSize(part.sizes[1], columns);
}

/// Whether two times as many are all.
bool isHalf(OpFoldResult some, OpFoldResult all) {
  std::optional<int64_t> first = getConstantIntValue(some), second = getConstantIntValue(all);
  auto value = dyn_cast<Value>(some);
  auto quotient = value ? value.getDefiningOp<arith::DivSIOp>() : arith::DivSIOp();
  return first ? second && *second == 2 * *first
               : quotient && isSameSize(quotient.getLhs(), all) && isConstantIntValue(quotient.getRhs(), 2);
}
} // namespace

std::optional<ProductGate> gateOf(group::KernelOp product) {
  auto outputs = product.getInits()[0].getDefiningOp<memref::AllocOp>();
  if (!outputs || !outputs->hasAttr(kIntermediateAttr) || outputs.getType().getRank() != 2)
    return std::nullopt;
  group::KernelOp kernel;
  for (Operation *user : usersOf(outputs))
    if (auto reader = dyn_cast<group::KernelOp>(user); reader && reader != product && (!kernel || reader == kernel))
      kernel = reader;
    else if (user != product && !isa<memref::DeallocOp>(user))
      return std::nullopt;
  if (!kernel || kernel.getKind() != group::Kind::Elementwise || kernel->getNumResults() != 0 ||
      kernel.getInits().size() != 1 || kernel->getBlock() != product->getBlock() || !product->isBeforeInBlock(kernel) ||
      !nn::isFloat(getElementTypeOrSelf(kernel.getInits()[0])))
    return std::nullopt;
  Value gate, factor;
  std::optional<MemoryPart> first, second;
  for (Value argument : kernel.getBody().front().getArguments()) {
    Value memory = memrefOf(kernel, argument);
    if (!memory || rootOf(memory) != outputs.getResult())
      continue;
    std::optional<MemoryPart> part = partOf(memory, outputs);
    if (!part)
      return std::nullopt;
    bool isFirst = isConstantIntValue(part->offsets[1], 0);
    (isFirst ? gate : factor) = argument;
    (isFirst ? first : second) = part;
  }
  OpFoldResult zero = IntegerAttr::get(IndexType::get(product.getContext()), 0);
  bool areHalves = first && second && isHalf(first->sizes[1], outputs.getMixedSizes()[1]) &&
                   isOfColumns(*first, outputs, zero, first->sizes[1]) &&
                   isOfColumns(*second, outputs, first->sizes[1], first->sizes[1]);
  std::optional<nn::Activation> activation =
      areHalves ? gatedFormulaOf(gate, factor, kernel.yieldOp().getResults()[0]) : std::nullopt;
  OpBuilder b(kernel);
  Value rows = activation ? asRows(b, kernel.getLoc(), kernel.getInits()[0]) : Value();
  return rows ? std::optional(ProductGate{kernel, rows, *activation}) : std::nullopt;
}
} // namespace lispier
