//===- Casts.cpp - conversions between types ------------------------------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/Literals.h"
#include "Core/NumberTypes.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
/// The record with its tensors of floats in another type.
mlir::Value Arithmetic::castFloats(const Form *form, mlir::Value value, RecordType record, mlir::Type type) {
  Values parts;
  for (mlir::Value part : RecordTypes::partsOf(value)) {
    bool isCast = isTensor(part) && isa<mlir::FloatType>(mlir::getElementTypeOrSelf(part.getType()));
    parts.push_back(isCast ? gen.tensors.castElements(form, part, type) : part);
  }
  return gen.recordTypes.pack(form, record, parts);
}

mlir::FailureOr<Values> Arithmetic::emitCast(const Form *form) {
  mlir::Type type = gen.types.parseType((*form)[1]);
  if (!type)
    return mlir::failure();
  const Form *source = (*form)[2];
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::Value value;
  if (gen.literals.isLiteral(source) && element.isIntOrIndexOrFloat() && !isa<mlir::BaseMemRefType>(type)) {
    // (cast i32 2.7) truncates like any other cast; everything else is a literal.
    auto fraction = element.isIntOrIndex() && source->isNumber() && !isTooLarge(source)
                        ? dyn_cast_if_present<mlir::FloatAttr>(plainNumber(source, builder))
                        : mlir::FloatAttr();
    if (fraction && !isa<mlir::TensorType>(type))
      return Values{truncated(fraction.getValue(), type, form)};
    value = gen.literals.constant(source, fraction ? mlir::Type(builder.getF64Type()) : type);
  } else
    value = gen.evaluator->emitValue(source);
  if (!value)
    return mlir::failure();
  if (auto record = dyn_cast<RecordType>(value.getType())) {
    if (isa<mlir::FloatType>(type))
      return Values{castFloats(form, value, record, type)};
    error("type-mismatch", form, "the tensors of a record become floats, not " + mlir::debugString(type));
    return mlir::failure();
  }
  if (isTensor(value) && type.isIntOrIndexOrFloat()) {
    value = gen.tensors.castElements(form, value, type);
    return resultOf(value);
  }
  // (cast f32 tile) converts the elements.
  if (auto shaped = dyn_cast<mlir::ShapedType>(value.getType());
      type.isIntOrIndexOrFloat() && isa<mlir::VectorType>(value.getType()))
    type = shaped.clone(type);
  mlir::Value converted = convert(value, type, form);
  if (!converted)
    return mlir::failure();
  return Values{converted};
}

namespace {
mlir::TypedAttr splat(mlir::Type type, mlir::TypedAttr element) {
  auto shaped = dyn_cast<mlir::ShapedType>(type);
  return shaped ? mlir::TypedAttr(mlir::DenseElementsAttr::get(shaped, mlir::Attribute(element))) : element;
}
} // namespace

/// Folds `saturated` for a constant.
mlir::Value Arithmetic::truncated(const APFloat &number, mlir::Type type, const Form *form) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  APSInt integer(width, /*isUnsigned=*/width == 1);
  bool isExact;
  number.convertToInteger(integer, APFloat::rmTowardZero, &isExact); // Saturates; a NaN becomes 0.
  return make<arith::ConstantOp>(form, splat(type, builder.getIntegerAttr(element, integer)));
}

/// Truncates floats (a scalar, a vector or a tensor) towards zero. Values out of range become the nearest integer of
/// `type` and a NaN becomes 0; the result of arith.fptosi is undefined there. i1 holds 0 and 1.
mlir::Value Arithmetic::saturated(mlir::Value value, mlir::Type type, const Form *form) {
  if (auto tensor = dyn_cast<mlir::RankedTensorType>(type)) { // A tensor constant needs a static shape.
    SmallVector<mlir::OpFoldResult> sizes = mlir::tensor::getMixedSizes(builder, location(form), value);
    auto empty = make<mlir::tensor::EmptyOp>(form, sizes, tensor.getElementType());
    auto map = make<mlir::linalg::MapOp>(form, value, empty,
                                         [&](mlir::OpBuilder &inner, mlir::Location place, mlir::ValueRange arguments) {
                                           mlir::OpBuilder::InsertionGuard guard(builder);
                                           builder.restoreInsertionPoint(inner.saveInsertionPoint());
                                           mlir::Value number = saturated(arguments[0], tensor.getElementType(), form);
                                           mlir::linalg::YieldOp::create(builder, place, number);
                                         });
    return map->getResult(0);
  }
  auto asShaped = [&](mlir::Type element) {
    auto vector = dyn_cast<mlir::VectorType>(type);
    return vector ? mlir::Type(vector.clone(element)) : element;
  };
  if (mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() <
      32) // Not every GPU compares narrower floats.
    value = make<arith::ExtFOp>(form, asShaped(builder.getF32Type()), value);
  auto floats = cast<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
  auto compare = [&](arith::CmpFPredicate predicate, const APFloat &limit) -> mlir::Value {
    mlir::TypedAttr attribute = splat(value.getType(), builder.getFloatAttr(floats, limit));
    return make<arith::CmpFOp>(form, predicate, value, make<arith::ConstantOp>(form, attribute));
  };
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return compare(arith::CmpFPredicate::OGE, APFloat::getOne(floats.getFloatSemantics()));
  // A power of two is exact, or infinite where all finite numbers are in range.
  APFloat above(floats.getFloatSemantics());
  above.convertFromAPInt(APInt::getSignedMinValue(width), /*IsSigned=*/false, APFloat::rmNearestTiesToEven);
  mlir::Value result = make<arith::FPToSIOp>(form, type, value);
  auto replace = [&](mlir::Value where, const APInt &by) {
    auto constant = make<arith::ConstantOp>(form, splat(type, builder.getIntegerAttr(element, by)));
    result = make<arith::SelectOp>(form, where, constant, result);
  };
  replace(compare(arith::CmpFPredicate::OLE, -above), APInt::getSignedMinValue(width));
  replace(compare(arith::CmpFPredicate::OGE, above), APInt::getSignedMaxValue(width));
  replace(make<arith::CmpFOp>(form, arith::CmpFPredicate::UNO, value, value), APInt::getZero(width));
  return result;
}

/// Converts between index, integers, floats, vectors of them, between pointers and integers, and between memref types
/// with one element type.
mlir::Value Arithmetic::convert(mlir::Value value, mlir::Type type, const Form *form) {
  mlir::Type from = value.getType();
  if (from == type)
    return value;
  auto impossible = [&] {
    error("type-mismatch", form, "cannot cast " + mlir::debugString(from) + " to " + mlir::debugString(type));
    return mlir::Value();
  };
  if (isa<mlir::BaseMemRefType>(from) || isa<mlir::BaseMemRefType>(type)) {
    if (!mlir::memref::CastOp::areCastCompatible(from, type))
      return impossible();
    return make<mlir::memref::CastOp>(form, type, value);
  }
  if (isa<mlir::TensorType>(from) && isa<mlir::TensorType>(type) && mlir::tensor::CastOp::areCastCompatible(from, type))
    return make<mlir::tensor::CastOp>(form, type, value);
  if (isa<mlir::LLVM::LLVMPointerType>(from) && type.isInteger())
    return make<mlir::LLVM::PtrToIntOp>(form, type, value);
  if (from.isInteger() && isa<mlir::LLVM::LLVMPointerType>(type))
    return make<mlir::LLVM::IntToPtrOp>(form, type, value);

  auto fromShape = dyn_cast<mlir::ShapedType>(from), toShape = dyn_cast<mlir::ShapedType>(type);
  mlir::Type a = mlir::getElementTypeOrSelf(from), b = mlir::getElementTypeOrSelf(type);
  if (!a.isIntOrIndexOrFloat() || !b.isIntOrIndexOrFloat())
    return impossible();
  if (auto integer = dyn_cast<mlir::IntegerType>(b); integer && !integer.isSignless()) {
    error("type-mismatch", form, "cannot cast " + mlir::debugString(from) + " to " + mlir::debugString(type))
        .withHint("integers that are computed with have no sign of their own: i" + std::to_string(integer.getWidth()) +
                  "; arith.fptoui and arith.extui take them as unsigned");
    return mlir::Value();
  }
  if (!fromShape && isa<mlir::VectorType>(type)) {
    mlir::Value scalar = convert(value, b, form);
    return scalar ? make<mlir::vector::BroadcastOp>(form, type, scalar).getResult() : mlir::Value();
  }
  if (bool(fromShape) != bool(toShape) || (fromShape && fromShape.getShape() != toShape.getShape()))
    return impossible();
  auto shaped = [&](mlir::Type element) { return fromShape ? mlir::Type(fromShape.clone(element)) : element; };
  if (a == b)
    return impossible(); // Equal element types, different containers.

  auto aFloat = dyn_cast<mlir::FloatType>(a), bFloat = dyn_cast<mlir::FloatType>(b);
  if (aFloat && bFloat) {
    if (aFloat.getWidth() == bFloat.getWidth()) // bf16 and f16: neither includes the other.
      return make<arith::TruncFOp>(form, type, make<arith::ExtFOp>(form, shaped(builder.getF32Type()), value));
    return aFloat.getWidth() < bFloat.getWidth() ? make<arith::ExtFOp>(form, type, value).getResult()
                                                 : make<arith::TruncFOp>(form, type, value).getResult();
  }
  mlir::Type i64 = shaped(builder.getI64Type());
  if (aFloat)
    return b.isIndex() ? make<arith::IndexCastOp>(form, type, saturated(value, i64, form)).getResult()
                       : saturated(value, type, form);
  if (bFloat) {
    if (a.isIndex())
      value = make<arith::IndexCastOp>(form, i64, value);
    return a.isInteger(1) ? make<arith::UIToFPOp>(form, type, value).getResult()
                          : make<arith::SIToFPOp>(form, type, value).getResult();
  }
  if (a.isIndex() || b.isIndex()) // i1 is 0 or 1, not 0 or -1.
    return a.isInteger(1) ? make<arith::IndexCastUIOp>(form, type, value).getResult()
                          : make<arith::IndexCastOp>(form, type, value).getResult();
  if (a.getIntOrFloatBitWidth() > b.getIntOrFloatBitWidth())
    return make<arith::TruncIOp>(form, type, value);
  return a.isInteger(1) ? make<arith::ExtUIOp>(form, type, value).getResult()
                        : make<arith::ExtSIOp>(form, type, value).getResult();
}
} // namespace lispier
