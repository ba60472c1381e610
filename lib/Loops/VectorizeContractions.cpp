//===- VectorizeContractions.cpp - matmul in register tiles ---------------===//
//
// Before: linalg contractions on memrefs of any size. After: scf.parallel over
// tiles of the result, whose sums are kept in vectors. lispier-outline-parallel
// relies on the tiles being independent.
//
// Vectors extend along the contiguous dimension. If the right operand and the
// result are contiguous along the columns, a vector holds sums of adjacent
// columns. If both factors are contiguous along the summed dimension, as in x
// times the transpose of w, it holds partial sums of one element.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
#define GEN_PASS_DEF_VECTORIZECONTRACTIONS
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
/// out[.., m, n] += extend(left[.., m, k]) * extend(right[.., k, n]), with each operand's dimensions in any order. One
/// of m and n may be missing; it is then treated as a dimension of size 1.
struct Contraction {
  linalg::LinalgOp op;
  Value left, right, out;
  SmallVector<unsigned> batch;
  unsigned m, n, k;
  FloatType element;       ///< Element type of the sums.
  bool alongDepth = false; ///< Vectors extend along k, the last dimension of both factors; otherwise along n.

  AffineMap map(Value operand) {
    linalg::LinalgOp handle = op;
    for (OpOperand &use : handle->getOpOperands())
      if (use.get() == operand)
        return handle.getMatchingIndexingMap(&use);
    llvm_unreachable("an operand of the op");
  }
};

bool isContiguousAlong(Contraction &c, Value operand, unsigned dimension) {
  AffineMap map = c.map(operand);
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : AffineDimExpr(nullptr);
  auto [strides, offset] = cast<MemRefType>(operand.getType()).getStridesAndOffset();
  return last && last.getPosition() == dimension && strides.back() == 1;
}

/// Chooses the direction of the vectors. Returns false if no dimension is contiguous.
bool chooseDirection(Contraction &c) {
  auto alongColumns = [&] { return isContiguousAlong(c, c.right, c.n) && isContiguousAlong(c, c.out, c.n); };
  if (alongColumns())
    return true;
  c.alongDepth = isContiguousAlong(c, c.left, c.k) && isContiguousAlong(c, c.right, c.k);
  if (c.alongDepth)
    return true;
  std::swap(c.left, c.right); // Try the transposed product.
  std::swap(c.m, c.n);
  return alongColumns();
}

/// Whether the body is yield(out + extend(a) * extend(b)) with at most one extension for each factor.
bool multipliesAndAdds(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  auto throughExtension = [](Value value) {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : value;
  };
  auto isArgument = [&](Value value, unsigned i) { return throughExtension(value) == body->getArgument(i); };
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  for (auto [acc, other] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (auto product = other.getDefiningOp<arith::MulFOp>(); product && acc == body->getArgument(2))
      return (isArgument(product.getLhs(), 0) && isArgument(product.getRhs(), 1)) ||
             (isArgument(product.getLhs(), 1) && isArgument(product.getRhs(), 0));
  return false;
}

std::optional<Contraction> match(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !multipliesAndAdds(op))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dimensions = linalg::inferContractionDims(op);
  if (failed(dimensions) || dimensions->m.size() > 1 || dimensions->n.size() > 1 || dimensions->k.size() != 1 ||
      (dimensions->m.empty() && dimensions->n.empty()))
    return std::nullopt;
  auto dimension = [&](ArrayRef<unsigned> one) { return one.empty() ? op.getNumLoops() : one[0]; };
  Contraction c{op, op.getDpsInputs()[0],     op.getDpsInputs()[1],     op.getDpsInits()[0],
                {}, dimension(dimensions->m), dimension(dimensions->n), dimensions->k[0],
                {}};
  c.batch.assign(dimensions->batch.begin(), dimensions->batch.end());
  if (c.left == c.right || c.left == c.out || c.right == c.out)
    return std::nullopt;
  c.element = dyn_cast<FloatType>(getElementTypeOrSelf(c.out.getType()));
  if (!c.element || !(c.element.isF32() || c.element.isF64()))
    return std::nullopt;
  for (Value operand : {c.left, c.right, c.out})
    if (!c.map(operand).isProjectedPermutation() || !isa<MemRefType>(operand.getType()))
      return std::nullopt;
  return chooseDirection(c) ? std::optional(c) : std::nullopt;
}

class Emitter {
public:
  /// `lanes`: number of lanes of a vector.
  Emitter(OpBuilder &builder, Contraction &c, int64_t rows, int64_t columns, int64_t lanes)
      : builder(builder), loc(c.op.getLoc()), c(c), rows(rows), columns(columns), lanes(lanes),
        ivs(c.op.getNumLoops() + 1) {}

  void emit() {
    Value width = size(c.n), height = size(c.m);
    SmallVector<Value> lower, upper, steps;
    auto dimension = [&](Value bound, Value step) {
      lower.push_back(index(0));
      upper.push_back(bound);
      steps.push_back(step);
    };
    for (unsigned batch : c.batch)
      dimension(size(batch), index(1));
    dimension(width, index(columns)); // Outside the rows, so that adjacent tiles share columns of the right operand.
    dimension(height, index(rows));
    scf::ParallelOp::create(builder, loc, lower, upper, steps, [&](OpBuilder &inner, Location, ValueRange at) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
      for (auto [batch, iv] : llvm::zip(c.batch, at))
        ivs[batch] = iv;
      tile(at[at.size() - 1], height, at[at.size() - 2], width);
    });
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value a, int64_t b) { return b ? arith::AddIOp::create(builder, loc, a, index(b)).getResult() : a; }
  Value fits(Value from, int64_t count, Value bound) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, add(from, count), bound);
  }

  /// Size of a dimension of the op, taken from an operand that has it.
  Value size(unsigned dimension) {
    if (dimension == c.op.getNumLoops())
      return index(1);
    for (Value operand : {c.out, c.left, c.right})
      for (auto [i, expression] : llvm::enumerate(c.map(operand).getResults()))
        if (cast<AffineDimExpr>(expression).getPosition() == dimension)
          return memref::DimOp::create(builder, loc, operand, i);
    llvm_unreachable("every dimension is one of an operand");
  }

  SmallVector<Value> indices(Value operand) {
    SmallVector<Value> result;
    for (AffineExpr expression : c.map(operand).getResults())
      result.push_back(ivs[cast<AffineDimExpr>(expression).getPosition()]);
    return result;
  }

  Value extended(Value value) {
    Type type = value.getType();
    Type wide = isa<VectorType>(type) ? Type(cast<VectorType>(type).clone(c.element)) : Type(c.element);
    return type == wide ? value : arith::ExtFOp::create(builder, loc, wide, value).getResult();
  }

  Value load(Value operand, int64_t width) {
    if (width == 1)
      return extended(memref::LoadOp::create(builder, loc, operand, indices(operand)));
    auto type = VectorType::get(width, getElementTypeOrSelf(operand.getType()));
    return extended(vector::LoadOp::create(builder, loc, type, operand, indices(operand)));
  }

  void branch(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
    auto choice = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    then();
    builder.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  void loop(Value from, Value to, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, from, to, index(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  Value smaller(Value a, Value b) { return arith::MinUIOp::create(builder, loc, a, b); }

  /// Computes the tile whose first element is out[row, column]; it may be partial.
  void tile(Value row, Value height, Value column, Value width) {
    Value lastRow = smaller(add(row, rows), height), lastColumn = smaller(add(column, columns), width);
    branch(
        fits(column, columns, width),
        [&] {
          branch(
              fits(row, rows, height), [&] { sums(row, rows, column, columns); },
              [&] { loop(row, lastRow, [&](Value r) { sums(r, 1, column, columns); }); });
        },
        [&] { loop(row, lastRow, [&](Value r) { loop(column, lastColumn, [&](Value n) { sums(r, 1, n, 1); }); }); });
  }

  /// out[row .. row + count, column .. column + width] += left * right, summed along k.
  void sums(Value row, int64_t count, Value column, int64_t width) {
    if (c.alongDepth)
      return partialSums(row, count, column, width);
    Value depth = size(c.k);
    ivs[c.n] = column;
    SmallVector<Value> initial;
    for (int64_t r = 0; r < count; ++r) {
      ivs[c.m] = add(row, r);
      initial.push_back(load(c.out, width));
    }
    auto loop = scf::ForOp::create(builder, loc, index(0), depth, index(1), initial);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      ivs[c.k] = loop.getInductionVar();
      Value right = load(c.right, width);
      SmallVector<Value> next;
      for (int64_t r = 0; r < count; ++r) {
        ivs[c.m] = add(row, r);
        Value left = load(c.left, 1);
        if (width > 1)
          left = vector::BroadcastOp::create(builder, loc, right.getType(), left);
        next.push_back(multiplyAdd(left, right, loop.getRegionIterArgs()[r]));
      }
      scf::YieldOp::create(builder, loc, next);
    }
    for (int64_t r = 0; r < count; ++r) {
      ivs[c.m] = add(row, r);
      if (width == 1)
        memref::StoreOp::create(builder, loc, loop.getResult(r), c.out, indices(c.out));
      else
        vector::StoreOp::create(builder, loc, loop.getResult(r), c.out, indices(c.out));
    }
  }

  /// With contraction, so that it becomes one FMA, which is faster and at least as accurate.
  Value multiplyAdd(Value a, Value b, Value sum) {
    return arith::AddFOp::create(builder, loc, sum,
                                 arith::MulFOp::create(builder, loc, a, b, arith::FastMathFlags::contract),
                                 arith::FastMathFlags::contract);
  }

  /// As sums, with vectors along k: a vector of partial sums per element, and scalar code for the remainder.
  void partialSums(Value row, int64_t count, Value column, int64_t width) {
    Value depth = size(c.k);
    Value whole = arith::SubIOp::create(builder, loc, depth, arith::RemUIOp::create(builder, loc, depth, index(lanes)));
    auto each = [&](function_ref<void(int64_t)> body) {
      for (int64_t i = 0; i < count * width; ++i) {
        ivs[c.m] = add(row, i / width);
        ivs[c.n] = add(column, i % width);
        body(i);
      }
    };
    auto along = [&](Value from, Value to, int64_t step, ArrayRef<Value> initial) {
      auto loop = scf::ForOp::create(builder, loc, from, to, index(step), initial);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      ivs[c.k] = loop.getInductionVar();
      SmallVector<Value> left(count), right(width), next;
      each([&](int64_t i) { // Load each row of the left and the right operand once.
        if (!left[i / width])
          left[i / width] = load(c.left, step);
        if (!right[i % width])
          right[i % width] = load(c.right, step);
        next.push_back(multiplyAdd(left[i / width], right[i % width], loop.getRegionIterArgs()[i]));
      });
      scf::YieldOp::create(builder, loc, next);
      return loop;
    };
    auto partial = VectorType::get(lanes, c.element);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(partial));
    auto vectors = along(index(0), whole, lanes, SmallVector<Value>(count * width, zero));
    SmallVector<Value> initial(count * width);
    each([&](int64_t i) {
      initial[i] = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, vectors.getResult(i),
                                               load(c.out, 1), arith::FastMathFlags::reassoc);
    });
    auto numbers = along(whole, depth, 1, initial);
    each([&](int64_t i) { memref::StoreOp::create(builder, loc, numbers.getResult(i), c.out, indices(c.out)); });
  }

  OpBuilder &builder;
  Location loc;
  Contraction &c;
  int64_t rows, columns, lanes; ///< Size of a tile; lanes of a vector.
  SmallVector<Value> ivs;       ///< Current index in each dimension of the op.
};

struct VectorizeContractions : lispier::impl::VectorizeContractionsBase<VectorizeContractions> {
  using VectorizeContractionsBase::VectorizeContractionsBase;

  void runOnOperation() override {
    SmallVector<Contraction> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<Contraction> contraction = match(op))
        found.push_back(*contraction);
    });
    for (Contraction &contraction : found) {
      OpBuilder builder(contraction.op);
      int64_t lanes = vectorBytes / (contraction.element.getWidth() / 8), most = vectorBytes >= 64 ? 8 : 4;
      bool isRow = contraction.m == contraction.op.getNumLoops(),
           isColumn = contraction.n == contraction.op.getNumLoops();
      // Use half of the 32 or 16 registers for sums and the rest for factors: two vectors of columns in 8 or 4 rows, or
      // 4 columns in half as many rows.
      int64_t rows = contraction.alongDepth ? most / 2 : most, columns = contraction.alongDepth ? 4 : 2 * lanes;
      if (isRow || isColumn)
        rows = isRow ? 1 : most, columns = isColumn ? 1 : contraction.alongDepth ? most : columns;
      Emitter(builder, contraction, rows, columns, lanes).emit();
      contraction.op->erase();
    }
  }
};
} // namespace
