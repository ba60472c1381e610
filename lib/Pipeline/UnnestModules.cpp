//===- UnnestModules.cpp - modules in a module become part of it ----------===//
//
// Before: a module, of builtin or gpu, with builtin.modules in it, whose symbols it may
// declare. After: their ops are its own, in their place.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Passes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_UNNESTMODULES
#include "lispier/Pipeline/Passes.h.inc"

namespace {
void unnest(ModuleOp module) {
  Operation *outer = module->getParentOp();
  for (auto symbol : module.getOps<SymbolOpInterface>())
    if (auto declared = dyn_cast_or_null<SymbolOpInterface>(SymbolTable::lookupSymbolIn(outer, symbol.getNameAttr())))
      if (declared.isDeclaration())
        declared->erase();
  module->getBlock()->getOperations().splice(module->getIterator(), module.getBody()->getOperations());
  module.erase();
}

struct UnnestModules : impl::UnnestModulesBase<UnnestModules> {
  void runOnOperation() override {
    for (Region &region : getOperation()->getRegions())
      for (ModuleOp module : llvm::make_early_inc_range(region.getOps<ModuleOp>()))
        unnest(module);
  }
};
} // namespace
} // namespace lispier
