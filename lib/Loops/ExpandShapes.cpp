//===- ExpandShapes.cpp - one dimension seen as several of any sizes ------===//
//
// Before: memref.expand_shape whose sizes in one group are not known but for one.
// After: memref.reinterpret_cast. expand-strided-metadata, which comes next, takes
// the op's other cases and dies of this one: it divides the group's size by the
// known ones, where the op itself says all sizes.
//
//===----------------------------------------------------------------------===//

#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDSHAPES
#include "lispier/Loops/Passes.h.inc"

namespace {
bool hasSeveralUnknown(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t i) { return op.getResultType().isDynamicDim(i); }) > 1;
  });
}

void rewrite(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  MemRefType type = op.getResultType();
  SmallVector<int64_t> typeStrides;
  int64_t typeOffset;
  (void)type.getStridesAndOffset(typeStrides, typeOffset); // The verifier has computed them from the source's.

  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides(sizes.size());
  for (auto [dimension, group] : llvm::enumerate(op.getReassociationIndices())) {
    // Row-major inside the group: each stride is the product of the sizes behind it and the source's stride.
    Value stride = source.getStrides()[dimension];
    for (int64_t i : llvm::reverse(group)) {
      strides[i] = ShapedType::isDynamic(typeStrides[i]) ? OpFoldResult(stride) : builder.getIndexAttr(typeStrides[i]);
      if (i != group.front())
        stride = arith::MulIOp::create(builder, loc, stride, getValueOrCreateConstantIndexOp(builder, loc, sizes[i]));
    }
  }
  OpFoldResult offset =
      ShapedType::isDynamic(typeOffset) ? OpFoldResult(source.getOffset()) : builder.getIndexAttr(typeOffset);
  op.replaceAllUsesWith(
      memref::ReinterpretCastOp::create(builder, loc, type, source.getBaseBuffer(), offset, sizes, strides)
          .getResult());
  op.erase();
}

struct ExpandShapes : impl::ExpandShapesBase<ExpandShapes> {
  void runOnOperation() override {
    getOperation()->walk([](memref::ExpandShapeOp op) {
      if (hasSeveralUnknown(op))
        rewrite(op);
    });
  }
};
} // namespace
} // namespace lispier
