//===- WindowRule.cpp - the adjoint of reads of windows -------------------===//
//
// Element p of a tensor is read by the iterations with i * stride + k * dilation = p:
// for each k by one i at most, i = (p - k * dilation) / stride. So the cotangent is a
// sum over k. Of a convolution it is one, too, of the result's cotangent.
//
//===----------------------------------------------------------------------===//
#include "WindowRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using Loop = utils::IteratorType;

namespace lispier {
namespace {
/// The terms of a sum of loops' indices with positive factors; false if the expression is none.
bool addTerms(AffineExpr expr, int64_t factor, SmallVectorImpl<std::pair<unsigned, int64_t>> &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({dim.getPosition(), factor});
    return factor > 0;
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (both && both.getKind() == AffineExprKind::Add)
    return addTerms(both.getLHS(), factor, terms) && addTerms(both.getRHS(), factor, terms);
  auto constant = both ? dyn_cast<AffineConstantExpr>(both.getRHS()) : AffineConstantExpr();
  return constant && both.getKind() == AffineExprKind::Mul &&
         addTerms(both.getLHS(), factor * constant.getValue(), terms);
}

/// Index arithmetic at one place.
struct IndexBuilder {
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value of(OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value times(Value x, int64_t by) { return by == 1 ? x : arith::MulIOp::create(b, loc, x, number(by)).getResult(); }
  Value both(Value x, Value y) { return x ? arith::AndIOp::create(b, loc, x, y).getResult() : y; }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// distance / stride, clamped to [0, size), and in `inside` whether it is exact and was there.
  Value divided(Value distance, int64_t stride, Value size, Value &inside) {
    Value zero = number(0), quotient = distance;
    inside = both(inside, compare(arith::CmpIPredicate::sge, distance, zero));
    if (stride != 1) {
      quotient = arith::DivSIOp::create(b, loc, distance, number(stride));
      Value rest = sub(distance, times(quotient, stride));
      inside = both(inside, compare(arith::CmpIPredicate::eq, rest, zero));
    }
    inside = both(inside, compare(arith::CmpIPredicate::slt, quotient, size));
    Value least = arith::MaxSIOp::create(b, loc, quotient, zero);
    return arith::MinSIOp::create(b, loc, least, sub(size, number(1)));
  }

  OpBuilder &b;
  Location loc;
};

AffineMap mapOf(ArrayRef<unsigned> dims, unsigned count, MLIRContext *context) {
  return AffineMap::get(count, 0, llvm::map_to_vector(dims, [&](unsigned d) { return getAffineDimExpr(d, context); }),
                        context);
}

/// How the elements of a dimension lie in a longer one: from `before` on, `step` apart.
struct Spread {
  int64_t step = 1;
  OpFoldResult before;
  OpFoldResult size; ///< Of the longer dimension.
};

/// The tensor with zeros between and around its elements; dimensions without a size in `spreads` stay.
Value spreadOut(Value tensor, ArrayRef<Spread> spreads, OpBuilder &b, Location loc) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor), longer(sizes), offsets;
  bool isApart = false;
  for (auto [size, spread] : llvm::zip(longer, spreads)) {
    isApart |= spread.step != 1;
    offsets.push_back(spread.size ? spread.before : OpFoldResult(b.getIndexAttr(0)));
    size = spread.size ? spread.size : size;
  }
  Type element = getElementTypeOrSelf(tensor.getType());
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  Value empty = tensor::EmptyOp::create(b, loc, longer, element);
  if (!isApart) {
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    return tensor::InsertSliceOp::create(b, loc, tensor, zeros, offsets, sizes, strides);
  }
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(sizes.size())};
  SmallVector<Loop> loops(sizes.size(), Loop::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), ValueRange(), empty, maps, loops,
             [&](OpBuilder &inner, Location place, ValueRange) {
               IndexBuilder at{inner, place};
               Value inside;
               SmallVector<Value> places;
               for (auto [d, spread] : llvm::enumerate(spreads)) {
                 Value here = linalg::IndexOp::create(inner, place, d);
                 if (spread.size)
                   here = at.divided(at.sub(here, at.of(spread.before)), spread.step, at.of(sizes[d]), inside);
                 places.push_back(here);
               }
               Value number = tensor::ExtractOp::create(inner, place, tensor, places);
               linalg::YieldOp::create(inner, place,
                                       arith::SelectOp::create(inner, place, inside, number, zero).getResult());
             })
      .getResult(0);
}

/// The tensor with these dimensions in reverse.
Value reversed(Value tensor, ArrayRef<unsigned> dims, OpBuilder &b, Location loc) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(tensor.getType()));
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(sizes.size())};
  SmallVector<Loop> loops(sizes.size(), Loop::parallel);
  return linalg::GenericOp::create(b, loc, empty.getType(), ValueRange(), empty, maps, loops,
                                   [&](OpBuilder &inner, Location place, ValueRange) {
                                     IndexBuilder at{inner, place};
                                     SmallVector<Value> places;
                                     for (unsigned d : llvm::seq<unsigned>(sizes.size())) {
                                       Value here = linalg::IndexOp::create(inner, place, d);
                                       if (llvm::is_contained(dims, d))
                                         here = at.sub(at.sub(at.of(sizes[d]), at.number(1)), here);
                                       places.push_back(here);
                                     }
                                     Value number = tensor::ExtractOp::create(inner, place, tensor, places);
                                     linalg::YieldOp::create(inner, place, number);
                                   })
      .getResult(0);
}
} // namespace

std::optional<SmallVector<WindowIndex>> windowIndices(AffineMap map) {
  SmallVector<WindowIndex> indices;
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    SmallVector<std::pair<unsigned, int64_t>> terms;
    if (!addTerms(expr, 1, terms))
      return std::nullopt;
    for (auto [loop, factor] : terms) {
      if (seen.test(loop))
        return std::nullopt;
      seen.set(loop);
    }
    llvm::sort(terms);
    indices.push_back({terms[0].first, terms[0].second, {}});
    llvm::append_range(indices.back().taps, llvm::drop_begin(terms));
  }
  return indices;
}

Value windowCotangent(Value cotangents, ArrayRef<WindowIndex> indices, ArrayRef<OpFoldResult> loopSizes, Value tensor,
                      Reverse &reverse) {
  OpBuilder &b = reverse.b;
  Location loc = cotangents.getLoc();
  unsigned rank = indices.size();
  // The dimensions of the tensor, then the other loops.
  SmallVector<unsigned> others, dimOf(loopSizes.size());
  for (unsigned loop : llvm::seq<unsigned>(loopSizes.size())) {
    auto *place = llvm::find_if(indices, [&](const WindowIndex &index) { return index.place == loop; });
    dimOf[loop] = place != indices.end() ? std::distance(indices.begin(), place) : rank + others.size();
    if (place == indices.end())
      others.push_back(loop);
  }
  Type element = getElementTypeOrSelf(tensor.getType());
  bool isSum = !others.empty();
  Type sums = isSum && element.getIntOrFloatBitWidth() < 32 ? Type(b.getF32Type()) : element;
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(sums)));
  Value none = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  Value init = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor), sums);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (isSum) {
    init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
    SmallVector<OpFoldResult> taps = llvm::map_to_vector(others, [&](unsigned loop) { return loopSizes[loop]; });
    inputs.push_back(tensor::EmptyOp::create(b, loc, taps, element));
    maps.push_back(mapOf(llvm::map_to_vector(others, [&](unsigned loop) { return dimOf[loop]; }), loopSizes.size(),
                         b.getContext()));
  }
  maps.push_back(mapOf(llvm::to_vector(llvm::seq(rank)), loopSizes.size(), b.getContext()));
  SmallVector<Loop> loops(loopSizes.size(), Loop::reduction);
  std::fill_n(loops.begin(), rank, Loop::parallel);
  Value sum = linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, loops,
                                        [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                          IndexBuilder at{inner, place};
                                          SmallVector<Value> places;
                                          for (unsigned loop : llvm::seq<unsigned>(loopSizes.size()))
                                            places.push_back(linalg::IndexOp::create(inner, place, dimOf[loop]));
                                          Value inside;
                                          for (const WindowIndex &index : indices) {
                                            if (index.taps.empty() && index.stride == 1)
                                              continue;
                                            Value distance = places[index.place];
                                            for (auto [loop, apart] : index.taps)
                                              distance = at.sub(distance, at.times(places[loop], apart));
                                            places[index.place] = at.divided(distance, index.stride,
                                                                             at.of(loopSizes[index.place]), inside);
                                          }
                                          Value number = tensor::ExtractOp::create(inner, place, cotangents, places);
                                          if (inside)
                                            number = arith::SelectOp::create(inner, place, inside, number, none);
                                          if (sums != element)
                                            number = arith::ExtFOp::create(inner, place, sums, number);
                                          if (isSum)
                                            number = arith::AddFOp::create(inner, place, numbers.back(), number);
                                          linalg::YieldOp::create(inner, place, number);
                                        })
                  .getResult(0);
  return reverse.withElements(loc, sum, element);
}

std::optional<WindowProduct> windowProduct(linalg::ContractOp op, Value cotangent, unsigned factor, Reverse &reverse) {
  auto made = op.getInputs()[factor].getDefiningOp<linalg::GenericOp>();
  if (!made || made.getNumReductionLoops() || !made.getMatchingIndexingMap(made.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  auto read = dyn_cast<BlockArgument>(made.getBody()->getTerminator()->getOperand(0));
  if (!read || read.getOwner() != made.getBody() || read.getArgNumber() >= made.getNumDpsInputs())
    return std::nullopt;
  OpOperand &source = *made.getDpsInputOperand(read.getArgNumber());
  auto indices = windowIndices(made.getMatchingIndexingMap(&source));
  if (!indices)
    return std::nullopt;

  SmallVector<AffineMap> given = op.getIndexingMapsArray();
  auto loopOf = [&](unsigned dimension) { return given[factor].getDimPosition(dimension); };
  auto has = [&](unsigned map, unsigned loop) { return given[map].isFunctionOfDim(loop); };
  OpBuilder &b = reverse.b;
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source.get());
  SmallVector<OpFoldResult> windowSizes = tensor::getMixedSizes(b, loc, made.getResult(0));
  SmallVector<Spread> spreads(given[2].getNumResults());
  unsigned rank = spreads.size();
  SmallVector<AffineExpr> windowed, out, tapExprs;
  for (unsigned d : llvm::seq(rank))
    windowed.push_back(b.getAffineDimExpr(d));
  SmallVector<unsigned> tapLoops, tapDims;
  SmallVector<OpFoldResult> taps;
  bool hasTaps = false;
  for (auto [index, size] : llvm::zip(*indices, sizes)) {
    unsigned loop = loopOf(index.place);
    out.push_back(b.getAffineDimExpr(loop));
    if (index.taps.empty() && index.stride == 1)
      continue;
    if (index.taps.size() != 1 || !has(2, loop) || has(1 - factor, loop))
      return std::nullopt;
    unsigned tap = loopOf(index.taps[0].first);
    if (has(2, tap) || !has(1 - factor, tap))
      return std::nullopt;
    hasTaps = true;
    unsigned place = *given[2].getResultPosition(b.getAffineDimExpr(loop));
    IndexBuilder at{b, loc};
    Value gaps = at.times(at.sub(at.of(windowSizes[index.taps[0].first]), at.number(1)), index.taps[0].second);
    Value longer = arith::AddIOp::create(b, loc, at.of(size), gaps);
    auto folded = [](Value value) {
      std::optional<int64_t> known = getConstantIntValue(getAsOpFoldResult(value));
      return known ? OpFoldResult(OpBuilder(value.getContext()).getIndexAttr(*known)) : OpFoldResult(value);
    };
    spreads[place] = {index.stride, folded(gaps), folded(longer)};
    windowed[place] = windowed[place] + b.getAffineDimExpr(rank + taps.size()) * index.taps[0].second;
    tapExprs.push_back(b.getAffineDimExpr(rank + taps.size()));
    taps.push_back(windowSizes[index.taps[0].first]);
    tapLoops.push_back(tap);
    tapDims.push_back(*given[1 - factor].getResultPosition(b.getAffineDimExpr(tap)));
  }
  if (!hasTaps)
    return std::nullopt;

  Value apart = spreadOut(cotangent, spreads, b, loc);
  Type element = getElementTypeOrSelf(cotangent.getType());
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, loc, cotangent);
  for (auto [index, size] : llvm::zip(*indices, sizes))
    if (!index.taps.empty())
      shape[*given[2].getResultPosition(b.getAffineDimExpr(loopOf(index.place)))] = size;
  llvm::append_range(shape, taps);
  Value empty = tensor::EmptyOp::create(b, loc, shape, element),
        tapShape = tensor::EmptyOp::create(b, loc, taps, element);
  unsigned all = shape.size();
  SmallVector<AffineMap> maps{AffineMap::get(all, 0, windowed, b.getContext()),
                              AffineMap::get(all, 0, tapExprs, b.getContext()), b.getMultiDimIdentityMap(all)};
  SmallVector<Loop> loops(all, Loop::parallel);
  Value windows = linalg::GenericOp::create(b, loc, empty.getType(), ValueRange{apart, tapShape}, empty, maps, loops,
                                            [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                              linalg::YieldOp::create(inner, place, numbers[0]);
                                            })
                      .getResult(0);
  SmallVector<AffineExpr> left(given[2].getResults());
  for (unsigned tap : tapLoops)
    left.push_back(b.getAffineDimExpr(tap));
  unsigned count = given[2].getNumDims();
  return WindowProduct{source.get(),
                       windows,
                       reversed(op.getInputs()[1 - factor], tapDims, b, loc),
                       {AffineMap::get(count, 0, left, b.getContext()), given[1 - factor],
                        AffineMap::get(count, 0, out, b.getContext())}};
}
} // namespace lispier
