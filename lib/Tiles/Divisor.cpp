//===- Divisor.cpp - what divides an index --------------------------------===//
#include "Divisor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kMost = int64_t(1) << 20;
/// Longer chains of arithmetic are not worth their time.
constexpr unsigned kDeepest = 16;

int64_t powerOfTwo(int64_t number) { return number ? std::min(kMost, number & -number) : kMost; }

int64_t divisor(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return powerOfTwo(constant.getSExtValue());
  if (depth == kDeepest)
    return 1;
  auto of = [&](Value operand) { return divisor(operand, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() ? std::min(of(loop.getLowerBound()), of(loop.getStep())) : 1;
  }
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case([&](arith::MulIOp op) { return std::min(kMost, of(op.getLhs()) * of(op.getRhs())); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](auto op) { return std::min(of(op.getLhs()), of(op.getRhs())); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
          [&](auto op) { return of(op.getIn()); })
      .Case([&](arith::ShLIOp op) {
        APInt shift;
        return matchPattern(op.getRhs(), m_ConstantInt(&shift)) && shift.ult(20)
                   ? std::min(kMost, of(op.getLhs()) << shift.getZExtValue())
                   : 1;
      })
      .Case([&](arith::SelectOp op) { return std::min(of(op.getTrueValue()), of(op.getFalseValue())); })
      .Default(int64_t(1));
}
} // namespace

int64_t divisorOf(Value value) { return divisor(value, 0); }
} // namespace lispier
