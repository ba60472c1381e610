//===- DropOperandAttributes.cpp - attributes of calls' operands ----------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
#define GEN_PASS_DEF_DROPOPERANDATTRIBUTES
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
struct DropOperandAttributes : lispier::impl::DropOperandAttributesBase<DropOperandAttributes> {
  void runOnOperation() override {
    getOperation().walk([](func::CallOp call) {
      call.removeArgAttrsAttr();
      call.removeResAttrsAttr();
    });
  }
};
} // namespace
