//===- EmitNest.cpp - a planned nest as loops over vectors ----------------===//
//
// The nest, from the outside: tasks (scf.parallel) over chunks of the parallel
// dimensions, loops over the tiles of a chunk, loops over the reduced dimensions
// that carry a tile's sums in registers. What does not fill a tile is done in
// smaller ones, and a remainder along the vectors by masked vectors, so that
// nothing is done one number at a time.
//
//===----------------------------------------------------------------------===//
#include "VectorNest.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include <map>

using namespace mlir;

namespace lispier {
namespace {
class Emitter {
public:
  Emitter(OpBuilder &builder, VectorNest &nest)
      : b(builder), loc(nest.op.getLoc()), nest(nest), body(builder, nest), at(nest.rank()), isOne(nest.rank()),
        repeatsLast(nest.rank()) {}

  void emit(bool parallel) {
    sizes = loopSizes(b, nest.op);
    end = sizes;
    begin.assign(nest.rank(), index(0));
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (nest.isParallel(d) && nest.tile[d] == 1 && d != nest.vectorDim)
        order.push_back(d);
    if (!nest.reducesVectors())
      order.push_back(nest.vectorDim);
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (nest.isParallel(d) && nest.tile[d] > 1 && d != nest.vectorDim)
        order.push_back(d);
    if (!parallel)
      return overParallel(order, SmallVector<int64_t>(nest.rank(), 1), Value());
    order.empty() ? reduceInParallel() : overTasks();
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, int64_t y) { return y ? b.createOrFold<arith::AddIOp>(loc, x, index(y)) : x; }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value smaller(Value x, Value y) { return b.createOrFold<arith::MinUIOp>(loc, x, y); }
  int64_t lanesOf(unsigned d) const { return d == nest.vectorDim ? nest.lanes : 1; }

  //===- Loops ------------------------------------------------------------===//

  /// for at = from to to by step; none if it is known to have no iteration, and no loop if it has one.
  void loop(Value from, Value to, int64_t step, unsigned d, llvm::function_ref<void()> inside) {
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

  /// The end of the whole steps in from .. to.
  Value wholeEnd(Value from, Value to, int64_t step) {
    if (step == 1)
      return to;
    Value length = sub(to, from);
    Value whole = sub(length, b.createOrFold<arith::RemUIOp>(loc, length, index(step)));
    return b.createOrFold<arith::AddIOp>(loc, from, whole);
  }

  /// Lanes from `at[d]` to `to`.
  Value maskUpTo(unsigned d, Value to) {
    return vector::CreateMaskOp::create(b, loc, body.vectorType(b.getI1Type()), sub(to, at[d]));
  }

  bool isWhole(unsigned d, int64_t unit) const {
    return !ShapedType::isDynamic(nest.staticSizes[d]) && nest.staticSizes[d] % unit == 0;
  }

  /// Whether the access depends only on loops outside of that along the vectors.
  bool isOuter(const NestAccess &access) const {
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (access.dependsOn(d) && (d == nest.vectorDim || nest.tile[d] > 1 || !nest.isParallel(d)))
        return false;
    return true;
  }

  /// Calls `inside` for the tiles along the vectors: in a loop over whole ones, then in one over single masked vectors.
  void overVectors(llvm::function_ref<void(int64_t count, Value mask)> inside) {
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

  /// Calls `inside` for the tiles of rows. A partial tile repeats its last row, which is computed and written alike
  /// each time.
  void overRows(unsigned d, llvm::function_ref<void(int64_t count)> inside) {
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

  void overParallel(ArrayRef<unsigned> dims, SmallVector<int64_t> counts, Value mask) {
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

  /// Indices of the dimension that a task has.
  int64_t chunk(unsigned d) const {
    int64_t tile = nest.tile[d] * lanesOf(d);
    bool isElementwise = !nest.isReducing();
    return d == nest.vectorDim && isElementwise ? 64 * nest.lanes : tile;
  }

  void overTasks() {
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
      if (d != nest.vectorDim)
        isOne.set(d);
      Value whole = add(origin, chunk(d));
      end[d] = isWhole(d, chunk(d)) ? whole : smaller(whole, sizes[d]);
    }
    overParallel(order, SmallVector<int64_t>(nest.rank(), 1), Value());
  }

  //===- Tiles ------------------------------------------------------------===//

  /// One of the tile's results, or of the values that it adds up: its distance from `at` in each dimension.
  using Offsets = SmallVector<int64_t>;

  SmallVector<Offsets> allOffsets(ArrayRef<int64_t> counts) {
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

  SmallVector<Value> shifted(const Offsets &offsets) {
    SmallVector<Value> place(at);
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (place[d] && offsets[d]) {
        if (streamLength && d == nest.vectorDim) {
          Value before = b.createOrFold<arith::MulIOp>(loc, streamLength, index(offsets[d] / nest.lanes));
          place[d] = b.createOrFold<arith::AddIOp>(loc, place[d], before);
          continue;
        }
        place[d] = add(place[d], offsets[d]);
        if (repeatsLast.test(d))
          place[d] = smaller(place[d], add(end[d], -1));
      }
    return place;
  }

  SmallVector<Value> indices(const NestAccess &access, ArrayRef<Value> place) {
    return llvm::map_to_vector(access.map.getResults(),
                               [&](AffineExpr result) { return linearIndex(b, loc, result, place); });
  }

  /// Asks for what a later iteration reads: a page ahead along the vectors, or some rows ahead where a row is read in
  /// part. The processor's own prefetching ends with each page.
  void prefetch(const NestAccess &access, ArrayRef<Value> place, int64_t elementBytes) {
    constexpr int64_t kAheadBytes = 4096, kAheadInStream = 256, kAheadRows = 8;
    constexpr int64_t kCacheBytes = 32 * 1024;
    auto type = cast<MemRefType>(access.value.getType());
    if (type.hasStaticShape() && type.getNumElements() * elementBytes <= kCacheBytes)
      return; // It is in the cache, or worth no more than what the processor fetches by itself.
    Value base = access.value;
    while (auto view = base.getDefiningOp<ViewLikeOpInterface>())
      base = view.getViewSource();
    if (base.getDefiningOp<memref::AllocaOp>())
      return; // So is the stack.
    SmallVector<Value> ahead(place);
    unsigned d = nest.reducedDims().back();
    ahead[d] = add(ahead[d], d != nest.vectorDim
                                 ? kAheadRows
                                 : (streamLength || nest.hasRows() ? kAheadInStream : kAheadBytes) / elementBytes);
    memref::PrefetchOp::create(b, loc, access.value, indices(access, ahead), /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }

  Value load(const NestAccess &access, ArrayRef<Value> place, Value mask) {
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
      if (!mask) {
        if (prefetches && isReduced(access))
          prefetch(access, place, byteSize(type.getElementType()));
        return vector::LoadOp::create(b, loc, type, access.value, indices(access, place));
      }
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

  void store(Value value, const NestAccess &access, ArrayRef<Value> place, Value mask) {
    SmallVector<Value> where = indices(access, place);
    if (!access.dependsOn(nest.vectorDim))
      memref::StoreOp::create(b, loc, value, access.value, where);
    else if (mask)
      vector::MaskedStoreOp::create(b, loc, access.value, where, mask, body.toVector(value));
    else
      vector::StoreOp::create(b, loc, body.toVector(value), access.value, where);
  }

  /// Loads each operand at each place once, however many of the tile's values need it.
  class Loads {
  public:
    Loads(Emitter &emitter, Value mask, Loads *outer = nullptr) : emitter(emitter), mask(mask), outer(outer) {}
    Value get(unsigned number, const NestAccess &access, const Offsets &offsets) {
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
      if (!value)
        value = emitter.load(access, emitter.shifted(offsets), mask);
      return value;
    }
    /// Loads what the reduced dimensions do not change, before the loops over these.
    void loadFixed(ArrayRef<Offsets> all) {
      for (auto [i, input] : llvm::enumerate(emitter.nest.inputs))
        for (const Offsets &offsets : all)
          if (!input.isPrefetched && !emitter.isReduced(input))
            get(i, input, offsets);
    }

  private:
    Emitter &emitter;
    Value mask;
    Loads *outer; ///< Of what the reduced dimensions do not change.
    std::map<std::vector<int64_t>, Value> known;
  };

  bool isReduced(const NestAccess &access) const {
    return llvm::any_of(nest.reducedDims(), [&](unsigned d) { return access.dependsOn(d); });
  }

  bool readsOutput(unsigned output) { return nest.op.payloadUsesValueFromOperand(nest.op.getDpsInitOperand(output)); }

  /// The values that the body yields at the offsets, given the outputs' values.
  SmallVector<Value> evaluate(Loads &loads, const Offsets &offsets, ValueRange outputs) {
    SmallVector<Value> arguments;
    for (auto [i, input] : llvm::enumerate(nest.inputs))
      arguments.push_back(loads.get(i, input, offsets));
    llvm::append_range(arguments, outputs);
    return body.evaluate(arguments, shifted(offsets));
  }

  void emitTile(SmallVector<int64_t> counts, Value mask) {
    if (!nest.isReducing())
      return emitElements(counts, mask);
    if (nest.reducesVectors())
      return emitLaneSums(counts);
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

  void emitElements(ArrayRef<int64_t> counts, Value mask) {
    Loads loads(*this, mask);
    SmallVector<Offsets> all = allOffsets(counts);
    SmallVector<SmallVector<Value>> results;
    for (const Offsets &offsets : all) {
      SmallVector<Value> outputs(nest.outputs.size());
      for (auto [k, output] : llvm::enumerate(nest.outputs))
        if (readsOutput(k))
          outputs[k] = load(output, shifted(offsets), mask);
      results.push_back(evaluate(loads, offsets, outputs));
    }
    for (auto [offsets, values] : llvm::zip(all, results))
      for (auto [output, value] : llvm::zip(nest.outputs, values))
        store(value, output, shifted(offsets), mask);
  }

  //===- Sums -------------------------------------------------------------===//

  /// The next sums: of each of the tile's results, all outputs.
  SmallVector<Value> step(ArrayRef<Offsets> all, ValueRange sums, Value mask, Loads &fixed) {
    Loads loads(*this, mask, &fixed);
    SmallVector<Value> next;
    size_t outputs = nest.outputs.size();
    for (auto [i, offsets] : llvm::enumerate(all))
      for (auto [k, value] : llvm::enumerate(evaluate(loads, offsets, sums.slice(i * outputs, outputs)))) {
        Value sum = sums[i * outputs + k];
        if (isa<VectorType>(sum.getType()))
          value = body.toVector(value);
        // Masked lanes of a sum along the vectors keep their value.
        if (mask && nest.reducesVectors())
          value = arith::SelectOp::create(b, loc, mask, value, sum);
        next.push_back(value);
      }
    return next;
  }

  using Step = llvm::function_ref<SmallVector<Value>(ValueRange)>;

  /// Loops over the dimensions, each within those before it, that carry values.
  SmallVector<Value> overReduced(ArrayRef<unsigned> dims, ValueRange carried, Step inside) {
    if (dims.empty())
      return inside(carried);
    unsigned d = dims.front();
    return carry(d, begin[d], end[d], 1, carried,
                 [&](ValueRange now) { return overReduced(dims.drop_front(), now, inside); });
  }

  SmallVector<Value> carry(unsigned d, Value from, Value to, int64_t step, ValueRange carried, Step inside) {
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

  /// Sums whose lanes are partial sums, for each of the tile's results: scalars, not yet combined with the outputs.
  SmallVector<Value> laneSums(ArrayRef<Offsets> results) {
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
      if (streamLength) {
        // All streams advance by one vector.
        now = carry(v, from, b.createOrFold<arith::AddIOp>(loc, from, streamLength), nest.lanes, now,
                    [&](ValueRange s) { return step(all, s, Value(), fixed); });
        prefetches = false;
        return now;
      }
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

  Value reduceLanes(Value lanes, const NestReduction &reduction) {
    bool isFloat = isa<FloatType>(reduction.neutral.getType());
    return vector::ReductionOp::create(b, loc, reduction.kind, lanes,
                                       isFloat ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
  }

  void emitLaneSums(ArrayRef<int64_t> counts) {
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

  /// The sums of a chunk along the vectors. A whole chunk is read as several streams, one for each of the independent
  /// sums: a core reads memory faster so than as one stream.
  SmallVector<Value> chunkSums(Value chunk) {
    unsigned v = nest.vectorDim;
    SmallVector<Offsets> one{Offsets(nest.rank(), 0)};
    if (nest.tile[v] == 1 || nest.reducedDims().size() > 1)
      return laneSums(one);
    Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sub(end[v], begin[v]), chunk);
    SmallVector<Type> types;
    for (const NestReduction &reduction : nest.reductions)
      types.push_back(reduction.neutral.getType());
    auto branch = scf::IfOp::create(b, loc, types, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    streamLength = b.createOrFold<arith::DivUIOp>(loc, chunk, index(nest.tile[v]));
    scf::YieldOp::create(b, loc, laneSums(one));
    streamLength = Value();
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, laneSums(one));
    return SmallVector<Value>(branch.getResults());
  }

  /// Along the vectors a chunk has at least kChunkVectors of them, and there are about kChunks, whatever the number of
  /// threads.
  Value chunkAlongVectors(Value size) {
    constexpr int64_t kChunkVectors = 1024, kChunks = 64;
    int64_t unit = nest.lanes * nest.tile[nest.vectorDim];
    Value units = b.createOrFold<arith::DivUIOp>(loc, size, index(kChunks * unit));
    Value even = b.createOrFold<arith::MulIOp>(loc, units, index(unit));
    return b.createOrFold<arith::MaxUIOp>(loc, even, index(kChunkVectors * nest.lanes));
  }

  /// Without a parallel dimension the outermost reduced one is cut into chunks by its size alone, whose sums are
  /// combined in order.
  void reduceInParallel() {
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
      SmallVector<Value> sums = d == nest.vectorDim ? chunkSums(chunk) : laneSums({Offsets(nest.rank(), 0)});
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

  OpBuilder &b;
  Location loc;
  VectorNest &nest;
  NestBody body;
  bool prefetches = false;                  ///< In loops that read long rows once.
  Value streamLength;                       ///< Null, or how far the vectors of independent sums are apart.
  SmallVector<Value> hoisted;               ///< Of each input: its value, if the loops inside do not change it.
  SmallVector<Value> at, begin, end, sizes; ///< Of each dimension: the current index, and the range of the task.
  llvm::BitVector isOne;                    ///< Dimensions of which the task has one index, or one tile.
  llvm::BitVector repeatsLast;              ///< Dimensions of which the current tile may be partial.
  SmallVector<unsigned> order;              ///< Parallel dimensions, outermost first.
};
} // namespace

void emitNest(OpBuilder &builder, VectorNest &nest, bool parallel) {
  if (nest.transposedDim)
    return emitTransposition(builder, nest, parallel);
  if (!nest.rowDim)
    return Emitter(builder, nest).emit(parallel);
  Location loc = nest.op.getLoc();
  unsigned rows = *nest.rowDim;
  Value most = arith::ConstantIndexOp::create(builder, loc, nest.fewRows);
  Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, loopSizes(builder, nest.op)[rows], most);
  auto branch = scf::IfOp::create(builder, loc, isFew, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  VectorNest wide = nest;
  wide.tile[rows] = 1;
  wide.tile[nest.vectorDim] = nest.wideTile;
  builder.setInsertionPointToStart(branch.thenBlock());
  Emitter(builder, wide).emit(parallel);
  builder.setInsertionPointToStart(branch.elseBlock());
  Emitter(builder, nest).emit(parallel);
}
} // namespace lispier
