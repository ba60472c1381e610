//===- ProductGate.cpp - gates of products' outputs -----------------------===//
#include "ProductGate.h"
#include "Formulas/TensorFormulas.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
std::optional<ProductGate> gateOf(nn::LinearOp linear) {
  auto alloc = linear.getOut().getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc->hasAttr(kIntermediateAttr) || linear.getResidual() ||
      linear.getActivation() != nn::Activation::None)
    return std::nullopt;
  SmallVector<memref::SubViewOp, 2> halves;
  group::KernelOp kernel;
  for (Operation *user : alloc->getUsers())
    if (auto half = dyn_cast<memref::SubViewOp>(user))
      halves.push_back(half);
    else if (user != linear && !isa<memref::DeallocOp, memref::DimOp>(user))
      return std::nullopt;
  for (memref::SubViewOp half : halves)
    for (Operation *user : half->getUsers())
      if (auto reader = dyn_cast<group::KernelOp>(user); reader && (!kernel || reader == kernel))
        kernel = reader;
      else if (!isa<memref::DimOp>(user))
        return std::nullopt;
  if (halves.size() != 2 || !kernel || kernel.getKind() != group::Kind::Elementwise || kernel->getNumResults() != 0 ||
      kernel.getInits().size() != 1 || kernel->getBlock() != linear->getBlock() || !linear->isBeforeInBlock(kernel))
    return std::nullopt;
  if (isConstantIntValue(halves[1].getMixedOffsets()[1], 0))
    std::swap(halves[0], halves[1]);
  Value parts[2];
  for (auto [i, half] : llvm::enumerate(halves)) {
    SmallVector<OpFoldResult> offsets = half.getMixedOffsets(), sizes = half.getMixedSizes();
    OpFoldResult columns = halves[0].getMixedSizes()[1];
    bool isHalf = half.getType().getRank() == 2 && half.hasUnitStride() && isConstantIntValue(offsets[0], 0) &&
                  sizes[0] == alloc.getMixedSizes()[0] && sizes[1] == columns &&
                  (i == 0 ? isConstantIntValue(offsets[1], 0) : offsets[1] == columns);
    if (!isHalf)
      return std::nullopt;
    for (Value argument : kernel.getBody().front().getArguments())
      if (memrefOf(kernel, argument) == half.getResult())
        parts[i] = argument;
  }
  if (!parts[0] || !parts[1] || !nn::isFloat(getElementTypeOrSelf(kernel.getInits()[0])) ||
      cast<MemRefType>(kernel.getInits()[0].getType()).getRank() != 2)
    return std::nullopt;
  std::optional<nn::Activation> activation = gatedFormulaOf(parts[0], parts[1], kernel.yieldOp().getResults()[0]);
  return activation ? std::optional(ProductGate{kernel, *activation}) : std::nullopt;
}
} // namespace lispier
