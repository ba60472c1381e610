//===- LinalgToSequentialLoops.cpp - linalg ops that one thread runs ------===//
//
// Before: kernels with linalg ops on memrefs. After: loops of scf. The pass visits
// linalg ops only, since upstream's convert-linalg-to-loops visits all ops of a
// kernel, and few have such an op.
//
//===----------------------------------------------------------------------===//
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LINALGTOSEQUENTIALLOOPS
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct LinalgToSequentialLoops : impl::LinalgToSequentialLoopsBase<LinalgToSequentialLoops> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::linalgOpToLoops(rewriter, op))) // Later passes report others.
        rewriter.eraseOp(op);
    }
  }
};
} // namespace
} // namespace lispier
