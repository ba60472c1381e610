//===- ReportAssertions.cpp - messages of failed assertions ----------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_REPORTASSERTIONS
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
OpBuilder branch(OpBuilder &b, Location loc, Value fails) {
  return scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false).getThenBodyBuilder();
}

void report(cf::AssertOp op, RuntimeCalls &calls) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value fails = arith::XOrIOp::create(b, loc, op.getArg(), arith::ConstantIntOp::create(b, loc, 1, 1));
  OpBuilder then = branch(b, loc, fails);
  calls.call(then, loc, "lispier_rt_assertion_failed", {calls.text(then, loc, op.getMsg()), calls.site(then, loc)});
  op.erase();
}

void report(device::RequireIndexOp op, RuntimeCalls &calls) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value index = op.getIndex(), size = op.getSize();
  OpBuilder then = branch(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, index, size));
  auto number = [&](Value value) {
    return arith::IndexCastOp::create(then, loc, then.getI64Type(), value).getResult();
  };
  Value axis = arith::ConstantIntOp::create(then, loc, op.getAxis(), 64);
  calls.call(
      then, loc, "lispier_rt_index_failed",
      {calls.site(then, loc), calls.text(then, loc, RuntimeCalls::callersOf(loc)), number(index), axis, number(size)});
  op.erase();
}

struct ReportAssertions : impl::ReportAssertionsBase<ReportAssertions> {
  void runOnOperation() override {
    SmallVector<Operation *> checks;
    getOperation().walk([&](Operation *op) {
      if (isa<cf::AssertOp, device::RequireIndexOp>(op))
        checks.push_back(op);
    });
    if (checks.empty())
      return;
    RuntimeCalls calls(getOperation());
    for (Operation *op : checks)
      if (auto assertion = dyn_cast<cf::AssertOp>(op))
        report(assertion, calls);
      else
        report(cast<device::RequireIndexOp>(op), calls);
  }
};
} // namespace
} // namespace lispier
