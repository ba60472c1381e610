//===- CheckDivisions.cpp - integer divisions that a CPU cannot do --------===//
//
// Before each division in the LLVM dialect whose divisor may be 0, or -1 under the
// least number: a branch to a call of the runtime, which says where and in which
// function, and ends the program instead of a signal. In the LLVM dialect, since
// every division gets there: of vectors of unknown length, inside of atomic updates,
// written as llvm.sdiv, or lowered by passes of the program's own. Last of the
// lowering: a branch stands in the way of no pass that works on loops.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKDIVISIONS
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
/// Whether a number is known to be at least 1: a positive constant, max(x, 1), min of two such.
bool isPositive(Value x) {
  if (APInt number; matchPattern(x, m_ConstantInt(&number)))
    return number.isStrictlyPositive();
  if (auto largest = x.getDefiningOp<LLVM::SMaxOp>())
    return isPositive(largest.getA()) || isPositive(largest.getB());
  if (auto least = x.getDefiningOp<LLVM::SMinOp>())
    return isPositive(least.getA()) && isPositive(least.getB());
  auto select = x.getDefiningOp<LLVM::SelectOp>();
  if (!select)
    return false;
  Value one = select.getTrueValue(), other = select.getFalseValue();
  if (isPositive(one) && isPositive(other))
    return true;
  // x > y ? x : y
  auto compare = select.getCondition().getDefiningOp<LLVM::ICmpOp>();
  using Is = LLVM::ICmpPredicate;
  return compare && (compare.getPredicate() == Is::sgt || compare.getPredicate() == Is::sge) &&
         compare.getLhs() == one && compare.getRhs() == other && (isPositive(one) || isPositive(other));
}

class DivisionChecker {
public:
  DivisionChecker(ModuleOp module, StringRef target) : module(module), calls(module), target(target) {}

  void check(Operation *op) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    if (isPositive(divisor))
      return;
    unsigned bits = getElementTypeOrSelf(divisor.getType()).getIntOrFloatBitWidth();
    APInt least = APInt::getSignedMinValue(bits);
    using device::mayHold;
    bool byZero = mayHold(divisor, [](const APInt &v) { return v.isZero(); });
    bool overflows = isa<LLVM::SDivOp, LLVM::SRemOp>(op) && bits > 1 &&
                     mayHold(divisor, [](const APInt &v) { return v.isAllOnes(); }) &&
                     mayHold(dividend, [&](const APInt &v) { return v == least; });
    if (!byZero && !overflows)
      return;
    Location loc = op->getLoc();
    Block *before = op->getBlock(), *after = before->splitBlock(op);
    OpBuilder b = OpBuilder::atBlockEnd(before);
    if (overflows)
      askFirst(b, loc, divisor, after);
    if (byZero)
      failIf(b, loc, same(b, loc, divisor, APInt::getZero(bits)), after, op, "integer division by zero");
    if (overflows)
      failIf(b, loc,
             LLVM::AndOp::create(b, loc, same(b, loc, divisor, APInt::getAllOnes(bits)), same(b, loc, dividend, least)),
             after, op, "integer division overflows: the least number by -1");
    LLVM::BrOp::create(b, loc, after);
  }

private:
  Value constant(OpBuilder &b, Location loc, Type type, const APInt &value) {
    Attribute attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return LLVM::ConstantOp::create(b, loc, type, cast<TypedAttr>(attribute));
  }
  Value same(OpBuilder &b, Location loc, Value x, const APInt &value) {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, x, constant(b, loc, x.getType(), value));
  }
  /// i1 of any lane's.
  Value any(OpBuilder &b, Location loc, Value lanes) {
    return isa<VectorType>(lanes.getType()) ? LLVM::vector_reduce_or::create(b, loc, b.getI1Type(), lanes) : lanes;
  }

  /// Goes to `after` unless a lane of the divisor is 0 or -1, by one comparison: which of them it is, and whether it is
  /// wrong, is asked in a new block only.
  void askFirst(OpBuilder &b, Location loc, Value divisor, Block *after) {
    Type type = divisor.getType();
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (bits < 3)
      return;
    Value next = LLVM::AddOp::create(b, loc, divisor, constant(b, loc, type, APInt(bits, 1)));
    Value suspicion = any(
        b, loc, LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, next, constant(b, loc, type, APInt(bits, 2))));
    auto *suspected = new Block;
    suspected->insertBefore(after);
    LLVM::CondBrOp::create(b, loc, suspicion, suspected, after);
    b.setInsertionPointToEnd(suspected);
  }

  /// Ends the current block, and goes on in a new one before `after`. `fails`: i1, or one a lane.
  void failIf(OpBuilder &b, Location loc, Value fails, Block *after, Operation *op, StringRef what) {
    Block *failing = new Block, *next = new Block;
    failing->insertBefore(after);
    next->insertBefore(after);
    LLVM::CondBrOp::create(b, loc, any(b, loc, fails), failing, next);
    b.setInsertionPointToEnd(failing);
    StringRef function = op->getParentOfType<LLVM::LLVMFuncOp>().getName();
    Value operands[] = {calls.text(b, loc, (target + "-division").str()), calls.site(b, loc), calls.text(b, loc, what),
                        calls.text(b, loc, function)};
    LLVM::CallOp::create(b, loc, reporter(), operands);
    LLVM::UnreachableOp::create(b, loc);
    b.setInsertionPointToEnd(next);
  }

  LLVM::LLVMFuncOp reporter() {
    constexpr StringLiteral kName = "lispier_rt_division_failed";
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(kName))
      return known;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(module.getContext());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), SmallVector<Type>(4, pointer));
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), kName, type);
  }

  ModuleOp module;
  RuntimeCalls calls;
  StringRef target;
};

struct CheckDivisions : impl::CheckDivisionsBase<CheckDivisions> {
  using CheckDivisionsBase::CheckDivisionsBase;
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function->hasAttr(device::kChecked))
        function.walk([&](Operation *op) {
          if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op))
            divisions.push_back(op);
        });
    if (divisions.empty())
      return;
    DivisionChecker checker(getOperation(), target);
    for (Operation *op : divisions)
      checker.check(op);
  }
};
} // namespace
} // namespace lispier
