//===- FailingLanes.cpp - ops that may fail, in unused lanes --------------===//
#include "lispier/Device/FailingLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier::device {
bool mayHold(Value lanes, llvm::function_ref<bool(const APInt &)> is) {
  Attribute known;
  if (!matchPattern(lanes, m_Constant(&known)))
    return true;
  if (auto number = dyn_cast<IntegerAttr>(known))
    return is(number.getValue());
  if (auto numbers = dyn_cast<DenseIntElementsAttr>(known))
    return llvm::any_of(numbers.getValues<APInt>(), is);
  return true;
}

namespace {
bool isSignedDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
}

/// What an op computes with each lane's right operand fails for some of these; nothing for other ops.
std::optional<int64_t> harmlessOperand(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>([](auto) { return 1; })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, math::IPowIOp>([](auto) { return 0; })
      .Default(std::nullopt);
}

Value splat(OpBuilder &b, Location loc, Type type, int64_t number) {
  Attribute attribute = b.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(b, loc, type, cast<TypedAttr>(attribute));
}

/// Whether all lanes have the same number.
bool isUniform(Value lanes) {
  auto made = lanes.getDefiningOp<vector::BroadcastOp>();
  return made && !isa<VectorType>(made.getSource().getType());
}
} // namespace

bool mayFail(Operation *op) {
  if (!harmlessOperand(op))
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  Type element = getElementTypeOrSelf(right.getType());
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return mayHold(right, [&](const APInt &amount) { return amount.uge(bits); });
  if (isa<math::IPowIOp>(op))
    return mayHold(right, [](const APInt &exponent) { return exponent.isNegative(); }) &&
           mayHold(left, [](const APInt &base) { return base.isZero(); });
  return mayHold(right, [](const APInt &divisor) { return divisor.isZero(); }) ||
         (isSignedDivision(op) && bits > 1 &&
          mayHold(right, [](const APInt &divisor) { return divisor.isAllOnes(); }) &&
          mayHold(left, [](const APInt &dividend) { return dividend.isMinSignedValue(); }));
}

void failOnlyWhere(OpBuilder &b, Operation *op, Value mask) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto choose = [&](unsigned operand, int64_t elsewhere) {
    Value value = op->getOperand(operand);
    op->setOperand(operand, arith::SelectOp::create(b, loc, mask, value, splat(b, loc, value.getType(), elsewhere)));
  };
  if (!isUniform(op->getOperand(1)))
    return choose(1, *harmlessOperand(op));
  // One number for all lanes fails in those that somebody uses, too, or, as a divisor of -1, for one dividend. It stays
  // uniform, which is faster. An index is a place, and never the least number.
  if (isSignedDivision(op) && !getElementTypeOrSelf(op->getOperand(0).getType()).isIndex())
    choose(0, 0);
}
} // namespace lispier::device
