//===- NestAccesses.cpp - the operands of a nest's tiles ------------------===//
//
// Loads and stores at the places of a tile: by vectors, by masked ones at the end,
// or number by number where an input is strided along the vectors.
//
//===----------------------------------------------------------------------===//
#include "NestEmitter.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
SmallVector<NestEmitter::Offsets> NestEmitter::allOffsets(ArrayRef<int64_t> counts) {
  SmallVector<Offsets> all{Offsets(nest.rank(), 0)};
  for (unsigned d = 0; d < nest.rank(); ++d) {
    SmallVector<Offsets> next;
    for (const Offsets &offsets : all)
      for (int64_t i = 0; i < counts[d]; ++i) {
        next.push_back(offsets);
        next.back()[d] = i * lanesOf(d);
      }
    all = std::move(next);
  }
  return all;
}

SmallVector<Value> NestEmitter::shifted(const Offsets &offsets) {
  SmallVector<Value> place(at);
  for (unsigned d = 0; d < nest.rank(); ++d)
    if (place[d] && offsets[d]) {
      place[d] = add(place[d], offsets[d]);
      if (repeatsLast.test(d))
        place[d] = smaller(place[d], add(end[d], -1));
    }
  return place;
}

SmallVector<Value> NestEmitter::indices(const NestAccess &access, ArrayRef<Value> place) {
  return llvm::map_to_vector(access.map.getResults(),
                             [&](AffineExpr result) { return linearIndex(b, loc, result, place); });
}

void NestEmitter::prefetch(const NestAccess &access, const Offsets &offsets) {
  // 256 bytes are far enough to cross into the next page in time, and longer distances lower the bandwidth of threads
  // that read from third-level caches. The passes over a row inside a thread ask a page ahead.
  constexpr int64_t kAheadBytes = 256, kAheadInPass = 4096, kAheadRows = 8;
  constexpr int64_t kCacheBytes = 32 * 1024, kLineBytes = 64;
  unsigned v = nest.vectorDim;
  if (!access.isMemory() || !access.dependsOn(v) || !access.isContiguousAlong(v) || !isReduced(access))
    return;
  auto type = cast<MemRefType>(access.value.getType());
  int64_t elementBytes = byteSize(type.getElementType());
  if (offsets[v] * elementBytes % kLineBytes != 0)
    return; // The vector before it prefetches the line.
  if (type.hasStaticShape() && type.getNumElements() * elementBytes <= kCacheBytes)
    return; // It is in the cache, or worth no more than what the processor fetches by itself.
  Value base = access.value;
  while (auto view = base.getDefiningOp<ViewLikeOpInterface>())
    base = view.getViewSource();
  if (isa_and_nonnull<memref::AllocaOp, arith::SelectOp>(base.getDefiningOp()))
    return; // So is the stack, and a tile, whichever memory it is read in, is too short.
  SmallVector<Value> ahead = shifted(offsets);
  unsigned d = nest.reducedDims().back();
  auto prefetchAt = [&](ArrayRef<Value> place) {
    memref::PrefetchOp::create(b, loc, access.value, indices(access, place), /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  };
  if (manyTiles) { // The other factor's next rows, as many lines in each step as it reads, for all of these tiles.
    unsigned others = order[order.size() - 2];
    if (access.dependsOn(*manyTiles) || offsets[others] != 0)
      return;
    Value line = b.createOrFold<arith::MulIOp>(loc, at[v], index(nest.tile[others]));
    ahead[others] = add(ahead[others], kAheadRows);
    for (int64_t byte = 0; byte < nest.tile[others] * nest.lanes * elementBytes; byte += kLineBytes) {
      ahead[v] = add(line, byte / elementBytes);
      prefetchAt(ahead);
    }
    return;
  }
  bool isPass = isInsideThread(nest.op) && !nest.hasRows();
  ahead[d] = add(ahead[d], d != v ? kAheadRows : (isPass ? kAheadInPass : kAheadBytes) / elementBytes);
  prefetchAt(ahead);
}

Value NestEmitter::load(const NestAccess &access, ArrayRef<Value> place, Value mask) {
  if (access.isPrefetched) {
    constexpr unsigned kSecondLevel = 2; // The first level is for what the op itself reads.
    if (!mask)
      memref::PrefetchOp::create(b, loc, access.value, indices(access, place), /*isWrite=*/false, kSecondLevel,
                                 /*isDataCache=*/true);
    return Value();
  }
  if (!access.isMemory())
    return access.value;
  unsigned v = nest.vectorDim;
  if (!access.dependsOn(v))
    return memref::LoadOp::create(b, loc, access.value, indices(access, place));
  VectorType type = body.vectorType(cast<MemRefType>(access.value.getType()).getElementType());
  if (access.isContiguousAlong(v)) {
    if (!mask)
      return vector::LoadOp::create(b, loc, type, access.value, indices(access, place));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, access.value, indices(access, place), mask, zeros);
  }
  // Number by number; lanes beyond the end repeat the last one.
  Value last = add(end[v], -1);
  SmallVector<Value> numbers, lane(place);
  for (int64_t i = 0; i < nest.lanes; ++i) {
    lane[v] = add(place[v], i);
    if (mask)
      lane[v] = smaller(lane[v], last);
    numbers.push_back(memref::LoadOp::create(b, loc, access.value, indices(access, lane)));
  }
  return vector::FromElementsOp::create(b, loc, type, numbers);
}

void NestEmitter::store(Value value, const NestAccess &access, ArrayRef<Value> place, Value mask) {
  SmallVector<Value> where = indices(access, place);
  if (!access.dependsOn(nest.vectorDim))
    memref::StoreOp::create(b, loc, value, access.value, where);
  else if (mask)
    vector::MaskedStoreOp::create(b, loc, access.value, where, mask, body.toVector(value));
  else
    vector::StoreOp::create(b, loc, body.toVector(value), access.value, where);
}

Value NestEmitter::Loads::get(unsigned number, const NestAccess &access, const Offsets &offsets) {
  if (access.isPrefetched)
    return emitter.load(access, emitter.shifted(offsets), mask);
  std::vector<int64_t> key{number};
  for (unsigned d = 0; d < offsets.size(); ++d)
    key.push_back(access.dependsOn(d) ? offsets[d] : 0);
  if (number < emitter.hoisted.size() && emitter.hoisted[number])
    return emitter.hoisted[number];
  if (outer && !emitter.isReduced(access))
    return outer->get(number, access, offsets);
  Value &value = known[key];
  if (!value) {
    if (emitter.prefetches && !mask)
      emitter.prefetch(access, offsets);
    value = emitter.load(access, emitter.shifted(offsets), mask);
  }
  return value;
}

void NestEmitter::Loads::loadFixed(ArrayRef<Offsets> all) {
  for (auto [i, input] : llvm::enumerate(emitter.nest.inputs))
    for (const Offsets &offsets : all)
      if (!input.isPrefetched && !emitter.isReduced(input))
        get(i, input, offsets);
}

SmallVector<Value> NestEmitter::evaluate(Loads &loads, const Offsets &offsets, ValueRange outputs, Value mask) {
  SmallVector<Value> arguments;
  for (auto [i, input] : llvm::enumerate(nest.inputs))
    arguments.push_back(loads.get(i, input, offsets));
  llvm::append_range(arguments, outputs);
  return body.evaluate(arguments, shifted(offsets), mask);
}
} // namespace lispier
