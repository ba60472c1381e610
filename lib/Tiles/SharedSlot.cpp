//===- SharedSlot.cpp - slots of pipelined loops --------------------------===//
#include "SharedSlot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
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
