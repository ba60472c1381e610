//===- ExpandArithmetic.cpp - remainders of floats, powers of integers ----===//
//
// Before: arith.remf and math.ipowi in kernels, which would be library calls.
// After: loops of a few iterations. CPU code calls the C library instead.
//
//===----------------------------------------------------------------------===//
#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDARITHMETIC
#include "lispier/Math/Passes.h.inc"

namespace {
/// The remainder of |x| by |y|, both in f64 but of f32's range: r becomes r - q |y| with q <= r / |y|, which is exact
/// each time, until r < |y|. An iteration removes at least 26 of the quotient's at most 277 bits. The product of q, cut
/// to 27 bits, and the 24 bits of |y| is exact in f64.
Value remainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  Type f64 = b.getF64Type();
  auto constant = [&](OpBuilder &o, double value) {
    return arith::ConstantOp::create(o, b.getLoc(), f64, b.getF64FloatAttr(value)).getResult();
  };
  Value r = math::AbsFOp::create(b, x), by = math::AbsFOp::create(b, y);
  Value zero = constant(b, 0.0), infinity = constant(b, std::numeric_limits<double>::infinity());
  auto compare = [&](OpBuilder &o, arith::CmpFPredicate predicate, Value left, Value right) {
    return arith::CmpFOp::create(o, b.getLoc(), predicate, left, right).getResult();
  };
  // Other operands have no remainder.
  Value some = arith::AndIOp::create(b, compare(b, arith::CmpFPredicate::OLT, r, infinity),
                                     compare(b, arith::CmpFPredicate::OGT, by, zero));
  auto loop = scf::WhileOp::create(
      b, TypeRange{f64}, ValueRange{r},
      [&](OpBuilder &o, Location loc, ValueRange left) {
        Value more = arith::AndIOp::create(o, loc, some, compare(o, arith::CmpFPredicate::OGE, left[0], by));
        scf::ConditionOp::create(o, loc, more, left);
      },
      [&](OpBuilder &o, Location loc, ValueRange left) {
        auto minus = [&](Value q) -> Value {
          return math::FmaOp::create(o, loc, arith::NegFOp::create(o, loc, q), by, left[0]);
        };
        Value q = math::TruncOp::create(o, loc, arith::DivFOp::create(o, loc, left[0], by));
        // The quotient may have been rounded up: takes a value that is certainly not above it.
        Value less = math::TruncOp::create(o, loc, math::FmaOp::create(o, loc, q, constant(o, -0x1p-26), q));
        Value rest = minus(q);
        Value isBelow = compare(o, arith::CmpFPredicate::OLT, rest, zero);
        scf::YieldOp::create(o, loc, ValueRange{arith::SelectOp::create(o, loc, isBelow, minus(less), rest)});
      });
  Value result = math::CopySignOp::create(b, loop.getResult(0), x);
  return arith::SelectOp::create(b, some, result, constant(b, std::numeric_limits<double>::quiet_NaN()));
}

/// Lane by lane, each in f64.
void expandArithmetic(arith::RemFOp op) {
  auto vector = dyn_cast<VectorType>(op.getType());
  Type element = getElementTypeOrSelf(op.getType());
  if ((vector && vector.getRank() != 1) || element.getIntOrFloatBitWidth() > 32)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto ofLane = [&](Value x, Value y) -> Value {
    Value wide = remainder(b, arith::ExtFOp::create(b, b.getF64Type(), x), arith::ExtFOp::create(b, b.getF64Type(), y));
    return arith::TruncFOp::create(b, element, wide); // exact
  };
  Value result = vector ? op.getLhs() : ofLane(op.getLhs(), op.getRhs());
  for (int64_t lane = 0; vector && lane < vector.getNumElements(); ++lane)
    result = vector::InsertOp::create(
        b, ofLane(vector::ExtractOp::create(b, op.getLhs(), lane), vector::ExtractOp::create(b, op.getRhs(), lane)),
        result, lane);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// An integer power by repeated squaring. With a negative exponent it is 1 for 1, 1 or -1 for -1, and 0 otherwise.
void expandArithmetic(math::IPowIOp op) {
  Type type = op.getType();
  if (!type.isIntOrIndex())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto constant = [&](OpBuilder &o, int64_t value) {
    return arith::ConstantOp::create(o, b.getLoc(), type, b.getIntegerAttr(type, value)).getResult();
  };
  auto compare = [&](OpBuilder &o, arith::CmpIPredicate predicate, Value left, int64_t right) {
    return arith::CmpIOp::create(o, b.getLoc(), predicate, left, constant(o, right)).getResult();
  };
  Value base = op.getLhs(), exponent = op.getRhs(), one = constant(b, 1);
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type}, ValueRange{one, base, exponent},
      [&](OpBuilder &o, Location loc, ValueRange v) {
        scf::ConditionOp::create(o, loc, compare(o, arith::CmpIPredicate::sgt, v[2], 0), v);
      },
      [&](OpBuilder &o, Location loc, ValueRange v) {
        Value isOdd = compare(o, arith::CmpIPredicate::ne, arith::AndIOp::create(o, loc, v[2], constant(o, 1)), 0);
        Value more = arith::MulIOp::create(o, loc, v[0], v[1]);
        scf::YieldOp::create(o, loc,
                             ValueRange{arith::SelectOp::create(o, loc, isOdd, more, v[0]),
                                        arith::MulIOp::create(o, loc, v[1], v[1]),
                                        arith::ShRSIOp::create(o, loc, v[2], constant(o, 1))});
      });
  Value isOdd = compare(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, exponent, one), 0);
  Value ofMinusOne = arith::SelectOp::create(b, isOdd, constant(b, -1), one);
  Value inverse =
      arith::SelectOp::create(b, compare(b, arith::CmpIPredicate::eq, base, -1), ofMinusOne, constant(b, 0));
  inverse = arith::SelectOp::create(b, compare(b, arith::CmpIPredicate::eq, base, 1), one, inverse);
  Value isNegative = compare(b, arith::CmpIPredicate::slt, exponent, 0);
  op.replaceAllUsesWith(arith::SelectOp::create(b, isNegative, inverse, loop.getResult(0)).getResult());
  op.erase();
}

struct ExpandArithmetic : impl::ExpandArithmeticBase<ExpandArithmetic> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::RemFOp, math::IPowIOp>(op))
        found.push_back(op);
    });
    for (Operation *op : found) {
      if (auto remainder = dyn_cast<arith::RemFOp>(op))
        expandArithmetic(remainder);
      else
        expandArithmetic(cast<math::IPowIOp>(op));
    }
  }
};
} // namespace
} // namespace lispier
