//===- LinalgRules.cpp - adjoints of elementwise ops, sums, products ------===//
//
// Of a linalg.generic each operand gets a tensor of what the iterations add to the
// cotangents of its elements, computed on the op's iteration space, and that is summed
// along the loops that the operand lacks. A product's factors get products, with
// permuted maps.
//
//===----------------------------------------------------------------------===//
#include "BodyAdjoint.h"
#include "Rules.h"
#include "ScatterRule.h"
#include "WindowRule.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using Loop = utils::IteratorType;

namespace lispier {
namespace {
SmallVector<unsigned> allLoops(unsigned count) { return llvm::to_vector(llvm::seq(count)); }

/// The loops that are results of the map, each once, in the order in which they are first.
SmallVector<unsigned> loopsIn(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result); dim && !llvm::is_contained(loops, dim.getPosition()))
      loops.push_back(dim.getPosition());
  return loops;
}

AffineMap mapOfLoops(ArrayRef<unsigned> loops, unsigned count, MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : loops)
    results.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(count, 0, results, context);
}

/// Adds what the iterations of a linalg.generic contribute to the values that it reads.
class GenericAdjoint {
public:
  GenericAdjoint(linalg::GenericOp op, Reverse &reverse)
      : op(op), reverse(reverse), b(reverse.b), loc(op.getLoc()), body(op, reverse) {
    for (Range range : cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, loc))
      sizes.push_back(range.size);
  }

  LogicalResult run(Value cotangent) {
    if (failed(body.differentiate(cotangent)))
      return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (reverse.isActive(operand.get()) && failed(addOperand(operand)))
        return failure();
    for (Value number : body.numbers())
      if (Value inside = body.cotangentOf(number)) {
        Value all = summed(inside, {}, number.getType());
        reverse.add(number, tensor::ExtractOp::create(b, loc, all, ValueRange()));
      }
    for (tensor::ExtractOp read : body.reads())
      if (Value inside = body.cotangentOf(read.getResult()))
        if (failed(reverseReads(op, read, inside, body, sizes, reverse)))
          return failure();
    return success();
  }

private:
  LogicalResult addOperand(OpOperand &operand) {
    Value inside = body.cotangentOf(body.argument(operand.getOperandNumber()));
    if (!inside)
      return success();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>)) {
      auto indices = windowIndices(map);
      if (!indices)
        return reverse.refuse(op, "an operand of this op is read at computed places, and has no gradient", "");
      AffineMap identity = b.getMultiDimIdentityMap(op.getNumLoops());
      BodyAdjoint::Indexed all = body.emit(inside, allLoops(op.getNumLoops()), sizes, identity, /*always=*/false);
      if (all.map != identity)
        all = body.emit(inside, allLoops(op.getNumLoops()), sizes, identity, /*always=*/true);
      reverse.add(operand.get(), windowCotangent(all.tensor, *indices, sizes, operand.get(), reverse));
      return success();
    }
    if (Value wide = beforeRounding(operand, inside)) {
      reverse.add(operand.get(), wide);
      return success();
    }
    SmallVector<unsigned> loops = loopsIn(map);
    Value sum = summed(inside, loops, getElementTypeOrSelf(operand.get().getType()));
    if (loops.size() != map.getNumResults())
      sum = onDiagonal(sum, map, loops, operand.get());
    reverse.add(operand.get(), sum);
    return success();
  }

  /// The gradient of a parameter that was rounded for a product, before the product's factors' rounding: a sum stays as
  /// wide as the parameter. Null for others: what is between activations is as narrow as they are.
  Value beforeRounding(OpOperand &operand, Value inside) {
    auto widening = inside.getDefiningOp<arith::ExtFOp>();
    std::optional<BodyAdjoint::Indexed> read = widening ? body.read(widening.getIn()) : std::nullopt;
    Value source = operand.get();
    while (Operation *op = source.getDefiningOp()) {
      if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
        break;
      source = op->getOperand(0);
    }
    bool isWhole = read && source.getDefiningOp<grad::StopOp>() && read->map == op.getMatchingIndexingMap(&operand);
    return isWhole ? reverse.beforeRounding(read->tensor, widening.getType()) : Value();
  }

  /// The sum of a value of the body over all iterations with the same indices of `loops`: a tensor of these dimensions.
  Value summed(Value inside, ArrayRef<unsigned> loops, Type element) {
    unsigned count = op.getNumLoops();
    AffineMap map = mapOfLoops(loops, count, b.getContext());
    SmallVector<OpFoldResult> kept;
    for (unsigned loop : loops)
      kept.push_back(sizes[loop]);
    if (loops.size() == count) {
      BodyAdjoint::Indexed source = body.emit(inside, allLoops(count), kept, map, /*always=*/false);
      return source.map == map ? source.tensor : body.emit(inside, allLoops(count), kept, map, true).tensor;
    }
    AffineMap identity = b.getMultiDimIdentityMap(count);
    BodyAdjoint::Indexed source = body.emit(inside, allLoops(count), sizes, identity, /*always=*/false);
    llvm::SmallBitVector covered(count);
    for (AffineMap each : {source.map, map})
      for (unsigned loop : loopsIn(each))
        covered.set(loop);
    if (!covered.all()) // A loop along which the value does not change.
      source = body.emit(inside, allLoops(count), sizes, identity, /*always=*/true);
    return reduce(source, map, kept, element);
  }

  /// The sum along the loops that `map` lacks; of 16-bit floats in f32.
  Value reduce(BodyAdjoint::Indexed source, AffineMap map, ArrayRef<OpFoldResult> kept, Type element) {
    bool isNarrow = element.getIntOrFloatBitWidth() < 32;
    Type sums = isNarrow ? Type(b.getF32Type()) : element;
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(sums)));
    Value empty = tensor::EmptyOp::create(b, loc, kept, sums);
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    SmallVector<Loop> loops(op.getNumLoops(), Loop::reduction);
    for (unsigned loop : loopsIn(map))
      loops[loop] = Loop::parallel;
    SmallVector<AffineMap> maps{source.map, map};
    Value sum = linalg::GenericOp::create(b, loc, zeros.getType(), source.tensor, zeros, maps, loops,
                                          [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                            Value number = numbers[0];
                                            if (isNarrow)
                                              number = arith::ExtFOp::create(inner, place, sums, number);
                                            Value more = arith::AddFOp::create(inner, place, number, numbers[1]);
                                            linalg::YieldOp::create(inner, place, more);
                                          })
                    .getResult(0);
    return reverse.withElements(loc, sum, element);
  }

  /// Of an operand of which only elements with equal indices are read, `sum`[i] at [i i], and else zeros.
  Value onDiagonal(Value sum, AffineMap map, ArrayRef<unsigned> loops, Value operand) {
    unsigned rank = map.getNumResults();
    SmallVector<unsigned> firsts;
    SmallVector<std::pair<unsigned, unsigned>> equal;
    SmallVector<unsigned> all = llvm::map_to_vector(
        map.getResults(), [](AffineExpr result) { return cast<AffineDimExpr>(result).getPosition(); });
    for (unsigned loop : loops) {
      firsts.push_back(std::distance(all.begin(), llvm::find(all, loop)));
      for (unsigned d = firsts.back() + 1; d < rank; ++d)
        if (all[d] == loop)
          equal.push_back({firsts.back(), d});
    }
    Type element = getElementTypeOrSelf(operand.getType());
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, operand), element);
    SmallVector<AffineMap> maps{mapOfLoops(firsts, rank, b.getContext()), b.getMultiDimIdentityMap(rank)};
    SmallVector<Loop> parallel(rank, Loop::parallel);
    return linalg::GenericOp::create(b, loc, empty.getType(), sum, empty, maps, parallel,
                                     [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                       Value number = numbers[0];
                                       for (auto [x, y] : equal) {
                                         Value same = arith::CmpIOp::create(inner, place, arith::CmpIPredicate::eq,
                                                                            linalg::IndexOp::create(inner, place, x),
                                                                            linalg::IndexOp::create(inner, place, y));
                                         number = arith::SelectOp::create(inner, place, same, number, zero);
                                       }
                                       linalg::YieldOp::create(inner, place, number);
                                     })
        .getResult(0);
  }

  linalg::GenericOp op;
  Reverse &reverse;
  OpBuilder &b;
  Location loc;
  BodyAdjoint body;
  SmallVector<OpFoldResult> sizes; ///< Of the loops.
};

/// a b, elementwise along the loops that both have: a product without a sum, which linalg.contract does not take.
Value outerProduct(OpBuilder &b, Location loc, Value left, Value right, ArrayRef<AffineMap> maps,
                   ArrayRef<OpFoldResult> sizes, Type element) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  SmallVector<Loop> loops(maps[0].getNumDims(), Loop::parallel);
  return linalg::GenericOp::create(b, loc, empty.getType(), ValueRange{left, right}, empty, maps, loops,
                                   [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                     auto wide = [&](Value number) {
                                       return number.getType() == element
                                                  ? number
                                                  : arith::ExtFOp::create(inner, place, element, number).getResult();
                                     };
                                     Value product =
                                         arith::MulFOp::create(inner, place, wide(numbers[0]), wide(numbers[1]));
                                     linalg::YieldOp::create(inner, place, product);
                                   })
      .getResult(0);
}

/// left right, summed along the loops that the result lacks, with the attributes of `like`.
Value product(linalg::ContractOp like, Value left, Value right, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
              Type element, Reverse &reverse) {
  OpBuilder &b = reverse.b;
  Location loc = like.getLoc();
  Type sums = getElementTypeOrSelf(like.getOutputs()[0].getType());
  bool hasSum = llvm::any_of(loopsIn(maps[0]), [&](unsigned loop) {
    return llvm::is_contained(loopsIn(maps[1]), loop) && !llvm::is_contained(loopsIn(maps[2]), loop);
  });
  if (!hasSum)
    return reverse.withElements(loc, outerProduct(b, loc, left, right, maps, sizes, sums), element);
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(sums)));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sums);
  Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto made = linalg::ContractOp::create(b, loc, TypeRange(zeros.getType()), ValueRange{left, right}, ValueRange(zeros),
                                         b.getAffineMapArrayAttr(maps));
  for (NamedAttribute attribute : like->getDiscardableAttrs())
    made->setAttr(attribute.getName(), attribute.getValue());
  return reverse.withElements(loc, made->getResult(0), element);
}

/// Adds the cotangent of a factor: the product of the result's and the other factor, summed over what the factor lacks.
/// Of a factor that is windows, it is added to what these are of.
void addToFactor(linalg::ContractOp op, Value cotangent, unsigned factor, Reverse &reverse) {
  OpBuilder &b = reverse.b;
  Location loc = op.getLoc();
  Value own = op.getInputs()[factor], other = op.getInputs()[1 - factor];
  Type element = getElementTypeOrSelf(own.getType()), sums = getElementTypeOrSelf(cotangent.getType());
  // 16-bit factors are multiplied as such; a result that was rounded to them loses nothing.
  if (Type narrow = getElementTypeOrSelf(other.getType());
      narrow.getIntOrFloatBitWidth() < sums.getIntOrFloatBitWidth() && narrow == element)
    cotangent = reverse.withElements(loc, cotangent, narrow);
  if (std::optional<WindowProduct> windows = windowProduct(op, cotangent, factor, reverse)) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, windows->source);
    reverse.add(windows->source, product(op, windows->windows, windows->other, windows->maps, sizes, element, reverse));
    return;
  }
  SmallVector<AffineMap> given = op.getIndexingMapsArray();
  SmallVector<AffineMap> maps{given[2], given[1 - factor], given[factor]};
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, own);
  reverse.add(own, product(op, cotangent, other, maps, sizes, element, reverse));
}
} // namespace

LogicalResult reverseGeneric(Operation *op, Reverse &reverse) {
  Value cotangent;
  for (Value result : op->getResults())
    if (Value own = reverse.take(result))
      cotangent = own;
  return GenericAdjoint(cast<linalg::GenericOp>(op), reverse).run(cotangent);
}

LogicalResult reverseContract(Operation *op, Reverse &reverse) {
  auto product = cast<linalg::ContractOp>(op);
  Value cotangent = reverse.take(op->getResult(0));
  for (unsigned factor : {0, 1})
    if (reverse.isActive(product.getInputs()[factor]))
      addToFactor(product, cotangent, factor, reverse);
  reverse.add(product.getOutputs()[0], cotangent);
  return success();
}

LogicalResult reverseFill(Operation *op, Reverse &reverse) {
  auto fill = cast<linalg::FillOp>(op);
  Value cotangent = reverse.take(op->getResult(0));
  Value number = fill.getInputs()[0];
  if (!reverse.isActive(number))
    return success();
  Location loc = op->getLoc();
  OpBuilder &b = reverse.b;
  Type element = number.getType(), sums = element.getIntOrFloatBitWidth() < 32 ? Type(b.getF32Type()) : element;
  int64_t rank = cast<RankedTensorType>(cotangent.getType()).getRank();
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(sums)));
  Value init = tensor::FromElementsOp::create(b, loc, RankedTensorType::get({}, sums), zero);
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank), AffineMap::get(rank, 0, b.getContext())};
  SmallVector<Loop> loops(rank, Loop::reduction);
  Value wide = reverse.withElements(loc, cotangent, sums);
  Value sum = linalg::GenericOp::create(b, loc, init.getType(), wide, init, maps, loops,
                                        [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                          Value more = arith::AddFOp::create(inner, place, numbers[0], numbers[1]);
                                          linalg::YieldOp::create(inner, place, more);
                                        })
                  .getResult(0);
  Value all = tensor::ExtractOp::create(b, loc, sum, ValueRange());
  reverse.add(number, reverse.withElements(loc, all, element));
  return success();
}
} // namespace lispier
