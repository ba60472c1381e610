//===- EmitStreamedProduct.cpp - few rows times a large matrix ------------===//
#include "PackedProduct.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kStreams = 8; ///< Rows of the right factor that are read at the same time.
/// Of a task: a page of F32 numbers in each stream, and sums that stay in the cache; fewer where a matrix would give
/// the threads less than four tasks.
constexpr int64_t kColumns = 1024, kFewColumns = 256;

class StreamedEmitter {
public:
  StreamedEmitter(OpBuilder &builder, const PackedProduct &product)
      : b(builder), loc(const_cast<linalg::LinalgOp &>(product.op).getLoc()), p(product),
        element(getElementTypeOrSelf(product.out.getType())) {}

  void emit() {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    M = sizes[p.m], K = sizes[p.k];
    Value N = sizes[p.n];
    SmallVector<Value> lower(p.batch.size() + 1, index(0)), upper, steps(p.batch.size(), index(1));
    for (unsigned d : p.batch)
      upper.push_back(sizes[d]);
    upper.push_back(N);
    Value isWide = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, N, index(3 * kColumns + 1));
    Value columns = b.createOrFold<arith::SelectOp>(loc, isWide, index(kColumns), index(kFewColumns));
    steps.push_back(columns);
    auto tasks = scf::ParallelOp::create(b, loc, lower, upper, steps);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tasks.getBody());
    batch.assign(tasks.getInductionVars().begin(), std::prev(tasks.getInductionVars().end()));
    Value first = tasks.getInductionVars().back();
    Value last = b.createOrFold<arith::MinUIOp>(loc, N, b.createOrFold<arith::AddIOp>(loc, first, columns));
    Value whole = sub(K, b.createOrFold<arith::RemUIOp>(loc, K, index(kStreams)));
    loop(index(0), whole, kStreams, [&](Value k) { rows(k, kStreams, first, last); });
    loop(whole, K, 1, [&](Value k) { rows(k, 1, first, last); });
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, int64_t y) { return y ? b.createOrFold<arith::AddIOp>(loc, x, index(y)) : x; }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }

  void loop(Value from, Value to, int64_t step, llvm::function_ref<void(Value)> inside) {
    auto loop = scf::ForOp::create(b, loc, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    inside(loop.getInductionVar());
  }

  /// The operand's indices at these of the product's dimensions.
  SmallVector<Value> at(Value operand, Value m, Value n, Value k) {
    return llvm::map_to_vector(p.map(operand).getResults(), [&](AffineExpr result) {
      unsigned d = cast<AffineDimExpr>(result).getPosition();
      const auto *of = llvm::find(p.batch, d);
      return of != p.batch.end() ? batch[of - p.batch.begin()] : d == p.m ? m : d == p.n ? n : k;
    });
  }

  VectorType vectorOf(Type type) { return VectorType::get(p.lanes, type); }

  Value load(Value memory, ValueRange indices, Value mask) {
    VectorType type = vectorOf(getElementTypeOrSelf(memory.getType()));
    if (!mask)
      return vector::LoadOp::create(b, loc, type, memory, indices);
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, memory, indices, mask, zeros);
  }

  Value widened(Value value) {
    Type from = getElementTypeOrSelf(value.getType());
    if (from == element)
      return value;
    Type to = isa<VectorType>(value.getType()) ? Type(vectorOf(element)) : element;
    return arith::ExtFOp::create(b, loc, to, value);
  }

  /// out[:, first .. last] += left[:, k .. k + count] * right[k .. k + count, first .. last]. Only the last columns
  /// have a mask: AVX2 stores with one in 12 cycles.
  void rows(Value k, int64_t count, Value first, Value last) {
    Value whole = sub(last, b.createOrFold<arith::RemUIOp>(loc, sub(last, first), index(p.lanes)));
    loop(first, whole, p.lanes, [&](Value n) { vectors(k, count, n, Value()); });
    auto rest = scf::IfOp::create(b, loc, b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, whole, last),
                                  /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rest.thenBlock());
    vectors(k, count, whole, vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type()), sub(last, whole)));
  }

  /// The same of one vector of columns, from n on.
  void vectors(Value k, int64_t count, Value n, Value mask) {
    SmallVector<Value> right;
    for (int64_t i = 0; i < count; ++i)
      right.push_back(widened(load(p.right, at(p.right, Value(), n, add(k, i)), mask)));
    // The next rows, to the second cache, as they fill the first: the processor's own prefetches end with a page,
    // which a task has of each row. A prefetch past the last row does nothing.
    for (int64_t i = 0; i < count; ++i)
      memref::PrefetchOp::create(b, loc, p.right, at(p.right, Value(), n, add(k, count + i)), /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    loop(index(0), M, 1, [&](Value m) {
      SmallVector<Value> place = at(p.out, m, n, Value());
      Value sums = load(p.out, place, mask);
      for (int64_t i = 0; i < count; ++i) {
        Value factor = memref::LoadOp::create(b, loc, p.left, at(p.left, m, Value(), add(k, i)));
        factor = vector::BroadcastOp::create(b, loc, vectorOf(element), widened(factor));
        sums = vector::FMAOp::create(b, loc, factor, right[i], sums);
      }
      if (mask)
        vector::MaskedStoreOp::create(b, loc, p.out, place, mask, sums);
      else
        vector::StoreOp::create(b, loc, sums, p.out, place);
    });
  }

  OpBuilder &b;
  Location loc;
  const PackedProduct &p;
  Type element;
  Value M, K;
  SmallVector<Value> batch;
};
} // namespace

void emitStreamedProduct(OpBuilder &builder, const PackedProduct &product) { StreamedEmitter(builder, product).emit(); }
} // namespace lispier
