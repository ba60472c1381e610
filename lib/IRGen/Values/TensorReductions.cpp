//===- TensorReductions.cpp - sums, maxima and scans of tensors -----------===//
#include "Arithmetic.h"
#include "Core/Literals.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace llvm;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;
using Iterator = mlir::utils::IteratorType;
using Kind = mlir::vector::CombiningKind;

namespace lispier {
namespace {
bool sumsInF32(mlir::Type element) { return isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }

/// The type of sums of `element`: f32 of 16-bit floats, and i64 of integers, as NumPy has it.
mlir::Type totalsOf(mlir::Type element) {
  mlir::MLIRContext *context = element.getContext();
  return sumsInF32(element)    ? mlir::Type(mlir::Float32Type::get(context))
         : element.isInteger() ? mlir::Type(mlir::IntegerType::get(context, 64))
                               : element;
}

/// The iterators of a reduction along `axes`, and the map of its result.
std::pair<SmallVector<Iterator>, mlir::AffineMap> reductionSpace(int64_t rank, ArrayRef<int64_t> axes,
                                                                 mlir::MLIRContext &context) {
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  SmallVector<mlir::AffineExpr> kept;
  for (int64_t i : seq(rank))
    if (is_contained(axes, i))
      iterators[i] = Iterator::reduction;
    else
      kept.push_back(mlir::getAffineDimExpr(i, &context));
  return {iterators, mlir::AffineMap::get(rank, 0, kept, &context)};
}
} // namespace

mlir::Value TensorForms::summand(const Form *form, mlir::Value number, mlir::Type sums) {
  if (number.getType() == sums)
    return number;
  return isa<mlir::FloatType>(sums) ? widened(form, number, sums) : gen.arithmetic.convert(number, sums, form);
}

/// Combines the elements along `axes` as numbers of type `sums`, which the result has.
mlir::Value TensorForms::combined(const Form *form, Kind kind, mlir::Value value, ArrayRef<int64_t> axes,
                                  mlir::Type sums) {
  Sizes sizes = gen.sizes.sizes(form, value), left;
  int64_t rank = sizes.size();
  for (auto [i, size] : enumerate(sizes))
    if (!is_contained(axes, i))
      left.push_back(size);
  auto [iterators, result] = reductionSpace(rank, axes, context);
  mlir::Value init = filled(form, left, gen.values.neutral(form, kind, sums));
  Inputs inputs{{value}, {builder.getMultiDimIdentityMap(rank)}};
  return generic(form, inputs, init, result, iterators, [&](mlir::ValueRange numbers) -> Values {
    mlir::Value number = summand(form, numbers[0], sums);
    return {mlir::vector::makeArithReduction(builder, location(form), kind, number, numbers[1])};
  })[0];
}

/// 1 / count, as a number of a float type.
mlir::Value TensorForms::inverse(const Form *form, Size count, mlir::Type type) {
  if (std::optional<int64_t> known = TensorSizes::known(count))
    return make<arith::ConstantOp>(form, builder.getFloatAttr(type, 1.0 / double(*known)));
  mlir::Value number = gen.arithmetic.convert(gen.sizes.value(form, count), type, form);
  return make<arith::DivFOp>(form, make<arith::ConstantOp>(form, builder.getFloatAttr(type, 1.0)), number);
}

mlir::FailureOr<Values> TensorForms::reduce(const Form *form, const Form *place, Kind kind, bool isMean,
                                            mlir::Value value, ArrayRef<int64_t> axes, bool keep) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  mlir::Type element = type.getElementType();
  if (element.isIndex() && kind != Kind::ADD &&
      kind != Kind::MUL) { // The neutral element of index crashes in MLIR, which asks its width.
    auto results = reduce(form, place, kind, isMean, converted(form, value, builder.getI64Type()), axes, keep);
    return resultOf(converted(form, results->front(), element));
  }
  bool isWide = sumsInF32(element);
  mlir::Type sums = kind == Kind::ADD || kind == Kind::MUL || isWide ? totalsOf(element) : element;
  mlir::Value result = combined(form, kind, value, axes, sums);
  if (isMean) {
    Sizes counted;
    for (int64_t axis : axes)
      counted.push_back(gen.sizes.size(form, value, axis));
    mlir::Value scale = inverse(form, gen.sizes.product(form, counted), sums);
    result = elementwise(form, form, result, Width::AsIs, [&](mlir::ValueRange sum) -> mlir::Value {
      mlir::Value mean = make<arith::MulFOp>(form, sum[0], scale);
      return isWide ? rounded(form, mean, element) : mean;
    });
  } else if (isWide)
    result = converted(form, result, element);
  return Values{keep && !axes.empty() ? withUnits(form, result, axes, type.getRank()) : result};
}

/// A loop over the axis; 16-bit floats are added and multiplied in f32, integers in i64, which the result has.
mlir::FailureOr<Values> TensorForms::scan(const Form *form, Kind kind, mlir::Value value, int64_t axis,
                                          ScanOrder order) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  mlir::Type element = type.getElementType();
  mlir::Type sums = kind == Kind::ADD || kind == Kind::MUL ? totalsOf(element) : element;
  mlir::Type given = sumsInF32(element) ? element : sums; // Of the result.
  Sizes sizes = gen.sizes.sizes(form, value), left(sizes);
  if (type.getRank() == 0)
    return Values{order.isExclusive ? filled(form, {}, gen.values.neutral(form, kind, given))
                                    : converted(form, value, given)};
  if (TensorSizes::hasZero(sizes))
    return Values{converted(form, value, given)};
  // Slices keep all dimensions: beside one of size 1, which dimension a slice drops is ambiguous.
  left[axis] = builder.getIndexAttr(1);
  mlir::Value starts[] = {empty(form, sizes, given), filled(form, left, gen.values.neutral(form, kind, sums))};
  auto bound = [&](int64_t number) { return gen.literals.constantInt(form, builder.getIndexType(), number); };
  mlir::Value count = gen.sizes.value(form, sizes[axis]);
  mlir::Value last = order.isReverse ? make<arith::SubIOp>(form, count, bound(1)).getResult() : mlir::Value();
  auto loop = make<mlir::scf::ForOp>(form, bound(0), count, bound(1), starts);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<mlir::OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)), extents(sizes.begin(), sizes.end()),
      strides(type.getRank(), builder.getIndexAttr(1));
  mlir::Value number = loop.getInductionVar();
  offsets[axis] = order.isReverse ? make<arith::SubIOp>(form, last, number).getResult() : number;
  extents[axis] = builder.getIndexAttr(1);
  mlir::Value before = loop.getRegionIterArg(1);
  auto partType = cast<mlir::RankedTensorType>(before.getType());
  mlir::Value part =
      make<tensor::ExtractSliceOp>(form, partType.clone(element), value, offsets, extents, strides).getResult();
  Inputs inputs{{part}, {builder.getMultiDimIdentityMap(left.size())}};
  SmallVector<Iterator> iterators(left.size(), Iterator::parallel);
  mlir::Value after = generic(form, inputs, before, inputs.maps[0], iterators, [&](mlir::ValueRange numbers) -> Values {
    mlir::Value summand = this->summand(form, numbers[0], sums);
    return {mlir::vector::makeArithReduction(builder, location(form), kind, summand, numbers[1])};
  })[0];
  mlir::Value next = make<tensor::InsertSliceOp>(form, converted(form, order.isExclusive ? before : after, given),
                                                 loop.getRegionIterArg(0), offsets, extents, strides);
  make<mlir::scf::YieldOp>(form, mlir::ValueRange{next, after});
  return Values{loop.getResult(0)};
}

/// Places are i32: reports no elements, and more than these can number, if need be when the program runs.
bool TensorForms::requireCountable(const Form *form, Size count) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  std::string message = "`" + form->head().str() + "` gives an i32, which cannot number ";
  std::string nothing = "`" + form->head().str() + "` of no elements has no result";
  if (std::optional<int64_t> known = TensorSizes::known(count)) {
    if (*known > kMost)
      error("tensor-size", form, message + Twine(*known) + " elements");
    if (*known == 0)
      error("tensor-size", form, nothing);
    return *known > 0 && *known <= kMost;
  }
  mlir::Value zero = gen.literals.constantInt(form, builder.getIndexType(), 0);
  gen.sizes.require(form, make<arith::CmpIOp>(form, arith::CmpIPredicate::ne, gen.sizes.value(form, count), zero),
                    "tensor-size", nothing, {});
  mlir::Value most = gen.literals.constantInt(form, builder.getIndexType(), kMost);
  gen.sizes.require(form, make<arith::CmpIOp>(form, arith::CmpIPredicate::ule, gen.sizes.value(form, count), most),
                    "tensor-size", message + "%ld elements", count);
  return true;
}

/// The first greatest or least element, which a NaN is. Two reductions, as what forms groups and schedules knows these:
/// the extreme, and the least place of an element that equals it.
mlir::FailureOr<Values> TensorForms::argExtreme(const Form *form, Kind kind, mlir::Value value,
                                                std::optional<int64_t> axis, const Form *keep) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  if (type.getElementType().isIndex()) // As in reduce.
    return argExtreme(form, kind, converted(form, value, builder.getI64Type()), axis, keep);
  int64_t rank = type.getRank(), along = axis.value_or(0);
  if (!axis && rank != 1) {
    mlir::ReassociationIndices all = to_vector<2>(seq<int64_t>(rank));
    SmallVector<mlir::ReassociationIndices> groups(1, all);
    if (rank == 0) {
      SmallVector<mlir::ReassociationIndices> none;
      value = make<tensor::ExpandShapeOp>(form, type.clone(ArrayRef<int64_t>(1)), value, none);
    } else
      value = make<tensor::CollapseShapeOp>(form, value, groups);
  }
  int64_t dimensions = cast<mlir::RankedTensorType>(value.getType()).getRank();
  mlir::Type element = type.getElementType(), i32 = builder.getI32Type();
  bool isFloat = isa<mlir::FloatType>(element);
  mlir::Value extreme = combined(form, kind, value, along, element);
  Sizes left = gen.sizes.sizes(form, value);
  if (!requireCountable(form, left[along]))
    return mlir::failure();
  left.erase(left.begin() + along);
  mlir::Value none = gen.literals.constantInt(form, i32, std::numeric_limits<int32_t>::max());
  auto [iterators, map] = reductionSpace(dimensions, along, context);
  Inputs inputs{{value, extreme}, {builder.getMultiDimIdentityMap(dimensions), map}};
  mlir::Value result =
      generic(form, inputs, filled(form, left, none), map, iterators, [&](mlir::ValueRange numbers) -> Values {
        mlir::Value number = numbers[0], best = numbers[1], isBest;
        if (isFloat) // No NaN equals the extreme, which is one.
          isBest = make<arith::OrIOp>(form, make<arith::CmpFOp>(form, arith::CmpFPredicate::OEQ, number, best),
                                      make<arith::CmpFOp>(form, arith::CmpFPredicate::UNO, number, number));
        else
          isBest = make<arith::CmpIOp>(form, arith::CmpIPredicate::eq, number, best);
        mlir::Value here = make<arith::IndexCastOp>(form, i32, make<linalg::IndexOp>(form, along));
        mlir::Value place = make<arith::SelectOp>(form, isBest, here, none);
        return {mlir::vector::makeArithReduction(builder, location(form), Kind::MINSI, place, numbers[2])};
      })[0];
  SmallVector<int64_t> axes;
  if (axis)
    axes.push_back(*axis);
  else
    append_range(axes, seq<int64_t>(rank));
  return Values{keep ? withUnits(form, result, axes, rank) : result};
}
} // namespace lispier
