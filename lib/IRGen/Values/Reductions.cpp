//===- Reductions.cpp - sums, maxima and scans of tiles -------------------===//
#include "Reductions.h"
#include "Arithmetic.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TileExpressions.h"
#include "ValueParts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace arith = mlir::arith;
using Kind = mlir::vector::CombiningKind;

namespace lispier {
namespace {
/// How the elements are combined; nullopt if the form does not combine elements of that type.
std::optional<Kind> combination(SpecialForm form, mlir::Type element) {
  bool isFloat = isa<mlir::FloatType>(element), isBool = element.isInteger(1);
  switch (form) {
  case SpecialForm::Sum:
    return isBool ? std::nullopt : std::optional(Kind::ADD);
  case SpecialForm::Mean:
    return isFloat ? std::optional(Kind::ADD) : std::nullopt;
  case SpecialForm::Max:
    return isFloat ? Kind::MAXIMUMF : isBool ? Kind::OR : Kind::MAXSI; // true is the greater one.
  case SpecialForm::Min:
    return isFloat ? Kind::MINIMUMF : isBool ? Kind::AND : Kind::MINSI;
  case SpecialForm::Any:
    return isBool ? std::optional(Kind::OR) : std::nullopt;
  case SpecialForm::All:
    return isBool ? std::optional(Kind::AND) : std::nullopt;
  default:
    return std::nullopt;
  }
}

mlir::Type withElement(mlir::Type type, mlir::Type element) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::Type(vector.clone(element)) : element;
}

bool isNarrowFloat(mlir::Type element) { return isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }
} // namespace

mlir::Value Reductions::tileOperand(const Form *form, const Form *place) {
  mlir::Value tile = gen.evaluator->emitValue(place);
  if (!tile || isTile(tile.getType()) || isTensor(tile))
    return tile;
  error("tile-operand", place, "`" + form->head() + "` takes a tile or a tensor, not " + typeText(tile.getType()))
      .withHint(gen.tensors.makesTiles()                    ? "a tile is made by load, zeros, full, iota and broadcast"
                : isa<mlir::BaseMemRefType>(tile.getType()) ? "(load " + place->str() + ") reads a memref as a tensor"
                                                            : "a tensor is made by zeros, full, iota, stack and load");
  return {};
}

std::optional<int64_t> Reductions::axis(const Form *form, ArrayRef<int64_t> shape, StringRef what) {
  bool failed;
  std::optional<int64_t> axis = gen.integers.evaluate(form, failed);
  if (failed)
    return std::nullopt;
  if (!axis) {
    error("tile-axis", form, "an axis is a constant, and `" + form->str() + "` is known only when the program runs");
    return std::nullopt;
  }
  int64_t rank = shape.size();
  if (*axis >= -rank && *axis < rank)
    return *axis < 0 ? *axis + rank : *axis;
  error((what + "-axis").str(), form, "the " + what + " has shape " + shapeText(shape) + " and no axis " + Twine(*axis))
      .withHint(rank == 0 ? std::string("it has no axes")
                          : "its axes are " + std::string(rank == 1 ? "0" : "0 to " + std::to_string(rank - 1)) +
                                ", or from the end -1" + (rank == 1 ? "" : " to -" + std::to_string(rank)));
  return std::nullopt;
}

/// The reduced axes in ascending order: all without :axis and :axes.
std::optional<SmallVector<int64_t>> Reductions::axes(const Form *form, const KeywordOperands &call, mlir::Value value) {
  ArrayRef<int64_t> shape = cast<mlir::ShapedType>(value.getType()).getShape();
  SmallVector<int64_t> found;
  const Form *one = call.get("axis"), *several = call.get("axes");
  if (one && several) {
    error("tile-axis", several, "`" + form->head() + "` takes :axis or :axes, not both");
    return std::nullopt;
  }
  if (several && !several->isVector()) {
    error("tile-axis", several, Twine("`:axes` is a vector of axes, not ") + describe(several->kind()))
        .withHint("one axis is :axis " + several->str());
    return std::nullopt;
  }
  if (!one && !several)
    return llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  for (const Form *item : several ? several->items() : ArrayRef<const Form *>(one)) {
    std::optional<int64_t> number = axis(item, shape, isTensor(value) ? "tensor" : "tile");
    if (!number)
      return std::nullopt;
    if (is_contained(found, *number)) {
      error("tile-axis", item, "the axis " + Twine(*number) + " is given twice");
      return std::nullopt;
    }
    found.push_back(*number);
  }
  llvm::sort(found);
  return found;
}

std::optional<bool> Reductions::keeps(const KeywordOperands &call) {
  const Form *keep = call.get("keep");
  if (!keep || keep->isBool())
    return keep && keep->boolean();
  error("macro-shape", keep, "`:keep` is true or false, not " + keep->str());
  return std::nullopt;
}

mlir::Value Reductions::neutral(const Form *form, Kind kind, mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr value;
  if (auto real = dyn_cast<mlir::FloatType>(element)) {
    const fltSemantics &semantics = real.getFloatSemantics();
    value = builder.getFloatAttr(element, kind == Kind::ADD ? APFloat::getZero(semantics)
                                                            : APFloat::getInf(semantics, kind == Kind::MAXIMUMF));
  } else {
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    value = builder.getIntegerAttr(element, kind == Kind::MAXSI   ? APInt::getSignedMinValue(width)
                                            : kind == Kind::MINSI ? APInt::getSignedMaxValue(width)
                                            : kind == Kind::AND   ? APInt::getAllOnes(width)
                                                                  : APInt::getZero(width));
  }
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
  return make<arith::ConstantOp>(form, value);
}

mlir::Value Reductions::reduce(const Form *form, Kind kind, mlir::Value tile, ArrayRef<int64_t> axes, bool keep) {
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
  mlir::Value result = make<mlir::vector::MultiDimReductionOp>(form, tile, neutral(form, kind, resultType), mask, kind);
  if (!keep)
    return result;
  if (left.empty())
    return gen.arithmetic.toShape(form, result, kept);
  return make<mlir::vector::ShapeCastOp>(form, mlir::VectorType::get(kept, element), result);
}

mlir::FailureOr<Values> Reductions::emitReduction(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis", "axes", "keep"}, 1, 1);
  if (!call)
    return mlir::failure();
  const Form *place = call->operands[0];
  mlir::Value tile = tileOperand(form, place);
  if (!tile)
    return mlir::failure();
  auto over = axes(form, *call, tile);
  std::optional<bool> keep = keeps(*call);
  if (!over || !keep)
    return mlir::failure();
  mlir::Type element = mlir::getElementTypeOrSelf(tile.getType());
  std::optional<Kind> combine = combination(kind, element);
  if (!combine) {
    bool isLogic = kind == SpecialForm::Any || kind == SpecialForm::All;
    error("type-mismatch", place,
          "`" + form->head() + "` takes a " + (isTensor(tile) ? "tensor" : "tile") + " of " +
              (isLogic                     ? "i1"
               : kind == SpecialForm::Mean ? "floats"
                                           : "numbers") +
              ", not " + typeText(tile.getType()))
        .withHint(isLogic                     ? "compare it: (!= " + place->str() + " 0)"
                  : kind == SpecialForm::Mean ? "(cast f32 " + place->str() + ") converts"
                                              : "(cast i32 " + place->str() + ") counts what holds");
    return mlir::failure();
  }
  if (isTensor(tile))
    return gen.tensors.emitReduction(form, *combine, kind == SpecialForm::Mean, tile, *over, *keep);
  bool isSum = *combine == Kind::ADD;
  if (isSum && isNarrowFloat(element))
    tile = make<arith::ExtFOp>(place, withElement(tile.getType(), builder.getF32Type()), tile);
  mlir::Value result = reduce(form, *combine, tile, *over, *keep);
  if (kind == SpecialForm::Mean) {
    int64_t count = 1;
    for (int64_t axis : *over)
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

/// (cumsum tile :axis n)
mlir::FailureOr<Values> Reductions::emitCumsum(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"axis"}, 1, 1);
  mlir::Value tile = call ? tileOperand(form, call->operands[0]) : mlir::Value();
  if (!tile)
    return mlir::failure();
  auto type = cast<mlir::ShapedType>(tile.getType());
  StringRef what = isTensor(tile) ? "tensor" : "tile";
  if (!call->get("axis") && type.getRank() > 1) {
    error((what + "-axis").str(), form,
          "`cumsum` of a " + what + " of shape " + shapeText(type.getShape()) + " needs an axis")
        .withHint("(cumsum " + call->operands[0]->str() + " :axis -1) goes along the last one");
    return mlir::failure();
  }
  std::optional<int64_t> along = call->get("axis") ? axis(call->get("axis"), type.getShape(), what) : 0;
  if (!along)
    return mlir::failure();
  mlir::Type element = type.getElementType();
  if (element.isInteger(1)) {
    error("type-mismatch", call->operands[0], "`cumsum` takes a " + what + " of numbers, not " + typeText(type))
        .withHint("(cast i32 " + call->operands[0]->str() + ") counts what holds");
    return mlir::failure();
  }
  if (isTensor(tile))
    return type.getRank() ? gen.tensors.emitCumsum(form, tile, *along) : mlir::FailureOr<Values>(Values{tile});
  mlir::Type sums = isNarrowFloat(element) ? mlir::Type(builder.getF32Type()) : element;
  if (sums != element)
    tile = make<arith::ExtFOp>(form, type.clone(sums), tile);
  SmallVector<int64_t> left(type.getShape());
  left.erase(left.begin() + *along);
  mlir::Value start = neutral(form, Kind::ADD, mlir::VectorType::get(left, sums));
  auto scan = make<mlir::vector::ScanOp>(form, Kind::ADD, tile, start, *along, /*inclusive=*/true);
  mlir::Value result = scan.getDest();
  return Values{sums == element ? result : make<arith::TruncFOp>(form, type, result).getResult()};
}

/// (argmax tile :axis n :keep true), also argmin: the least index whose element equals the extreme, or is a NaN.
mlir::FailureOr<Values> Reductions::emitArgExtreme(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis", "keep"}, 1, 1);
  mlir::Value tile = call ? tileOperand(form, call->operands[0]) : mlir::Value();
  if (!tile)
    return mlir::failure();
  std::optional<bool> keep = keeps(*call);
  const Form *given = call->get("axis");
  Kind extreme = *combination(kind == SpecialForm::Argmin ? SpecialForm::Min : SpecialForm::Max,
                              mlir::getElementTypeOrSelf(tile.getType()));
  if (isTensor(tile)) {
    auto shape = cast<mlir::ShapedType>(tile.getType()).getShape();
    std::optional<int64_t> along = given ? axis(given, shape, "tensor") : std::nullopt;
    if (!keep || (given && !along))
      return mlir::failure();
    return gen.tensors.emitArgExtreme(form, extreme, tile, along, *keep);
  }
  if (!given && shapeOf(tile).size() > 1) { // Of all elements, in row-major order.
    auto type = cast<mlir::VectorType>(tile.getType());
    if (keep && *keep) {
      error("tile-axis", call->get("keep"), "`" + form->head() + "` of all elements has no dimension to keep")
          .withHint("give :axis");
      return mlir::failure();
    }
    tile = make<mlir::vector::ShapeCastOp>(form, mlir::VectorType::get({type.getNumElements()}, type.getElementType()),
                                           tile);
  }
  std::optional<int64_t> along = given ? axis(given, shapeOf(tile)) : 0;
  if (!along || !keep)
    return mlir::failure();
  auto type = cast<mlir::VectorType>(tile.getType());
  bool isFloat = isa<mlir::FloatType>(type.getElementType());
  mlir::Value best = gen.arithmetic.toShape(form, reduce(form, extreme, tile, *along, /*keep=*/true), type.getShape());
  mlir::Value equal;
  if (isFloat) // No NaN equals the extreme.
    equal = make<arith::OrIOp>(form, make<arith::CmpFOp>(form, arith::CmpFPredicate::OEQ, tile, best),
                               make<arith::CmpFOp>(form, arith::CmpFPredicate::UNO, tile, tile));
  else
    equal = make<arith::CmpIOp>(form, arith::CmpIPredicate::eq, tile, best);
  mlir::Value numbers = gen.tiles.numbersAlong(form, builder.getI32Type(), type.getShape(), *along);
  mlir::Value last = neutral(form, Kind::MINSI, numbers.getType());
  mlir::Value candidates = make<arith::SelectOp>(form, equal, numbers, last);
  return Values{reduce(form, Kind::MINSI, candidates, *along, *keep)};
}
} // namespace lispier
