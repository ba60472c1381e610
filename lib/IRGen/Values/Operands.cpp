//===- Operands.cpp - operands brought to one type and one shape ----------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/NumberTypes.h"
#include "Core/OpenTypes.h"
#include "Core/RecordTypes.h"
#include "Core/ValueTypes.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
mlir::Value Arithmetic::toShape(const Form *form, mlir::Value value, ArrayRef<int64_t> shape) {
  auto type = mlir::VectorType::get(shape, mlir::getElementTypeOrSelf(value.getType()));
  if (shape.empty() || value.getType() == type)
    return value;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto splat = dyn_cast<mlir::SplatElementsAttr>(constant.getValue());
    mlir::Attribute element = splat ? splat.getSplatValue<mlir::Attribute>() : mlir::Attribute(constant.getValue());
    if (splat || !isa<mlir::ShapedType>(value.getType())) {
      auto repeated = make<arith::ConstantOp>(form, mlir::DenseElementsAttr::get(type, element));
      gen.literalValues.inherit(repeated, constant);
      return repeated;
    }
  }
  return make<mlir::vector::BroadcastOp>(form, type, value);
}

/// Whether the tile has lost an axis in a reduction, such as `sum`, or `mean`, which divides it.
static bool isReduced(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && mlir::OpTrait::hasElementwiseMappableTraits(op) && op->getNumOperands())
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<mlir::vector::MultiDimReductionOp>(op);
}

bool Arithmetic::toOneShape(const Form *form, ArrayRef<const Form *> places, MutableArrayRef<mlir::Value> values) {
  SmallVector<int64_t> shape;
  size_t first = 0; // The operand that gave `shape` its rank.
  for (const auto &[i, value] : enumerate(values)) {
    SmallVector<int64_t> joint;
    if (!mlir::OpTrait::util::getBroadcastedShape(shape, shapeOf(value), joint)) {
      error("tile-shape", places[i],
            "`" + form->head() + "`: the shapes " + shapeText(shape) + " and " + shapeText(shapeOf(value)) +
                " do not broadcast")
          .note(places[first]->range(), "this operand is " + typeText(values[first].getType()))
          .withHint(any_of(values, isReduced)
                        ? "(sum tile :axis n :keep true) and other reductions keep a size of 1, which is repeated"
                        : "sizes are compared from the last one; they are equal, or one of them is 1");
      return false;
    }
    if (shapeOf(value).size() > 0 && (shape.empty() || joint != shape))
      first = i;
    shape = std::move(joint);
  }
  for (const auto &[place, value] : zip(places, values))
    value = toShape(place, value, shape);
  return true;
}

/// Warns of a tensor that is computed in f64 because another operand is.
void Arithmetic::warnOfWidening(const Form *form, ArrayRef<const Form *> forms, ArrayRef<mlir::Value> values,
                                size_t widest) {
  auto *narrow = find_if(values, [&](mlir::Value value) {
    auto element = value ? dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType())) : mlir::FloatType();
    return element && isTensor(value) && cast<mlir::RankedTensorType>(value.getType()).getRank() > 0 &&
           element.getWidth() < 64 && !gen.literalValues.isLiteral(value);
  });
  mlir::Value wide = values[widest];
  SourceMgr &sources = diags.sourceMgr();
  unsigned buffer = sources.FindBufferContainingLoc(form->range().Start);
  if (buffer && sources.getMemoryBuffer(buffer)->getBufferIdentifier().starts_with("prelude/"))
    return; // The argument is f64, as its caller wants: angles of `rope` are f32.
  if (narrow == values.end() || !mlir::getElementTypeOrSelf(wide.getType()).isF64())
    return;
  std::string type = mlir::debugString(mlir::getElementTypeOrSelf(narrow->getType()));
  warning("type-widens", forms[widest],
          "`" + form->head() + "` is computed in f64, because this operand is " + gen.sizes.text(wide))
      .note(forms[narrow - values.begin()]->range(), "this operand is " + gen.sizes.text(*narrow))
      .withHint("(cast " + type + " " + forms[widest]->str() + ") keeps " + type);
}

/// Converts floats to the widest float type among `values`; null values are literals, which come later. Reports element
/// types that have no common one.
bool Arithmetic::toOneElement(const Form *form, ArrayRef<const Form *> forms, MutableArrayRef<mlir::Value> values) {
  mlir::Type wanted;
  size_t first = 0;
  // What is made of bare numbers has the type of the others by now, or in 16 bits f32, unless it cannot.
  bool isFloat = any_of(values, [&](mlir::Value value) {
    return isGiven(value) && isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
  });
  bool areLiterals = none_of(values, [&](mlir::Value value) { return isGiven(value); });
  auto isLater = [&](mlir::Value value) {
    return !value || gen.openTypes.isOpen(value) ||
           (!areLiterals && !isGiven(value) &&
            isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType())) == isFloat);
  };
  for (const auto &[i, value] : enumerate(values)) {
    if (isLater(value))
      continue;
    mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
    auto a = dyn_cast_if_present<mlir::FloatType>(wanted), b = dyn_cast<mlir::FloatType>(element);
    if (!wanted || (a && b && a.getWidth() < b.getWidth())) {
      wanted = element;
      first = i;
    } else if (element != wanted && !(a && b && a.getWidth() > b.getWidth())) {
      mlir::Type target = b && !a ? element : wanted;
      error("type-mismatch", forms[i],
            "`" + form->head() + "` takes operands of one element type, and these are " +
                gen.sizes.text(values[first]) + " and " + gen.sizes.text(value))
          .note(forms[first]->range(), "this operand is " + gen.sizes.text(values[first]))
          .withHint("(cast " + mlir::debugString(target) + " " + (target == wanted ? forms[i] : forms[first])->str() +
                    ") converts");
      return false;
    }
  }
  warnOfWidening(form, forms, values, first);
  for (const auto &[place, value] : zip(forms, values))
    if (!isLater(value) && !isTensor(value) && mlir::getElementTypeOrSelf(value.getType()) != wanted) {
      auto vector = dyn_cast<mlir::VectorType>(value.getType());
      value = make<arith::ExtFOp>(place, vector ? mlir::Type(vector.clone(wanted)) : wanted, value);
    }
  return true;
}

/// Operands of which one is a tile and the others are tiles, scalars, literals (null in `values`) or numbers that a
/// loop carries, which take the type of the result.
bool Arithmetic::tilesOfOneType(const Form *form, ArrayRef<const Form *> forms, MutableArrayRef<mlir::Value> values) {
  if (!toOneElement(form, forms, values))
    return false;
  SmallVector<mlir::Value> known;
  SmallVector<const Form *> places;
  for (const auto &[item, value] : zip(forms, values))
    if (value && !gen.openTypes.isOpen(value)) {
      known.push_back(value);
      places.push_back(item);
    }
  if (!toOneShape(form, places, known))
    return false;
  mlir::Type type = known.front().getType();
  size_t next = 0;
  for (const auto &[item, value] : zip(forms, values)) {
    if (!value && !(value = gen.literalValues.constant(item, type)))
      return false;
    if (gen.openTypes.isOpen(value))
      gen.openTypes.settle(value, type);
    else if (!is_contained(places, item))
      continue;
    else
      value = known[next++];
    if (value.getType() == type)
      continue;
    error("type-mismatch", item,
          "`" + form->head() + "` takes operands of one element type, and these are " + typeText(type) + " and " +
              typeText(value.getType()));
    return false;
  }
  return true;
}

/// Operands of which one is a tensor and the others are tensors, scalars, literals (null in `values`) or numbers that a
/// loop carries. Shapes and float widths stay: TensorForms::elementwise brings them together.
bool Arithmetic::tensorsOfOneElement(const Form *form, ArrayRef<const Form *> forms,
                                     MutableArrayRef<mlir::Value> values) {
  mlir::Type element;
  bool hasGiven = false;
  for (const auto &[item, value] : zip(forms, values)) {
    if (!value || gen.openTypes.isOpen(value))
      continue;
    if (isTensor(value)) {
      bool givesType = !element || (!hasGiven && isGiven(value));
      element = givesType ? mlir::getElementTypeOrSelf(value.getType()) : element;
      hasGiven |= isGiven(value);
    } else if (!value.getType().isIntOrIndexOrFloat()) {
      error("type-mismatch", item,
            "`" + form->head() + "` takes tensors and numbers, and this is " + mlir::debugString(value.getType()))
          .withHint(isa<mlir::BaseMemRefType>(value.getType()) ? "(load " + item->str() + ") reads a memref as a tensor"
                                                               : "");
      return false;
    }
  }
  for (mlir::Value value : values)
    gen.openTypes.settle(value, element);
  return toOneElement(form, forms, values);
}

/// Whether the operand has a type that others take: it is not made of bare numbers.
bool Arithmetic::isGiven(mlir::Value value) {
  return value && !gen.openTypes.isOpen(value) && !gen.literalValues.isLiteral(value);
}

/// Gives operands that are made of bare numbers the element type of the others, in `type` that of one of them. If all
/// are made so, they get the type of `hint` or their own widest one, in `type`. False after an error.
bool Arithmetic::settleLiterals(ArrayRef<const Form *> forms, mlir::Type hint, MutableArrayRef<mlir::Value> values,
                                mlir::Type &type) {
  SmallVector<mlir::Value> literals;
  mlir::Type wanted = type ? mlir::getElementTypeOrSelf(type) : mlir::Type();
  for (mlir::Value value : values) {
    if (!value || gen.openTypes.isOpen(value))
      continue;
    mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
    if (!isGiven(value))
      literals.push_back(value);
    else if (isWiderFloat(element, wanted))
      wanted = element; // Beside tensors and tiles the wider float counts.
  }
  if (literals.empty())
    return true;
  if (!wanted) {
    wanted = gen.literalValues.joint(literals, hint);
    bool hasFraction = any_of(zip(forms, values), [](auto each) {
      auto [form, value] = each;
      return !value && form->isNumber() && isFraction(form);
    });
    if (hasFraction && !isa<mlir::FloatType>(wanted))
      wanted = defaultType(/*isFraction=*/true, builder);
  } else if (hasTensor(values))
    wanted = typeBesideTensor(wanted);
  for (mlir::Value &value : values) {
    if (!value || gen.openTypes.isOpen(value) || isGiven(value))
      continue;
    value = gen.literalValues.as(value, wanted);
    if (!value)
      return false;
    if (!type || (!isa<mlir::VectorType>(type) && isa<mlir::VectorType>(value.getType())))
      type = value.getType();
  }
  return true;
}

static bool isArithmeticForm(SpecialForm form) {
  return (form >= SpecialForm::Add && form <= SpecialForm::Max) ||
         (form >= SpecialForm::Exp && form <= SpecialForm::Pow) || form == SpecialForm::Neg;
}

/// Whether the form is arithmetic of bare numbers only, such as (/ 1.0 (sqrt 2.0)).
static bool isOfNumbers(LiteralReader &literals, const Form *form) {
  if (literals.isLiteral(form))
    return true;
  const SpecialFormInfo *info =
      form->isList() && form->size() > 1 && (*form)[0]->isSymbol() ? findSpecialForm((*form)[0]->text()) : nullptr;
  return info && isArithmeticForm(info->form) &&
         all_of(form->items().drop_front(), [&](const Form *item) { return isOfNumbers(literals, item); });
}

/// The element type of a tensor; any other type itself, which may be null.
static mlir::Type elementOfTensor(mlir::Type type) {
  auto tensor = dyn_cast_if_present<mlir::RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

bool Arithmetic::operandsOfOneType(ArrayRef<const Form *> forms, mlir::Type hint, SmallVectorImpl<mlir::Value> &out,
                                   const Form *form) {
  out.assign(forms.size(), mlir::Value());
  mlir::Type type;
  // Beside a tensor a number is a number: (/ tensor (log 2.0)).
  auto expected = [&] { return type ? elementOfTensor(type) : hint; };
  hint = elementOfTensor(hint);
  if (!gen.openTypes.values.empty()) // In a nested (* sum 0.5), a later operand may determine the type of sum.
    if (auto *evident = find_if(forms, [&](const Form *item) { return bool(gen.openTypes.evidentType(item)); });
        evident != forms.end())
      hint = gen.openTypes.evidentType(*evident);
  bool ok = true, hasTile = false;
  auto emit = [&](mlir::Value &value, const Form *item) {
    value = gen.evaluator->emitOpenValue(item, expected());
    if (!value)
      return false;
    mlir::Type here = value.getType();
    if (isa<RecordType>(here)) {
      error("type-mismatch", item, "`" + form->head() + "` takes numbers and tensors, and this is " + typeText(here))
          .withHint("(:field record) reads a field");
      return false;
    }
    if (gen.openTypes.isOpen(value)) // Treated like a bare number.
      return true;
    hasTile |= isTile(here);
    if (!isGiven(value)) // Treated like one, too, as soon as it is known beside what.
      return true;
    if (!type || (!isa<mlir::VectorType>(type) && isa<mlir::VectorType>(here)))
      type = here;
    return true;
  };
  // Like a bare number, (sqrt 2.0) takes the type of what it meets.
  for (bool ofNumbers : {false, true})
    for (const auto &[i, item] : enumerate(forms))
      if (!gen.literals.isLiteral(item) && isOfNumbers(gen.literals, item) == ofNumbers)
        ok &= emit(out[i], item);
  if (!ok || !settleLiterals(forms, hint, out, type))
    return false;
  if (hasTensor(out))
    return tensorsOfOneElement(form, forms, out);
  bool onlyTiles = hasTile && all_of(out, [&](mlir::Value value) {
                     return !value || gen.openTypes.isOpen(value) || isTile(value.getType()) ||
                            value.getType().isIntOrIndexOrFloat();
                   });
  if (onlyTiles)
    return tilesOfOneType(form, forms, out);
  if (!type)
    for (mlir::Value value : out)
      if (gen.openTypes.isOpen(value)) {
        gen.openTypes.settle(value, hint);
        type = value.getType();
      }
  if (!type)
    type = typeOfNumbers(forms, hint, builder);
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  for (const auto &[i, item] : enumerate(forms)) {
    gen.openTypes.settle(out[i], type);
    if (!out[i] && isa<mlir::BaseMemRefType>(type)) {
      error("type-mismatch", item,
            "`" + form->head() + "` works on numbers and vectors of them, not on " + mlir::debugString(type))
          .withHint("(memref.load m i ...) is an element of a memref");
      return false;
    }
    if (!out[i]) {
      out[i] = gen.literalValues.constant(item, type);
      if (!out[i])
        return false;
    } else if (out[i].getType() != type && out[i].getType() == element && isa<mlir::VectorType>(type)) {
      out[i] = make<mlir::vector::BroadcastOp>(item, type, out[i]);
    } else if (out[i].getType() != type) {
      error("type-mismatch", item,
            "`" + form->head() + "` takes operands of one type, and these have types " + mlir::debugString(type) +
                " and " + mlir::debugString(out[i].getType()))
          .withHint(isa<mlir::BaseMemRefType>(out[i].getType()) != isa<mlir::BaseMemRefType>(type)
                        ? std::string("(load memref [index ...] [size ...]) reads a tile")
                        : "(cast " + mlir::debugString(type) + " value) converts");
      return false;
    }
  }
  return true;
}
} // namespace lispier
