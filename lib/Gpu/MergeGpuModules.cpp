//===- MergeGpuModules.cpp - merge all gpu.modules ------------------------===//
//
// Before: a gpu.module per launch, and possibly some from the source. After: one
// gpu.module with unique symbol names, to which all launches and calls refer. The
// target's lowering then produces one binary.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/Launches.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MERGEGPUMODULES
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Maps the old symbol names of a source module to the new ones.
using Renaming = llvm::DenseMap<StringAttr, StringAttr>;

/// Symbols of `from` that are identical in `into`, since outlining copies a device function into each module that calls
/// it. Two definitions are identical if they are equal and so are all definitions that they refer to.
DenseSet<StringAttr> sharedSymbols(gpu::GPUModuleOp from, const SymbolTable &into) {
  DenseSet<StringAttr> shared;
  for (auto symbol : from.getOps<SymbolOpInterface>()) {
    Operation *other = into.lookup(symbol.getNameAttr());
    if (other && !isa<gpu::GPUFuncOp>(other) &&
        OperationEquivalence::isEquivalentTo(symbol, other, OperationEquivalence::IgnoreLocations))
      shared.insert(symbol.getNameAttr());
  }
  for (bool changed = !shared.empty(); changed;) {
    changed = false;
    for (auto symbol : from.getOps<SymbolOpInterface>()) {
      if (!shared.contains(symbol.getNameAttr()))
        continue; // Most are kernels, whose uses would take long to find.
      auto mentionsOther = [&](SymbolTable::SymbolUse use) {
        return !shared.contains(use.getSymbolRef().getRootReference());
      };
      std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(symbol.getOperation());
      if (!uses || llvm::any_of(*uses, mentionsOther))
        changed |= shared.erase(symbol.getNameAttr());
    }
  }
  return shared;
}

/// Appends the symbols of `from` to the module of `target`.
Renaming move(gpu::GPUModuleOp from, SymbolTable &target, unsigned &counter) {
  Renaming renaming;
  Block *into = cast<gpu::GPUModuleOp>(target.getOp()).getBody();
  DenseSet<StringAttr> shared = sharedSymbols(from, target);
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol)
      continue;
    StringAttr name = symbol.getNameAttr();
    if (shared.contains(name))
      continue;
    if (target.lookup(name)) {
      auto taken = [&](StringRef candidate) {
        return target.lookup(candidate) || SymbolTable::lookupSymbolIn(from, candidate);
      };
      SmallString<64> fresh = SymbolTable::generateSymbolName<64>(name, taken, counter);
      auto freshName = StringAttr::get(name.getContext(), fresh);
      (void)SymbolTable::replaceAllSymbolUses(name, freshName, from); // Uses in the module; launches are updated later.
      symbol.setName(freshName);
      renaming[name] = freshName;
    }
    op.moveBefore(into, into->end());
    target.insert(&op);
  }
  return renaming;
}

/// Replaces characters that some assembler rejects in names; letters, digits, `_` and `$` are kept.
std::string spell(StringRef name) {
  std::string spelled;
  for (char c : name)
    spelled += llvm::isAlnum(c) || c == '_' || c == '$' ? c : '_';
  return spelled.empty() || llvm::isDigit(spelled[0]) ? "_" + spelled : spelled;
}

/// Renames kernels for the assembler: the host looks them up by name, which in Lisp may be `forward-f32`.
void spellKernels(ModuleOp program, gpu::GPUModuleOp kernels) {
  Renaming renaming;
  unsigned counter = 0;
  SymbolTable symbols(kernels);
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
    StringAttr old = kernel.getNameAttr();
    std::string name = spell(old);
    if (name == old.getValue())
      continue;
    auto taken = [&](StringRef candidate) { return symbols.lookup(candidate) != nullptr; };
    if (taken(name))
      name = SymbolTable::generateSymbolName<64>(name, taken, counter).str();
    symbols.remove(kernel);
    kernel.setName(name);
    symbols.insert(kernel);
    renaming[old] = kernel.getNameAttr();
  }
  device::forEachLaunch(program, [&](gpu::LaunchFuncOp launch) {
    if (launch.getKernelModuleName() != kernels.getName())
      return;
    if (StringAttr renamed = renaming.lookup(launch.getKernelName()))
      launch.setKernelAttr(SymbolRefAttr::get(kernels.getNameAttr(), {FlatSymbolRefAttr::get(renamed)}));
  });
}

struct MergeGpuModules : impl::MergeGpuModulesBase<MergeGpuModules> {
  using MergeGpuModulesBase::MergeGpuModulesBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    if (modules.size() == 1 && modules.front().getName() == name)
      return spellKernels(getOperation(), modules.front());
    gpu::GPUModuleOp into = modules.front();
    llvm::DenseMap<StringAttr, Renaming> renamings;
    renamings.try_emplace(into.getNameAttr());
    unsigned counter = 0;
    SymbolTable target(into); // Of each module in turn it would take quadratic time.
    for (gpu::GPUModuleOp from : llvm::drop_begin(modules))
      renamings[from.getNameAttr()] = move(from, target, counter);
    for (gpu::GPUModuleOp from : llvm::drop_begin(modules))
      from.erase();
    StringAttr merged = nameFor(into);
    into.setSymNameAttr(merged);
    for (auto function : into.getOps<FunctionOpInterface>())
      if (!isa<gpu::GPUFuncOp>(function.getOperation()))
        SymbolTable::setSymbolVisibility(function, SymbolTable::Visibility::Private); // Removable once inlined.

    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      auto found = renamings.find(launch.getKernelModuleName());
      if (found == renamings.end())
        return;
      StringAttr kernel = launch.getKernelName();
      if (StringAttr renamed = found->second.lookup(kernel))
        kernel = renamed;
      launch.setKernelAttr(SymbolRefAttr::get(merged, {FlatSymbolRefAttr::get(kernel)}));
    });
    spellKernels(getOperation(), into);
  }

  /// Returns the requested name, or a variant if the program uses it for another symbol.
  StringAttr nameFor(gpu::GPUModuleOp into) {
    Operation *holder = SymbolTable::lookupSymbolIn(getOperation(), name);
    if (!holder || holder == into)
      return StringAttr::get(&getContext(), name);
    unsigned counter = 0;
    return StringAttr::get(
        &getContext(),
        SymbolTable::generateSymbolName<64>(
            name,
            [&](StringRef candidate) { return SymbolTable::lookupSymbolIn(getOperation(), candidate) != nullptr; },
            counter));
  }
};
} // namespace
} // namespace lispier
