//===- SplitKernels.cpp - kernels that can be compiled apart --------------===//
#include "SplitKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
using Symbols = llvm::SmallSetVector<Operation *, 8>;

bool isKernel(Operation *op) { return op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()); }

/// A copy of it in another module would be other memory.
bool isWritable(Operation *op) {
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    return !global.getConstant();
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && !global.getConstant();
}

/// What `op` names, and what that names.
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
} // namespace

std::vector<OwningOpRef<gpu::GPUModuleOp>> splitKernels(gpu::GPUModuleOp kernels, unsigned opsPerPart,
                                                        unsigned mostParts) {
  SymbolTable symbols(kernels);
  llvm::MapVector<Operation *, Symbols> needs; // of each kernel
  llvm::EquivalenceClasses<Operation *> together;
  for (Operation &op : *kernels.getBody()) {
    if (!isKernel(&op))
      continue;
    addNeeds(&op, symbols, needs[&op]);
    together.insert(&op);
    for (Operation *need : needs[&op])
      if (isWritable(need))
        together.unionSets(&op, need);
  }

  struct Part {
    unsigned ops = 0;
    Symbols symbols;
  };
  llvm::MapVector<Operation *, Part> groups; // by the leader of those that stay together
  for (auto &[kernel, all] : needs) {
    Part &group = groups[together.getLeaderValue(kernel)];
    group.symbols.insert_range(all);
  }
  unsigned total = 0;
  for (auto &[leader, group] : groups) {
    for (Operation *op : group.symbols)
      group.ops += countOps(op);
    total += group.ops;
  }

  // In their order, since neighbours are often launched by the same program, which loads no other part.
  unsigned count = std::clamp(total / std::max(opsPerPart, 1u), 1u, std::max(mostParts, 1u));
  std::vector<Part> parts(1);
  for (auto &[leader, group] : groups) {
    if (parts.size() < count && parts.back().ops > 0 && parts.back().ops + group.ops / 2 > total / count)
      parts.emplace_back();
    parts.back().ops += group.ops;
    parts.back().symbols.insert_range(group.symbols);
  }

  std::vector<OwningOpRef<gpu::GPUModuleOp>> result;
  for (const Part &part : parts) {
    if (part.symbols.empty())
      continue;
    OwningOpRef<gpu::GPUModuleOp> copy = cast<gpu::GPUModuleOp>(kernels->cloneWithoutRegions());
    OpBuilder builder = OpBuilder::atBlockBegin(&(*copy)->getRegion(0).emplaceBlock());
    for (Operation &op : *kernels.getBody()) // In their order.
      if (part.symbols.contains(&op))
        builder.clone(op);
    result.push_back(std::move(copy));
  }
  return result;
}
} // namespace lispier
