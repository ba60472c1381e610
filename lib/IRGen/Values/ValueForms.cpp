//===- ValueForms.cpp - forms on tiles and tensors alike ------------------===//
#include "ValueForms.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TileForms.h"
#include "ValueKind.h"
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
  case SpecialForm::Prod:
    return isBool ? std::nullopt : std::optional(Kind::MUL);
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

} // namespace

bool ValueForms::makesTiles(mlir::Type hint) const {
  if (gen.scope.inTileProgram || isa_and_present<mlir::VectorType>(hint))
    return true;
  mlir::Block *block = builder.getInsertionBlock();
  for (mlir::Operation *op = block ? block->getParentOp() : nullptr; op; op = op->getParentOp()) {
    if (op->getDialect() && op->getDialect()->getNamespace() == "gpu")
      return true;
    auto function = dyn_cast<mlir::func::FuncOp>(op);
    auto isVector = [](mlir::Type type) { return isa<mlir::VectorType>(type); };
    if (function && (any_of(function.getArgumentTypes(), isVector) || any_of(function.getResultTypes(), isVector)))
      return true;
  }
  return false;
}

ValueKind &ValueForms::kindOf(mlir::Value value) {
  return isTensor(value) ? static_cast<ValueKind &>(gen.tensors) : gen.tiles;
}

ValueKind &ValueForms::kindOf(mlir::ValueRange values) {
  return hasTensor(values) ? static_cast<ValueKind &>(gen.tensors) : gen.tiles;
}

ValueKind &ValueForms::kindOfNew(mlir::Type hint) {
  return makesTiles(hint) ? static_cast<ValueKind &>(gen.tiles) : gen.tensors;
}

mlir::Value ValueForms::operand(const Form *form, const Form *place) {
  mlir::Value value = gen.evaluator->emitValue(place);
  if (!value || isTile(value.getType()) || isTensor(value))
    return value;
  error("tile-operand", place,
        "`" + form->head() + "` takes a tile or a tensor, not " + mlir::debugString(value.getType()));
  return {};
}

mlir::Value ValueForms::memref(const Form *form, const Form *place, mlir::Value base) {
  if (!base)
    base = gen.evaluator->emitValue(place);
  auto type = base ? dyn_cast<mlir::MemRefType>(base.getType()) : mlir::MemRefType();
  if (!base || (type && type.getElementType().isIntOrIndexOrFloat()))
    return base;
  error("type-mismatch", place, "`" + form->head() + "` takes a memref of numbers, not " + typeText(base.getType()));
  return {};
}

mlir::Value ValueForms::reducedOperand(const Form *form, const Form *place) {
  mlir::Value tile = gen.evaluator->emitValue(place);
  if (!tile || isTile(tile.getType()) || isTensor(tile))
    return tile;
  error("tile-operand", place, "`" + form->head() + "` takes a tile or a tensor, not " + typeText(tile.getType()))
      .withHint(makesTiles()                                ? "a tile is made by load, zeros, full, iota and broadcast"
                : isa<mlir::BaseMemRefType>(tile.getType()) ? "(load " + place->str() + ") reads a memref as a tensor"
                                                            : "a tensor is made by zeros, full, iota, stack and load");
  return {};
}

std::optional<int64_t> ValueForms::axis(const Form *form, ArrayRef<int64_t> shape, StringRef what) {
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

/// The reduced axes in ascending order: all without :axis and :axes, of which `_` is neither, so that a function can
/// pass on what its caller left out.
std::optional<SmallVector<int64_t>> ValueForms::axes(const Form *form, const KeywordOperands &call, mlir::Value value) {
  ArrayRef<int64_t> shape = cast<mlir::ShapedType>(value.getType()).getShape();
  SmallVector<int64_t> found;
  auto given = [&](StringRef key) {
    const Form *value = call.get(key);
    return value && value->isSymbol("_") ? nullptr : value;
  };
  const Form *one = given("axis"), *several = given("axes");
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

mlir::Value ValueForms::neutral(const Form *form, Kind kind, mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr value;
  if (auto real = dyn_cast<mlir::FloatType>(element)) {
    const fltSemantics &semantics = real.getFloatSemantics();
    value = builder.getFloatAttr(element, kind == Kind::ADD   ? APFloat::getZero(semantics)
                                          : kind == Kind::MUL ? APFloat::getOne(semantics)
                                                              : APFloat::getInf(semantics, kind == Kind::MAXIMUMF));
  } else {
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    value = builder.getIntegerAttr(element, kind == Kind::MAXSI   ? APInt::getSignedMinValue(width)
                                            : kind == Kind::MINSI ? APInt::getSignedMaxValue(width)
                                            : kind == Kind::AND   ? APInt::getAllOnes(width)
                                            : kind == Kind::MUL   ? APInt(width, 1)
                                                                  : APInt::getZero(width));
  }
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
  return make<arith::ConstantOp>(form, value);
}

mlir::FailureOr<Values> ValueForms::emitReduction(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis", "axes", "keep"}, 1, 1);
  if (!call)
    return mlir::failure();
  const Form *place = call->operands[0];
  mlir::Value tile = reducedOperand(form, place);
  if (!tile)
    return mlir::failure();
  auto over = axes(form, *call, tile);
  std::optional<bool> keep = flag(*call, "keep");
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
  return kindOf(tile).reduce(form, place, *combine, kind == SpecialForm::Mean, tile, *over, *keep);
}

/// The value of a keyword that is true or false; false without it, nullopt after an error.
std::optional<bool> ValueForms::flag(const KeywordOperands &call, StringRef key) {
  const Form *given = call.get(key);
  if (!given || given->isBool())
    return given && given->boolean();
  error("macro-shape", given, "`:" + key + "` is true or false, not " + given->str());
  return std::nullopt;
}

/// (cumsum tile :axis n :reverse true :exclusive true), cumprod, cummax, cummin
mlir::FailureOr<Values> ValueForms::emitScan(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis", "reverse", "exclusive"}, 1, 1);
  mlir::Value tile = call ? reducedOperand(form, call->operands[0]) : mlir::Value();
  if (!tile)
    return mlir::failure();
  std::string name = form->head().str();
  auto type = cast<mlir::ShapedType>(tile.getType());
  StringRef what = isTensor(tile) ? "tensor" : "tile";
  if (!call->get("axis") && type.getRank() > 1) {
    error((what + "-axis").str(), form,
          "`" + name + "` of a " + what + " of shape " + shapeText(type.getShape()) + " needs an axis")
        .withHint("(" + name + " " + call->operands[0]->str() + " :axis -1) goes along the last one");
    return mlir::failure();
  }
  std::optional<int64_t> along = call->get("axis") ? axis(call->get("axis"), type.getShape(), what) : 0;
  std::optional<bool> isReverse = flag(*call, "reverse"), isExclusive = flag(*call, "exclusive");
  if (!along || !isReverse || !isExclusive)
    return mlir::failure();
  mlir::Type element = type.getElementType();
  if (element.isInteger(1)) {
    error("type-mismatch", call->operands[0], "`" + name + "` takes a " + what + " of numbers, not " + typeText(type))
        .withHint("(cast i32 " + call->operands[0]->str() + ") counts what holds");
    return mlir::failure();
  }
  SpecialForm combines = kind == SpecialForm::Cumsum    ? SpecialForm::Sum
                         : kind == SpecialForm::Cumprod ? SpecialForm::Prod
                         : kind == SpecialForm::Cummax  ? SpecialForm::Max
                                                        : SpecialForm::Min;
  return kindOf(tile).scan(form, *combination(combines, element), tile, *along, {*isReverse, *isExclusive});
}

/// (argmax tile :axis n :keep true), also argmin: the least index whose element equals the extreme, or is a NaN.
mlir::FailureOr<Values> ValueForms::emitArgExtreme(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis", "keep"}, 1, 1);
  mlir::Value tile = call ? reducedOperand(form, call->operands[0]) : mlir::Value();
  if (!tile)
    return mlir::failure();
  std::optional<bool> keep = flag(*call, "keep");
  const Form *given = call->get("axis");
  Kind extreme = *combination(kind == SpecialForm::Argmin ? SpecialForm::Min : SpecialForm::Max,
                              mlir::getElementTypeOrSelf(tile.getType()));
  auto shape = cast<mlir::ShapedType>(tile.getType()).getShape();
  std::optional<int64_t> along = given ? axis(given, shape, isTensor(tile) ? "tensor" : "tile") : std::nullopt;
  if (!keep || (given && !along))
    return mlir::failure();
  return kindOf(tile).argExtreme(form, extreme, tile, along, *keep ? call->get("keep") : nullptr);
}

/// (zeros type [size ...]), (empty type [size ...]), (full type [size ...] value)
mlir::FailureOr<Values> ValueForms::emitFull(const Form *form, SpecialForm kind, mlir::Type hint) {
  return kindOfNew(hint).full(form, kind);
}

/// (iota type [size ...] :axis n)
mlir::FailureOr<Values> ValueForms::emitIota(const Form *form, mlir::Type hint) { return kindOfNew(hint).iota(form); }

/// (reshape value [size ...])
mlir::FailureOr<Values> ValueForms::emitReshape(const Form *form) {
  mlir::Value value = operand(form, (*form)[1]);
  return value ? kindOf(value).reshape(form, value) : mlir::FailureOr<Values>(mlir::failure());
}

/// (broadcast value [size ...])
mlir::FailureOr<Values> ValueForms::emitBroadcast(const Form *form) {
  mlir::Value value = gen.evaluator->emitValue((*form)[1]);
  if (!value)
    return mlir::failure();
  bool isNumber = value.getType().isIntOrIndexOrFloat();
  return (isNumber ? kindOfNew() : kindOf(value)).broadcast(form, value);
}

/// (transpose tile [axis ...]?), (transpose tile :exchange [a b])
mlir::FailureOr<Values> ValueForms::emitTranspose(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"exchange"}, 1, 2);
  mlir::Value value = call ? operand(form, call->operands[0]) : mlir::Value();
  if (!value)
    return mlir::failure();
  ArrayRef<int64_t> shape = cast<mlir::ShapedType>(value.getType()).getShape();
  StringRef what = isTensor(value) ? "tensor" : "tile";
  SmallVector<int64_t> axes;
  if (const Form *pair = call->get("exchange")) {
    if (!pair->isVector() || pair->size() != 2 || call->operands.size() == 2) {
      error("macro-shape", pair, "`:exchange` takes two axes in a vector, and no other axes, not " + pair->str())
          .withHint("write " + findSpecialForm("transpose")->syntax);
      return mlir::failure();
    }
    std::optional<int64_t> a = this->axis((*pair)[0], shape, what), b = this->axis((*pair)[1], shape, what);
    if (!a || !b)
      return mlir::failure();
    if (*a == *b)
      return Values{value};
    append_range(axes, seq<int64_t>(0, shape.size()));
    std::swap(axes[*a], axes[*b]);
  } else if (call->operands.size() == 1) {
    if (shape.size() < 2) {
      error("tile-shape", (*form)[1],
            "`transpose` exchanges the last two dimensions, and this " + what + " is " + typeText(value.getType()))
          .withHint("(reshape " + what + " [n 1]) makes a column");
      return mlir::failure();
    }
    append_range(axes, seq<int64_t>(0, shape.size()));
    std::swap(axes[shape.size() - 1], axes[shape.size() - 2]);
  } else {
    const Form *given = call->operands[1];
    if (!given->isVector() || given->size() != shape.size()) {
      error((what + "-axis").str(), given,
            "`transpose` of shape " + shapeText(shape) + " takes a vector of " + Twine(shape.size()) + " axes, not " +
                given->str())
          .withHint("axis i of the result is the axis of the " + what + " that element i of the vector names");
      return mlir::failure();
    }
    for (const Form *item : given->items()) {
      std::optional<int64_t> axis = this->axis(item, shape, what);
      if (!axis)
        return mlir::failure();
      if (is_contained(axes, *axis)) {
        error("tile-axis", item, "the axis " + Twine(*axis) + " is given twice");
        return mlir::failure();
      }
      axes.push_back(*axis);
    }
  }
  return kindOf(value).transpose(form, value, axes);
}

/// (load memref [index ...] [size ...]? :else value :mask tile), (load tensor)
mlir::FailureOr<Values> ValueForms::emitLoad(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"else", "mask"}, 1, 3);
  mlir::Value base = call ? gen.evaluator->emitValue(call->operands[0]) : mlir::Value();
  bool isWhole = base && call->operands.size() == 1;
  if (!isWhole || !isTensor(base))
    base = base ? memref(form, call->operands[0], base) : base;
  if (!base)
    return mlir::failure();
  return (isWhole ? static_cast<ValueKind &>(gen.tensors) : gen.tiles).load(form, *call, base);
}

/// (store value memref [index ...] :mask tile), (store tensor memref)
mlir::FailureOr<Values> ValueForms::emitStore(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"mask"}, 2, 3);
  mlir::Value base = call ? memref(form, call->operands[1]) : mlir::Value();
  if (!base)
    return mlir::failure();
  bool isWhole = call->operands.size() == 2;
  return (isWhole ? static_cast<ValueKind &>(gen.tensors) : gen.tiles).store(form, *call, base);
}

/// (gather table [indices ...] :else value :mask tile)
mlir::FailureOr<Values> ValueForms::emitGather(const Form *form) {
  mlir::Value table = gen.evaluator->emitValue((*form)[1]);
  return table ? kindOf(table).gather(form, table) : mlir::FailureOr<Values>(mlir::failure());
}
} // namespace lispier
