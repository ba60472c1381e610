//===- TensorRoles.cpp - what a tensor op is to fusion --------------------===//
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kFewAdditions = 4;

bool isContraction(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInputs() != 2)
    return false;
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty())
    return false;
  // Without m and n, each element is needed once: a reduction. Of a matrix and a vector that is a sum of what fusion
  // has multiplied, too, and may be one of several of a row; what the program says to be a product stays one.
  bool isSum = isa<linalg::GenericOp>(op.getOperation());
  return isSum ? !dims->m.empty() && !dims->n.empty() : !dims->m.empty() || !dims->n.empty();
}
} // namespace

TensorRole roleOf(linalg::LinalgOp op) {
  if (linalg::isaConvolutionOpInterface(op))
    return TensorRole::Other;
  bool writesPermuted = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isProjectedPermutation();
  });
  if (!writesPermuted || !isa<linalg::GenericOp, linalg::FillOp, linalg::ContractionOpInterface>(op.getOperation()))
    return TensorRole::Other;
  if (op.getNumReductionLoops() == 0)
    return TensorRole::Elementwise;
  return isContraction(op) ? TensorRole::Contraction : TensorRole::Reduction;
}

int64_t elementCost(linalg::LinalgOp op) {
  int64_t cost = 0;
  for (Operation &inside : op.getBlock()->without_terminator())
    cost += llvm::TypeSwitch<Operation *, int64_t>(&inside)
                .Case<arith::ConstantOp, linalg::IndexOp, math::AbsFOp>([](auto) { return 0; })
                .Case<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, math::SqrtOp>(
                    [](auto) { return 4; })
                .Case<tensor::ExtractOp>([](auto) { return 8; })
                .Case<math::FmaOp>([](auto) { return 1; })
                .Case<affine::AffineApplyOp>( // Fusion leaves such as choose an index.
                    [](auto apply) { return isa<AffineDimExpr>(apply.getAffineMap().getResult(0)) ? 0 : 1; })
                .Default([](Operation *other) { return isa<math::MathDialect>(other->getDialect()) ? 16 : 1; });
  return cost;
}

bool isCheaperThanMemory(linalg::LinalgOp op) {
  unsigned whole = llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand).getNumResults() == op.getNumLoops() && op.getNumLoops() > 0;
  });
  return whole <= 1 && elementCost(op) <= kFewAdditions;
}

std::optional<SmallVector<unsigned>> loopDimsOf(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return std::nullopt;
  return llvm::map_to_vector(map.getResults(), [](AffineExpr e) { return cast<AffineDimExpr>(e).getPosition(); });
}

bool readsWindows(linalg::LinalgOp op, OpOperand &operand) {
  return llvm::any_of(op.getMatchingIndexingMap(&operand).getResults(), llvm::IsaPred<AffineBinaryOpExpr>);
}

SmallVector<OpFoldResult> sizesMadeWith(Value tensor) {
  while (auto made = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = made.getTiedOpOperand(cast<OpResult>(tensor))->get();
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  return empty ? empty.getMixedSizes() : SmallVector<OpFoldResult>();
}
} // namespace lispier
