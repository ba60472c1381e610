//===- ScalarRules.cpp - adjoints of ops on numbers -----------------------===//
//
// Of y = f(a, b) with the cotangent c. A factor that is infinite somewhere, as that of
// log, is not multiplied with a cotangent of 0: (where (> x 0) (log x) 0) has the
// gradient 0 where x is 0, and not NaN.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "ScalarBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numbers>

using namespace mlir;

namespace lispier {
namespace {
/// Whether 0 divided by it is 0.
bool isNonzeroNumber(Value divisor) {
  FloatAttr number;
  return matchPattern(divisor, m_Constant(&number)) && number.getValue().isFiniteNonZero();
}

/// The cotangent of the one operand of a function of numbers; null if there is no rule.
Value reverseUnary(ScalarBuilder &s, Operation *op, Value c) {
  Value x = op->getOperand(0), y = op->getResult(0);
  auto square = [&](Value v) { return s.mul(v, v); };
  auto oneMinusSquare = [&](Value v) { return s.sub(s.number(1), square(v)); };
  auto onePlusSquare = [&](Value v) { return s.add(s.number(1), square(v)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::NegFOp) { return s.neg(c); })
      .Case([&](math::ExpOp) { return s.mul(c, y); })
      .Case([&](math::Exp2Op) { return s.mul(s.mul(c, y), s.number(std::numbers::ln2)); })
      .Case([&](math::ExpM1Op) { return s.mul(c, s.add(y, s.number(1))); })
      .Case([&](math::LogOp) { return s.unlessZero(c, s.div(c, x)); })
      .Case([&](math::Log2Op) { return s.unlessZero(c, s.div(c, s.mul(x, s.number(std::numbers::ln2)))); })
      .Case([&](math::Log10Op) { return s.unlessZero(c, s.div(c, s.mul(x, s.number(std::numbers::ln10)))); })
      .Case([&](math::Log1pOp) { return s.unlessZero(c, s.div(c, s.add(x, s.number(1)))); })
      .Case([&](math::SqrtOp) { return s.unlessZero(c, s.div(c, s.add(y, y))); })
      .Case([&](math::RsqrtOp) { return s.unlessZero(c, s.mul(s.mul(c, s.number(-0.5)), s.mul(y, square(y)))); })
      .Case([&](math::CbrtOp) { return s.unlessZero(c, s.div(c, s.mul(s.number(3), square(y)))); })
      .Case([&](math::SinOp) { return s.mul(c, s.call<math::CosOp>(x)); })
      .Case([&](math::CosOp) { return s.neg(s.mul(c, s.call<math::SinOp>(x))); })
      .Case([&](math::TanOp) { return s.mul(c, onePlusSquare(y)); })
      .Case([&](math::TanhOp) { return s.mul(c, oneMinusSquare(y)); })
      .Case([&](math::SinhOp) { return s.mul(c, s.call<math::CoshOp>(x)); })
      .Case([&](math::CoshOp) { return s.mul(c, s.call<math::SinhOp>(x)); })
      .Case([&](math::AtanOp) { return s.div(c, onePlusSquare(x)); })
      .Case([&](math::AsinOp) { return s.unlessZero(c, s.div(c, s.call<math::SqrtOp>(oneMinusSquare(x)))); })
      .Case([&](math::AcosOp) { return s.neg(s.unlessZero(c, s.div(c, s.call<math::SqrtOp>(oneMinusSquare(x))))); })
      .Case([&](math::AsinhOp) { return s.div(c, s.call<math::SqrtOp>(onePlusSquare(x))); })
      .Case(
          [&](math::AcoshOp) { return s.unlessZero(c, s.div(c, s.call<math::SqrtOp>(s.sub(square(x), s.number(1))))); })
      .Case([&](math::AtanhOp) { return s.unlessZero(c, s.div(c, oneMinusSquare(x))); })
      .Case([&](math::ErfOp) {
        Value slope = s.call<math::ExpOp>(s.neg(square(x)));
        return s.mul(c, s.mul(s.number(2 * std::numbers::inv_sqrtpi), slope));
      })
      .Case([&](math::ErfcOp) {
        Value slope = s.call<math::ExpOp>(s.neg(square(x)));
        return s.mul(c, s.mul(s.number(-2 * std::numbers::inv_sqrtpi), slope));
      })
      .Case([&](math::AbsFOp) {
        Value negative = s.compare(arith::CmpFPredicate::OLT, x, s.number(0));
        return s.select(s.isZero(x), s.number(0), s.select(negative, s.neg(c), c));
      })
      .Default(Value());
}

/// The cotangents of two operands; null where none was wanted. False if there is no rule.
bool reverseBinary(ScalarBuilder &s, Operation *op, Value c, bool wantsA, bool wantsB, Value &ofA, Value &ofB) {
  Value a = op->getOperand(0), b = op->getOperand(1), y = op->getResult(0);
  auto extreme = [&](Value mine, Value other) {
    Value half = s.mul(c, s.number(0.5));
    Value chosen = s.select(s.compare(arith::CmpFPredicate::OEQ, mine, y), c, s.number(0));
    return s.select(s.compare(arith::CmpFPredicate::OEQ, mine, other), half, chosen);
  };
  auto set = [&](auto makeA, auto makeB) {
    ofA = wantsA ? makeA() : Value();
    ofB = wantsB ? makeB() : Value();
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp) { return set([&] { return c; }, [&] { return c; }); })
      .Case([&](arith::SubFOp) { return set([&] { return c; }, [&] { return s.neg(c); }); })
      .Case([&](arith::MulFOp) { return set([&] { return s.mul(c, b); }, [&] { return s.mul(c, a); }); })
      .Case([&](arith::DivFOp) {
        return set([&] { return isNonzeroNumber(b) ? s.div(c, b) : s.unlessZero(c, s.div(c, b)); },
                   [&] { return s.unlessZero(c, s.neg(s.div(s.mul(c, y), b))); });
      })
      .Case([&](arith::RemFOp) {
        return set([&] { return c; },
                   [&] { return s.unlessZero(c, s.neg(s.mul(c, s.call<math::TruncOp>(s.div(a, b))))); });
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return set([&] { return extreme(a, b); }, [&] { return extreme(b, a); }); })
      .Case([&](math::PowFOp) {
        return set(
            [&] {
              Value less = s.call<math::PowFOp>(ValueRange{a, s.sub(b, s.number(1))});
              return s.unlessZero(c, s.select(s.isZero(b), s.number(0), s.mul(s.mul(c, b), less)));
            },
            [&] {
              Value product = s.mul(s.mul(c, y), s.call<math::LogOp>(a));
              return s.unlessZero(c, s.select(s.isZero(a), s.number(0), product));
            });
      })
      .Case([&](math::Atan2Op) {
        auto over = [&](Value v) { return s.div(s.mul(c, v), s.add(s.mul(a, a), s.mul(b, b))); };
        return set([&] { return s.unlessZero(c, over(b)); }, [&] { return s.unlessZero(c, s.neg(over(a))); });
      })
      .Case([&](math::CopySignOp) {
        return set(
            [&] {
              Value sign = s.call<math::CopySignOp>(ValueRange{s.number(1), b});
              Value own = s.call<math::CopySignOp>(ValueRange{s.number(1), a});
              return s.mul(c, s.mul(sign, own));
            },
            [&] { return Value(); });
      })
      .Default(false);
}

/// Whether the result changes in steps only, or depends on no float.
bool isSteps(Operation *op) {
  return isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::ConstantOp, arith::BitcastOp>(op);
}
} // namespace

bool reverseScalar(OpBuilder &b, Operation *op, Value c, ScalarAdjoints adjoints) {
  if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()))
    return false;
  if (isSteps(op))
    return true;
  Location loc = op->getLoc();
  ScalarBuilder s(b, loc, c.getType());
  if (auto wide = dyn_cast<arith::ExtFOp>(op)) {
    adjoints.add(wide.getIn(), arith::TruncFOp::create(b, loc, wide.getIn().getType(), c, arith::RoundingModeAttr(),
                                                       wide.getFastmathAttr()));
    return true;
  }
  if (auto narrow = dyn_cast<arith::TruncFOp>(op)) {
    adjoints.add(narrow.getIn(), arith::ExtFOp::create(b, loc, narrow.getIn().getType(), c, narrow.getFastmathAttr()));
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (adjoints.wants(select.getTrueValue()))
      adjoints.add(select.getTrueValue(), s.select(select.getCondition(), c, s.number(0)));
    if (adjoints.wants(select.getFalseValue()))
      adjoints.add(select.getFalseValue(), s.select(select.getCondition(), s.number(0), c));
    return true;
  }
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    adjoints.add(fma.getA(), s.mul(c, fma.getB()));
    adjoints.add(fma.getB(), s.mul(c, fma.getA()));
    adjoints.add(fma.getC(), c);
    return true;
  }
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    Type exponent = power.getRhs().getType();
    Value one = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getOneAttr(exponent)));
    Value less = math::FPowIOp::create(b, loc, power.getLhs(), arith::SubIOp::create(b, loc, power.getRhs(), one));
    Value factor = arith::SIToFPOp::create(b, loc, c.getType(), power.getRhs());
    adjoints.add(power.getLhs(),
                 s.unlessZero(c, s.select(s.isZero(factor), s.number(0), s.mul(s.mul(c, factor), less))));
    return true;
  }
  if (op->getNumOperands() == 1) {
    Value ofX = reverseUnary(s, op, c);
    if (ofX)
      adjoints.add(op->getOperand(0), ofX);
    return bool(ofX);
  }
  if (op->getNumOperands() != 2)
    return false;
  Value ofA, ofB;
  if (!reverseBinary(s, op, c, adjoints.wants(op->getOperand(0)), adjoints.wants(op->getOperand(1)), ofA, ofB))
    return false;
  if (ofA)
    adjoints.add(op->getOperand(0), ofA);
  if (ofB)
    adjoints.add(op->getOperand(1), ofB);
  return true;
}
} // namespace lispier
