//===- SplitProducts.cpp - products of F32 by instructions for less -------===//
//
// Before: products of F32 that may round their factors or take them as sums of terms.
// After: chains of products whose types the target's matrix instructions multiply. A
// factor is the sum of its terms but for what the last one rounds; terms are made by
// elementwise ops, so that they are in the layout, and the registers, of the product.
// The idea is Markidis et al., "NVIDIA Tensor Core Programmability, Performance &
// Precision", IPDPSW 2018; dialects/Tile/README.md has the errors.
//
//===----------------------------------------------------------------------===//
#include "ProductLayouts.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using lispier::tile::Precision;

namespace lispier {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "lispier/Tiles/Passes.h.inc"

namespace {
VectorType withElement(Value tile, Type element) { return cast<VectorType>(tile.getType()).clone(element); }

/// A tile of BF16 that `tile` is the widened values of; null if it is none.
Value beforeWidening(Value tile) {
  auto widened = tile.getDefiningOp<arith::ExtFOp>();
  return widened && getElementTypeOrSelf(widened.getIn().getType()).isBF16() ? widened.getIn() : Value();
}

/// The nearest BF16, and with `count` 2 the nearest one of what that leaves: all but 2^-8, or 2^-17, of the value.
SmallVector<Value> termsOfBF16(ImplicitLocOpBuilder &b, Value tile, unsigned count) {
  if (Value narrow = beforeWidening(tile))
    return {narrow};
  VectorType narrow = withElement(tile, b.getBF16Type());
  SmallVector<Value> terms{arith::TruncFOp::create(b, narrow, tile)};
  if (count == 2) {
    Value first = arith::ExtFOp::create(b, tile.getType(), terms.front());
    terms.push_back(arith::TruncFOp::create(b, narrow, arith::SubFOp::create(b, tile, first)));
  }
  return terms;
}

/// The value without its lower 13 bits, and these, of which an instruction ignores what is below 2^-20 of the value.
SmallVector<Value> termsOfTF32(ImplicitLocOpBuilder &b, Value tile) {
  if (beforeWidening(tile))
    return {tile};
  VectorType bits = withElement(tile, b.getI32Type());
  constexpr uint32_t kUpperBits = 0xffffe000;
  Value mask = arith::ConstantOp::create(b, DenseElementsAttr::get(bits, APInt(32, kUpperBits)));
  Value upper = arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, tile), mask);
  Value first = arith::BitcastOp::create(b, tile.getType(), upper);
  return {first, arith::SubFOp::create(b, tile, first)};
}

/// Replaces `product` by products of terms, added from the smallest to the largest. That of two second terms is left
/// out.
void multiplyTerms(ImplicitLocOpBuilder &b, vector::ContractionOp product, ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                   bool isTF32) {
  Value sums = product.getAcc();
  for (unsigned order : {1, 0})
    for (unsigned i = 0; i <= order; ++i) {
      if (i >= lhs.size() || order - i >= rhs.size())
        continue;
      auto part = vector::ContractionOp::create(b, lhs[i], rhs[order - i], sums, product.getIndexingMaps(),
                                                product.getIteratorTypes(), product.getKind());
      if (isTF32)
        part->setAttr(tile::kPrecision, tile::PrecisionAttr::get(b.getContext(), Precision::TF32));
      sums = part.getResult();
    }
  product.replaceAllUsesWith(sums);
  product.erase();
}

void split(vector::ContractionOp product, const TargetInfo &target) {
  std::optional<ProductShape> shape = productShape(product);
  Precision precision = tile::precisionOf(product);
  if (!shape || precision == Precision::F32)
    return;
  bool byBF16 = multiplies(MatrixType::BF16, *shape, target), byTF32 = multiplies(MatrixType::F32, *shape, target);
  ImplicitLocOpBuilder b(product.getLoc(), product);
  // Two terms of BF16 are closer than one of TF32.
  if (precision == Precision::TF32 && !byTF32)
    precision = Precision::BF16x3;
  if ((precision == Precision::BF16x3 || precision == Precision::BF16) && byBF16) {
    unsigned count = precision == Precision::BF16 ? 1 : 2;
    return multiplyTerms(b, product, termsOfBF16(b, product.getLhs(), count), termsOfBF16(b, product.getRhs(), count),
                         /*isTF32=*/false);
  }
  if (precision == Precision::TF32x3 && byTF32)
    return multiplyTerms(b, product, termsOfTF32(b, product.getLhs()), termsOfTF32(b, product.getRhs()),
                         /*isTF32=*/true);
}

struct SplitProducts : impl::SplitProductsBase<SplitProducts> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      const TargetInfo *target = device::targetInfoOf(kernel);
      if (!target || !tile::programOf(kernel))
        continue;
      SmallVector<vector::ContractionOp> products;
      kernel.walk([&](vector::ContractionOp product) { products.push_back(product); });
      for (vector::ContractionOp product : products)
        split(product, *target);
    }
  }
};
} // namespace
} // namespace lispier
