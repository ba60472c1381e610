//===- SplitNormLinear.cpp - nn.norm_linear to nn.layer_norm, nn.linear ---===//
//
// Before: nn.norm_linear. After: nn.layer_norm, or loops for an RMS norm, and
// nn.linear, which has kernels for any number of tokens. With `one-row` the op stays
// for one token; if the types do not give the number of tokens, the program branches
// at run time.
//
//===----------------------------------------------------------------------===//
#include "SplitNormLinear.h"
#include "LoopBuilder.h"
#include "lispier/NN/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DEF_SPLITNORMLINEAR
#include "lispier/NN/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier::nn {
template <typename Op> static void rmsNorm(LoopBuilder b, Op op) {
  Value channels = b.size(op.getX(), 1);
  b.forAll(b.size(op.getX(), 0), [&](ValueRange at) {
    Value t = at[0];
    Value squares = b.sum(channels, [&](Value c) {
      Value x = b.load(op.getX(), {t, c});
      return b.mul(x, x);
    });
    Value root = b.sqrt(b.add(b.div(squares, b.toF32(channels)), op.getEpsilon()));
    b.forEach(channels, [&](Value c) {
      Value scaled = b.div(b.load(op.getX(), {t, c}), root);
      b.store(b.mul(scaled, b.load(op.getNormWeight(), c)), op.getNormed(), {t, c});
    });
  });
}

template <typename Op> LayerNormOp createNorm(OpBuilder &b, Op op) {
  if (op.getNormBias())
    return LayerNormOp::create(b, op.getLoc(), op.getX(), op.getNormWeight(), op.getNormBias(), op.getNormed(),
                               op.getEpsilon(), op.getConstantWeights());
  rmsNorm(LoopBuilder(op.getLoc(), b), op);
  return {};
}

template LayerNormOp createNorm(OpBuilder &, NormLinearOp);
template LayerNormOp createNorm(OpBuilder &, NormLinearsOp);

std::pair<LayerNormOp, LinearOp> split(OpBuilder &b, NormLinearOp op) {
  LayerNormOp norm = createNorm(b, op);
  auto linear = LinearOp::create(b, op.getLoc(), op.getNormed(), op.getWeight(), op.getBias(), op.getResidual(),
                                 op.getOut(), op.getActivation(), op.getConstantWeights(), /*several_rows=*/false);
  linear->setDiscardableAttrs(op->getDiscardableAttrDictionary()); // Such as the name of the kernel.
  if (norm)
    norm->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return {norm, linear};
}

namespace {
struct SplitNormLinear : lispier::impl::SplitNormLinearBase<SplitNormLinear> {
  using SplitNormLinearBase::SplitNormLinearBase;

  void runOnOperation() override {
    SmallVector<NormLinearOp> ops;
    getOperation()->walk([&](NormLinearOp op) { ops.push_back(op); });
    for (NormLinearOp op : ops) {
      OpBuilder b(op);
      int64_t tokens = cast<MemRefType>(op.getX().getType()).getDimSize(0);
      if ((oneRow && tokens == 1) || op.getGated()) // One row, too: without a kernel it is decomposed.
        continue;
      if (oneRow && ShapedType::isDynamic(tokens)) {
        Value count = memref::DimOp::create(b, op.getLoc(), op.getX(), 0);
        Value one = arith::ConstantIndexOp::create(b, op.getLoc(), 1);
        Value isOne = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq, count, one);
        auto branch = scf::IfOp::create(b, op.getLoc(), isOne, /*withElseRegion=*/true);
        b.setInsertionPointToStart(branch.elseBlock());
        split(b, op).second.setSeveralRows(true);
        op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
        continue;
      }
      split(b, op);
      op.erase();
    }
  }
};
} // namespace
} // namespace lispier::nn
