//===- TileSums.cpp - sums, maxima and scans of tiles ---------------------===//
#include "Arithmetic.h"
#include "Core/ValueTypes.h"
#include "TileForms.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace arith = mlir::arith;
using Kind = mlir::vector::CombiningKind;

namespace lispier {
namespace {
mlir::Type withElement(mlir::Type type, mlir::Type element) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::Type(vector.clone(element)) : element;
}

bool isNarrowFloat(mlir::Type element) { return isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }
} // namespace

/// Combines along `axes`; the result is a scalar if no dimension is left.
mlir::Value TileForms::combined(const Form *form, Kind kind, mlir::Value tile, ArrayRef<int64_t> axes, bool keep) {
  auto type = cast<mlir::VectorType>(tile.getType());
  SmallVector<bool> mask(type.getRank());
  SmallVector<int64_t> left, kept;
  for (const auto &[i, size] : enumerate(type.getShape())) {
    mask[i] = is_contained(axes, i);
    kept.push_back(mask[i] ? 1 : size);
    if (!mask[i])
      left.push_back(size);
  }
  mlir::Type element = type.getElementType();
  mlir::Type resultType = left.empty() ? element : mlir::VectorType::get(left, element);
  mlir::Value result =
      make<mlir::vector::MultiDimReductionOp>(form, tile, gen.values.neutral(form, kind, resultType), mask, kind);
  if (!keep)
    return result;
  if (left.empty())
    return gen.arithmetic.toShape(form, result, kept);
  return make<mlir::vector::ShapeCastOp>(form, mlir::VectorType::get(kept, element), result);
}

mlir::FailureOr<Values> TileForms::reduce(const Form *form, const Form *place, Kind kind, bool isMean, mlir::Value tile,
                                          ArrayRef<int64_t> axes, bool keep) {
  mlir::Type element = mlir::getElementTypeOrSelf(tile.getType());
  bool isSum = kind == Kind::ADD || kind == Kind::MUL;
  if (isSum && isNarrowFloat(element))
    tile = make<arith::ExtFOp>(place, withElement(tile.getType(), builder.getF32Type()), tile);
  mlir::Value result = combined(form, kind, tile, axes, keep);
  if (isMean) {
    int64_t count = 1;
    for (int64_t axis : axes)
      count *= shapeOf(tile)[axis];
    mlir::Type type = result.getType(), inner = mlir::getElementTypeOrSelf(type);
    mlir::TypedAttr number = builder.getFloatAttr(inner, double(count));
    if (auto vector = dyn_cast<mlir::VectorType>(type))
      number = mlir::DenseElementsAttr::get(vector, mlir::Attribute(number));
    result = make<arith::DivFOp>(form, result, make<arith::ConstantOp>(form, number));
  }
  if (isSum && isNarrowFloat(element))
    result = make<arith::TruncFOp>(form, withElement(result.getType(), element), result);
  return Values{result};
}

mlir::FailureOr<Values> TileForms::scan(const Form *form, Kind kind, mlir::Value tile, int64_t axis, ScanOrder order) {
  if (order.isReverse || order.isExclusive) {
    error("tile-operand", form,
          "`" + form->head() + "` of a tile takes no " + (order.isReverse ? "`:reverse`" : "`:exclusive`"))
        .withHint(order.isReverse ? "compute it of a tensor, before the tile program"
                                  : "(- (cumsum x) x) is the sum of the elements before");
    return mlir::failure();
  }
  auto type = cast<mlir::VectorType>(tile.getType());
  mlir::Type element = type.getElementType();
  bool isSum = kind == Kind::ADD || kind == Kind::MUL;
  mlir::Type sums = isSum && isNarrowFloat(element) ? mlir::Type(builder.getF32Type()) : element;
  if (sums != element)
    tile = make<arith::ExtFOp>(form, type.clone(sums), tile);
  SmallVector<int64_t> left(type.getShape());
  left.erase(left.begin() + axis);
  mlir::Value start = gen.values.neutral(form, kind, mlir::VectorType::get(left, sums));
  auto scan = make<mlir::vector::ScanOp>(form, kind, tile, start, axis, /*inclusive=*/true);
  mlir::Value result = scan.getDest();
  return Values{sums == element ? result : make<arith::TruncFOp>(form, type, result).getResult()};
}

mlir::FailureOr<Values> TileForms::argExtreme(const Form *form, Kind kind, mlir::Value tile,
                                              std::optional<int64_t> axis, const Form *keep) {
  if (!axis && shapeOf(tile).size() > 1) { // Of all elements, in row-major order.
    auto type = cast<mlir::VectorType>(tile.getType());
    if (keep) {
      error("tile-axis", keep, "`" + form->head() + "` of all elements has no dimension to keep")
          .withHint("give :axis");
      return mlir::failure();
    }
    tile = make<mlir::vector::ShapeCastOp>(form, mlir::VectorType::get({type.getNumElements()}, type.getElementType()),
                                           tile);
  }
  int64_t along = axis.value_or(0);
  auto type = cast<mlir::VectorType>(tile.getType());
  bool isFloat = isa<mlir::FloatType>(type.getElementType());
  mlir::Value best = gen.arithmetic.toShape(form, combined(form, kind, tile, along, /*keep=*/true), type.getShape());
  mlir::Value equal;
  if (isFloat) // No NaN equals the extreme.
    equal = make<arith::OrIOp>(form, make<arith::CmpFOp>(form, arith::CmpFPredicate::OEQ, tile, best),
                               make<arith::CmpFOp>(form, arith::CmpFPredicate::UNO, tile, tile));
  else
    equal = make<arith::CmpIOp>(form, arith::CmpIPredicate::eq, tile, best);
  mlir::Value numbers = numbersAlong(form, builder.getI32Type(), type.getShape(), along);
  mlir::Value last = gen.values.neutral(form, Kind::MINSI, numbers.getType());
  mlir::Value candidates = make<arith::SelectOp>(form, equal, numbers, last);
  return Values{combined(form, Kind::MINSI, candidates, along, keep != nullptr)};
}
} // namespace lispier
