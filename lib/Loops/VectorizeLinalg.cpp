//===- VectorizeLinalg.cpp - linalg on memrefs to loops over vectors ------===//
//
// Before: linalg ops on memrefs of any size and strides. After: loops over
// vectors, of which the outermost are scf.parallel, for lispier-outline-parallel.
// An op inside a parallel loop already belongs to one thread.
//
//===----------------------------------------------------------------------===//
#include "VectorNest.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace lispier {
#define GEN_PASS_DEF_VECTORIZELINALG
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
bool isInsideThread(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return (function && function->hasAttr(device::kParallelBody)) || op->getParentOfType<scf::ParallelOp>() ||
         op->getParentOfType<scf::ForallOp>() || op->getParentOfType<gpu::LaunchOp>() ||
         op->getParentOfType<gpu::GPUFuncOp>();
}

namespace {
/// Lets the products that a sum takes up become fused multiply-adds, which are faster and at least as accurate.
void allowContraction(const VectorNest &nest) {
  for (const NestReduction &reduction : nest.reductions) {
    auto sum = dyn_cast_or_null<arith::AddFOp>(reduction.combine);
    if (!sum)
      continue;
    for (Value operand : sum->getOperands())
      if (auto product = operand.getDefiningOp<arith::MulFOp>()) {
        product.setFastmath(product.getFastmath() | arith::FastMathFlags::contract);
        sum.setFastmath(sum.getFastmath() | arith::FastMathFlags::contract);
      }
  }
}

/// Dimensions that follow each other in every operand, and lie one after the other in memory, become one: vectors may
/// extend over ends of rows.
linalg::GenericOp collapse(linalg::GenericOp op, IRRewriter &rewriter) {
  auto isPlain = [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return !type || type.getLayout().isIdentity();
  };
  if (op.hasIndexSemantics() || !llvm::all_of(op->getOperands(), isPlain) ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool collapses = false;
  for (int64_t d = 0; d < int64_t(kinds.size()); ++d) {
    if (!groups.empty() && kinds[d] == kinds[groups.back().back()]) {
      ReassociationIndices longer(groups.back());
      longer.push_back(d);
      if (linalg::areDimSequencesPreserved(maps, {longer})) {
        groups.back() = longer;
        collapses = true;
        continue;
      }
    }
    groups.push_back({d});
  }
  if (!collapses)
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(cast<linalg::LinalgOp>(op.getOperation()), groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.eraseOp(op);
  return cast<linalg::GenericOp>(collapsed->collapsedOp.getOperation());
}

struct VectorizeLinalg : impl::VectorizeLinalgBase<VectorizeLinalg> {
  using VectorizeLinalgBase::VectorizeLinalgBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && !op->hasAttr(device::kPlain))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found)
      vectorize(op, rewriter);
  }

  void vectorize(linalg::LinalgOp op, IRRewriter &rewriter) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> result = linalg::generalizeNamedOp(rewriter, op);
      if (failed(result))
        return;
      generic = *result;
    }
    generic = collapse(generic, rewriter);
    std::optional<VectorNest> nest = planNest(generic, {vectorBytes, pairs});
    if (!nest)
      return; // To loops over scalars.
    allowContraction(*nest);
    rewriter.setInsertionPoint(generic);
    emitNest(rewriter, *nest, !isInsideThread(generic));
    rewriter.eraseOp(generic);
  }
};
} // namespace
} // namespace lispier
