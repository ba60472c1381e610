//===- ScalarBuilder.h - formulas of numbers ---------------------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_SCALARBUILDER_H
#define LISPIER_LIB_DIFFERENTIATE_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lispier {
/// Formulas of one cotangent's type.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type) : b(b), loc(loc), type(type) {}

  mlir::Value number(double value) { return mlir::arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value)); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddFOp::create(b, loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubFOp::create(b, loc, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulFOp::create(b, loc, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  mlir::Value neg(mlir::Value x) { return mlir::arith::NegFOp::create(b, loc, x); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  mlir::Value isZero(mlir::Value x) { return compare(mlir::arith::CmpFPredicate::OEQ, x, number(0)); }
  template <typename Op> mlir::Value call(mlir::ValueRange operands) {
    return Op::create(b, loc, type, operands).getResult();
  }
  template <typename Op> mlir::Value call(mlir::Value x) { return Op::create(b, loc, x).getResult(); }
  /// `product`, a multiple of the cotangent, but 0 where that is 0.
  mlir::Value unlessZero(mlir::Value cotangent, mlir::Value product) {
    return select(isZero(cotangent), number(0), product);
  }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
};
} // namespace lispier
#endif
