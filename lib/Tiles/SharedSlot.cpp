//===- SharedSlot.cpp - slots of pipelined loops --------------------------===//
#include "SharedSlot.h"
#include "LayoutRules.h"
#include "ProductLayouts.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
namespace {
enum { kFirst, kLast };
/// Elements of 16 bits in an access of 16 bytes.
constexpr int64_t kTurned = 8;

/// Whether the product takes `tile` with the summed dimension first, by matrix instructions.
bool sumsFirst(vector::ContractionOp product, Value tile, const TargetInfo &target) {
  std::optional<ProductShape> shape = productShape(product);
  if (!shape || shape->batch || !isByInstruction(product, target))
    return false;
  bool isLhs = product.getLhs() == tile, isRhs = product.getRhs() == tile;
  return (!isLhs || shape->lhsTransposed) && (!isRhs || !shape->rhsTransposed) && (isLhs || isRhs);
}
} // namespace

bool areTurned(Value slots, const TargetInfo &target) {
  constexpr unsigned kBits = 16, kRankOfSlots = 3;
  auto type = cast<MemRefType>(slots.getType());
  if (target.loadsMatrices || type.getRank() != kRankOfSlots || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() != kBits)
    return false;
  bool isRead = false;
  for (Operation *user : slots.getUsers()) {
    auto read = dyn_cast<vector::TransferReadOp>(user);
    if (!read)
      continue;
    for (Operation *of : read->getUsers()) {
      auto product = dyn_cast<vector::ContractionOp>(of);
      if (!product || !sumsFirst(product, read.getResult(), target))
        return false;
      isRead = true;
    }
  }
  return isRead;
}

SharedPlaces placesInTurnedSlot(ArrayRef<int64_t> shape, int64_t elementBytes) {
  return SharedPlaces(shape, kFirst, kTurned, elementBytes, /*apart=*/true);
}

Layout layoutForTurnedSlot(ArrayRef<int64_t> shape, int64_t vector, BlockShape block) {
  tile::LayoutBuilder builder(shape);
  int64_t unit = builder.layout.unitSize(kFirst) * builder.layout.unitSize(kLast);
  int64_t own = std::max<int64_t>(1, unit / (int64_t(block.lanes) * block.warps));
  int64_t along = kTurned, across = std::min(vector, kTurned);
  while (along * across > own)
    (along > across ? along : across) /= 2;
  auto take = [&](tile::Bases &bases, unsigned dimension, int64_t count) {
    for (; count > 1 && builder.hasBits(dimension); count /= 2)
      bases.push_back(builder.take(dimension));
  };
  take(builder.layout.registers, kLast, across);
  take(builder.layout.registers, kFirst, along);
  take(builder.layout.lanes, kFirst, kTurned / along); // So that lanes write whole chunks of 16 bytes.
  while (builder.layout.lanes.size() < llvm::Log2_32(block.lanes))
    builder.layout.lanes.push_back(builder.takeFirst({kLast, kFirst}));
  for (unsigned warp = 1; warp < block.warps; warp *= 2)
    builder.layout.warps.push_back(builder.takeFirst({kFirst, kLast}));
  return builder.finish();
}

Layout inTurnedOrder(const Layout &layout) {
  Layout turned = layout;
  llvm::stable_sort(turned.registers, [](const Coordinates &a, const Coordinates &c) {
    auto isFirst = [](const Coordinates &basis) { return basis[kFirst] && basis[kFirst] < kTurned; };
    return isFirst(a) && !isFirst(c);
  });
  return turned;
}

SharedPlaces placesInSlot(ArrayRef<int64_t> shape, int64_t elementBytes) {
  constexpr int64_t kAccessBytes = 16;
  return SharedPlaces(shape, shape.size() - 1, std::max<int64_t>(1, kAccessBytes / elementBytes), elementBytes);
}

bool isKeptRow(Value slots) { return cast<MemRefType>(slots.getType()).getRank() == 1; }

TileSlot::TileSlot(Distribution &d, Value slots, ValueRange indices, int64_t elements) {
  if (isKeptRow(slots)) {
    memory = d.get(slots);
    begin = arith::IndexCastUIOp::create(d.b, d.b.getI32Type(), d.get(indices.front()));
    return;
  }
  ReassociationIndices all;
  for (int64_t i = 0, rank = cast<MemRefType>(slots.getType()).getRank(); i < rank; ++i)
    all.push_back(i);
  memory = memref::CollapseShapeOp::create(d.b, d.get(slots), ArrayRef<ReassociationIndices>{all});
  Value number = arith::IndexCastUIOp::create(d.b, d.b.getI32Type(), d.get(indices.front()));
  begin = arith::MulIOp::create(d.b, number, d.i32(elements));
}
} // namespace lispier
