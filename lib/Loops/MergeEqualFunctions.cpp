//===- MergeEqualFunctions.cpp - one function for equal loop bodies -------===//
//
// Before: an outlined function for each parallel loop. After: functions that
// differ in their names alone are one. The instances of a generic function that
// differ in a few formulas have most of their loops in common, and so have the
// steps of a layer; each would be lowered and compiled by itself.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DistinctFunctions.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MERGEEQUALFUNCTIONS
#include "lispier/Loops/Passes.h.inc"

namespace {
/// Whether nothing outside the module can refer to the function.
bool isInternal(func::FuncOp function) {
  auto linkage = function->getAttrOfType<LLVM::LinkageAttr>("llvm.linkage");
  return !function.isDeclaration() && function.isPrivate() && linkage &&
         linkage.getLinkage() == LLVM::Linkage::Internal;
}

/// Which function takes the place of which, by name.
using Replacements = DenseMap<StringAttr, FlatSymbolRefAttr>;

/// Erases each function that equals one before it.
Replacements eraseCopies(ModuleOp module) {
  DistinctFunctions kept;
  Replacements replacements;
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!isInternal(function))
      continue;
    if (FunctionOpInterface same = kept.equalOf(function)) {
      replacements[function.getSymNameAttr()] = FlatSymbolRefAttr::get(same);
      function.erase();
    }
  }
  return replacements;
}

/// SymbolTable::replaceAllSymbolUses would walk the module once for each function.
void replaceUses(ModuleOp module, const Replacements &replacements) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr symbol) -> std::pair<Attribute, WalkResult> {
    if (auto found = replacements.find(symbol.getRootReference());
        found != replacements.end() && symbol.getNestedReferences().empty())
      return {found->second, WalkResult::skip()};
    return {symbol, WalkResult::skip()};
  });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && op->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip(); // Its ops see its own symbols.
    replacer.replaceElementsIn(op);
    return WalkResult::advance();
  });
}

struct MergeEqualFunctions : impl::MergeEqualFunctionsBase<MergeEqualFunctions> {
  using MergeEqualFunctionsBase::MergeEqualFunctionsBase;

  void runOnOperation() override {
    while (true) { // Callers may become equal when what they call does.
      Replacements replacements = eraseCopies(getOperation());
      if (replacements.empty())
        return;
      replaceUses(getOperation(), replacements);
    }
  }
};
} // namespace
} // namespace lispier
