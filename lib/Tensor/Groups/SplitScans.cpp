//===- SplitScans.cpp - scans of few, long rows in parts ------------------===//
//
// Before: a group.scan of rows that are few and long, of which a GPU has a block each.
// After: the same of parts of the rows, in three kernels: what each part combines to, a
// scan of these, and a scan of each part, combined with what is before it.
//
//   t = x_p0 + x_p1 + ...           of part p
//   s = exclusive scan of t from the start
//   y = s_p + scan of x_p           of each element of part p
//
// Cheap elementwise ops before the scan, and elementwise ops after it, are computed in
// the parts' shape, so that they are in these kernels.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
#define GEN_PASS_DEF_SPLITSCANS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// A block scans a row of this length in about the time of three launches.
constexpr int64_t kLongScan = 32768;
/// Of so many rows the blocks have most of a GPU's bandwidth.
constexpr int64_t kMostRows = 64;
/// Elements that a thread reads at once.
constexpr int64_t kReadAtOnce = 4;

/// Into how many parts a scan's rows are divided; 0 if they stay whole.
int64_t partsOf(group::ScanOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 || op.hasStep())
    return 0;
  int64_t length = type.getDimSize(op.getDimension()), rows = type.getNumElements() / length;
  if (length < kLongScan || rows > kMostRows)
    return 0;
  int64_t most = 16 * kProgramsOfColumns / rows, parts = llvm::divideCeil(kProgramsOfColumns, rows);
  while (parts <= most && (length % parts != 0 || length / parts % kReadAtOnce != 0))
    ++parts;
  return parts <= most ? parts : 0;
}

/// An op that is computed in the shape of parts as well.
linalg::GenericOp sameShapeOp(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic->getNumResults() != 1 || generic.getNumParallelLoops() != generic.getNumLoops() ||
      generic.hasIndexSemantics() || !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity() ||
      generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0)))
    return {};
  bool areSimple =
      llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); });
  return areSimple && cast<RankedTensorType>(generic->getResult(0).getType()).hasStaticShape() ? generic
                                                                                               : linalg::GenericOp();
}

class ScanSplitter {
public:
  ScanSplitter(group::ScanOp op, int64_t parts, IRRewriter &rewriter)
      : op(op), parts(parts), along(op.getDimension()), b(rewriter), loc(op.getLoc()) {}

  void split();

private:
  RankedTensorType inParts(RankedTensorType type, unsigned dimension) const;
  SmallVector<ReassociationIndices> groupsOf(unsigned rank, unsigned dimension) const;
  Value inParts(Value tensor, unsigned dimension);
  Value inParts(linalg::GenericOp same, unsigned dimension);
  Value whole(Value tensor, RankedTensorType type);
  Value totals(Value source);
  Value before(Value totals);
  Value combined(Value before, Value scanned);
  Value emptyLike(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  }
  Value neutral() {
    Type element = getElementTypeOrSelf(op.getSource().getType());
    return arith::ConstantOp::create(b, loc, tile::neutralElement(b, *op.getKind(), element));
  }

  group::ScanOp op;
  int64_t parts;
  unsigned along;
  IRRewriter &b;
  Location loc;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> made; ///< What a tensor is in parts of a dimension.
};

RankedTensorType ScanSplitter::inParts(RankedTensorType type, unsigned dimension) const {
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] /= parts;
  shape.insert(shape.begin() + dimension, parts);
  return type.clone(shape);
}

SmallVector<ReassociationIndices> ScanSplitter::groupsOf(unsigned rank, unsigned dimension) const {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    groups.push_back(d < dimension    ? ReassociationIndices{d}
                     : d == dimension ? ReassociationIndices{d, d + 1}
                                      : ReassociationIndices{d + 1});
  return groups;
}

/// The tensor with a dimension for the parts; what is cheaper than memory, or of no other use, is computed so.
Value ScanSplitter::inParts(Value tensor, unsigned dimension) {
  Value &known = made[{tensor, dimension}];
  if (known)
    return known;
  if (linalg::GenericOp same = sameShapeOp(tensor.getDefiningOp());
      same && (same->hasOneUse() || isCheaperThanMemory(same))) {
    Value value = inParts(same, dimension);
    return made[{tensor, dimension}] = value;
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(tensor);
  return known = tensor::ExpandShapeOp::create(b, loc, inParts(type, dimension), tensor,
                                               groupsOf(type.getRank(), dimension));
}

Value ScanSplitter::inParts(linalg::GenericOp same, unsigned dimension) {
  unsigned loops = same.getNumLoops();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : same.getDpsInputOperands()) {
    SmallVector<AffineExpr> results;
    Value input = operand->get();
    for (auto [position, result] : llvm::enumerate(same.getMatchingIndexingMap(operand).getResults())) {
      unsigned loop = cast<AffineDimExpr>(result).getPosition();
      results.push_back(b.getAffineDimExpr(loop <= dimension ? loop : loop + 1));
      if (loop != dimension)
        continue;
      results.push_back(b.getAffineDimExpr(loop + 1));
      input = inParts(input, position);
    }
    inputs.push_back(input);
    maps.push_back(AffineMap::get(loops + 1, 0, results, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(loops + 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(same);
  auto type = inParts(cast<RankedTensorType>(same->getResult(0).getType()), dimension);
  Value empty = tensor::EmptyOp::create(b, same.getLoc(), type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> kinds(loops + 1, utils::IteratorType::parallel);
  auto wide = linalg::GenericOp::create(b, same.getLoc(), type, inputs, empty, maps, kinds);
  b.cloneRegionBefore(same.getRegion(), wide.getRegion(), wide.getRegion().begin());
  return wide.getResult(0);
}

Value ScanSplitter::whole(Value tensor, RankedTensorType type) {
  return tensor::CollapseShapeOp::create(b, loc, type, tensor, groupsOf(type.getRank(), along));
}

/// What the elements of each part combine to.
Value ScanSplitter::totals(Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
  kinds[along + 1] = utils::IteratorType::reduction;
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != along + 1) {
      kept.push_back(b.getAffineDimExpr(d));
      shape.push_back(type.getDimSize(d));
    }
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value init = linalg::FillOp::create(b, loc, neutral(), empty).getResult(0);
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(type.getRank()),
                              AffineMap::get(type.getRank(), 0, kept, b.getContext())};
  return linalg::GenericOp::create(b, loc, init.getType(), source, init, maps, kinds,
                                   [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                     Value sum = vector::makeArithReduction(inner, place, *op.getKind(), numbers[0],
                                                                            numbers[1]);
                                     linalg::YieldOp::create(inner, place, sum);
                                   })
      .getResult(0);
}

/// What is combined before each part.
Value ScanSplitter::before(Value totals) {
  return group::ScanOp::create(b, loc, op.getKind(), totals, along, op.getStart(), op.getReverse(),
                               /*exclusive=*/true, emptyLike(totals))
      .getResult();
}

Value ScanSplitter::combined(Value before, Value scanned) {
  auto type = cast<RankedTensorType>(scanned.getType());
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != along + 1)
      kept.push_back(b.getAffineDimExpr(d));
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps{AffineMap::get(type.getRank(), 0, kept, b.getContext()), identity, identity};
  SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, ValueRange{before, scanned}, emptyLike(scanned), maps, kinds,
                                   [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                     Value both = vector::makeArithReduction(inner, place, *op.getKind(), numbers[0],
                                                                             numbers[1]);
                                     linalg::YieldOp::create(inner, place, both);
                                   })
      .getResult(0);
}

void ScanSplitter::split() {
  b.setInsertionPoint(op);
  Value source = inParts(op.getSource(), along);
  Value sofar = before(totals(source));
  Value scanned = group::ScanOp::create(b, loc, op.getKind(), source, along + 1, neutral(), op.getReverse(),
                                        op.getExclusive(), emptyLike(source))
                      .getResult();
  Value result = op.getResult(), inside = combined(sofar, scanned);
  // What only one elementwise op reads is not stored.
  made[{result, along}] = inside;
  b.replaceAllUsesWith(result, whole(inside, cast<RankedTensorType>(result.getType())));
  b.eraseOp(op);
  Value last = inside;
  while (true) {
    auto collapse = cast<tensor::CollapseShapeOp>(*last.getUsers().begin());
    linalg::GenericOp next = collapse->hasOneUse() ? sameShapeOp(*collapse->user_begin()) : linalg::GenericOp();
    if (!next)
      return;
    made[{collapse.getResult(), along}] = last;
    bool isAlong = llvm::all_of(next.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() != collapse || next.getMatchingIndexingMap(operand).isIdentity();
    });
    if (!isAlong)
      return;
    last = inParts(next, along);
    b.setInsertionPointAfterValue(last);
    b.replaceAllUsesWith(next->getResult(0), whole(last, cast<RankedTensorType>(next->getResult(0).getType())));
    b.eraseOp(next);
    b.eraseOp(collapse);
  }
}

struct SplitScans : impl::SplitScansBase<SplitScans> {
  using SplitScansBase::SplitScansBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<std::pair<group::ScanOp, int64_t>> found;
    getOperation().walk([&](group::ScanOp op) {
      if (int64_t parts = partsOf(op))
        found.push_back({op, parts});
    });
    for (auto [op, parts] : found)
      ScanSplitter(op, parts, rewriter).split();
  }
};
} // namespace
} // namespace lispier
