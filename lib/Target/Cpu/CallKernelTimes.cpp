//===- CallKernelTimes.cpp - calls around the code of kernels --------------===//
#include "lispier/Group/Group.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CALLKERNELTIMES
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
struct CallKernelTimes : impl::CallKernelTimesBase<CallKernelTimes> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<group::BeginOp, group::EndOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    RuntimeCalls calls(getOperation());
    for (Operation *op : ops) {
      OpBuilder b(op);
      Location loc = op->getLoc();
      if (auto begin = dyn_cast<group::BeginOp>(op))
        call(begin, b, calls);
      else
        calls.call(b, loc, "lispier_rt_kernel_end", {});
      op->erase();
    }
  }

  static void call(group::BeginOp begin, OpBuilder &b, RuntimeCalls &calls) {
    Location loc = begin.getLoc();
    Value bytes = begin.getBytes(), least = begin.getLeast();
    bytes = bytes ? arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes).getResult()
                  : arith::ConstantIntOp::create(b, loc, -1, 64).getResult();
    if (!least)
      least = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0));
    calls.call(b, loc, "lispier_rt_kernel_begin", {calls.text(b, loc, begin.getName()), bytes, least});
  }
};
} // namespace
} // namespace lispier
