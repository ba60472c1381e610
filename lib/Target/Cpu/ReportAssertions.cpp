//===- ReportAssertions.cpp - messages of failed assertions ----------------===//
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
struct ReportAssertions : impl::ReportAssertionsBase<ReportAssertions> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    getOperation().walk([&](cf::AssertOp op) { assertions.push_back(op); });
    if (assertions.empty())
      return;
    RuntimeCalls calls(getOperation());
    for (cf::AssertOp op : assertions) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      Value fails = arith::XOrIOp::create(b, loc, op.getArg(), arith::ConstantIntOp::create(b, loc, 1, 1));
      auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
      OpBuilder then = branch.getThenBodyBuilder();
      calls.call(then, loc, "lispier_rt_assertion_failed", {calls.text(then, loc, op.getMsg()), calls.site(then, loc)});
      op.erase();
    }
  }
};
} // namespace
} // namespace lispier
