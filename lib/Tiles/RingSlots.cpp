//===- RingSlots.cpp - what a slot of a ring can hold ---------------------===//
#include "RingSlots.h"
#include "LayoutRules.h"
#include "ProductLayouts.h"
#include "RingResults.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
bool fitsSlot(vector::TransferReadOp read) {
  VectorType tile = read.getVectorType();
  int64_t bytes = elementBytes(read.getVector());
  return isAlignedParameter(read) && (bytes == kSlotElementBytes || tile.getElementType().isF32()) &&
         tile.getShape()[1] * bytes % kSlotRowBytes == 0 && tile.getShape()[0] % 8 == 0 &&
         tile.getShape()[0] <= kMostBoxRows && matchPattern(read.getPadding(), m_AnyZeroFloat()) &&
         llvm::all_of(read->getUses(), [](OpOperand &use) {
           auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
           return product && &use != &product.getAccMutable();
         });
}

bool multipliesFromSlots(vector::ContractionOp product, int64_t warps) {
  std::optional<ProductShape> shape = productShape(product);
  if (!shape || shape->batch || shape->resultTransposed || product.getKind() != vector::CombiningKind::ADD ||
      product.getLhsType().getElementType() != product.getRhsType().getElementType() ||
      !getElementTypeOrSelf(product.getAcc().getType()).isF32() || shape->m % (kSlotPart * warps / 4) != 0 ||
      shape->n > 4 * kSlotPart)
    return false;
  if (product.getRhsType().getElementType().isF32())
    return multipliesRowsByTF32(product, *shape);
  return shape->n % (shape->rhsTransposed ? 8 : kSlotPart) == 0 && shape->k % kSlotPart == 0;
}

Value readSlot(ImplicitLocOpBuilder &b, VectorType tile, Value slots, Value number, int64_t stages, bool isAgain) {
  Value count = arith::ConstantIntOp::create(b, stages, 32), zero = arith::ConstantIndexOp::create(b, 0);
  number = arith::RemUIOp::create(b, number, count);
  if (isAgain)
    number = tile::AgainOp::create(b, b.getI32Type(), number);
  Value slot = arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(tile.getElementType()));
  AffineMap minor = AffineMap::getMinorIdentityMap(3, 2, b.getContext());
  return vector::TransferReadOp::create(b, tile, slots, SmallVector<Value>{slot, zero, zero}, padding, minor,
                                        SmallVector<bool>(2, true));
}
} // namespace lispier
