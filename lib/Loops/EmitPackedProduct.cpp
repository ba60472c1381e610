//===- EmitPackedProduct.cpp - blocks, packing, and the inner kernel ------===//
#include "FactorPacker.h"
#include "VectorNest.h"
#include "lispier/Device/ReducedViews.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace lispier {
namespace {
// A slice of a panel of the right factor stays in the first-level cache, a block of each factor in the second.
constexpr int64_t kDepth = 192, kBlockRows = 240, kBlockColumns = 256; // Rows: a multiple of 8 and of 6.
// Where the result is so large that threads have enough blocks all the same, these are twice as wide, which halves the
// copies of the left factor.
constexpr int64_t kLargeResult = 1 << 22;
constexpr int64_t kSmallestBlock = 48;
constexpr int64_t kPadding = 32; // Elements between rows, against strides that are powers of two.
// With shared panels: a block of them, kSharedDepth x kSharedColumns, stays in the second-level cache while a strip of
// the left factor, 32 rows of it in the first-level cache, meets each. Tasks that copy take kCopyDepth rows at a time.
constexpr int64_t kSharedDepth = 1024, kSharedColumns = 512, kSharedRows = 256, kCopyDepth = 128;

class PackedEmitter : FactorPacker {
public:
  using FactorPacker::FactorPacker;

  void emit() {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    M = sizes[p.m], N = sizes[p.n], K = sizes[p.k];
    for (unsigned d : llvm::drop_begin(p.reduced, p.isOfWindows()))
      K = b.createOrFold<arith::MulIOp>(loc, K, sizes[d]);
    depth = each() * kDepth;
    if (std::optional<int64_t> known = getConstantIntValue(K))
      depth = std::min<int64_t>(depth, llvm::alignTo(*known, 2 * p.lanes));
    Value isLarge = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge,
                                                  b.createOrFold<arith::MulIOp>(loc, M, N), index(kLargeResult));
    Value widest = b.createOrFold<arith::SelectOp>(loc, isLarge, index(2 * kBlockColumns), index(kBlockColumns));
    Value rows = even(M, p.tileRows, index(blockRows()), p.isOfWindows() ? 1 : 2);
    Value columns = even(N, 2 * p.lanes, widest);
    overBlocks({N, columns}, {M, rows}, [&](Value n0, Value m0) { block(m0, rows, n0, columns); });
  }

  /// With AMX: all panels of the right factor are copied first, to memory that the blocks share.
  void emitShared() {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    M = sizes[p.m], N = sizes[p.n], K = sizes[p.k];
    slices = b.createOrFold<arith::CeilDivUIOp>(loc, K, index(kSharedDepth));
    sliceDepth = b.createOrFold<arith::CeilDivUIOp>(loc, K, times(slices, kCopyDepth));
    sliceDepth = times(sliceDepth, kCopyDepth);
    Value count = slices, panels = b.createOrFold<arith::CeilDivUIOp>(loc, N, index(panelWidth()));
    for (unsigned d : p.batch)
      count = b.createOrFold<arith::MulIOp>(loc, count, sizes[d]);
    SmallVector<int64_t> shape(3, ShapedType::kDynamic);
    shape.push_back(2 * panelWidth());
    Value packed = memref::AllocOp::create(b, loc, MemRefType::get(shape, elementOf(p.right)),
                                           ValueRange{count, panels, halved(sliceDepth)}, b.getI64IntegerAttr(64));
    overBlocks({N, index(kSharedColumns)}, {K, index(kCopyDepth)},
               [&](Value n0, Value k0) { copyPanels(packed, n0, k0); });
    Value rows = even(M, p.tileRows, index(kSharedRows)), columns = even(N, panelWidth(), index(kSharedColumns));
    overBlocks({N, columns}, {M, rows}, [&](Value n0, Value m0) { sharedBlock(packed, m0, rows, n0, columns); });
    memref::DeallocOp::create(b, loc, packed);
  }

private:
  struct Range {
    Value size, step;
  };

  /// Threads, or one by itself, compute the blocks of each matrix of the batch.
  void overBlocks(Range outer, Range inner, llvm::function_ref<void(Value, Value)> inside) {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    SmallVector<Value> lower(p.batch.size() + 2, index(0)), upper, steps(p.batch.size(), index(1));
    for (unsigned d : p.batch)
      upper.push_back(sizes[d]);
    upper.append({outer.size, inner.size});
    steps.append({outer.step, inner.step});
    auto body = [&](ValueRange at) {
      batch.assign(at.begin(), std::prev(at.end(), 2));
      inside(at[at.size() - 2], at[at.size() - 1]);
    };
    OpBuilder::InsertionGuard guard(b);
    if (p.inThread) {
      scf::buildLoopNest(b, loc, lower, upper, steps, [&](OpBuilder &nested, Location, ValueRange at) {
        b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
        body(at);
      });
      return;
    }
    auto blocks = scf::ParallelOp::create(b, loc, lower, upper, steps);
    b.setInsertionPointToStart(blocks.getBody());
    body(blocks.getInductionVars());
  }

  /// The size of blocks of about equal sizes, at least two of them, so that threads have something to share.
  Value even(Value size, int64_t unit, Value most, int64_t least = 2) {
    Value count = b.createOrFold<arith::CeilDivUIOp>(loc, size, most);
    count = b.createOrFold<arith::MaxUIOp>(loc, count, index(p.inThread ? 1 : least));
    Value part = times(b.createOrFold<arith::CeilDivUIOp>(loc, size, times(count, unit)), unit);
    return b.createOrFold<arith::MaxUIOp>(loc, part, index(llvm::divideCeil(kSmallestBlock, unit) * unit));
  }

  int64_t blockRows() const { return llvm::alignTo(kBlockRows, p.tileRows); }

  //===- Parts of the operands --------------------------------------------===//

  /// The operand's matrix of this batch, from [row, column] on; its dimensions in the operand's order.
  Value part(Value operand, unsigned rowDim, Value row, Value rows, Value column, Value columns) {
    AffineMap map = p.map(operand);
    auto type = cast<MemRefType>(operand.getType());
    SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), b.getIndexAttr(1));
    for (AffineExpr result : map.getResults()) {
      unsigned d = cast<AffineDimExpr>(result).getPosition();
      const auto *at = llvm::find(p.batch, d);
      bool isBatch = at != p.batch.end();
      offsets.push_back(isBatch ? batch[at - p.batch.begin()] : d == rowDim ? row : column);
      sizes.push_back(isBatch ? OpFoldResult(b.getIndexAttr(1)) : d == rowDim ? rows : columns);
    }
    return device::reducedView(b, loc, operand, {ShapedType::kDynamic, ShapedType::kDynamic}, offsets, sizes, strides);
  }

  //===- Blocks -----------------------------------------------------------===//

  void block(Value m0, Value mostRows, Value n0, Value mostColumns) {
    Value rows = smaller(mostRows, sub(M, m0)), columns = smaller(mostColumns, sub(N, n0));
    int64_t width = panelWidth();
    Type factor = packedType();
    int64_t most = blockRows();
    if (std::optional<int64_t> known = getConstantIntValue(mostRows))
      most = llvm::alignTo(*known, p.tileRows);
    Value left = bufferOf({most, depth + kPadding}, factor);
    // Whole blocks of lanes x lanes are written.
    Value panel = bufferOf({int64_t(llvm::alignTo(depth / each(), p.lanes)), each() * width}, factor);
    if (p.inTiles)
      sumsOfTile = bufferOf({2 * kTileRows, 2 * kTileRows}, elementOf(p.out));
    loop(index(0), K, depth, [&](Value k0) {
      Value ks = smaller(index(depth), sub(K, k0));
      packLeft(part(p.left, p.m, m0, rows, k0, ks), left, rows, ks);
      repeatLastRow(left, rows, ks);
      Value out = part(p.out, p.m, m0, rows, n0, columns);
      Value right = p.isOfWindows() ? Value() : part(p.right, p.k, k0, ks, n0, columns);
      loop(index(0), columns, width, [&](Value n) {
        if (p.isOfWindows())
          packWindows(panel, add(n0, n), k0, ks);
        else
          packPanel(right, panel, n, columns, ks);
        if (isWhole(N, width))
          return tiles(left, panel, out, rows, n, columns, ks, 2);
        Value few = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, sub(columns, n), index(p.lanes));
        auto branch = scf::IfOp::create(b, loc, few, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        tiles(left, panel, out, rows, n, columns, ks, 1);
        b.setInsertionPointToStart(branch.elseBlock());
        tiles(left, panel, out, rows, n, columns, ks, 2);
      });
    });
  }

  Value bufferOf(ArrayRef<int64_t> shape, Type element) {
    OpBuilder::InsertionGuard guard(b);
    if (p.inThread)
      b.setInsertionPointToStart(threadBlock());
    return memref::AllocaOp::create(b, loc, MemRefType::get(shape, element), b.getI64IntegerAttr(64));
  }

  /// Where a thread's buffers are allocated once, although the product may be in a loop.
  Block *threadBlock() {
    linalg::LinalgOp op = p.op;
    if (auto parallel = op->getParentOfType<scf::ParallelOp>())
      return parallel.getBody();
    return &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front();
  }

  //===- Blocks of shared panels ------------------------------------------===//

  /// Of this batch and slice: panels of pairs.
  Value sharedPanel(Value packed, Value slice, Value panel, Value pair, OpFoldResult pairs) {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    Value at = index(0);
    for (auto [i, d] : llvm::enumerate(p.batch))
      at = add(b.createOrFold<arith::MulIOp>(loc, at, sizes[d]), batch[i]);
    at = add(b.createOrFold<arith::MulIOp>(loc, at, slices), slice);
    OpFoldResult one = b.getIndexAttr(1), none = b.getIndexAttr(0), width = b.getIndexAttr(2 * panelWidth());
    SmallVector<OpFoldResult> offsets{at, panel, pair, none}, counts{one, one, pairs, width}, strides(4, one);
    SmallVector<int64_t> shape{isa<Value>(pairs) ? ShapedType::kDynamic : *getConstantIntValue(pairs),
                               2 * panelWidth()};
    return device::reducedView(b, loc, packed, shape, offsets, counts, strides);
  }

  void copyPanels(Value packed, Value n0, Value k0) {
    Value ks = smaller(index(kCopyDepth), sub(K, k0)), columns = smaller(index(kSharedColumns), sub(N, n0));
    Value right = part(p.right, p.k, k0, ks, n0, columns);
    Value slice = b.createOrFold<arith::DivUIOp>(loc, k0, sliceDepth);
    Value first = halved(b.createOrFold<arith::RemUIOp>(loc, k0, sliceDepth));
    loop(index(0), columns, panelWidth(), [&](Value n) {
      Value number = b.createOrFold<arith::DivUIOp>(loc, add(n0, n), index(panelWidth()));
      Value panel = sharedPanel(packed, slice, number, first, b.getIndexAttr(kCopyDepth / 2));
      packPanel(right, panel, n, columns, ks);
    });
  }

  void sharedBlock(Value packed, Value m0, Value mostRows, Value n0, Value mostColumns) {
    Value rows = smaller(mostRows, sub(M, m0)), columns = smaller(mostColumns, sub(N, n0));
    Value left = bufferOf({p.tileRows, kSharedDepth + kPadding}, elementOf(p.left));
    sumsOfTile = bufferOf({2 * kTileRows, 2 * kTileRows}, elementOf(p.out));
    Value out = part(p.out, p.m, m0, rows, n0, columns);
    loop(index(0), slices, 1, [&](Value slice) {
      Value k0 = b.createOrFold<arith::MulIOp>(loc, slice, sliceDepth), ks = smaller(sliceDepth, sub(K, k0));
      loop(index(0), rows, p.tileRows, [&](Value m) {
        Value few = smaller(index(p.tileRows), sub(rows, m));
        packLeft(part(p.left, p.m, add(m0, m), few, k0, ks), left, few, ks);
        repeatLastRow(left, few, ks);
        loop(index(0), columns, panelWidth(), [&](Value n) {
          Value number = b.createOrFold<arith::DivUIOp>(loc, add(n0, n), index(panelWidth()));
          Value panel = sharedPanel(packed, slice, number, index(0), halved(sliceDepth));
          tileByAmx(left, index(0), panel, out, m, rows, n, columns, ks, 2);
        });
      });
    });
  }

  //===- Tiles ------------------------------------------------------------===//

  void tiles(Value left, Value panel, Value out, Value rows, Value n, Value columns, Value ks, int64_t vectors) {
    loop(index(0), rows, p.tileRows, [&](Value m) {
      if (p.inTiles)
        tileByAmx(left, m, panel, out, m, rows, n, columns, ks, vectors);
      else
        tile(left, panel, out, m, rows, n, columns, ks, vectors);
    });
  }

  /// out[m.., n..] += left[m.., :] * panel, in `tileRows` by `vectors` vectors. A tile beyond the last row repeats it,
  /// as the packed left factor does: it is computed and written alike each time.
  void tile(Value left, Value panel, Value out, Value m, Value rows, Value n, Value columns, Value ks,
            int64_t vectors) {
    SmallVector<Value> lines;
    Value last = add(rows, -1);
    for (int64_t r = 0; r < p.tileRows; ++r) {
      lines.push_back(r ? smaller(add(m, r), last) : m);
      // Of the next tile: each row is in another page. The line of the last column is the one that is new.
      for (int64_t column = p.lanes * vectors - 1; column > 0; column -= std::max<int64_t>(16, p.lanes))
        prefetch(out, add(m, p.tileRows + r), add(n, column));
    }
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType()));
    SmallVector<Value> sums(p.tileRows * vectors, zeros);
    auto along = scf::ForOp::create(b, loc, index(0), p.inPairs ? halved(ks) : ks, index(1), sums);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(along.getBody());
      scf::YieldOp::create(b, loc, step(left, panel, m, along.getInductionVar(), vectors, along.getRegionIterArgs()));
    }
    Value rest = sub(columns, n);
    overWhole(
        vectors == 2 && isWhole(N, panelWidth()), [&] { return isAtLeast(rest, vectors * p.lanes); },
        [&](bool whole) { addTile(whole, along.getResults(), out, lines, n, rest); });
  }

  /// out[lines, n..] += sums, as far as there are columns, `rest` from n on. All are loaded before one is stored, as
  /// the last lines may be the same.
  void addTile(bool whole, ValueRange sums, Value out, ArrayRef<Value> lines, Value n, Value rest) {
    int64_t vectors = sums.size() / lines.size();
    SmallVector<Value> masks(vectors), totals;
    for (int64_t j = 0; j < vectors && !whole; ++j)
      masks[j] = maskOf(p.lanes, sub(rest, index(j * p.lanes)));
    auto place = [&](int64_t i) { return SmallVector<Value>{lines[i / vectors], add(n, i % vectors * p.lanes)}; };
    for (auto [i, sum] : llvm::enumerate(sums))
      totals.push_back(arith::AddFOp::create(b, loc, load(whole, out, place(i), sumType(), masks[i % vectors]), sum));
    for (auto [i, total] : llvm::enumerate(totals)) {
      if (whole)
        vector::StoreOp::create(b, loc, total, out, place(i));
      else
        vector::MaskedStoreOp::create(b, loc, out, place(i), masks[i % vectors], total);
    }
  }

  /// The same in 2 by `vectors` registers of AMX, with the rows of the left factor from `at` on. Whole tiles are read
  /// and written by them; else they start at zero, and are added to the result by masked vectors: rows and columns
  /// beyond it are computed, and dropped.
  void tileByAmx(Value left, Value at, Value panel, Value out, Value m, Value rows, Value n, Value columns, Value ks,
                 int64_t vectors) {
    auto sumTile = amx::TileType::get({kTileRows, kTileRows}, elementOf(p.out));
    auto place = [&](int64_t i, Value row, Value column) {
      return SmallVector<Value>{add(row, kTileRows * (i / vectors)), add(column, kTileRows * (i % vectors))};
    };
    auto whole = [&] {
      SmallVector<Value> sums;
      for (int64_t i = 0; i < 2 * vectors; ++i)
        sums.push_back(amx::TileLoadOp::create(b, loc, sumTile, out, place(i, m, n)));
      sums = sumsByAmx(left, at, panel, ks, sums);
      for (int64_t i = 0; i < 2 * vectors; ++i)
        amx::TileStoreOp::create(b, loc, out, place(i, m, n), sums[i]);
    };
    if (isWhole(M, p.tileRows) && isWhole(N, panelWidth()))
      return whole();
    auto atLeast = [&](Value size, int64_t least) {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, index(least));
    };
    Value fits =
        arith::AndIOp::create(b, loc, atLeast(sub(rows, m), p.tileRows), atLeast(sub(columns, n), vectors * p.lanes));
    auto branch = scf::IfOp::create(b, loc, fits, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    whole();
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> sums;
    for (int64_t i = 0; i < 2 * vectors; ++i)
      sums.push_back(amx::TileZeroOp::create(b, loc, sumTile));
    sums = sumsByAmx(left, at, panel, ks, sums);
    for (int64_t i = 0; i < 2 * vectors; ++i)
      amx::TileStoreOp::create(b, loc, sumsOfTile, place(i, index(0), index(0)), sums[i]);
    addSums(out, m, rows, n, columns, vectors);
  }

  /// sums + left[at.., :] * panel, of 2 rows of registers.
  SmallVector<Value> sumsByAmx(Value left, Value at, Value panel, Value ks, ValueRange sums) {
    int64_t vectors = sums.size() / 2;
    auto factorTile = amx::TileType::get({kTileRows, 2 * kTileRows}, elementOf(left));
    auto along = scf::ForOp::create(b, loc, index(0), ks, index(2 * kTileRows), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(along.getBody());
    Value k = along.getInductionVar();
    SmallVector<Value> factors, next;
    for (int64_t j = 0; j < vectors; ++j)
      factors.push_back(
          amx::TileLoadOp::create(b, loc, factorTile, panel, ValueRange{halved(k), index(2 * kTileRows * j)}));
    for (int64_t i = 0; i < 2; ++i) {
      Value factor = amx::TileLoadOp::create(b, loc, factorTile, left, ValueRange{add(at, kTileRows * i), k});
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(amx::TileMulFOp::create(b, loc, sums[0].getType(), factor, factors[j],
                                               along.getRegionIterArgs()[i * vectors + j]));
    }
    scf::YieldOp::create(b, loc, next);
    return SmallVector<Value>(along.getResults());
  }

  /// out[m.., n..] += sumsOfTile, as far as there are rows and columns.
  void addSums(Value out, Value m, Value rows, Value n, Value columns, int64_t vectors) {
    loop(index(0), smaller(index(2 * kTileRows), sub(rows, m)), 1, [&](Value r) {
      for (int64_t j = 0; j < vectors; ++j) {
        Value column = add(n, j * p.lanes), row = b.createOrFold<arith::AddIOp>(loc, m, r);
        Value mask = vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type(), p.lanes), sub(columns, column));
        Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType()));
        Value before = vector::MaskedLoadOp::create(b, loc, sumType(), out, ValueRange{row, column}, mask, none);
        Value more = vector::LoadOp::create(b, loc, sumType(), sumsOfTile, ValueRange{r, index(j * kTileRows)});
        vector::MaskedStoreOp::create(b, loc, out, ValueRange{row, column}, mask,
                                      arith::AddFOp::create(b, loc, before, more));
      }
    });
  }

  SmallVector<Value> step(Value left, Value panel, Value m, Value k, int64_t vectors, ValueRange sums) {
    SmallVector<Value> right, next;
    VectorType type = vectorOf(elementOf(panel), each() * p.lanes);
    for (int64_t j = 0; j < vectors; ++j)
      right.push_back(vector::LoadOp::create(b, loc, type, panel, ValueRange{k, index(j * each() * p.lanes)}));
    for (int64_t r = 0; r < p.tileRows; ++r) {
      Value factor = broadcastLeft(left, add(m, r), k);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(multiplyAdd(factor, right[j], sums[r * vectors + j]));
    }
    return next;
  }

  Value broadcastLeft(Value left, Value m, Value k) {
    if (!p.inPairs)
      return vector::BroadcastOp::create(b, loc, sumType(), memref::LoadOp::create(b, loc, left, ValueRange{m, k}));
    Type element = elementOf(left);
    Value first = times(k, 2);
    Value pair = vector::LoadOp::create(b, loc, vectorOf(element, 2), left, ValueRange{m, first});
    Value word = vector::BitCastOp::create(b, loc, vectorOf(b.getI32Type(), 1), pair);
    word = vector::ExtractOp::create(b, loc, word, ArrayRef<int64_t>{0});
    Value words = vector::BroadcastOp::create(b, loc, vectorOf(b.getI32Type(), p.lanes), word);
    return vector::BitCastOp::create(b, loc, vectorOf(element, 2 * p.lanes), words);
  }

  Value multiplyAdd(Value left, Value right, Value sum) {
    if (p.inPairs)
      return x86vector::DotBF16Op::create(b, loc, sum.getType(), sum, left, right);
    auto contract = arith::FastMathFlags::contract;
    return arith::AddFOp::create(b, loc, sum, arith::MulFOp::create(b, loc, left, right, contract), contract);
  }

  Value sumsOfTile;         ///< Memory of AMX's registers.
  Value slices, sliceDepth; ///< Of the shared panels.
  int64_t depth;
};
} // namespace

AffineMap PackedProduct::map(Value operand) const {
  linalg::LinalgOp handle = op;
  if (isOfWindows() && operand == left) {
    MLIRContext *context = operand.getContext();
    return AffineMap::get(handle.getNumLoops(), 0, {getAffineDimExpr(m, context), getAffineDimExpr(k, context)},
                          context);
  }
  for (OpOperand &use : handle->getOpOperands())
    if (use.get() == operand)
      return handle.getMatchingIndexingMap(&use);
  llvm_unreachable("an operand of the op");
}

bool PackedProduct::isAlong(Value operand, unsigned dimension) const {
  return cast<AffineDimExpr>(map(operand).getResults().back()).getPosition() == dimension;
}

void emitPackedProduct(OpBuilder &builder, const PackedProduct &product) { PackedEmitter(builder, product).emit(); }

void emitSharedProduct(OpBuilder &builder, const PackedProduct &product) {
  PackedEmitter(builder, product).emitShared();
}
} // namespace lispier
