//===- ChooseCWrappers.cpp - C wrappers of external functions -------------===//
//
// Sets the attribute llvm.emit_c_interface, which the conversion to llvm.func reads.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lispier {
#define GEN_PASS_DEF_CHOOSECWRAPPERS
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
struct ChooseCWrappers : lispier::impl::ChooseCWrappersBase<ChooseCWrappers> {
  void runOnOperation() override {
    StringRef name = LLVM::LLVMDialect::getEmitCWrapperAttrName();
    auto isMemref = [](Type type) { return isa<BaseMemRefType>(type); };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FunctionType type = function.getFunctionType();
      bool descriptors = llvm::any_of(type.getInputs(), isMemref) || llvm::any_of(type.getResults(), isMemref);
      if (function.isExternal() && descriptors)
        function->setAttr(name, UnitAttr::get(&getContext()));
      else
        function->removeAttr(name);
    }
  }
};
} // namespace
