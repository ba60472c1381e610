//===- NarrowIndices.cpp - indices as narrower integers -------------------===//
//
// Canonicalization replaces two casts, from an index to an integer and back, by the
// index, whichever bits the integer loses. After this pass no cast of that kind loses
// any: one that would is a truncation of 64 bits, which the other patterns know. First of
// all passes, before any canonicalization.
//
//===----------------------------------------------------------------------===//
#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_NARROWINDICES
#include "lispier/Math/Passes.h.inc"

namespace {
constexpr unsigned kIndexBits = 64;
/// Places in a tensor fit these, so that a cast of them stays what schedules know; in a tensor of more than 2^31
/// elements along a dimension they wrap around, and cast back they do not.
constexpr unsigned kPlaceBits = 32;

unsigned bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? kIndexBits : element.getIntOrFloatBitWidth();
}

/// Whether the integer may have fewer bits than the index needs.
bool mayLoseBits(Operation *cast) {
  Value index = cast->getOperand(0);
  unsigned bits = bitsOf(cast->getResult(0));
  if (!getElementTypeOrSelf(index.getType()).isIndex() || bits >= kIndexBits)
    return false;
  Operation *made = index.getDefiningOp();
  if (isa_and_nonnull<linalg::IndexOp>(made))
    return bits < kPlaceBits;
  return !isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(made) || bitsOf(made->getOperand(0)) > bits;
}

struct NarrowIndices : impl::NarrowIndicesBase<NarrowIndices> {
  void runOnOperation() override {
    SmallVector<Operation *> casts;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && mayLoseBits(op))
        casts.push_back(op);
    });
    for (Operation *cast : casts) {
      OpBuilder b(cast);
      Type wide = b.getI64Type(), type = cast->getResult(0).getType();
      if (auto shaped = dyn_cast<ShapedType>(type))
        wide = shaped.clone(wide);
      Value bits = arith::IndexCastOp::create(b, cast->getLoc(), wide, cast->getOperand(0));
      cast->replaceAllUsesWith(arith::TruncIOp::create(b, cast->getLoc(), type, bits));
      cast->erase();
    }
  }
};
} // namespace
} // namespace lispier
