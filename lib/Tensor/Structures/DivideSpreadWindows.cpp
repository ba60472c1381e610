//===- DivideSpreadWindows.cpp - windows of tensors with zeros between ----===//
//
// Before: a product whose one factor is windows of a tensor with zeros between its
// elements, as of a transposed convolution with a stride. After: products of the
// tensor itself. Along such an axis, with u - 1 zeros between two elements and windows
// of elements d apart, place p of the result sums w[i] x[a] with p + i d - start = u a.
//
// - With g the greatest common divisor of u and d, only each g-th place is not 0: the
//   product makes these, and zeros are put between them.
// - Of the others, p = m u/g + r: for each remainder r the windows are elements a = m + j,
//   times those of the weights with r + i d/g = j u/g. The remainder becomes a dimension of
//   the weights and of the result.
//
//===----------------------------------------------------------------------===//
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace lispier {
#define GEN_PASS_DEF_DIVIDESPREADWINDOWS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
using Sizes = SmallVector<int64_t>;

/// Element q of a tensor is element (q - start) / by of another one, and 0 where there is none.
struct SpreadAxis {
  int64_t start = 0, by = 1;
};

struct SpreadTensor {
  TypedValue<RankedTensorType> origin;
  SmallVector<SpreadAxis> axes;
};

bool isZeros(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) || matchPattern(fill.getInputs()[0], m_Zero()));
}

template <typename SliceOp> bool hasUnitSteps(SliceOp op) {
  return op.getSourceType().getRank() == op.getType().getRank() &&
         llvm::all_of(op.getStaticStrides(), [](int64_t step) { return step == 1; }) &&
         llvm::none_of(op.getStaticOffsets(), ShapedType::isDynamic);
}

SmallVector<ReassociationIndices> groupsWithPair(int64_t rank, unsigned dimension) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    groups.push_back({next++});
    if (d == dimension)
      groups.back().push_back(next++);
  }
  return groups;
}

/// The dimension and the next one as one.
Value joinedDimension(OpBuilder &b, Location loc, Value value, unsigned dimension) {
  auto type = cast<RankedTensorType>(value.getType());
  Sizes shape(type.getShape());
  auto groups = groupsWithPair(shape.size() - 1, dimension);
  shape[dimension] *= shape[dimension + 1];
  shape.erase(shape.begin() + dimension + 1);
  return b.createOrFold<tensor::CollapseShapeOp>(loc, type.clone(shape), value, groups);
}

/// Follows what has put zeros between and around the elements of a tensor, from the last one.
class SpreadFinder {
public:
  SpreadFinder(TypedValue<RankedTensorType> whole, OpBuilder &b) : b(b), whole(whole.getType()) {
    found.origin = whole;
    found.axes.resize(this->whole.getRank());
  }

  SpreadTensor find() {
    while (found.origin.getDefiningOp() && found.origin.getType().hasStaticShape() &&
           (stepOverInsertion() || stepOverExtraction() || stepOverSpread()))
      ;
    return found;
  }

private:
  void take(Value origin) { found.origin = cast<TypedValue<RankedTensorType>>(origin); }

  bool stepOverInsertion() {
    auto op = found.origin.getDefiningOp<tensor::InsertSliceOp>();
    if (!op || !hasUnitSteps(op) || !isZeros(op.getDest()))
      return false;
    for (auto [axis, offset] : llvm::zip(found.axes, op.getStaticOffsets()))
      axis.start += offset * axis.by;
    take(op.getSource());
    return true;
  }

  /// What is left out must be 0, or in no place of `whole`.
  bool stepOverExtraction() {
    auto op = found.origin.getDefiningOp<tensor::ExtractSliceOp>();
    if (!op || !hasUnitSteps(op) || !op.getSourceType().hasStaticShape())
      return false;
    ArrayRef<int64_t> offsets = op.getStaticOffsets(), sizes = op.getType().getShape();
    for (auto [d, axis] : llvm::enumerate(found.axes)) {
      int64_t last = llvm::divideFloorSigned(whole.getDimSize(d) - 1 - axis.start, axis.by);
      bool isWholeBefore = offsets[d] == 0 || axis.start <= 0;
      bool isWholeAfter = last < sizes[d] || offsets[d] + sizes[d] >= lastOf(op.getSource(), d) + 1;
      if (!isWholeBefore || !isWholeAfter)
        return false;
    }
    for (auto [axis, offset] : llvm::zip(found.axes, offsets))
      axis.start -= offset * axis.by;
    take(op.getSource());
    return true;
  }

  /// A column of a dimension of zeros behind another one, with which it is collapsed.
  struct Spread {
    Value column;
    unsigned dimension;
    int64_t by;
  };

  static std::optional<Spread> spreadOf(Value value) {
    auto joined = value.getDefiningOp<tensor::CollapseShapeOp>();
    auto inserted = joined ? joined.getSrc().getDefiningOp<tensor::InsertSliceOp>() : tensor::InsertSliceOp();
    if (!inserted || !hasUnitSteps(inserted) || !isZeros(inserted.getDest()) ||
        llvm::any_of(inserted.getStaticOffsets(), [](int64_t offset) { return offset != 0; }))
      return std::nullopt;
    for (auto [d, group] : llvm::enumerate(joined.getReassociationIndices()))
      if (group.size() == 2) {
        Spread spread{inserted.getSource(), unsigned(d), inserted.getType().getDimSize(group[1])};
        Sizes shape(inserted.getType().getShape());
        shape[group[1]] = 1;
        return inserted.getSourceType().getShape() == ArrayRef(shape) ? std::optional(spread) : std::nullopt;
      }
    return std::nullopt;
  }

  /// The last element along a dimension that is not known to be 0.
  static int64_t lastOf(Value value, unsigned d) {
    int64_t last = cast<RankedTensorType>(value.getType()).getDimSize(d) - 1;
    std::optional<Spread> spread = spreadOf(value);
    return spread && spread->dimension == d ? last / spread->by * spread->by : last;
  }

  bool stepOverSpread() {
    std::optional<Spread> spread = spreadOf(found.origin);
    if (!spread)
      return false;
    found.axes[spread->dimension].by *= spread->by;
    take(joinedDimension(b, found.origin.getLoc(), spread->column, spread->dimension));
    return true;
  }

  OpBuilder &b;
  RankedTensorType whole;
  SpreadTensor found;
};

/// How the product is made along an axis, in the letters above: of elements from `first` on, `count` times u / g
/// places.
struct Division {
  int64_t dilation, taps;           ///< Of windows of the tensor.
  int64_t factor;                   ///< u / g
  int64_t first, count;             ///< The values of m.
  int64_t from, places, start, gap; ///< Of m u/g + r, which are those at start + gap p of the result.
};

std::optional<Division> divide(SpreadAxis axis, int64_t dilation, int64_t taps, int64_t places) {
  Division made;
  made.gap = std::gcd(axis.by, dilation);
  made.factor = axis.by / made.gap;
  made.dilation = dilation / made.gap;
  made.start = ((axis.start % made.gap) + made.gap) % made.gap;
  if (made.start >= places)
    return std::nullopt;
  made.places = llvm::divideCeil(places - made.start, made.gap);
  int64_t shift = (axis.start - made.start) / made.gap;
  made.first = llvm::divideFloorSigned(-shift, made.factor);
  made.count = llvm::divideFloorSigned(made.places - 1 - shift, made.factor) - made.first + 1;
  made.from = -shift - made.first * made.factor;
  made.taps = made.factor == 1 ? taps : (made.factor - 1 + made.dilation * (taps - 1)) / made.factor + 1;
  // Of weights far apart most would be zeros.
  if (made.taps > taps)
    return std::nullopt;
  return made;
}

/// Numbers of places.
struct Places {
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value minus(Value a, Value c) { return b.createOrFold<arith::SubIOp>(loc, a, c); }
  Value plus(Value a, int64_t c) { return b.createOrFold<arith::AddIOp>(loc, a, number(c)); }
  Value times(Value a, int64_t c) { return b.createOrFold<arith::MulIOp>(loc, a, number(c)); }
  Value over(Value a, int64_t c) { return c == 1 ? a : b.createOrFold<arith::DivUIOp>(loc, a, number(c)); }
  Value rest(Value a, int64_t c) { return b.createOrFold<arith::RemUIOp>(loc, a, number(c)); }
  Value both(Value a, Value c) { return a ? b.createOrFold<arith::AndIOp>(loc, a, c) : c; }
  /// Whether a is c times a number below `size`. A negative one is a large one.
  Value isIn(Value a, int64_t c, int64_t size) {
    Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, a, number(c * size));
    return c == 1 ? isBelow
                  : both(isBelow, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest(a, c), number(0)));
  }

  OpBuilder &b;
  Location loc;
};

/// A product of windows of a spread tensor, and what takes its place.
class SpreadProduct {
public:
  explicit SpreadProduct(linalg::ContractOp product) : product(product), b(product), loc(product.getLoc()) {}

  bool find();
  Value divided();

private:
  struct Axis {
    unsigned ofTensor, place, tap; ///< A dimension of the tensor; loops of the product.
    int64_t dilation;
    std::optional<Division> division;
    unsigned remainder = 0; ///< Of the loops that are added.
    bool isDivided() const { return division->factor > 1; }
  };

  bool findAxes(AffineMap read);
  RankedTensorType typeOf(Value value, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, getElementTypeOrSelf(value));
  }
  Value zeros(Type element, ArrayRef<int64_t> shape);
  Value inserted(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets);
  Value extracted(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape);
  Value windows();
  Value gathered(Value from, ArrayRef<int64_t> shape,
                 llvm::function_ref<Value(Places &, SmallVectorImpl<Value> &)> place);
  Value dividedWeights(Value weights, SmallVectorImpl<unsigned> &loops, unsigned added);
  Value placed(Value made, ArrayRef<unsigned> loops);

  linalg::ContractOp product;
  OpBuilder b;
  Location loc;
  linalg::GenericOp read;
  unsigned operand = 0;
  SpreadTensor spread;
  SmallVector<Axis> axes;
  SmallVector<unsigned> windowLoops;
};

/// The loops of an operand that is read at single ones, each once.
std::optional<SmallVector<unsigned>> singleLoopsOf(AffineMap map) {
  if (!map.isProjectedPermutation())
    return std::nullopt;
  return llvm::map_to_vector(map.getResults(), [](AffineExpr e) { return cast<AffineDimExpr>(e).getPosition(); });
}

bool SpreadProduct::find() {
  if (!product.hasPureTensorSemantics() || product->getNumResults() != 1 || !isZeros(product.getDpsInits()[0]) ||
      llvm::any_of(product->getOperandTypes(), [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); }))
    return false;
  for (operand = 0; operand < 2; ++operand) {
    read = product.getDpsInputs()[operand].getDefiningOp<linalg::GenericOp>();
    if (!read || read.getNumReductionLoops() || read->getNumResults() != 1 || read.getNumDpsInputs() == 0 ||
        !read.getMatchingIndexingMap(read.getDpsInitOperand(0)).isIdentity() ||
        read.getBlock()->getTerminator()->getOperand(0) != read.getBlock()->getArgument(0))
      continue;
    AffineMap places = read.getMatchingIndexingMap(read.getDpsInputOperand(0));
    std::optional<SmallVector<unsigned>> loops = singleLoopsOf(product.getIndexingMapsArray()[operand]);
    auto source = dyn_cast<TypedValue<RankedTensorType>>(read.getDpsInputs()[0]);
    if (!loops || !source || !source.getType().hasStaticShape())
      continue;
    windowLoops = std::move(*loops);
    spread = SpreadFinder(source, b).find();
    axes.clear();
    if (spread.origin.getType().hasStaticShape() && findAxes(places))
      return true;
  }
  return false;
}

/// Of place + dilation tap the second loop and the dilation; null if the place is none such.
std::pair<AffineDimExpr, int64_t> tapOf(AffineExpr sum, AffineExpr place) {
  auto both = dyn_cast<AffineBinaryOpExpr>(sum);
  if (!both || both.getKind() != AffineExprKind::Add || both.getLHS() != place)
    return {nullptr, 1};
  auto scaled = dyn_cast<AffineBinaryOpExpr>(both.getRHS());
  if (!scaled)
    return {dyn_cast<AffineDimExpr>(both.getRHS()), 1};
  auto by = dyn_cast<AffineConstantExpr>(scaled.getRHS());
  return scaled.getKind() == AffineExprKind::Mul && by
             ? std::pair(dyn_cast<AffineDimExpr>(scaled.getLHS()), by.getValue())
             : std::pair(AffineDimExpr(nullptr), int64_t(1));
}

/// Whether the windows are of the spread axes, one element apart, each with loops of the product that the other factor
/// or the result has.
bool SpreadProduct::findAxes(AffineMap places) {
  std::optional<SmallVector<unsigned>> weights = singleLoopsOf(product.getIndexingMapsArray()[1 - operand]),
                                       result = singleLoopsOf(product.getIndexingMapsArray()[2]);
  if (!weights || !result)
    return false;
  int64_t before = 1, after = 1;
  for (auto [d, place] : llvm::enumerate(places.getResults())) {
    auto own = b.getAffineDimExpr(d);
    if (spread.axes[d].by == 1) // It stays as it is.
      continue;
    auto [tap, dilation] = tapOf(place, own);
    if (!tap)
      return false;
    Axis axis{unsigned(d), windowLoops[d], windowLoops[tap.getPosition()], dilation, std::nullopt, 0};
    if (!llvm::is_contained(*weights, axis.tap) || llvm::is_contained(*weights, axis.place) ||
        llvm::is_contained(*result, axis.tap) || !llvm::is_contained(*result, axis.place))
      return false;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(read->getResult(0).getType()).getShape();
    axis.division = divide(spread.axes[d], axis.dilation, shape[tap.getPosition()], shape[d]);
    if (!axis.division)
      return false;
    axis.remainder = llvm::count_if(axes, [](const Axis &each) { return each.isDivided(); });
    before *= shape[tap.getPosition()] * shape[d];
    after *= axis.division->taps * axis.division->count * axis.division->factor;
    axes.push_back(axis);
  }
  return !axes.empty() && after < before;
}

Value SpreadProduct::zeros(Type element, ArrayRef<int64_t> shape) {
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  Value empty = tensor::EmptyOp::create(b, loc, shape, element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

/// The value with zeros around it.
Value SpreadProduct::inserted(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(value.getType()).getShape();
  if (sizes == shape)
    return value;
  return tensor::InsertSliceOp::create(
      b, loc, value, zeros(getElementTypeOrSelf(value), shape), getAsIndexOpFoldResult(b.getContext(), offsets),
      getAsIndexOpFoldResult(b.getContext(), sizes), SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(1)));
}

Value SpreadProduct::extracted(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
  if (cast<RankedTensorType>(value.getType()).getShape() == shape)
    return value;
  return tensor::ExtractSliceOp::create(b, loc, value, getAsIndexOpFoldResult(b.getContext(), offsets),
                                        getAsIndexOpFoldResult(b.getContext(), shape),
                                        SmallVector<OpFoldResult>(shape.size(), b.getIndexAttr(1)));
}

/// Windows of the tensor itself.
Value SpreadProduct::windows() {
  auto whole = cast<RankedTensorType>(read.getDpsInputs()[0].getType());
  auto window = cast<RankedTensorType>(read->getResult(0).getType());
  Sizes shape(whole.getShape()), taps(window.getShape()), origin(spread.origin.getType().getShape());
  Sizes first = llvm::map_to_vector(spread.axes, [](SpreadAxis axis) { return -axis.start; });
  AffineMap map = read.getMatchingIndexingMap(read.getDpsInputOperand(0));
  SmallVector<AffineExpr> places(map.getResults());
  for (const Axis &axis : axes) {
    const Division &division = *axis.division;
    unsigned tap = llvm::find(windowLoops, axis.tap) - windowLoops.begin();
    first[axis.ofTensor] = division.first;
    shape[axis.ofTensor] = division.count + division.dilation * (division.taps - 1);
    int64_t dilation = division.factor == 1 ? division.dilation : 1;
    if (division.factor != 1)
      shape[axis.ofTensor] = division.count + division.taps - 1;
    taps[axis.ofTensor] = division.count;
    taps[tap] = division.taps;
    places[axis.ofTensor] = b.getAffineDimExpr(axis.ofTensor) + b.getAffineDimExpr(tap) * dilation;
  }
  Sizes from, offsets, inside;
  for (auto [start, size, all] : llvm::zip(first, shape, origin)) {
    from.push_back(std::clamp<int64_t>(start, 0, all));
    inside.push_back(std::max<int64_t>(0, std::min(start + size, all) - from.back()));
    offsets.push_back(from.back() - start);
  }
  Value source = inserted(extracted(spread.origin, from, inside), shape, offsets);
  SmallVector<Value> inputs(read.getDpsInputs());
  inputs[0] = source;
  SmallVector<AffineMap> maps = read.getIndexingMapsArray();
  maps[0] = AffineMap::get(map.getNumDims(), 0, places, b.getContext());
  for (unsigned other = 1; other < inputs.size(); ++other) { // The sizes of windows.
    Sizes sizes;
    for (AffineExpr loop : maps[other].getResults())
      sizes.push_back(taps[cast<AffineDimExpr>(loop).getPosition()]);
    inputs[other] = tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(inputs[other]));
  }
  Value empty = tensor::EmptyOp::create(b, loc, taps, window.getElementType());
  auto made = linalg::GenericOp::create(b, loc, empty.getType(), inputs, empty, maps, read.getIteratorTypesArray());
  IRMapping mapping;
  read.getRegion().cloneInto(&made.getRegion(), mapping);
  return made.getResult(0);
}

/// A tensor of which each element is one of `from`, or 0: `place` makes the places of the one from that of the other,
/// and the condition, or null, for that there is one.
Value SpreadProduct::gathered(Value from, ArrayRef<int64_t> shape,
                              llvm::function_ref<Value(Places &, SmallVectorImpl<Value> &)> place) {
  Type element = getElementTypeOrSelf(from);
  Value empty = tensor::EmptyOp::create(b, loc, shape, element);
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location loc, ValueRange) {
    Places places{inner, loc};
    SmallVector<Value> indices;
    for (size_t d = 0; d < shape.size(); ++d)
      indices.push_back(linalg::IndexOp::create(inner, loc, d));
    Value isThere = place(places, indices);
    if (isThere)
      for (Value &index : indices)
        index = arith::SelectOp::create(inner, loc, isThere, index, places.number(0));
    Value read = tensor::ExtractOp::create(inner, loc, from, indices);
    if (isThere) {
      Value zero = arith::ConstantOp::create(inner, loc, cast<TypedAttr>(inner.getZeroAttr(element)));
      read = arith::SelectOp::create(inner, loc, isThere, read, zero);
    }
    linalg::YieldOp::create(inner, loc, read);
  };
  return linalg::GenericOp::create(b, loc, empty.getType(), ValueRange(), empty, b.getMultiDimIdentityMap(shape.size()),
                                   loops, body)
      .getResult(0);
}

/// The weights of each remainder, in dimensions behind those of the windows. Element j u/g - r is d/g i.
Value SpreadProduct::dividedWeights(Value weights, SmallVectorImpl<unsigned> &loops, unsigned added) {
  Sizes given(cast<RankedTensorType>(weights.getType()).getShape()), shape;
  SmallVector<const Axis *> ofDimension;
  SmallVector<unsigned> all;
  for (auto [d, loop] : llvm::enumerate(loops)) {
    auto *axis = llvm::find_if(axes, [&](const Axis &each) { return each.tap == loop && each.isDivided(); });
    ofDimension.push_back(axis == axes.end() ? nullptr : axis);
    all.push_back(loop);
    shape.push_back(ofDimension.back() ? axis->division->taps : given[d]);
    if (ofDimension.back()) {
      all.push_back(added + axis->remainder);
      shape.push_back(axis->division->factor);
    }
  }
  if (shape.size() == given.size())
    return weights;
  loops.assign(all);
  return gathered(weights, shape, [&](Places &at, SmallVectorImpl<Value> &indices) {
    SmallVector<Value> places;
    Value isThere;
    const auto *index = indices.begin();
    for (auto [axis, size] : llvm::zip(ofDimension, given)) {
      Value place = *index++;
      if (axis) {
        Value apart = at.minus(at.times(place, axis->division->factor), *index++);
        place = at.over(apart, axis->division->dilation);
        isThere = at.both(isThere, at.isIn(apart, axis->division->dilation, size));
      }
      places.push_back(place);
    }
    indices.assign(places);
    return isThere;
  });
}

/// What the product has made at its places of the result.
Value SpreadProduct::placed(Value made, ArrayRef<unsigned> loops) {
  SmallVector<const Axis *> ofDimension;
  bool isWhole = true;
  for (unsigned loop : loops) {
    auto *axis = llvm::find_if(axes, [&](const Axis &each) { return each.place == loop; });
    ofDimension.push_back(axis == axes.end() ? nullptr : axis);
    if (axis != axes.end())
      isWhole &= axis->division->gap == 1 && axis->division->places == axis->division->count * axis->division->factor;
  }
  if (isWhole) {
    for (auto [d, axis] : llvm::enumerate(ofDimension))
      if (axis && axis->isDivided())
        made = joinedDimension(b, loc, made, d);
    return made;
  }
  auto shape = cast<RankedTensorType>(product->getResult(0).getType()).getShape();
  return gathered(made, shape, [&](Places &at, SmallVectorImpl<Value> &indices) {
    SmallVector<Value> places;
    Value isThere;
    for (auto [axis, place] : llvm::zip(ofDimension, indices)) {
      if (!axis) {
        places.push_back(place);
        continue;
      }
      const Division &division = *axis->division;
      Value apart = at.minus(place, at.number(division.start));
      if (division.gap > 1)
        isThere = at.both(isThere, at.isIn(apart, division.gap, division.places));
      Value number = at.plus(at.over(apart, division.gap), division.from);
      places.push_back(at.over(number, division.factor));
      if (axis->isDivided())
        places.push_back(at.rest(number, division.factor));
    }
    indices.assign(places);
    return isThere;
  });
}

Value SpreadProduct::divided() {
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  SmallVector<unsigned> ofWeights = *singleLoopsOf(maps[1 - operand]), ofResult = *singleLoopsOf(maps[2]);
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  SmallVector<unsigned> ofPlaces(ofResult);
  unsigned count = maps[0].getNumDims(), added = count;
  Sizes shape(type.getShape());
  Value factors[2];
  factors[operand] = windows();
  factors[1 - operand] = dividedWeights(product.getDpsInputs()[1 - operand], ofWeights, added);
  for (const Axis &axis : axes) {
    unsigned dimension = llvm::find(ofResult, axis.place) - ofResult.begin();
    shape[dimension] = axis.division->count;
    if (!axis.isDivided())
      continue;
    ofResult.insert(ofResult.begin() + dimension + 1, added + axis.remainder);
    ++count;
    shape.insert(shape.begin() + dimension + 1, axis.division->factor);
  }
  auto mapOf = [&](ArrayRef<unsigned> loops) {
    return AffineMap::get(count, 0, llvm::map_to_vector(loops, [&](unsigned loop) { return b.getAffineDimExpr(loop); }),
                          b.getContext());
  };
  maps[operand] = mapOf(windowLoops);
  maps[1 - operand] = mapOf(ofWeights);
  maps[2] = mapOf(ofResult);
  Value init = zeros(type.getElementType(), shape);
  auto made = linalg::ContractOp::create(b, loc, TypeRange(init.getType()), ValueRange(factors), ValueRange(init),
                                         b.getAffineMapArrayAttr(maps));
  made->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  return placed(made->getResult(0), ofPlaces);
}

struct DivideSpreadWindows : impl::DivideSpreadWindowsBase<DivideSpreadWindows> {
  void runOnOperation() override {
    getOperation().walk([](linalg::ContractOp product) {
      SpreadProduct spread(product);
      if (!spread.find())
        return;
      product->getResult(0).replaceAllUsesWith(spread.divided());
      product.erase();
    });
  }
};
} // namespace
} // namespace lispier
