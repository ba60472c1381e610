//===- ExpandShapes.cpp - memref.expand_shape with dynamic sizes ----------===//
//
// Before: memref.expand_shape with several dynamic sizes in one group, or with one
// and a size of 0. After: memref.reinterpret_cast. expand-strided-metadata, the next
// pass, handles the op's other cases, but divides the group's size by the static
// sizes, although the op has all sizes as operands: it asserts on several, and
// divides by 0.
//

#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDSHAPES
#include "lispier/Loops/Passes.h.inc"

namespace {
bool needsOwnSizes(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    auto unknown = llvm::count_if(group, [&](int64_t i) { return type.isDynamicDim(i); });
    return unknown > 1 || (unknown == 1 && llvm::any_of(group, [&](int64_t i) { return type.getDimSize(i) == 0; }));
  });
}

void rewrite(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  MemRefType type = op.getResultType();
  SmallVector<int64_t> typeStrides;
  int64_t typeOffset;
  (void)type.getStridesAndOffset(typeStrides, typeOffset); // Cannot fail: the verifier checked the layout.

  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides(sizes.size());
  for (auto [dimension, group] : llvm::enumerate(op.getReassociationIndices())) {
    // Row-major within the group: a stride is the product of the following sizes and the source's stride.
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
      if (needsOwnSizes(op))
        rewrite(op);
    });
  }
};
} // namespace
} // namespace lispier
