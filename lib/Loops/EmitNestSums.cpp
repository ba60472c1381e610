//===- EmitNestSums.cpp - reduced dimensions of a nest --------------------===//
//
// Loops over the reduced dimensions carry a tile's sums in registers: vectors of
// results, or vectors of partial sums, whose lanes are added up behind the loop.
//
//===----------------------------------------------------------------------===//
#include "NestEmitter.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
SmallVector<Value> NestEmitter::step(ArrayRef<Offsets> all, ValueRange sums, Value mask, Loads &fixed) {
  Loads loads(*this, mask, &fixed);
  SmallVector<Value> next;
  size_t outputs = nest.outputs.size();
  for (auto [i, offsets] : llvm::enumerate(all))
    for (auto [k, value] : llvm::enumerate(evaluate(loads, offsets, sums.slice(i * outputs, outputs), mask))) {
      Value sum = sums[i * outputs + k];
      if (isa<VectorType>(sum.getType()))
        value = body.toVector(value);
      // Masked lanes of a sum along the vectors keep their value; pairs beyond the end are zeros.
      if (mask && nest.reducesVectors() && !nest.inPairs)
        value = arith::SelectOp::create(b, loc, mask, value, sum);
      next.push_back(value);
    }
  return next;
}

SmallVector<Value> NestEmitter::overReduced(ArrayRef<unsigned> dims, ValueRange carried, Step inside) {
  if (dims.empty())
    return inside(carried);
  unsigned d = dims.front();
  return carry(d, begin[d], end[d], 1, carried,
               [&](ValueRange now) { return overReduced(dims.drop_front(), now, inside); });
}

SmallVector<Value> NestEmitter::carry(unsigned d, Value from, Value to, int64_t step, ValueRange carried, Step inside) {
  std::optional<int64_t> first = getConstantIntValue(from), last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return SmallVector<Value>(carried);
  if (first && last && *last - *first <= step) {
    at[d] = from;
    return inside(carried);
  }
  auto loop = scf::ForOp::create(b, loc, from, to, index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  at[d] = loop.getInductionVar();
  scf::YieldOp::create(b, loc, inside(loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

void NestEmitter::emitSums(ArrayRef<int64_t> counts, Value mask) {
  SmallVector<Offsets> all = allOffsets(counts);
  SmallVector<Value> sums;
  auto places = llvm::map_to_vector(all, [&](const Offsets &offsets) { return shifted(offsets); });
  for (const auto &place : places)
    for (const NestAccess &output : nest.outputs)
      sums.push_back(load(output, place, mask));
  Loads fixed(*this, mask);
  fixed.loadFixed(all);
  prefetches = !nest.hasRows() && !nest.op->hasAttr(device::kCached);
  sums = overReduced(nest.reducedDims(), sums, [&](ValueRange sums) { return step(all, sums, mask, fixed); });
  prefetches = false;
  for (auto [i, place] : llvm::enumerate(places))
    for (auto [k, output] : llvm::enumerate(nest.outputs))
      store(sums[i * nest.outputs.size() + k], output, place, mask);
}

SmallVector<Value> NestEmitter::laneSums(ArrayRef<Offsets> results) {
  unsigned v = nest.vectorDim;
  int64_t vectors = nest.tile[v];
  size_t outputs = nest.outputs.size();
  // Sum j of result i is that of vectors j, j + vectors, ...
  SmallVector<Offsets> all;
  SmallVector<Value> sums;
  for (int64_t j = 0; j < vectors; ++j)
    for (const Offsets &result : results) {
      all.push_back(result);
      all.back()[v] = j * nest.lanes;
      for (const NestReduction &reduction : nest.reductions) {
        auto type = body.vectorType(reduction.neutral.getType());
        sums.push_back(arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(reduction.neutral))));
      }
    }
  SmallVector<unsigned> reduced = nest.reducedDims();
  llvm::erase(reduced, v);
  Loads fixed(*this, Value());
  fixed.loadFixed(results);
  sums = overReduced(reduced, sums, [&](ValueRange carried) {
    SmallVector<Value> now(carried);
    Value from = begin[v];
    auto along = [&](int64_t count, Value to, bool masked) {
      size_t values = count * results.size();
      ArrayRef<Value> current(now);
      SmallVector<Value> next =
          carry(v, from, to, count * nest.lanes, current.take_front(values * outputs), [&](ValueRange s) {
            return step(ArrayRef(all).take_front(values), s, masked ? maskUpTo(v, end[v]) : Value(), fixed);
          });
      llvm::copy(next, now.begin());
      from = to;
    };
    prefetches = !nest.op->hasAttr(device::kCached);
    along(vectors, wholeEnd(from, end[v], vectors * nest.lanes), false);
    prefetches = false;
    if (vectors > 1)
      along(1, wholeEnd(from, end[v], nest.lanes), false);
    along(1, end[v], true);
    return now;
  });
  // Pairs of sums, so that the additions do not wait for each other.
  size_t each = results.size() * outputs;
  for (int64_t count = vectors; count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2 * each; ++i)
      sums[i] = body.combine(i % outputs, sums[i], sums[i + (count + 1) / 2 * each]);
  for (size_t i = 0; i < each; ++i)
    sums[i] = reduceLanes(sums[i], nest.reductions[i % outputs]);
  sums.resize(each);
  return sums;
}

Value NestEmitter::reduceLanes(Value lanes, const NestReduction &reduction) {
  bool isFloat = isa<FloatType>(reduction.neutral.getType());
  return vector::ReductionOp::create(b, loc, reduction.kind, lanes,
                                     isFloat ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
}

void NestEmitter::emitLaneSums(ArrayRef<int64_t> counts) {
  SmallVector<int64_t> results(counts);
  results[nest.vectorDim] = 1;
  SmallVector<Offsets> all = allOffsets(results);
  auto places = llvm::map_to_vector(all, [&](const Offsets &offsets) { return shifted(offsets); });
  SmallVector<Value> sums = laneSums(all);
  size_t outputs = nest.outputs.size();
  for (auto [i, place] : llvm::enumerate(places))
    for (auto [k, output] : llvm::enumerate(nest.outputs)) {
      Value &sum = sums[i * outputs + k];
      sum = body.combine(k, load(output, place, Value()), sum);
    }
  for (auto [i, place] : llvm::enumerate(places)) // After all are read: rows may be repeated.
    for (auto [k, output] : llvm::enumerate(nest.outputs))
      store(sums[i * outputs + k], output, place, Value());
}

Value NestEmitter::chunkAlongVectors(Value size) {
  constexpr int64_t kChunkElements = 16384, kChunks = 64;
  int64_t unit = nest.lanes * nest.tile[nest.vectorDim];
  Value units = b.createOrFold<arith::DivUIOp>(loc, size, index(kChunks * unit));
  Value even = b.createOrFold<arith::MulIOp>(loc, units, index(unit));
  return b.createOrFold<arith::MaxUIOp>(loc, even, index(kChunkElements));
}

void NestEmitter::reduceInParallel() {
  SmallVector<unsigned> reduced = nest.reducedDims();
  bool hasCombine = llvm::all_of(nest.reductions, [](const NestReduction &r) { return r.combine != nullptr; });
  if (!hasCombine || !nest.reducesVectors())
    return emitTile(SmallVector<int64_t>(nest.rank(), 1), Value());
  unsigned d = reduced.front();
  Value whole = end[d], chunk = d == nest.vectorDim ? chunkAlongVectors(sub(whole, begin[d])) : index(1);
  SmallVector<Value> neutral;
  for (const NestReduction &reduction : nest.reductions)
    neutral.push_back(arith::ConstantOp::create(b, loc, reduction.neutral));
  auto tasks = scf::ParallelOp::create(b, loc, begin[d], whole, chunk, neutral,
                                       [](OpBuilder &, Location, ValueRange, ValueRange) {});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tasks.getBody());
    begin[d] = tasks.getInductionVars().front();
    end[d] = smaller(b.createOrFold<arith::AddIOp>(loc, begin[d], chunk), whole);
    SmallVector<Value> sums = laneSums({Offsets(nest.rank(), 0)});
    auto reduce = scf::ReduceOp::create(b, loc, sums);
    for (auto [k, region] : llvm::enumerate(reduce.getReductions())) {
      Block &block = region.front();
      b.setInsertionPointToStart(&block);
      scf::ReduceReturnOp::create(b, loc, body.combine(k, block.getArgument(0), block.getArgument(1)));
    }
  }
  SmallVector<Value> place(nest.rank());
  for (auto [k, output] : llvm::enumerate(nest.outputs))
    store(body.combine(k, load(output, place, Value()), tasks.getResult(k)), output, place, Value());
}
} // namespace lispier
