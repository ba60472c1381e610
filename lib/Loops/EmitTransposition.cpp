//===- EmitTransposition.cpp - blocks transposed in registers -------------===//
//
// An elementwise op of which some inputs are contiguous along another dimension
// than the output. A block has as many rows as a vector has lanes: those inputs are
// read by vectors along their own dimension, and transposed by shuffles.
//
//===----------------------------------------------------------------------===//
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
void transposeRows(OpBuilder &b, Location loc, MutableArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  for (int64_t s = 1; s < lanes; s *= 2)
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & s)
        continue;
      SmallVector<int64_t> upper(lanes), lower(lanes);
      for (int64_t c = 0; c < lanes; ++c) {
        upper[c] = c & s ? lanes + (c ^ s) : c;
        lower[c] = c & s ? lanes + c : (c ^ s);
      }
      Value first = rows[i], second = rows[i | s];
      rows[i] = vector::ShuffleOp::create(b, loc, first, second, upper);
      rows[i | s] = vector::ShuffleOp::create(b, loc, first, second, lower);
    }
}

namespace {
class Transposition {
public:
  Transposition(OpBuilder &builder, VectorNest &nest)
      : b(builder), loc(nest.op.getLoc()), nest(nest), body(builder, nest), v(nest.vectorDim), u(*nest.transposedDim),
        at(nest.rank()) {}

  void emit(bool parallel) {
    sizes = loopSizes(b, nest.op);
    SmallVector<unsigned> order;
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (d != v && d != u)
        order.push_back(d);
    order.append({u, v});
    parallel ? overTasks(order) : inSequence(order);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, int64_t y) { return y ? b.createOrFold<arith::AddIOp>(loc, x, index(y)) : x; }
  Value smaller(Value x, Value y) { return b.createOrFold<arith::MinUIOp>(loc, x, y); }

  /// How many indices of the dimension a task has, or a loop around it advances by. A task writes one column of blocks:
  /// it reads each row of the inputs up to the next page, and lines of which it uses a part are still in the cache for
  /// the next task.
  int64_t step(unsigned d) const { return d == u ? 64 * nest.lanes : d == v ? nest.lanes : 1; }

  void column() {
    Value last = smaller(add(at[u], step(u)), sizes[u]);
    loop(at[u], last, nest.lanes, u, [&] { block(); });
  }

  void overTasks(ArrayRef<unsigned> order) {
    SmallVector<Value> lower(order.size(), index(0)), upper, steps;
    for (unsigned d : order) {
      upper.push_back(sizes[d]);
      steps.push_back(index(step(d)));
    }
    auto tasks = scf::ParallelOp::create(b, loc, lower, upper, steps);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tasks.getBody());
    for (auto [d, origin] : llvm::zip(order, tasks.getInductionVars()))
      at[d] = origin;
    column();
  }

  void inSequence(ArrayRef<unsigned> dims) {
    if (dims.empty())
      return column();
    unsigned d = dims.front();
    loop(index(0), sizes[d], step(d), d, [&] { inSequence(dims.drop_front()); });
  }

  void loop(Value from, Value to, int64_t step, unsigned d, llvm::function_ref<void()> inside) {
    auto loop = scf::ForOp::create(b, loc, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    at[d] = loop.getInductionVar();
    inside();
  }

  bool isWhole(unsigned d) const {
    return !ShapedType::isDynamic(nest.staticSizes[d]) && nest.staticSizes[d] % nest.lanes == 0;
  }

  void block() {
    if (isWhole(u) && isWhole(v))
      return blockOf(/*whole=*/true);
    auto fits = [&](unsigned d) {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, add(at[d], nest.lanes), sizes[d]);
    };
    Value whole = arith::AndIOp::create(b, loc, fits(u), fits(v));
    auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    blockOf(true);
    b.setInsertionPointToStart(branch.elseBlock());
    blockOf(false);
  }

  /// A mask of the first lanes, as many as there are indices of dimension `along` from `at` on; of none if the `line`th
  /// index of `across` is beyond the end.
  Value mask(unsigned along, unsigned across, int64_t line) {
    Value left = arith::SubIOp::create(b, loc, sizes[along], at[along]);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, add(at[across], line), sizes[across]);
    Value count = arith::SelectOp::create(b, loc, inside, left, index(0));
    return vector::CreateMaskOp::create(b, loc, body.vectorType(b.getI1Type()), count);
  }

  SmallVector<Value> indices(const NestAccess &access, ArrayRef<Value> place) {
    return llvm::map_to_vector(access.map.getResults(),
                               [&](AffineExpr result) { return linearIndex(b, loc, result, place); });
  }

  Value loadVector(const NestAccess &access, ArrayRef<Value> place, Value mask) {
    VectorType type = body.vectorType(cast<MemRefType>(access.value.getType()).getElementType());
    if (!mask)
      return vector::LoadOp::create(b, loc, type, access.value, indices(access, place));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, access.value, indices(access, place), mask, zeros);
  }

  void blockOf(bool whole) {
    SmallVector<SmallVector<Value>> transposed(nest.inputs.size());
    for (auto [i, input] : llvm::enumerate(nest.inputs)) {
      if (!nest.isTransposed(input))
        continue;
      for (int64_t line = 0; line < nest.lanes; ++line) {
        SmallVector<Value> place(at);
        place[v] = add(at[v], line);
        transposed[i].push_back(loadVector(input, place, whole ? Value() : mask(u, v, line)));
      }
      transposeRows(b, loc, transposed[i]);
    }
    for (int64_t line = 0; line < nest.lanes; ++line) {
      SmallVector<Value> place(at), arguments;
      place[u] = add(at[u], line);
      if (!whole) // What is read once a line is read within bounds, also where nothing is written.
        place[u] = smaller(place[u], add(sizes[u], -1));
      Value lineMask = whole ? Value() : mask(v, u, line);
      auto load = [&](const NestAccess &access) -> Value {
        if (!access.isMemory())
          return access.value;
        if (!access.dependsOn(v))
          return memref::LoadOp::create(b, loc, access.value, indices(access, place));
        return loadVector(access, place, lineMask);
      };
      for (auto [i, input] : llvm::enumerate(nest.inputs))
        arguments.push_back(transposed[i].empty() ? load(input) : transposed[i][line]);
      for (auto [k, output] : llvm::enumerate(nest.outputs))
        arguments.push_back(nest.op.payloadUsesValueFromOperand(nest.op.getDpsInitOperand(k)) ? load(output) : Value());
      for (auto [output, value] : llvm::zip(nest.outputs, body.evaluate(arguments, place, lineMask)))
        if (lineMask)
          vector::MaskedStoreOp::create(b, loc, output.value, indices(output, place), lineMask, body.toVector(value));
        else
          vector::StoreOp::create(b, loc, body.toVector(value), output.value, indices(output, place));
    }
  }

  OpBuilder &b;
  Location loc;
  VectorNest &nest;
  NestBody body;
  unsigned v, u;                ///< Of the vectors, and of the inputs' vectors.
  SmallVector<Value> at, sizes; ///< Of each dimension.
};
} // namespace

void emitTransposition(OpBuilder &builder, VectorNest &nest, bool parallel) {
  Transposition(builder, nest).emit(parallel);
}
} // namespace lispier
