//===- NestEmitter.h - emission of one planned nest -------------*- C++ -*-===//
//
// The state of emitting a VectorNest: the indices and ranges of its dimensions at
// the builder's place. EmitNest.cpp emits loops and tiles, NestAccesses.cpp the
// accesses of a tile's operands, EmitNestSums.cpp what carries sums.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_LOOPS_NESTEMITTER_H
#define LISPIER_LIB_LOOPS_NESTEMITTER_H

#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <vector>

namespace lispier {
class NestEmitter {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  NestEmitter(mlir::OpBuilder &builder, VectorNest &nest)
      : b(builder), loc(nest.op.getLoc()), nest(nest), body(builder, nest), at(nest.rank()), isOne(nest.rank()),
        repeatsLast(nest.rank()) {}

  /// Emits the nest before the op. `parallel`: the outermost loops run on threads.
  void emit(bool parallel);

private:
  /// One of a tile's results, or of the values that it adds up: its distance from `at` in each dimension.
  using Offsets = llvm::SmallVector<int64_t>;
  using Step = llvm::function_ref<Values(mlir::ValueRange)>;

  /// Loads each operand at each place once, however many of the tile's values need it.
  class Loads {
  public:
    Loads(NestEmitter &emitter, Value mask, Loads *outer = nullptr) : emitter(emitter), mask(mask), outer(outer) {}
    Value get(unsigned number, const NestAccess &access, const Offsets &offsets);
    /// Loads what the reduced dimensions do not change, before the loops over these.
    void loadFixed(llvm::ArrayRef<Offsets> all);

  private:
    NestEmitter &emitter;
    Value mask;
    Loads *outer; ///< Of what the reduced dimensions do not change.
    std::map<std::vector<int64_t>, Value> known;
  };

  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, int64_t y) { return y ? b.createOrFold<mlir::arith::AddIOp>(loc, x, index(y)) : x; }
  Value sub(Value x, Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  Value smaller(Value x, Value y) { return b.createOrFold<mlir::arith::MinUIOp>(loc, x, y); }

  int64_t lanesOf(unsigned d) const { return d == nest.vectorDim ? nest.lanes : 1; }
  /// Whether the size of the dimension is known to be a multiple of `unit`.
  bool isWhole(unsigned d, int64_t unit) const {
    return !mlir::ShapedType::isDynamic(nest.staticSizes[d]) && nest.staticSizes[d] % unit == 0;
  }
  bool isReduced(const NestAccess &access) const {
    return llvm::any_of(nest.reducedDims(), [&](unsigned d) { return access.dependsOn(d); });
  }
  bool readsOutput(unsigned output) { return nest.op.payloadUsesValueFromOperand(nest.op.getDpsInitOperand(output)); }

  // Loops and tiles.

  /// for at = from to to by step; none if it is known to have no iteration, and no loop if it has one.
  void loop(Value from, Value to, int64_t step, unsigned d, llvm::function_ref<void()> inside);
  /// The end of the whole steps in from .. to.
  Value wholeEnd(Value from, Value to, int64_t step);
  /// Lanes from `at[d]` to `to`.
  Value maskUpTo(unsigned d, Value to);
  /// Whether the access depends only on loops outside of that along the vectors.
  bool isOuter(const NestAccess &access) const;
  /// Calls `inside` for the tiles along the vectors: in a loop over whole ones, then in one over single masked vectors.
  void overVectors(llvm::function_ref<void(int64_t count, Value mask)> inside);
  /// Calls `inside` for the tiles of rows. A partial tile repeats its last row, which is computed and written alike
  /// each time.
  void overRows(unsigned d, llvm::function_ref<void(int64_t count)> inside);
  /// Emits the tiles of the range in begin .. end, in loops over `dims`.
  void overParallel(llvm::ArrayRef<unsigned> dims, llvm::SmallVector<int64_t> counts, Value mask);
  /// Indices of the dimension that a task has.
  int64_t chunk(unsigned d) const;
  void overTasks();
  void emitTile(llvm::SmallVector<int64_t> counts, Value mask);
  void emitElements(llvm::ArrayRef<int64_t> counts, Value mask);

  // Accesses.

  llvm::SmallVector<Offsets> allOffsets(llvm::ArrayRef<int64_t> counts);
  /// The indices at a distance from `at`.
  Values shifted(const Offsets &offsets);
  Values indices(const NestAccess &access, llvm::ArrayRef<Value> place);
  /// Asks for the cache line of a later iteration, if the vector at the offsets begins one: some hundred bytes ahead
  /// along the vectors (a page ahead in an op inside a thread), or some rows ahead where a row is read in part. The
  /// processor's own prefetching ends with each page.
  void prefetch(const NestAccess &access, const Offsets &offsets);
  Value load(const NestAccess &access, llvm::ArrayRef<Value> place, Value mask);
  void store(Value value, const NestAccess &access, llvm::ArrayRef<Value> place, Value mask);
  /// The values that the body yields at the offsets, given the outputs' values.
  Values evaluate(Loads &loads, const Offsets &offsets, mlir::ValueRange outputs, Value mask);

  // Sums.

  /// The next sums: of each of the tile's results, all outputs.
  Values step(llvm::ArrayRef<Offsets> all, mlir::ValueRange sums, Value mask, Loads &fixed);
  /// Loops over the dimensions, each within those before it, that carry values.
  Values overReduced(llvm::ArrayRef<unsigned> dims, mlir::ValueRange carried, Step inside);
  Values carry(unsigned d, Value from, Value to, int64_t step, mlir::ValueRange carried, Step inside);
  /// A tile's sums along dimensions other than the vectors', in registers.
  void emitSums(llvm::ArrayRef<int64_t> counts, Value mask);
  /// Sums whose lanes are partial sums, for each of the tile's results: scalars, not yet combined with the outputs.
  Values laneSums(llvm::ArrayRef<Offsets> results);
  Value reduceLanes(Value lanes, const NestReduction &reduction);
  void emitLaneSums(llvm::ArrayRef<int64_t> counts);
  /// Along the vectors a chunk has at least kChunkElements indices, and there are about kChunks, whatever the number of
  /// threads.
  Value chunkAlongVectors(Value size);
  /// Without a parallel dimension the outermost reduced one is cut into chunks by its size alone, whose sums are
  /// combined in order.
  void reduceInParallel();

  mlir::OpBuilder &b;
  mlir::Location loc;
  VectorNest &nest;
  NestBody body;
  bool prefetches = false;           ///< In loops that read long rows once.
  Values hoisted;                    ///< Of each input: its value, if the loops inside do not change it.
  Values at, begin, end, sizes;      ///< Of each dimension: the current index, and the range of the task.
  llvm::BitVector isOne;             ///< Dimensions of which the task has one index, or one tile.
  llvm::BitVector repeatsLast;       ///< Dimensions of which the current tile may be partial.
  llvm::SmallVector<unsigned> order; ///< Parallel dimensions, outermost first.
  std::optional<unsigned> manyTiles; ///< The dimension of which a task has several tiles.
};
} // namespace lispier
#endif
