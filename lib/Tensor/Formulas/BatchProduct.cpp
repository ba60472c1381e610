//===- BatchProduct.cpp - the products of attention -----------------------===//
#include "lispier/Tensor/Formulas/BatchProduct.h"
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
std::optional<BatchProduct> BatchProduct::of(linalg::LinalgOp op) {
  if (roleOf(op) != TensorRole::Contraction || !op.hasPureTensorSemantics() || op->hasAttr(tile::kPrecision))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->batch.size() != 1 || dims->m.empty() || dims->n.empty() || dims->k.size() != 1 ||
      dims->m.size() + dims->n.size() > 3)
    return std::nullopt;
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return std::nullopt;
  return BatchProduct{op, dims->batch[0], dims->k[0], {dims->m, dims->n}};
}

AttentionHeads::Order BatchProduct::placesOf(OpOperand &operand, ArrayRef<unsigned> loops) const {
  std::optional<SmallVector<unsigned>> all = loopDimsOf(op, operand);
  AttentionHeads::Order places;
  for (unsigned loop : loops)
    if (auto *at = llvm::find(*all, loop); at != all->end())
      places.push_back(at - all->begin());
  return places.size() == loops.size() && all->size() == loops.size() ? places : AttentionHeads::Order();
}

bool isSizeOf(Value number, Value tensor, unsigned dimension) {
  if (auto dim = number.getDefiningOp<tensor::DimOp>(); dim && dim.getSource() == tensor)
    return dim.getConstantIndex() == dimension;
  auto outside = [](Value value) {
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    auto kernel = argument ? dyn_cast<group::KernelOp>(argument.getOwner()->getParentOp()) : group::KernelOp();
    return kernel ? kernel->getOperand(argument.getArgNumber()) : value;
  };
  tensor = outside(tensor);
  if (auto dim = number.getDefiningOp<memref::DimOp>(); dim && dim.getSource() == tensor)
    return dim.getConstantIndex() == dimension;
  while (auto made = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = made.getTiedOpOperand(cast<OpResult>(tensor))->get();
  SmallVector<OpFoldResult> sizes;
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    sizes = empty.getMixedSizes();
  else if (auto alloc = tensor.getDefiningOp<memref::AllocOp>())
    sizes = alloc.getMixedSizes();
  else if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    sizes = expand.getMixedOutputShape();
  else if (auto expand = tensor.getDefiningOp<memref::ExpandShapeOp>())
    sizes = expand.getMixedOutputShape();
  return dimension < sizes.size() && outside(dyn_cast<Value>(sizes[dimension])) == number;
}
} // namespace lispier
