//===- SplitKernels.cpp - split kernels into parts ------------------------===//
//
// Before: kernels in gpu.modules without `device.target`. After: one gpu.module with
// `device.target` for each part. Later passes process the parts in parallel, and
// EmbedKernels embeds one binary for each.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SPLITKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
using Symbols = llvm::SmallSetVector<Operation *, 8>;

bool isKernel(Operation *op) { return op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()); }

/// Whether `op` is a mutable global, of which parts cannot each have a copy.
bool isWritable(Operation *op) {
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    return !global.getConstant();
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && !global.getConstant();
}

/// Adds `op` and the symbols that it references, transitively.
void addNeeds(Operation *op, const SymbolTable &symbols, Symbols &needs) {
  if (!needs.insert(op))
    return;
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(op);
  if (!uses)
    return;
  for (SymbolTable::SymbolUse use : *uses)
    if (Operation *used = symbols.lookup(use.getSymbolRef().getLeafReference()))
      addNeeds(used, symbols, needs);
}

unsigned countOps(Operation *op) {
  unsigned count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// The symbols of one part, and their number of ops.
struct Part {
  unsigned ops = 0;
  Symbols symbols;
};

/// Groups kernels that use the same mutable global, with all symbols that they reference. The key is the group's
/// leader.
llvm::MapVector<Operation *, Part> groupKernels(gpu::GPUModuleOp kernels) {
  SymbolTable symbols(kernels);
  bool needOthers = !llvm::all_of(*kernels.getBody(), [](Operation &op) { return isKernel(&op); });
  llvm::MapVector<Operation *, Symbols> needs; // The symbols that each kernel references.
  llvm::EquivalenceClasses<Operation *> together;
  for (Operation &op : *kernels.getBody()) {
    if (!isKernel(&op))
      continue;
    if (needOthers)
      addNeeds(&op, symbols, needs[&op]);
    else
      needs[&op].insert(&op); // No kernel references another one. To look for uses takes long.
    together.insert(&op);
    for (Operation *need : needs[&op])
      if (isWritable(need))
        together.unionSets(&op, need);
  }
  llvm::MapVector<Operation *, Part> groups;
  for (auto &[kernel, all] : needs)
    groups[together.getLeaderValue(kernel)].symbols.insert_range(all);
  for (auto &[leader, group] : groups)
    for (Operation *op : group.symbols)
      group.ops += countOps(op);
  return groups;
}

/// Forms parts of consecutive groups: programs often launch neighbouring kernels, and then load few parts.
std::vector<Part> makeParts(gpu::GPUModuleOp kernels, unsigned opsPerPart, unsigned mostParts) {
  llvm::MapVector<Operation *, Part> groups = groupKernels(kernels);
  unsigned total = 0;
  for (auto &[leader, group] : groups)
    total += group.ops;
  unsigned count = std::clamp(total / std::max(opsPerPart, 1u), 1u, std::max(mostParts, 1u));
  std::vector<Part> parts(1);
  for (auto &[leader, group] : groups) {
    if (parts.size() < count && parts.back().ops > 0 && parts.back().ops + group.ops / 2 > total / count)
      parts.emplace_back();
    parts.back().ops += group.ops;
    parts.back().symbols.insert_range(group.symbols);
  }
  return parts;
}

struct SplitKernels : impl::SplitKernelsBase<SplitKernels> {
  using SplitKernelsBase::SplitKernelsBase;

  void runOnOperation() override {
    StringAttr target = device::targetOf(getOperation());
    if (!target) {
      getOperation().emitError("has no target: the attribute ") << device::kTarget << " names it";
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    for (auto kernels : llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>())) {
      if (kernels->hasAttr(device::kTarget))
        continue;
      kernels->setAttr(device::kTarget, target);
      if (opsPerPart > 0)
        split(kernels, symbols);
    }
  }

  /// The first part keeps the name of the original module.
  void split(gpu::GPUModuleOp kernels, SymbolTable &symbols) {
    std::vector<Part> parts = makeParts(kernels, opsPerPart, mostParts);
    OpBuilder builder(kernels);
    llvm::DenseMap<StringAttr, StringAttr> moved; // Maps each kernel outside the first part to its part.
    StringAttr name = kernels.getSymNameAttr();
    llvm::DenseMap<Operation *, unsigned> left; // The number of parts that still need each symbol.
    for (const Part &part : parts)
      for (Operation *op : part.symbols)
        ++left[op];
    SmallVector<gpu::GPUModuleOp> made;
    SmallVector<std::pair<unsigned, gpu::GPUModuleOp>> bySize;
    for (const Part &part : parts) {
      if (part.symbols.empty())
        continue;
      auto copy = cast<gpu::GPUModuleOp>(builder.cloneWithoutRegions(kernels));
      OpBuilder inside = OpBuilder::atBlockBegin(&copy->getRegion(0).emplaceBlock());
      for (Operation &op : llvm::make_early_inc_range(*kernels.getBody())) { // In source order.
        if (!part.symbols.contains(&op))
          continue;
        if (--left[&op] == 0)
          op.moveBefore(inside.getBlock(), inside.getInsertionPoint());
        else
          inside.clone(op);
      }
      made.push_back(copy);
      bySize.push_back({part.ops, copy});
    }
    // Threads take the parts in this order, so that none is left with a large one at the end.
    llvm::stable_sort(bySize, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto [ops, part] : bySize)
      part->moveBefore(kernels);
    symbols.erase(kernels);
    for (auto [number, part] : llvm::enumerate(made)) {
      if (number > 0)
        part.setName((name.getValue() + "_" + Twine(number)).str());
      StringAttr partName = symbols.insert(part);
      for (auto kernel : part.getOps<SymbolOpInterface>())
        if (number > 0 && isKernel(kernel))
          moved[kernel.getNameAttr()] = partName;
    }
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      if (StringAttr part = moved.lookup(launch.getKernelName()); part && launch.getKernelModuleName() == name)
        launch.setKernelAttr(SymbolRefAttr::get(part, {FlatSymbolRefAttr::get(launch.getKernelName())}));
    });
  }
};
} // namespace
} // namespace lispier
