//===- EmitPackedProduct.cpp - blocks, packing, and the inner kernel ------===//
#include "PackedProduct.h"
#include "VectorNest.h"
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
constexpr int64_t kTileRows = 16; ///< Of a register of AMX, whose rows have 64 bytes.
// Where the result is so large that threads have enough blocks all the same, these are twice as wide, which halves the
// copies of the left factor.
constexpr int64_t kLargeResult = 1 << 22;
constexpr int64_t kSmallestBlock = 48;
constexpr int64_t kPadding = 32; // Elements between rows, against strides that are powers of two.

class PackedEmitter {
public:
  PackedEmitter(OpBuilder &builder, const PackedProduct &product)
      : b(builder), loc(const_cast<linalg::LinalgOp &>(product.op).getLoc()), p(product) {}

  void emit() {
    SmallVector<Value> sizes = loopSizes(b, p.op);
    M = sizes[p.m], N = sizes[p.n], K = sizes[p.k];
    depth = p.inPairs ? 2 * kDepth : kDepth;
    if (std::optional<int64_t> known = getConstantIntValue(K))
      depth = std::min<int64_t>(depth, llvm::alignTo(*known, 2 * p.lanes));
    // Blocks of about equal sizes, at least two each way, so that threads have something to share.
    auto even = [&](Value size, int64_t unit, Value most) {
      Value count = b.createOrFold<arith::CeilDivUIOp>(loc, size, most);
      count = b.createOrFold<arith::MaxUIOp>(loc, count, index(p.inThread ? 1 : 2));
      Value each =
          b.createOrFold<arith::CeilDivUIOp>(loc, size, b.createOrFold<arith::MulIOp>(loc, count, index(unit)));
      Value part = b.createOrFold<arith::MulIOp>(loc, each, index(unit));
      return b.createOrFold<arith::MaxUIOp>(loc, part, index(llvm::divideCeil(kSmallestBlock, unit) * unit));
    };
    Value isLarge = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge,
                                                  b.createOrFold<arith::MulIOp>(loc, M, N), index(kLargeResult));
    Value widest = b.createOrFold<arith::SelectOp>(loc, isLarge, index(2 * kBlockColumns), index(kBlockColumns));
    Value rows = even(M, p.tileRows, index(blockRows())), columns = even(N, 2 * p.lanes, widest);
    SmallVector<Value> lower(p.batch.size() + 2, index(0)), upper, steps(p.batch.size(), index(1));
    for (unsigned d : p.batch)
      upper.push_back(sizes[d]);
    upper.append({N, M});
    steps.append({columns, rows});
    if (p.inThread) {
      scf::buildLoopNest(b, loc, lower, upper, steps, [&](OpBuilder &inner, Location, ValueRange at) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        batch.assign(at.begin(), std::prev(at.end(), 2));
        block(at[at.size() - 1], rows, at[at.size() - 2], columns);
      });
      return;
    }
    auto blocks = scf::ParallelOp::create(b, loc, lower, upper, steps);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(blocks.getBody());
    SmallVector<Value> at(blocks.getInductionVars());
    batch.assign(at.begin(), std::prev(at.end(), 2));
    block(at[at.size() - 1], rows, at[at.size() - 2], columns);
  }

private:
  int64_t blockRows() const { return llvm::alignTo(kBlockRows, p.tileRows); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value smaller(Value x, Value y) { return b.createOrFold<arith::MinUIOp>(loc, x, y); }
  /// How many pairs of `ks` numbers are copied; with AMX as many as a register has rows.
  Value pairsOf(Value ks) {
    Value unit = index(p.inTiles ? 2 * kTileRows : 2), count = b.createOrFold<arith::CeilDivUIOp>(loc, ks, unit);
    return p.inTiles ? b.createOrFold<arith::MulIOp>(loc, count, index(kTileRows)) : count;
  }
  Value halved(Value x) { return b.createOrFold<arith::CeilDivUIOp>(loc, x, index(2)); }

  void loop(Value from, Value to, int64_t step, llvm::function_ref<void(Value)> inside) {
    auto loop = scf::ForOp::create(b, loc, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    inside(loop.getInductionVar());
  }

  Type elementOf(Value memory) { return cast<MemRefType>(memory.getType()).getElementType(); }
  VectorType vectorOf(Type element, int64_t lanes) { return VectorType::get(lanes, element); }
  VectorType sumType() { return vectorOf(elementOf(p.out), p.lanes); }

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
    Type result = memref::SubViewOp::inferRankReducedResultType({ShapedType::kDynamic, ShapedType::kDynamic}, type,
                                                                offsets, sizes, strides);
    return memref::SubViewOp::create(b, loc, cast<MemRefType>(result), operand, offsets, sizes, strides);
  }

  Value loadOrZeros(Value memory, ValueRange at, VectorType type, Value count) {
    Value mask = vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type(), type.getNumElements()), count);
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, memory, at, mask, zeros);
  }

  //===- Packing ----------------------------------------------------------===//

  /// packed[m, k] = left[m, k], with zeros from `ks` to the next vector.
  void packLeft(Value source, Value packed, Value rows, Value ks) {
    bool isPlain = p.isAlong(p.left, p.k);
    VectorType type = vectorOf(elementOf(packed), p.inPairs ? 2 * p.lanes : p.lanes);
    int64_t lanes = type.getNumElements();
    if (isPlain)
      return loop(index(0), rows, 1, [&](Value m) {
        loop(index(0), ks, lanes, [&](Value k) {
          vector::StoreOp::create(b, loc, loadOrZeros(source, {m, k}, type, sub(ks, k)), packed, ValueRange{m, k});
        });
      });
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    if (p.inPairs)
      loop(index(0), rows, 1, [&](Value m) { vector::StoreOp::create(b, loc, zeros, packed, ValueRange{m, ks}); });
    SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)), sizes{rows, ks}, ones(2, b.getIndexAttr(1));
    Value target = memref::SubViewOp::create(b, loc, packed, origin, sizes, ones);
    AffineMap plain = b.getMultiDimIdentityMap(2);
    SmallVector<AffineMap> maps{AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext()), plain};
    SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
    linalg::GenericOp::create(
        b, loc, source, target, maps, kinds,
        [](OpBuilder &inner, Location at, ValueRange values) { linalg::YieldOp::create(inner, at, values[0]); });
  }

  /// Up to a whole tile.
  void repeatLastRow(Value packed, Value rows, Value ks) {
    VectorType type = vectorOf(elementOf(packed), p.inPairs ? 2 * p.lanes : p.lanes);
    Value end = b.createOrFold<arith::CeilDivUIOp>(loc, rows, index(p.tileRows));
    end = b.createOrFold<arith::MulIOp>(loc, end, index(p.tileRows));
    loop(rows, end, 1, [&](Value m) {
      loop(index(0), ks, type.getNumElements(), [&](Value k) {
        Value last = vector::LoadOp::create(b, loc, type, packed, ValueRange{add(rows, -1), k});
        vector::StoreOp::create(b, loc, last, packed, ValueRange{m, k});
      });
    });
  }

  /// packed[k, ..] = right[k, n .. n + width] for the panel from column n on; of pairs, row k has for each column the
  /// elements of rows 2 k and 2 k + 1. What is beyond the matrix is zero.
  void packPanel(Value source, Value packed, Value n, Value columns, Value ks) {
    bool isPlain = p.isAlong(p.right, p.n);
    int64_t width = 2 * p.lanes;
    Type element = elementOf(packed);
    if (isPlain) {
      VectorType type = vectorOf(element, p.lanes);
      return loop(index(0), p.inPairs ? pairsOf(ks) : ks, 1, [&](Value k) {
        for (int64_t j = 0; j < width; j += p.lanes) {
          Value column = add(n, j), count = sub(columns, column);
          if (!p.inPairs) {
            Value row = loadOrZeros(source, {k, column}, type, count);
            vector::StoreOp::create(b, loc, row, packed, ValueRange{k, index(j)});
            continue;
          }
          Value first = b.createOrFold<arith::MulIOp>(loc, k, index(2)), second = add(first, 1);
          auto rowOrZeros = [&](Value row) {
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
    // Blocks of lanes x lanes numbers, or pairs, transposed in registers.
    int64_t each = p.inPairs ? 2 : 1;
    VectorType type = vectorOf(element, each * p.lanes);
    VectorType words = p.inPairs ? vectorOf(b.getI32Type(), p.lanes) : type;
    loop(index(0), ks, each * p.lanes, [&](Value k) {
      for (int64_t j = 0; j < width; j += p.lanes) {
        SmallVector<Value> rows;
        for (int64_t line = 0; line < p.lanes; ++line) {
          Value column = add(n, j + line);
          Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column, columns);
          Value count = arith::SelectOp::create(b, loc, inside, sub(ks, k), index(0));
          Value row = loadOrZeros(source, {column, k}, type, count);
          rows.push_back(p.inPairs ? vector::BitCastOp::create(b, loc, words, row).getResult() : row);
        }
        transposeRows(b, loc, rows);
        Value first = p.inPairs ? halved(k) : k;
        for (int64_t line = 0; line < p.lanes; ++line) {
          Value row = p.inPairs ? vector::BitCastOp::create(b, loc, type, rows[line]).getResult() : rows[line];
          vector::StoreOp::create(b, loc, row, packed, ValueRange{add(first, line), index(each * j)});
        }
      }
    });
  }

  //===- Blocks and tiles -------------------------------------------------===//

  void block(Value m0, Value mostRows, Value n0, Value mostColumns) {
    Value rows = smaller(mostRows, sub(M, m0)), columns = smaller(mostColumns, sub(N, n0));
    int64_t width = 2 * p.lanes, each = p.inPairs ? 2 : 1;
    Type factor = elementOf(p.left);
    int64_t most = blockRows();
    if (std::optional<int64_t> known = getConstantIntValue(mostRows))
      most = llvm::alignTo(*known, p.tileRows);
    Value left = bufferOf({most, depth + kPadding}, factor);
    // Whole blocks of lanes x lanes are written.
    Value panel = bufferOf({int64_t(llvm::alignTo(depth / each, p.lanes)), each * width}, factor);
    if (p.inTiles)
      sumsOfTile = bufferOf({2 * kTileRows, 2 * kTileRows}, elementOf(p.out));
    loop(index(0), K, depth, [&](Value k0) {
      Value ks = smaller(index(depth), sub(K, k0));
      packLeft(part(p.left, p.m, m0, rows, k0, ks), left, rows, ks);
      repeatLastRow(left, rows, ks);
      Value right = part(p.right, p.k, k0, ks, n0, columns), out = part(p.out, p.m, m0, rows, n0, columns);
      loop(index(0), columns, width, [&](Value n) {
        packPanel(right, panel, n, columns, ks);
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

  void tiles(Value left, Value panel, Value out, Value rows, Value n, Value columns, Value ks, int64_t vectors) {
    loop(index(0), rows, p.tileRows, [&](Value m) {
      if (p.inTiles)
        tileByAmx(left, panel, out, m, rows, n, columns, ks, vectors);
      else
        tile(left, panel, out, m, rows, n, columns, ks, vectors);
    });
  }

  /// out[m.., n..] += left[m.., :] * panel, in `tileRows` by `vectors` vectors. A tile beyond the last row repeats it,
  /// as the packed left factor does: it is computed and written alike each time.
  void tile(Value left, Value panel, Value out, Value m, Value rows, Value n, Value columns, Value ks,
            int64_t vectors) {
    SmallVector<Value> masks, sums, lines;
    Value last = add(rows, -1);
    for (int64_t j = 0; j < vectors; ++j)
      masks.push_back(
          vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type(), p.lanes), sub(columns, add(n, j * p.lanes))));
    auto place = [&](int64_t r, int64_t j) { return SmallVector<Value>{lines[r], add(n, j * p.lanes)}; };
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType()));
    for (int64_t r = 0; r < p.tileRows; ++r) {
      lines.push_back(r ? smaller(add(m, r), last) : m);
      for (int64_t j = 0; j < vectors; ++j)
        sums.push_back(vector::MaskedLoadOp::create(b, loc, sumType(), out, place(r, j), masks[j], zeros));
    }
    auto along = scf::ForOp::create(b, loc, index(0), p.inPairs ? halved(ks) : ks, index(1), sums);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(along.getBody());
      scf::YieldOp::create(b, loc, step(left, panel, m, along.getInductionVar(), vectors, along.getRegionIterArgs()));
    }
    for (int64_t i = 0; i < p.tileRows * vectors; ++i)
      vector::MaskedStoreOp::create(b, loc, out, place(i / vectors, i % vectors), masks[i % vectors],
                                    along.getResult(i));
  }

  /// The same in 2 by `vectors` registers of AMX. They start at zero, and are added to the result by masked vectors:
  /// rows and columns beyond it are computed, and dropped.
  void tileByAmx(Value left, Value panel, Value out, Value m, Value rows, Value n, Value columns, Value ks,
                 int64_t vectors) {
    auto sumTile = amx::TileType::get({kTileRows, kTileRows}, elementOf(p.out));
    auto factorTile = amx::TileType::get({kTileRows, 2 * kTileRows}, elementOf(left));
    SmallVector<Value> zeros;
    for (int64_t i = 0; i < 2 * vectors; ++i)
      zeros.push_back(amx::TileZeroOp::create(b, loc, sumTile));
    auto along = scf::ForOp::create(b, loc, index(0), ks, index(2 * kTileRows), zeros);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(along.getBody());
      Value k = along.getInductionVar();
      SmallVector<Value> factors, sums;
      for (int64_t j = 0; j < vectors; ++j)
        factors.push_back(
            amx::TileLoadOp::create(b, loc, factorTile, panel, ValueRange{halved(k), index(2 * kTileRows * j)}));
      for (int64_t i = 0; i < 2; ++i) {
        Value factor = amx::TileLoadOp::create(b, loc, factorTile, left, ValueRange{add(m, kTileRows * i), k});
        for (int64_t j = 0; j < vectors; ++j)
          sums.push_back(
              amx::TileMulFOp::create(b, loc, sumTile, factor, factors[j], along.getRegionIterArgs()[i * vectors + j]));
      }
      scf::YieldOp::create(b, loc, sums);
    }
    for (int64_t i = 0; i < 2 * vectors; ++i)
      amx::TileStoreOp::create(b, loc, sumsOfTile,
                               ValueRange{index(kTileRows * (i / vectors)), index(kTileRows * (i % vectors))},
                               along.getResult(i));
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
    int64_t each = p.inPairs ? 2 : 1;
    VectorType type = vectorOf(elementOf(panel), each * p.lanes);
    for (int64_t j = 0; j < vectors; ++j)
      right.push_back(widened(vector::LoadOp::create(b, loc, type, panel, ValueRange{k, index(j * each * p.lanes)})));
    for (int64_t r = 0; r < p.tileRows; ++r) {
      Value factor = broadcastLeft(left, add(m, r), k);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(multiplyAdd(factor, right[j], sums[r * vectors + j]));
    }
    return next;
  }

  Value widened(Value factor) {
    Type element = elementOf(p.out);
    if (p.inPairs || getElementTypeOrSelf(factor.getType()) == element)
      return factor;
    Type type = isa<VectorType>(factor.getType()) ? Type(sumType()) : element;
    return arith::ExtFOp::create(b, loc, type, factor);
  }

  Value broadcastLeft(Value left, Value m, Value k) {
    if (!p.inPairs)
      return vector::BroadcastOp::create(b, loc, sumType(),
                                         widened(memref::LoadOp::create(b, loc, left, ValueRange{m, k})));
    Type element = elementOf(left);
    Value first = b.createOrFold<arith::MulIOp>(loc, k, index(2));
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

  OpBuilder &b;
  Location loc;
  const PackedProduct &p;
  Value M, N, K;
  SmallVector<Value> batch;
  Value sumsOfTile; ///< Memory of AMX's registers.
  int64_t depth;
};
} // namespace

AffineMap PackedProduct::map(Value operand) const {
  linalg::LinalgOp handle = op;
  for (OpOperand &use : handle->getOpOperands())
    if (use.get() == operand)
      return handle.getMatchingIndexingMap(&use);
  llvm_unreachable("an operand of the op");
}

bool PackedProduct::isAlong(Value operand, unsigned dimension) const {
  return cast<AffineDimExpr>(map(operand).getResults().back()).getPosition() == dimension;
}

void emitPackedProduct(OpBuilder &builder, const PackedProduct &product) { PackedEmitter(builder, product).emit(); }
} // namespace lispier
