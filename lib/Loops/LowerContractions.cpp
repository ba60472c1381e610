//===- LowerContractions.cpp - vector.contract to rows of vectors ---------===//
//
// Before: vector.contract of any kind, order of dimensions and mix of types. After:
// products and sums of rows, which are vectors of one dimension: unrolled if they
// are few, else loops over copies of the operands on the stack, since unrolled code
// for large ones takes minutes to compile.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace lispier {
#define GEN_PASS_DEF_LOWERCONTRACTIONS
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kMostUnrolled = 1024; ///< Registers' worth of multiply-adds.
constexpr int64_t kRegisterBytes = 64;

/// The contraction as sums[b, m, n] = combine(sums[b, m, n], left[b, m, k] * right[b, k, n]), each operand's dimensions
/// of one role being one.
struct Contraction {
  vector::ContractionOp op;
  Value left, right, sums;    ///< Of rank three.
  SmallVector<int64_t> order; ///< Of the result's dimensions in `sums`, before they were joined.
  int64_t B = 1, M = 1, N = 1, K = 1;
  Type element; ///< Of the sums.
};

/// The operand with the dimensions of the first list first, and so on, and each list's joined to one.
Value arranged(OpBuilder &b, Location loc, Value value, AffineMap map, ArrayRef<SmallVector<unsigned>> roles,
               ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> *order = nullptr) {
  Type element = getElementTypeOrSelf(value.getType());
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return vector::BroadcastOp::create(b, loc, VectorType::get(shape, element), value);
  SmallVector<int64_t> permutation;
  for (const SmallVector<unsigned> &role : roles)
    for (unsigned d : role)
      for (auto [i, result] : llvm::enumerate(map.getResults()))
        if (cast<AffineDimExpr>(result).getPosition() == d)
          permutation.push_back(i);
  if (order)
    order->assign(permutation.begin(), permutation.end());
  if (!llvm::is_sorted(permutation))
    value = vector::TransposeOp::create(b, loc, value, permutation);
  return vector::ShapeCastOp::create(b, loc, VectorType::get(shape, element), value);
}

std::optional<Contraction> arrange(OpBuilder &b, vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes;
  op.getIterationBounds(sizes);
  SmallVector<unsigned> batch, ms, ns, ks;
  Contraction c;
  c.op = op;
  for (unsigned d = 0; d < sizes.size(); ++d) {
    bool left = maps[0].isFunctionOfDim(d), right = maps[1].isFunctionOfDim(d), result = maps[2].isFunctionOfDim(d);
    if (!left && !right)
      return std::nullopt;
    if (!result && !(left && right))
      return std::nullopt; // A sum of one operand alone.
    (!result ? ks : left && right ? batch : left ? ms : ns).push_back(d);
    (!result ? c.K : left && right ? c.B : left ? c.M : c.N) *= sizes[d];
  }
  Location loc = op.getLoc();
  Value left = op.getLhs(), right = op.getRhs();
  AffineMap leftMap = maps[0], rightMap = maps[1];
  if (c.M > c.N && c.N < 8) { // Rows of the sums extend along n: products are the same the other way round.
    std::swap(left, right);
    std::swap(leftMap, rightMap);
    std::swap(ms, ns);
    std::swap(c.M, c.N);
  }
  c.element = getElementTypeOrSelf(op.getResultType());
  c.left = arranged(b, loc, left, leftMap, {batch, ms, ks}, {c.B, c.M, c.K});
  c.right = arranged(b, loc, right, rightMap, {batch, ks, ns}, {c.B, c.K, c.N});
  c.sums = arranged(b, loc, op.getAcc(), maps[2], {batch, ms, ns}, {c.B, c.M, c.N}, &c.order);
  return c;
}

class Lowering {
public:
  Lowering(OpBuilder &builder, Contraction &c) : b(builder), loc(c.op.getLoc()), c(c) {}

  void run() {
    int64_t registers =
        llvm::divideCeil(c.N * std::max<int64_t>(8, c.element.getIntOrFloatBitWidth()), kRegisterBytes * 8);
    Value sums = c.B * c.M * c.K * registers <= kMostUnrolled ? unrolled() : looped();
    c.op.replaceAllUsesWith(restored(sums));
    c.op.erase();
  }

private:
  VectorType row(Type element, int64_t length) { return VectorType::get(length, element); }

  /// With the element type of the sums.
  Value widened(Value value) {
    Type from = getElementTypeOrSelf(value.getType());
    if (from == c.element)
      return value;
    auto vectorType = dyn_cast<VectorType>(value.getType());
    Type to = vectorType ? Type(vectorType.clone(c.element)) : c.element;
    if (isa<FloatType>(from))
      return arith::ExtFOp::create(b, loc, to, value);
    return arith::ExtSIOp::create(b, loc, to, value);
  }

  /// combine(sums, factor * values), of a row.
  Value multiplyAdd(Value factor, Value values, Value sums) {
    values = widened(values);
    Value factors = vector::BroadcastOp::create(b, loc, values.getType(), widened(factor));
    if (isa<FloatType>(c.element) && c.op.getKind() == vector::CombiningKind::ADD)
      return vector::FMAOp::create(b, loc, factors, values, sums);
    Value product = isa<FloatType>(c.element) ? arith::MulFOp::create(b, loc, factors, values).getResult()
                                              : arith::MulIOp::create(b, loc, factors, values).getResult();
    return vector::makeArithReduction(b, loc, c.op.getKind(), product, sums);
  }

  Value unrolled() {
    Value all = c.sums;
    for (int64_t batch = 0; batch < c.B; ++batch)
      for (int64_t m = 0; m < c.M; ++m) {
        Value sums = vector::ExtractOp::create(b, loc, c.sums, ArrayRef<int64_t>{batch, m});
        for (int64_t k = 0; k < c.K; ++k) {
          Value factor = vector::ExtractOp::create(b, loc, c.left, ArrayRef<int64_t>{batch, m, k});
          Value values = vector::ExtractOp::create(b, loc, c.right, ArrayRef<int64_t>{batch, k});
          sums = multiplyAdd(factor, values, sums);
        }
        all = vector::InsertOp::create(b, loc, sums, all, ArrayRef<int64_t>{batch, m});
      }
    return all;
  }

  /// A copy of the vector on the stack.
  Value inMemory(Value value) {
    auto type = cast<VectorType>(value.getType());
    OpBuilder entry(c.op);
    if (auto function = c.op->getParentOfType<FunctionOpInterface>())
      entry.setInsertionPointToStart(&function.getFunctionBody().front());
    Value memory = memref::AllocaOp::create(entry, loc, MemRefType::get(type.getShape(), type.getElementType()),
                                            b.getI64IntegerAttr(64));
    vector::StoreOp::create(b, loc, value, memory, zeros());
    return memory;
  }

  SmallVector<Value> zeros() { return SmallVector<Value>(3, index(0)); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  void loop(int64_t to, int64_t step, llvm::function_ref<void(Value)> inside) {
    auto loop = scf::ForOp::create(b, loc, index(0), index(to), index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    inside(loop.getInductionVar());
  }

  Value looped() {
    Value left = inMemory(c.left), right = inMemory(c.right), sums = inMemory(c.sums);
    // Pieces of rows that registers hold; the last one may be shorter.
    int64_t piece = 4 * kRegisterBytes / std::max<int64_t>(1, c.element.getIntOrFloatBitWidth() / 8);
    int64_t whole = c.N / piece * piece;
    auto along = [&](Value batch, Value m, Value n, int64_t length) {
      SmallVector<Value> place{batch, m, n};
      Value first = vector::LoadOp::create(b, loc, row(c.element, length), sums, place);
      auto loop = scf::ForOp::create(b, loc, index(0), index(c.K), index(1), first);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value k = loop.getInductionVar();
        Value factor = memref::LoadOp::create(b, loc, left, ValueRange{batch, m, k});
        Type element = getElementTypeOrSelf(c.right.getType());
        Value values = vector::LoadOp::create(b, loc, row(element, length), right, ValueRange{batch, k, n});
        scf::YieldOp::create(b, loc, multiplyAdd(factor, values, loop.getRegionIterArgs()[0]));
      }
      vector::StoreOp::create(b, loc, loop.getResult(0), sums, place);
    };
    loop(c.B, 1, [&](Value batch) {
      loop(c.M, 1, [&](Value m) {
        if (whole)
          loop(whole, piece, [&](Value n) { along(batch, m, n, piece); });
        if (whole < c.N)
          along(batch, m, index(whole), c.N - whole);
      });
    });
    return vector::LoadOp::create(b, loc, cast<VectorType>(c.sums.getType()), sums, zeros());
  }

  /// The sums in the shape of the op's result.
  Value restored(Value sums) {
    auto type = dyn_cast<VectorType>(c.op.getResultType());
    if (!type)
      return vector::ExtractOp::create(b, loc, sums, ArrayRef<int64_t>{0, 0, 0});
    SmallVector<int64_t> shape, inverse(c.order.size());
    for (auto [i, d] : llvm::enumerate(c.order)) {
      shape.push_back(type.getDimSize(d));
      inverse[d] = i;
    }
    sums = vector::ShapeCastOp::create(b, loc, VectorType::get(shape, c.element), sums);
    return llvm::is_sorted(inverse) ? sums : vector::TransposeOp::create(b, loc, sums, inverse).getResult();
  }

  OpBuilder &b;
  Location loc;
  Contraction &c;
};

struct LowerContractions : impl::LowerContractionsBase<LowerContractions> {
  void runOnOperation() override {
    SmallVector<vector::ContractionOp> found;
    getOperation()->walk([&](vector::ContractionOp op) {
      auto isScalable = [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return vector && vector.isScalable();
      };
      if (!op.isMasked() && llvm::none_of(op->getOperandTypes(), isScalable))
        found.push_back(op);
    });
    for (vector::ContractionOp op : found) {
      OpBuilder b(op);
      if (std::optional<Contraction> contraction = arrange(b, op))
        Lowering(b, *contraction).run();
    }
  }
};
} // namespace
} // namespace lispier
