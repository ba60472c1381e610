//===- EmitNest.cpp - a planned nest as loops over vectors ----------------===//
//
// The nest, from the outside: tasks (scf.parallel) over chunks of the parallel
// dimensions, loops over the tiles of a chunk, loops over the reduced dimensions
// that carry a tile's sums in registers. What does not fill a tile is done in
// smaller ones, and a remainder along the vectors by masked vectors, so that
// nothing is done one number at a time.
//
//===----------------------------------------------------------------------===//
#include "NestEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
//===- Loops --------------------------------------------------------------===//

void NestEmitter::emit(bool parallel) {
  sizes = loopSizes(b, nest.op);
  end = sizes;
  begin.assign(nest.rank(), index(0));
  for (unsigned d = 0; d < nest.rank(); ++d)
    if (nest.isParallel(d) && nest.tile[d] == 1 && d != nest.vectorDim)
      order.push_back(d);
  if (!nest.reducesVectors())
    order.push_back(nest.vectorDim);
  SmallVector<unsigned> tiled;
  for (unsigned d = 0; d < nest.rank(); ++d)
    if (nest.isParallel(d) && nest.tile[d] > 1 && d != nest.vectorDim)
      tiled.push_back(d);
  if (tiled.size() == 2 && nest.reducesVectors()) { // Few rows of the left factor: the right one is read once for all.
    std::swap(tiled[0], tiled[1]);
    manyTiles = tiled[1];
  }
  order.append(tiled);
  if (!parallel)
    return overParallel(order, SmallVector<int64_t>(nest.rank(), 1), Value());
  order.empty() ? reduceInParallel() : overTasks();
}

void NestEmitter::loop(Value from, Value to, int64_t step, unsigned d, llvm::function_ref<void()> inside) {
  std::optional<int64_t> first = getConstantIntValue(from), last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return;
  if (first && last && *last - *first <= step) {
    at[d] = from;
    return inside();
  }
  auto loop = scf::ForOp::create(b, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  at[d] = loop.getInductionVar();
  inside();
}

Value NestEmitter::wholeEnd(Value from, Value to, int64_t step) {
  if (step == 1)
    return to;
  Value length = sub(to, from);
  Value whole = sub(length, b.createOrFold<arith::RemUIOp>(loc, length, index(step)));
  return b.createOrFold<arith::AddIOp>(loc, from, whole);
}

Value NestEmitter::maskUpTo(unsigned d, Value to) {
  return vector::CreateMaskOp::create(b, loc, body.vectorType(b.getI1Type()), sub(to, at[d]));
}

bool NestEmitter::isOuter(const NestAccess &access) const {
  for (unsigned d = 0; d < nest.rank(); ++d)
    if (access.dependsOn(d) && (d == nest.vectorDim || nest.tile[d] > 1 || !nest.isParallel(d)))
      return false;
  return true;
}

void NestEmitter::overVectors(llvm::function_ref<void(int64_t count, Value mask)> inside) {
  unsigned v = nest.vectorDim;
  int64_t count = nest.tile[v];
  hoisted.assign(nest.inputs.size(), Value());
  for (auto [i, input] : llvm::enumerate(nest.inputs))
    if (input.isMemory() && isOuter(input))
      hoisted[i] = load(input, at, Value());
  Value whole = wholeEnd(begin[v], end[v], count * nest.lanes);
  loop(begin[v], whole, count * nest.lanes, v, [&] { inside(count, Value()); });
  if (isWhole(v, count * nest.lanes))
    return;
  loop(whole, end[v], nest.lanes, v, [&] { inside(1, isWhole(v, nest.lanes) ? Value() : maskUpTo(v, end[v])); });
}

void NestEmitter::overRows(unsigned d, llvm::function_ref<void(int64_t count)> inside) {
  int64_t count = nest.tile[d];
  auto tile = [&] {
    if (isWhole(d, count))
      return inside(count);
    repeatsLast.set(d);
    if (!nest.reducesVectors()) {
      inside(count);
    } else { // One row is common in inference, and would take as long as a tile.
      Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, sub(end[d], at[d]), index(1));
      auto branch = scf::IfOp::create(b, loc, isOne, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      inside(1);
      b.setInsertionPointToStart(branch.elseBlock());
      inside(count);
    }
    repeatsLast.reset(d);
  };
  if (!isOne.test(d))
    return loop(begin[d], end[d], count, d, tile);
  at[d] = begin[d];
  tile();
}

void NestEmitter::overParallel(ArrayRef<unsigned> dims, SmallVector<int64_t> counts, Value mask) {
  if (dims.empty())
    return emitTile(counts, mask);
  unsigned d = dims.front();
  auto inner = [&](int64_t count, Value newMask) {
    counts[d] = count;
    overParallel(dims.drop_front(), counts, newMask ? newMask : mask);
  };
  if (d == nest.vectorDim)
    return overVectors(inner);
  if (nest.tile[d] > 1)
    return overRows(d, [&](int64_t count) { inner(count, Value()); });
  if (!isOne.test(d))
    return loop(begin[d], end[d], 1, d, [&] { inner(1, Value()); });
  at[d] = begin[d];
  inner(1, Value());
}

int64_t NestEmitter::chunk(unsigned d) const {
  constexpr int64_t kManyTiles = 12; // So that a task's rows stay in the second-level cache.
  int64_t tile = nest.tile[d] * lanesOf(d) * (manyTiles == d ? kManyTiles : 1);
  bool isElementwise = !nest.isReducing();
  return d == nest.vectorDim && isElementwise ? 64 * nest.lanes : tile;
}

void NestEmitter::overTasks() {
  SmallVector<Value> upper, steps, lower;
  for (unsigned d : order) {
    lower.push_back(begin[d]);
    upper.push_back(end[d]);
    steps.push_back(index(chunk(d)));
  }
  auto tasks = scf::ParallelOp::create(b, loc, lower, upper, steps);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(tasks.getBody());
  for (auto [d, origin] : llvm::zip(order, tasks.getInductionVars())) {
    begin[d] = origin;
    if (d != nest.vectorDim && d != manyTiles)
      isOne.set(d);
    Value whole = add(origin, chunk(d));
    end[d] = isWhole(d, chunk(d)) ? whole : smaller(whole, sizes[d]);
  }
  overParallel(order, SmallVector<int64_t>(nest.rank(), 1), Value());
}

//===- Tiles --------------------------------------------------------------===//

void NestEmitter::emitTile(SmallVector<int64_t> counts, Value mask) {
  if (!nest.isReducing())
    return emitElements(counts, mask);
  if (nest.reducesVectors())
    return emitLaneSums(counts);
  emitSums(counts, mask);
}

void NestEmitter::emitElements(ArrayRef<int64_t> counts, Value mask) {
  Loads loads(*this, mask);
  SmallVector<Offsets> all = allOffsets(counts);
  SmallVector<SmallVector<Value>> results;
  for (const Offsets &offsets : all) {
    SmallVector<Value> outputs(nest.outputs.size());
    for (auto [k, output] : llvm::enumerate(nest.outputs))
      if (readsOutput(k))
        outputs[k] = load(output, shifted(offsets), mask);
    results.push_back(evaluate(loads, offsets, outputs, mask));
  }
  for (auto [offsets, values] : llvm::zip(all, results))
    for (auto [output, value] : llvm::zip(nest.outputs, values))
      store(value, output, shifted(offsets), mask);
}

void emitNest(OpBuilder &builder, VectorNest &nest, bool parallel) {
  if (nest.transposedDim)
    return emitTransposition(builder, nest, parallel);
  if (!nest.rowDim)
    return NestEmitter(builder, nest).emit(parallel);
  Location loc = nest.op.getLoc();
  unsigned rows = *nest.rowDim;
  Value most = arith::ConstantIndexOp::create(builder, loc, kFewRows);
  Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, loopSizes(builder, nest.op)[rows], most);
  auto branch = scf::IfOp::create(builder, loc, isFew, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  VectorNest wide = nest;
  wide.tile[rows] = 1;
  wide.tile[nest.vectorDim] = nest.wideTile;
  builder.setInsertionPointToStart(branch.thenBlock());
  NestEmitter(builder, wide).emit(parallel);
  builder.setInsertionPointToStart(branch.elseBlock());
  NestEmitter(builder, nest).emit(parallel);
}
} // namespace lispier
