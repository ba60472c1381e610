//===- PackContractions.cpp - large products of matrices in blocks --------===//
//
// Before: linalg contractions on memrefs. After: for sizes at which copying pays,
// parallel blocks that copy slices of both factors; for a few rows and a large matrix,
// streams of its rows; else, decided at run time where sizes are unknown, the op as it
// is, which lispier-vectorize-linalg takes.
//
//===----------------------------------------------------------------------===//
#include "PackedProduct.h"
#include "TileSources.h"
#include "VectorNest.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace lispier {
#define GEN_PASS_DEF_PACKCONTRACTIONS
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
bool multipliesAndAdds(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  auto isArgument = [&](Value value, unsigned i) {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    return (extension ? extension.getIn() : value) == body->getArgument(i);
  };
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  for (auto [acc, other] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (auto product = other.getDefiningOp<arith::MulFOp>(); product && acc == body->getArgument(2))
      return (isArgument(product.getLhs(), 0) && isArgument(product.getRhs(), 1)) ||
             (isArgument(product.getLhs(), 1) && isArgument(product.getRhs(), 0));
  return false;
}

namespace {
bool hasContiguousRows(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type || type.getRank() < 2)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && strides.back() == 1;
}

bool areMultiplied(Value left, Value right, Value out) {
  Type a = getElementTypeOrSelf(left.getType()), b = getElementTypeOrSelf(right.getType()),
       c = getElementTypeOrSelf(out.getType());
  bool areFloats = (a.isF32() || a.isBF16()) && (b.isF32() || b.isBF16()) && (c.isF32() || c.isF64());
  return areFloats || (a.isF64() && b.isF64() && c.isF64());
}

/// Whether it consists of sums of multiples of dimensions.
bool isLinearPlace(AffineExpr place) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(place);
  if (!binary)
    return isa<AffineDimExpr, AffineConstantExpr>(place);
  bool isProduct = binary.getKind() == AffineExprKind::Mul && isa<AffineConstantExpr>(binary.getRHS());
  return (isProduct || binary.getKind() == AffineExprKind::Add) && isLinearPlace(binary.getLHS()) &&
         isLinearPlace(binary.getRHS());
}

std::optional<PackedProduct> match(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !multipliesAndAdds(op))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 || dims->k.size() != 1)
    return std::nullopt;
  PackedProduct p{op, op.getDpsInputs()[0], op.getDpsInputs()[1], op.getDpsInits()[0],
                  {}, dims->m[0],           dims->n[0],           dims->k[0]};
  p.batch.assign(dims->batch.begin(), dims->batch.end());
  if (p.left == p.right || p.left == p.out || p.right == p.out)
    return std::nullopt;
  for (Value operand : {p.left, p.right, p.out})
    if (!hasContiguousRows(operand) || !p.map(operand).isProjectedPermutation() ||
        llvm::is_contained(p.batch, cast<AffineDimExpr>(p.map(operand).getResults().back()).getPosition()))
      return std::nullopt;
  if (cast<AffineDimExpr>(p.map(p.out).getResults().back()).getPosition() == p.m) { // The transposed product.
    std::swap(p.left, p.right);
    std::swap(p.m, p.n);
  }
  return areMultiplied(p.left, p.right, p.out) ? std::optional(p) : std::nullopt;
}

/// A sum of products of windows of one input, read at linear places, with the other one, whose rows are all that is
/// summed: y[.., m, .., n] += w[m, k...] * x[...]. Along n, which the result is contiguous along, x may be strided.
std::optional<PackedProduct> matchWindows(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || !op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !multipliesAndAdds(op))
    return std::nullopt;
  SmallVector<unsigned> reduced, parallel;
  op.getReductionDims(reduced);
  op.getParallelDims(parallel);
  Value out = op.getDpsInits()[0];
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (reduced.empty() || !hasContiguousRows(out) || !outMap.isProjectedPermutation() ||
      outMap.getNumResults() != parallel.size())
    return std::nullopt;
  unsigned n = outMap.getDimPosition(outMap.getNumResults() - 1);
  for (unsigned i = 0; i < 2; ++i) {
    OpOperand *weights = op.getDpsInputOperand(i), *data = op.getDpsInputOperand(1 - i);
    AffineMap map = op.getMatchingIndexingMap(weights), places = op.getMatchingIndexingMap(data);
    auto type = dyn_cast<MemRefType>(weights->get().getType());
    if (!type || !isa<MemRefType>(data->get().getType()) || !type.getLayout().isIdentity() ||
        !map.isProjectedPermutation() || map.getNumResults() != reduced.size() + 1 || places.isProjectedPermutation() ||
        weights->get() == out || data->get() == out || weights->get() == data->get())
      continue;
    PackedProduct p{op, weights->get(), data->get(), out, {}, map.getDimPosition(0), n, map.getDimPosition(1)};
    for (AffineExpr result : map.getResults().drop_front())
      p.reduced.push_back(cast<AffineDimExpr>(result).getPosition());
    bool areSummed = llvm::all_of(p.reduced, [&](unsigned d) { return llvm::is_contained(reduced, d); });
    bool isLinear = llvm::all_of(places.getResults(), [&](AffineExpr e) { return isLinearPlace(e); });
    if (!areSummed || !isLinear || p.m == n || !llvm::is_contained(parallel, p.m) || places.isFunctionOfDim(p.m) ||
        !places.isFunctionOfDim(n))
      continue;
    for (unsigned d : parallel)
      if (d != p.m && d != n)
        p.batch.push_back(d);
    return p;
  }
  return std::nullopt;
}

struct PackContractions : impl::PackContractionsBase<PackContractions> {
  using PackContractionsBase::PackContractionsBase;

  void runOnOperation() override {
    SmallVector<PackedProduct> found;
    getOperation()->walk([&](linalg::LinalgOp op) {
      std::optional<PackedProduct> product = match(op);
      if (!product) {
        product = isInsideThread(op) ? std::nullopt : matchWindows(op);
        if (product && areMultiplied(product->left, product->right, product->out))
          found.push_back(*product);
        return;
      }
      product->inThread = isInsideThread(op);
      if (!product->inThread || isTile(op))
        found.push_back(*product);
    });
    for (PackedProduct &product : found)
      pack(product);
  }

  /// A product in pairs copies its factors, so that what a program loads for it need not be copied before: where the
  /// whole tile lies within its source, the product reads it there.
  void readSources(PackedProduct &p) {
    for (OpOperand *factor : p.op.getDpsInputOperands()) {
      Value &operand = factor->get() == p.left ? p.left : p.right;
      if (readInSource(*factor, p.op))
        operand = factor->get();
    }
  }

  /// Whether the op is a product that a thread may compute by itself: of known sizes, as of a program on tiles, and so
  /// fast in pairs that copies pay.
  bool isTile(linalg::LinalgOp op) const {
    bool isHost = !op->getParentOfType<gpu::LaunchOp>() && !op->getParentOfType<gpu::GPUFuncOp>() &&
                  !op->getParentOfType<scf::ForallOp>();
    return pairs && isHost && !llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic) && isOfPairs(op);
  }

  static bool isOfPairs(linalg::LinalgOp op) {
    return getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF32() &&
           llvm::all_of(op.getDpsInputs(),
                        [](Value factor) { return getElementTypeOrSelf(factor.getType()).isBF16(); });
  }

  void packWindows(PackedProduct &p) {
    p.lanes = vectorBytes / (getElementTypeOrSelf(p.out.getType()).getIntOrFloatBitWidth() / 8);
    p.tileRows = vectorBytes >= 64 ? 8 : 6;
    OpBuilder b(p.op);
    Value condition = isWorthwhileOfWindows(b, p);
    if (getConstantIntValue(condition) == 0)
      return;
    SmallVector<ReassociationIndices> together{{0}, llvm::to_vector(llvm::seq<int64_t>(1, p.reduced.size() + 1))};
    if (p.reduced.size() > 1)
      p.left = memref::CollapseShapeOp::create(b, p.op.getLoc(), p.left, together);
    emitWhere(b, p, condition, emitPackedProduct);
  }

  /// Whether windows are read by so many rows of the left factor that a copy of them pays, which is soon where a vector
  /// of them is read number by number, and fill a panel.
  Value isWorthwhileOfWindows(OpBuilder &b, const PackedProduct &p) {
    linalg::LinalgOp op = p.op;
    SmallVector<Value> sizes = loopSizes(b, op);
    Value summed = sizes[p.k];
    bool isPlain = NestAccess{p.right, p.map(p.right)}.isContiguousAlong(p.n);
    for (unsigned d : llvm::drop_begin(p.reduced))
      summed = b.createOrFold<arith::MulIOp>(op.getLoc(), summed, sizes[d]);
    Value result =
        b.createOrFold<arith::AndIOp>(op.getLoc(), atLeast(b, sizes[p.m], isPlain ? 48 : 12), atLeast(b, summed, 16));
    return b.createOrFold<arith::AndIOp>(op.getLoc(), result, atLeast(b, sizes[p.n], 3 * p.lanes));
  }

  void pack(PackedProduct &p) {
    if (p.isOfWindows())
      return packWindows(p);
    Type element = getElementTypeOrSelf(p.out.getType());
    p.inPairs = pairs && isOfPairs(p.op);
    p.lanes = vectorBytes / (element.getIntOrFloatBitWidth() / 8);
    p.inTiles = tiles && p.inPairs;
    p.tileRows = p.inTiles ? 32 : vectorBytes >= 64 ? 8 : 6;
    OpBuilder b(p.op);
    if (p.inThread && getConstantIntValue(isWorthwhile(b, p)).value_or(0) != 0)
      readSources(p);
    bool isReadByRows = !p.inThread && p.isAlong(p.right, p.n);
    if (isReadByRows && emitWhere(b, p, isMemoryBound(b, p), emitStreamedProduct))
      return;
    b.setInsertionPoint(p.op);
    if (p.inTiles && !p.inThread) {
      constexpr int64_t kOneBlockOfRows = 64;
      Value isLong = atLeast(b, loopSizes(b, p.op)[p.m], kOneBlockOfRows + 1);
      isLong = b.createOrFold<arith::AndIOp>(p.op.getLoc(), isLong, isWorthwhile(b, p));
      if (emitWhere(b, p, isLong, emitSharedProduct))
        return;
      b.setInsertionPoint(p.op);
    }
    emitWhere(b, p, isWorthwhile(b, p), emitPackedProduct);
  }

  /// Emits the product where the condition holds; elsewhere the op stays. Returns whether it holds everywhere.
  bool emitWhere(OpBuilder &b, PackedProduct &p, Value condition,
                 llvm::function_ref<void(OpBuilder &, const PackedProduct &)> emit) {
    std::optional<int64_t> known = getConstantIntValue(condition);
    if (known == 0)
      return false;
    if (known) {
      emit(b, p);
      p.op->erase();
      return true;
    }
    auto branch = scf::IfOp::create(b, p.op.getLoc(), condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(b, p);
    p.op->moveBefore(branch.elseBlock()->getTerminator());
    return false;
  }

  Value atLeast(OpBuilder &b, Value size, int64_t least) {
    Location loc = size.getLoc();
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, size,
                                         arith::ConstantIndexOp::create(b, loc, least));
  }

  /// Whether the right factor is so large that the time is that of reading it, for a few rows.
  Value isMemoryBound(OpBuilder &b, const PackedProduct &p) {
    constexpr int64_t kMostRows = 16;
    // Tiles of AVX-512 read 512 bytes of each row, which is as fast while the third-level cache has the matrix.
    int64_t least = vectorBytes >= 64 ? 1 << 22 : 1 << 20;
    linalg::LinalgOp op = p.op;
    Location loc = op.getLoc();
    SmallVector<Value> sizes = loopSizes(b, op);
    Value isFew = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, sizes[p.m],
                                                arith::ConstantIndexOp::create(b, loc, kMostRows));
    Value isLarge = atLeast(b, b.createOrFold<arith::MulIOp>(loc, sizes[p.n], sizes[p.k]), least);
    return b.createOrFold<arith::AndIOp>(loc, isFew, isLarge);
  }

  /// Whether the factors are read often enough for copies of them to pay: of BF16 pairs, which are twice as fast, soon;
  /// of a right factor with rows along k too, which the copy transposes, while without it each result is a sum of
  /// lanes; else where they exceed the cache.
  Value isWorthwhile(OpBuilder &b, const PackedProduct &p) {
    linalg::LinalgOp op = p.op;
    Location loc = op.getLoc();
    SmallVector<Value> sizes = loopSizes(b, op);
    Value area = b.createOrFold<arith::MulIOp>(loc, sizes[p.m], sizes[p.n]);
    Value work = b.createOrFold<arith::MulIOp>(loc, area, sizes[p.k]);
    Value result = atLeast(b, work, int64_t(1) << (p.inPairs ? 16 : vectorBytes < 64 ? 25 : 28));
    if (!p.inPairs && !p.isAlong(p.right, p.n)) {
      Value soon = b.createOrFold<arith::AndIOp>(loc, atLeast(b, work, 1 << 18), atLeast(b, sizes[p.n], 64));
      result = b.createOrFold<arith::OrIOp>(loc, result, soon);
    }
    // Without copies a product in pairs sums lanes, where rows of both factors are along k.
    bool isSoon = p.inPairs && (p.inTiles || p.inThread || p.isAlong(p.right, p.n));
    result = b.createOrFold<arith::AndIOp>(loc, result, atLeast(b, sizes[p.m], isSoon ? 8 : 32));
    return b.createOrFold<arith::AndIOp>(loc, result, atLeast(b, sizes[p.k], 16));
  }
};
} // namespace
} // namespace lispier
