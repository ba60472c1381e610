//===- FactorPacker.h - copies of a product's factors ----------*- C++ -*-===//
#ifndef LISPIER_LIB_LOOPS_FACTORPACKER_H
#define LISPIER_LIB_LOOPS_FACTORPACKER_H

#include "PackedProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lispier {
constexpr int64_t kTileRows = 16; ///< Of a register of AMX, whose rows have 64 bytes.

/// Emits copies of parts of both factors, in the order in which tiles of sums read them: pairs of BF16, or else numbers
/// of the result's type.
class FactorPacker {
public:
  FactorPacker(mlir::OpBuilder &builder, const PackedProduct &product)
      : b(builder), loc(const_cast<mlir::linalg::LinalgOp &>(product.op).getLoc()), p(product) {}

protected:
  using Value = mlir::Value;

  /// packed[m, k] = left[m, k], with zeros from `ks` to the next vector.
  void packLeft(Value source, Value packed, Value rows, Value ks);
  /// Up to a whole tile.
  void repeatLastRow(Value packed, Value rows, Value ks);
  /// packed[k, ..] = right[k, n .. n + width] for the panel from column n on; of pairs, row k has for each column the
  /// elements of rows 2 k and 2 k + 1. What is beyond the matrix is zero.
  void packPanel(Value source, Value packed, Value n, Value columns, Value ks);

  /// The same of a right factor that is read through windows: rows of `ks` of its summed dimensions' places from k0 on,
  /// and the columns of the whole factor from n on. Columns beyond the matrix have any numbers.
  void packWindows(Value packed, Value n, Value k0, Value ks);

  int64_t each() const { return p.inPairs ? 2 : 1; }
  int64_t panelWidth() const { return 2 * p.lanes; }
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return b.createOrFold<mlir::arith::AddIOp>(loc, x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  Value times(Value x, int64_t y) { return b.createOrFold<mlir::arith::MulIOp>(loc, x, index(y)); }
  Value sub(Value x, Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  Value smaller(Value x, Value y) { return b.createOrFold<mlir::arith::MinUIOp>(loc, x, y); }
  /// Whether blocks of the size have no rest.
  static bool isWhole(Value size, int64_t unit) {
    std::optional<int64_t> known = mlir::getConstantIntValue(size);
    return known && *known % unit == 0;
  }
  /// How many pairs of `ks` numbers are copied; with AMX as many as a register has rows.
  Value pairsOf(Value ks) {
    Value unit = index(p.inTiles ? 2 * kTileRows : 2), count = b.createOrFold<mlir::arith::CeilDivUIOp>(loc, ks, unit);
    return p.inTiles ? times(count, kTileRows) : count;
  }
  Value halved(Value x) { return b.createOrFold<mlir::arith::CeilDivUIOp>(loc, x, index(2)); }

  void loop(Value from, Value to, int64_t step, llvm::function_ref<void(Value)> inside) {
    auto loop = mlir::scf::ForOp::create(b, loc, from, to, index(step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    inside(loop.getInductionVar());
  }

  mlir::Type elementOf(Value memory) { return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType(); }
  mlir::VectorType vectorOf(mlir::Type element, int64_t lanes) { return mlir::VectorType::get(lanes, element); }
  mlir::VectorType sumType() { return vectorOf(elementOf(p.out), p.lanes); }
  /// What packed factors have.
  mlir::Type packedType() { return elementOf(p.inPairs ? p.left : p.out); }

  Value isAtLeast(Value size, int64_t least) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::sge, size, index(least));
  }
  /// Emits `inside` for whole vectors if they are known to be, or where the condition holds, and for parts of vectors
  /// elsewhere: of AVX2, accesses with masks are slow, and masks take time to make.
  void overWhole(bool isKnown, llvm::function_ref<Value()> condition, llvm::function_ref<void(bool)> inside);
  Value maskOf(int64_t lanes, Value count);
  /// A vector from `at` on; if it is not known to be `whole`, what the mask says of it, and zeros.
  Value load(bool whole, Value memory, mlir::ValueRange at, mlir::VectorType type, Value mask);
  Value loadOrZeros(Value memory, mlir::ValueRange at, mlir::VectorType type, Value count);
  Value widened(Value factor);
  /// To the second-level cache.
  void prefetch(Value source, Value row, Value column);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const PackedProduct &p;
  Value M, N, K;
  llvm::SmallVector<Value> batch; ///< Of the current block.

private:
  void prefetchNext(Value source, Value row, Value column);
  void packPlainPanel(Value source, Value packed, Value n, Value columns, Value ks);
  llvm::SmallVector<Value> windowAt(Value n, Value k);
  void packPairs(Value source, Value packed, Value n, Value columns, Value ks);
  void packTransposed(bool whole, Value source, Value packed, Value k, Value column, int64_t j, Value columns,
                      Value ks);
};
} // namespace lispier
#endif
