//===- DecomposeAddAt.cpp - lower nn.add_at and its like to loops ---------===//
//
// nn.add_at: a counting sort of the rows by their indices, which keeps the order of
// equal ones, by one thread: N is small beside N C. Then the table's rows in parallel,
// each with the rows that are its own, so that no two threads add to one element.
//
// nn.set_at, nn.extreme_at: row after row, blocks of columns in parallel.
//
//===----------------------------------------------------------------------===//
#include "DecomposeAddAt.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"

using namespace mlir;

namespace lispier::nn {
namespace {
/// Columns of a block.
constexpr int64_t kColumns = 64;

/// Calls `each` with the index of row n, for each row of the op whose index is inside of the table.
template <typename Op>
void forEachRow(LoopBuilder &b, Op op, bool checks, llvm::function_ref<void(Value n, Value index)> each) {
  const TargetInfo *target = device::targetInfoOf(op);
  bool reportsErrors = !target || target->reportsErrors;
  Value rows = b.size(op.getRows(), 0), table = b.size(op.getOut(), 0);
  b.forEach(rows, [&](Value n) {
    Value index = b.loadIndex(op.getIndices(), n);
    if (reportsErrors) {
      if (checks)
        device::RequireIndexOp::create(b, index, table, 0);
      return each(n, index);
    }
    Value isInside = b.compare(arith::CmpIPredicate::ult, index, table);
    scf::IfOp::create(b, isInside, [&](OpBuilder &inner, Location loc) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(inner.getInsertionBlock());
      each(n, index);
      scf::YieldOp::create(b);
    });
  });
}

class RowAdder {
public:
  RowAdder(LoopBuilder &b, AddAtOp op)
      : b(b), op(op), rows(b.size(op.getRows(), 0)), columns(b.size(op.getRows(), 1)), table(b.size(op.getOut(), 0)) {
    ends = part(b.index(0), table);
    order = part(b.add(table, table), rows);
  }

  void emit() {
    b.forAll(b.index(1), [&](ValueRange) { sort(); });
    bool isSummedInPlace = sums() == getElementTypeOrSelf(op.getOut());
    b.forAll(table, [&](ValueRange at) { isSummedInPlace ? addRows(at[0]) : addColumns(at[0]); });
  }

private:
  /// A part of the scratch memory.
  Value part(Value from, Value size) {
    return memref::SubViewOp::create(b, op.getScratch(), OpFoldResult(from), OpFoldResult(size),
                                     OpFoldResult(b.getIndexAttr(1)));
  }

  Value asI32(Value index) { return arith::IndexCastOp::create(b, b.getI32Type(), index); }
  void storeIndex(Value index, Value memref, Value at) { memref::StoreOp::create(b, asI32(index), memref, at); }

  /// ends[v]: how many rows have an index of at most v. order: the numbers of the rows, by their indices.
  void sort() {
    Value zero = b.index(0), one = b.index(1);
    b.forEach(table, [&](Value v) { storeIndex(zero, ends, v); });
    forEachRow(b, op, /*checks=*/true,
               [&](Value, Value index) { storeIndex(b.add(b.loadIndex(ends, index), one), ends, index); });
    b.fold(table, zero, [&](Value v, ValueRange so) -> SmallVector<Value> {
      Value count = b.loadIndex(ends, v);
      storeIndex(so[0], ends, v); // The number of rows before those of v...
      return {b.add(so[0], count)};
    });
    forEachRow(b, op, /*checks=*/false, [&](Value n, Value index) {
      Value place = b.loadIndex(ends, index);
      storeIndex(n, order, place);
      storeIndex(b.add(place, one), ends, index); // ...and in the end with them.
    });
  }

  /// The places in `order` of the rows of v: from the end of those before.
  std::pair<Value, Value> placesOf(Value v) {
    Value isFirst = b.compare(arith::CmpIPredicate::eq, v, b.index(0));
    Value before = b.select(isFirst, v, b.sub(v, b.index(1)));
    return {b.select(isFirst, b.index(0), b.loadIndex(ends, before)), b.loadIndex(ends, v)};
  }

  Type sums() {
    Type type = getElementTypeOrSelf(op.getOut());
    return type.isF64() ? type : Type(b.getF32Type());
  }
  Value converted(Value number, Type type) {
    unsigned from = number.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (from == to)
      return number;
    return from < to ? Value(arith::ExtFOp::create(b, type, number)) : Value(arith::TruncFOp::create(b, type, number));
  }
  Value row(Value n, Value c) { return converted(memref::LoadOp::create(b, op.getRows(), ValueRange{n, c}), sums()); }
  Value old(Value v, Value c) { return converted(memref::LoadOp::create(b, op.getOut(), ValueRange{v, c}), sums()); }
  void store(Value sum, Value v, Value c) {
    Value number = converted(sum, getElementTypeOrSelf(op.getOut()));
    memref::StoreOp::create(b, number, op.getOut(), ValueRange{v, c});
  }

  /// Row after row: the inner loop is along memory, and becomes vectors.
  void addRows(Value v) {
    auto [from, to] = placesOf(v);
    b.forEach(b.sub(to, from), [&, from = from](Value i) {
      Value n = b.loadIndex(order, b.add(from, i));
      b.forEach(columns, [&](Value c) { store(arith::AddFOp::create(b, old(v, c), row(n, c)), v, c); });
    });
  }

  /// Column after column, in sums that are wider than the table's elements.
  void addColumns(Value v) {
    auto [from, to] = placesOf(v);
    Value count = b.sub(to, from);
    b.forEach(columns, [&, from = from](Value c) {
      Value sum = b.fold(count, old(v, c), [&](Value i, ValueRange so) -> SmallVector<Value> {
        Value n = b.loadIndex(order, b.add(from, i));
        return {arith::AddFOp::create(b, so[0], row(n, c))};
      })[0];
      store(sum, v, c);
    });
  }

  LoopBuilder &b;
  AddAtOp op;
  Value rows, columns, table;
  Value ends, order; ///< The parts of the scratch memory.
};

/// Row after row the table's element becomes `combined(old, row's)`.
template <typename Op>
void replaceElements(LoopBuilder &b, Op op, llvm::function_ref<Value(Value old, Value number)> combined) {
  Value columns = b.size(op.getRows(), 1), width = b.index(kColumns);
  Value blocks = b.quotient(b.add(columns, b.index(kColumns - 1)), width);
  b.forAll(blocks, [&](ValueRange block) {
    Value first = b.mul(block[0], width);
    Value count = b.min(width, b.sub(columns, first));
    forEachRow(b, op, /*checks=*/true, [&](Value n, Value v) {
      b.forEach(count, [&](Value i) {
        Value c = b.add(first, i);
        Value old = memref::LoadOp::create(b, op.getOut(), ValueRange{v, c});
        Value number = memref::LoadOp::create(b, op.getRows(), ValueRange{n, c});
        memref::StoreOp::create(b, combined(old, number), op.getOut(), ValueRange{v, c});
      });
    });
  });
}
} // namespace

void decompose(LoopBuilder &b, AddAtOp op) { RowAdder(b, op).emit(); }

void decompose(LoopBuilder &b, SetAtOp op) {
  replaceElements(b, op, [](Value, Value number) { return number; });
}

void decompose(LoopBuilder &b, ExtremeAtOp op) {
  replaceElements(b, op, [&](Value old, Value number) -> Value {
    if (isa<FloatType>(old.getType()))
      return op.getLeast() ? Value(arith::MinimumFOp::create(b, old, number))
                           : Value(arith::MaximumFOp::create(b, old, number));
    return op.getLeast() ? Value(arith::MinSIOp::create(b, old, number))
                         : Value(arith::MaxSIOp::create(b, old, number));
  });
}
} // namespace lispier::nn
