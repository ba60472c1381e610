//===- UnrollVectorAccesses.cpp - vectors of several rows, row by row -----===//
//
// Before: vector.load and vector.store of any rank. After: of one dimension,
// which is all that LLVM and the simulator's checks know. Rows of a vector are
// as far apart in memory as those of its memref.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_UNROLLVECTORACCESSES
#include "lispier/Loops/Passes.h.inc"

namespace {
bool hasRows(VectorType type, MemRefType memory) {
  return type.getRank() > 1 && !type.isScalable() && type.getElementType() == memory.getElementType();
}

VectorType rowType(VectorType type) { return VectorType::get(type.getShape().take_back(), type.getElementType()); }

/// Calls `each` for every row of `type` with its position in the vector and its place in memory.
void eachRow(OpBuilder &b, Location loc, VectorType type, ValueRange indices,
             llvm::function_ref<void(ArrayRef<int64_t>, ValueRange)> each) {
  SmallVector<int64_t> outer(type.getShape().drop_back()), ones(outer.size(), 1);
  size_t leading = indices.size() - type.getRank();
  for (SmallVector<int64_t> position : StaticTileOffsetRange(outer, ones)) {
    SmallVector<Value> place(indices);
    for (auto [i, at] : llvm::enumerate(position))
      if (at)
        place[leading + i] =
            b.createOrFold<arith::AddIOp>(loc, place[leading + i], arith::ConstantIndexOp::create(b, loc, at));
    each(position, place);
  }
}

void unroll(vector::LoadOp load) {
  OpBuilder b(load);
  VectorType type = load.getVectorType();
  TypedAttr zero = b.getZeroAttr(type);
  if (!zero || !hasRows(type, load.getMemRefType()))
    return;
  Value rows = arith::ConstantOp::create(b, load.getLoc(), zero);
  eachRow(b, load.getLoc(), type, load.getIndices(), [&](ArrayRef<int64_t> position, ValueRange place) {
    Value row = vector::LoadOp::create(b, load.getLoc(), rowType(type), load.getBase(), place, load.getNontemporal());
    rows = vector::InsertOp::create(b, load.getLoc(), row, rows, position);
  });
  load.replaceAllUsesWith(rows);
  load.erase();
}

void unroll(vector::StoreOp store) {
  OpBuilder b(store);
  VectorType type = store.getVectorType();
  if (!hasRows(type, store.getMemRefType()))
    return;
  eachRow(b, store.getLoc(), type, store.getIndices(), [&](ArrayRef<int64_t> position, ValueRange place) {
    Value row = vector::ExtractOp::create(b, store.getLoc(), store.getValueToStore(), position);
    vector::StoreOp::create(b, store.getLoc(), row, store.getBase(), place, store.getNontemporal());
  });
  store.erase();
}

struct UnrollVectorAccesses : impl::UnrollVectorAccessesBase<UnrollVectorAccesses> {
  void runOnOperation() override {
    getOperation()->walk([](vector::LoadOp load) { unroll(load); });
    getOperation()->walk([](vector::StoreOp store) { unroll(store); });
  }
};
} // namespace
} // namespace lispier
