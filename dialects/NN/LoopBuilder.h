//===- LoopBuilder.h - builder for loops over f32 values -------*- C++ -*-===//
//
// Used by the decompositions. Its methods correspond to the parts of a formula
// (sum over k, exp, load), so that a decomposition reads like the op's
// description. All arithmetic between a load and a store is f32.
//
#ifndef LISPIER_NN_LOOPBUILDER_H
#define LISPIER_NN_LOOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace lispier::nn {
using mlir::Value;
using mlir::ValueRange;

class LoopBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value f32(float value) { return mlir::arith::ConstantOp::create(*this, getF32FloatAttr(value)); }
  Value i32(int32_t value) { return mlir::arith::ConstantOp::create(*this, getI32IntegerAttr(value)); }
  Value i64(int64_t value) { return mlir::arith::ConstantOp::create(*this, getI64IntegerAttr(value)); }
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(*this, value); }
  Value size(Value memref, int64_t dimension) { return mlir::memref::DimOp::create(*this, memref, dimension); }

  /// Loads an element and extends it to f32.
  Value load(Value memref, ValueRange at) { return widen(mlir::memref::LoadOp::create(*this, memref, at)); }
  /// Rounds an f32 to the element type.
  void store(Value value, Value memref, ValueRange at) {
    mlir::memref::StoreOp::create(*this, narrow(value, mlir::getElementTypeOrSelf(memref)), memref, at);
  }
  /// Loads an i32 element as an index.
  Value loadIndex(Value memref, ValueRange at) {
    Value element = mlir::memref::LoadOp::create(*this, memref, at);
    return mlir::arith::IndexCastOp::create(*this, getIndexType(), element);
  }
  Value widen(Value value) {
    return value.getType().isF32() ? value : mlir::arith::ExtFOp::create(*this, getF32Type(), value);
  }
  Value narrow(Value value, mlir::Type type) {
    return value.getType() == type ? value : mlir::arith::TruncFOp::create(*this, type, value);
  }

  Value add(Value a, Value b) {
    return a.getType().isF32() ? Value(mlir::arith::AddFOp::create(*this, a, b))
                               : Value(mlir::arith::AddIOp::create(*this, a, b));
  }
  Value sub(Value a, Value b) {
    return a.getType().isF32() ? Value(mlir::arith::SubFOp::create(*this, a, b))
                               : Value(mlir::arith::SubIOp::create(*this, a, b));
  }
  Value mul(Value a, Value b) {
    return a.getType().isF32() ? Value(mlir::arith::MulFOp::create(*this, a, b))
                               : Value(mlir::arith::MulIOp::create(*this, a, b));
  }
  Value div(Value a, Value b) { return mlir::arith::DivFOp::create(*this, a, b); }
  Value exp(Value a) { return mlir::math::ExpOp::create(*this, a); }
  Value sqrt(Value a) { return mlir::math::SqrtOp::create(*this, a); }
  Value tanh(Value a) { return mlir::math::TanhOp::create(*this, a); }
  Value max(Value a, Value b) {
    return a.getType().isF32() ? Value(mlir::arith::MaximumFOp::create(*this, a, b))
                               : Value(mlir::arith::MaxSIOp::create(*this, a, b));
  }
  /// Of indices, as is quotient.
  Value min(Value a, Value b) { return mlir::arith::MinSIOp::create(*this, a, b); }
  Value quotient(Value a, Value b) { return mlir::arith::DivUIOp::create(*this, a, b); }
  Value select(Value condition, Value a, Value b) { return mlir::arith::SelectOp::create(*this, condition, a, b); }
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(*this, predicate, a, b);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpIOp::create(*this, predicate, a, b);
  }
  /// Converts an index to f32.
  Value toF32(Value anIndex) {
    Value integer = mlir::arith::IndexCastOp::create(*this, getI64Type(), anIndex);
    return mlir::arith::SIToFPOp::create(*this, getF32Type(), integer);
  }

  /// for all i in [0, sizes): body(i). The iterations may run in parallel.
  void forAll(ValueRange sizes, llvm::function_ref<void(ValueRange)> body);
  /// for i = 0 .. size-1: values = body(i, values); returns the final values.
  llvm::SmallVector<Value> fold(Value size, ValueRange initial,
                                llvm::function_ref<llvm::SmallVector<Value>(Value, ValueRange)> body);
  /// for i = 0 .. size-1: body(i)
  void forEach(Value size, llvm::function_ref<void(Value)> body);
  /// sum over i = 0 .. size-1 of term(i), in this order
  Value sum(Value size, llvm::function_ref<Value(Value)> term);
  /// max over i = 0 .. size-1 of term(i); minus infinity if size is 0
  Value max(Value size, llvm::function_ref<Value(Value)> term);
  /// condition ? yes() : no(), both with results of `type`
  Value choose(Value condition, mlir::Type type, llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no);
};
} // namespace lispier::nn
#endif
