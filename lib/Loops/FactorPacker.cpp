//===- FactorPacker.cpp - copies of a product's factors -------------------===//
#include "FactorPacker.h"
#include "VectorNest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
static constexpr unsigned kSecondLevel = 2; // Of the cache, for prefetches.

void FactorPacker::overWhole(bool isKnown, llvm::function_ref<Value()> condition,
                             llvm::function_ref<void(bool)> inside) {
  if (isKnown)
    return inside(true);
  auto branch = scf::IfOp::create(b, loc, condition(), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  inside(true);
  b.setInsertionPointToStart(branch.elseBlock());
  inside(false);
}

Value FactorPacker::maskOf(int64_t lanes, Value count) {
  return vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type(), lanes), count);
}

Value FactorPacker::load(bool whole, Value memory, ValueRange at, VectorType type, Value mask) {
  if (whole)
    return vector::LoadOp::create(b, loc, type, memory, at);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memory, at, mask, zeros);
}

Value FactorPacker::loadOrZeros(Value memory, ValueRange at, VectorType type, Value count) {
  return load(/*whole=*/false, memory, at, type, maskOf(type.getNumElements(), count));
}

Value FactorPacker::widened(Value factor) {
  Type element = packedType(), from = getElementTypeOrSelf(factor.getType());
  if (from == element)
    return factor;
  auto vector = dyn_cast<VectorType>(factor.getType());
  return arith::ExtFOp::create(b, loc, vector ? Type(vectorOf(element, vector.getNumElements())) : element, factor);
}

/// A program on tiles mostly goes on along k, where its rows are too short for the processor to read ahead.
void FactorPacker::prefetchNext(Value source, Value row, Value column) {
  if (p.inThread)
    prefetch(source, row, column);
}

void FactorPacker::prefetch(Value source, Value row, Value column) {
  memref::PrefetchOp::create(b, loc, source, ValueRange{row, column}, /*isWrite=*/false, kSecondLevel,
                             /*isDataCache=*/true);
}

void FactorPacker::packLeft(Value source, Value packed, Value rows, Value ks) {
  constexpr int64_t kRowsAhead = 4; // The processor's own prefetches end with a row.
  int64_t lanes = each() * p.lanes;
  VectorType type = vectorOf(elementOf(source), lanes);
  if (p.isAlong(p.left, p.k))
    return loop(index(0), rows, 1, [&](Value m) {
      auto copy = [&](bool whole, Value k) {
        if (p.inThread)
          prefetch(source, m, add(k, ks));
        else if (whole)
          prefetch(source, add(m, kRowsAhead), k);
        Value some = whole ? load(whole, source, {m, k}, type, {}) : loadOrZeros(source, {m, k}, type, sub(ks, k));
        vector::StoreOp::create(b, loc, widened(some), packed, ValueRange{m, k});
      };
      Value whole = times(b.createOrFold<arith::DivUIOp>(loc, ks, index(lanes)), lanes);
      loop(index(0), whole, lanes, [&](Value k) { copy(true, k); });
      if (!isWhole(K, lanes))
        loop(whole, ks, lanes, [&](Value k) { copy(false, k); });
    });
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorOf(packedType(), lanes)));
  if (p.inPairs)
    loop(index(0), rows, 1, [&](Value m) { vector::StoreOp::create(b, loc, zeros, packed, ValueRange{m, ks}); });
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)), sizes{rows, ks}, ones(2, b.getIndexAttr(1));
  Value target = memref::SubViewOp::create(b, loc, packed, origin, sizes, ones);
  AffineMap plain = b.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps{AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext()), plain};
  SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(b, loc, source, target, maps, kinds, [&](OpBuilder &, Location at, ValueRange values) {
    linalg::YieldOp::create(b, at, widened(values[0]));
  });
}

void FactorPacker::repeatLastRow(Value packed, Value rows, Value ks) {
  VectorType type = vectorOf(elementOf(packed), each() * p.lanes);
  Value end = b.createOrFold<arith::CeilDivUIOp>(loc, rows, index(p.tileRows));
  end = times(end, p.tileRows);
  loop(rows, end, 1, [&](Value m) {
    loop(index(0), ks, type.getNumElements(), [&](Value k) {
      Value last = vector::LoadOp::create(b, loc, type, packed, ValueRange{add(rows, -1), k});
      vector::StoreOp::create(b, loc, last, packed, ValueRange{m, k});
    });
  });
}

void FactorPacker::packPanel(Value source, Value packed, Value n, Value columns, Value ks) {
  if (p.isAlong(p.right, p.n))
    return p.inPairs ? packPairs(source, packed, n, columns, ks) : packPlainPanel(source, packed, n, columns, ks);
  int64_t deep = each() * p.lanes, width = panelWidth();
  loop(index(0), ks, deep, [&](Value k) {
    auto fits = [&] {
      return b.createOrFold<arith::AndIOp>(loc, isAtLeast(sub(ks, k), deep), isAtLeast(sub(columns, n), width));
    };
    overWhole(isWhole(N, width) && isWhole(K, deep), fits, [&](bool whole) {
      for (int64_t j = 0; j < width; j += p.lanes)
        packTransposed(whole, source, packed, k, add(n, j), j, columns, ks);
    });
  });
}

/// Of rows along n. Those of the next panel are prefetched: each is in another page.
void FactorPacker::packPlainPanel(Value source, Value packed, Value n, Value columns, Value ks) {
  VectorType type = vectorOf(elementOf(source), p.lanes);
  int64_t width = panelWidth();
  overWhole(
      isWhole(N, width), [&] { return isAtLeast(sub(columns, n), width); },
      [&](bool whole) {
        loop(index(0), ks, 1, [&](Value k) {
          if (whole)
            prefetch(source, k, add(n, 2 * width - 1));
          for (int64_t j = 0; j < width; j += p.lanes) {
            Value column = add(n, j);
            Value row = whole ? load(whole, source, {k, column}, type, {})
                              : loadOrZeros(source, {k, column}, type, sub(columns, column));
            vector::StoreOp::create(b, loc, widened(row), packed, ValueRange{k, index(j)});
          }
        });
      });
}

/// The same, of pairs.
void FactorPacker::packPairs(Value source, Value packed, Value n, Value columns, Value ks) {
  VectorType type = vectorOf(elementOf(source), p.lanes);
  loop(index(0), pairsOf(ks), 1, [&](Value k) {
    for (int64_t j = 0; j < panelWidth(); j += p.lanes) {
      Value column = add(n, j), count = sub(columns, column);
      Value first = times(k, 2), second = add(first, 1);
      if (j == 0) {
        prefetchNext(source, add(first, ks), column);
        prefetchNext(source, add(second, ks), column);
      }
      auto rowOrZeros = [&](Value row) {
        if (isWhole(K, 2 * kTileRows))
          return loadOrZeros(source, {row, column}, type, count);
        Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, ks);
        return loadOrZeros(source, {row, column}, type, arith::SelectOp::create(b, loc, inside, count, index(0)));
      };
      Value upper = p.inTiles ? rowOrZeros(first) : loadOrZeros(source, {first, column}, type, count);
      Value lower = rowOrZeros(second);
      Value pairs = vector::InterleaveOp::create(b, loc, upper, lower);
      vector::StoreOp::create(b, loc, pairs, packed, ValueRange{k, index(2 * j)});
    }
  });
}

/// The right factor's indices for a column and a place in all summed dimensions.
SmallVector<Value> FactorPacker::windowAt(Value n, Value k) {
  linalg::LinalgOp op = p.op;
  SmallVector<Value> sizes = loopSizes(b, op), at(op.getNumLoops());
  for (auto [d, value] : llvm::zip(p.batch, batch))
    at[d] = value;
  at[p.n] = n;
  for (unsigned d : llvm::reverse(p.reduced)) {
    bool isFirst = d == p.reduced.front();
    at[d] = isFirst ? k : b.createOrFold<arith::RemUIOp>(loc, k, sizes[d]);
    k = isFirst ? k : b.createOrFold<arith::DivUIOp>(loc, k, sizes[d]);
  }
  return llvm::map_to_vector(p.map(p.right).getResults(),
                             [&](AffineExpr result) { return linearIndex(b, loc, result, at); });
}

void FactorPacker::packWindows(Value packed, Value n, Value k0, Value ks) {
  VectorType type = vectorOf(elementOf(p.right), p.lanes);
  bool isPlain = NestAccess{p.right, p.map(p.right)}.isContiguousAlong(p.n);
  Value last = add(N, -1);
  auto number = [&](bool whole, Value column, Value k) {
    Value at = whole ? column : smaller(column, last);
    return memref::LoadOp::create(b, loc, p.right, windowAt(at, k));
  };
  overWhole(
      isWhole(N, panelWidth()), [&] { return isAtLeast(sub(N, n), panelWidth()); },
      [&](bool whole) {
        loop(index(0), ks, 1, [&](Value row) {
          Value k = add(k0, row);
          if (whole) {
            SmallVector<Value> next = windowAt(add(n, 2 * panelWidth() - 1), k);
            memref::PrefetchOp::create(b, loc, p.right, next, /*isWrite=*/false, kSecondLevel, /*isDataCache=*/true);
          }
          for (int64_t j = 0; j < panelWidth(); j += p.lanes) {
            Value column = add(n, j), some;
            if (isPlain && whole) {
              some = vector::LoadOp::create(b, loc, type, p.right, windowAt(column, k));
            } else {
              SmallVector<Value> numbers;
              for (int64_t i = 0; i < p.lanes; ++i)
                numbers.push_back(number(whole, add(column, i), k));
              some = vector::FromElementsOp::create(b, loc, type, numbers);
            }
            vector::StoreOp::create(b, loc, widened(some), packed, ValueRange{row, index(j)});
          }
        });
      });
}

/// Of rows along k: a block of lanes x lanes numbers, or pairs, of the columns from `from` on, transposed in registers.
void FactorPacker::packTransposed(bool whole, Value source, Value packed, Value k, Value from, int64_t j, Value columns,
                                  Value ks) {
  VectorType type = vectorOf(elementOf(source), each() * p.lanes);
  VectorType words = vectorOf(b.getI32Type(), p.lanes);
  SmallVector<Value> rows;
  for (int64_t line = 0; line < p.lanes; ++line) {
    Value column = add(from, line), mask;
    if (!whole) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column, columns);
      mask = maskOf(type.getNumElements(), arith::SelectOp::create(b, loc, inside, sub(ks, k), index(0)));
    }
    if (whole)
      prefetch(source, add(column, panelWidth()), k);
    Value row = load(whole, source, {column, k}, type, mask);
    rows.push_back(p.inPairs ? vector::BitCastOp::create(b, loc, words, row).getResult() : widened(row));
  }
  transposeRows(b, loc, rows);
  Value first = p.inPairs ? halved(k) : k;
  for (int64_t line = 0; line < p.lanes; ++line) {
    Value row = p.inPairs ? vector::BitCastOp::create(b, loc, type, rows[line]).getResult() : rows[line];
    vector::StoreOp::create(b, loc, row, packed, ValueRange{add(first, line), index(each() * j)});
  }
}
} // namespace lispier
