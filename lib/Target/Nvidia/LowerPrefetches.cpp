//===- LowerPrefetches.cpp - memref.prefetch in a kernel ------------------===//
//
// Before: llvm.intr.prefetch, which the code generator drops. After: nvvm.prefetch
// into L1 for data that is used soon, else into L2. It computes the address as the
// loads do, so that one that prefetches what it loads later computes it once.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERPREFETCHES
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
constexpr unsigned kGlobal = static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);

/// Whether an address without a memory space is one of global memory: it comes from a kernel's parameter.
bool isGlobal(Value address) {
  while (auto offset = address.getDefiningOp<LLVM::GEPOp>())
    address = offset.getBase();
  auto parameter = dyn_cast<BlockArgument>(address);
  auto kernel = parameter ? dyn_cast<LLVM::LLVMFuncOp>(parameter.getOwner()->getParentOp()) : LLVM::LLVMFuncOp();
  return kernel && parameter.getOwner()->isEntryBlock() && kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

void lowerPrefetch(LLVM::Prefetch prefetch) {
  OpBuilder builder(prefetch);
  Value address = prefetch.getAddr();
  unsigned space = cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace();
  if (space == 0 && isGlobal(address)) {
    auto type = LLVM::LLVMPointerType::get(builder.getContext(), kGlobal);
    address = LLVM::AddrSpaceCastOp::create(builder, prefetch.getLoc(), type, address);
    space = kGlobal;
  }
  // Shared memory has no cache.
  if (prefetch.getCache() == 1 && (space == 0 || space == kGlobal)) {
    bool soon = prefetch.getHint() == 3;
    auto level = NVVM::PrefetchCacheLevelAttr::get(builder.getContext(),
                                                   soon ? NVVM::PrefetchCacheLevel::L1 : NVVM::PrefetchCacheLevel::L2);
    NVVM::PrefetchOp::create(builder, prefetch.getLoc(), level, /*evictPriority=*/{}, address, /*predicate=*/{},
                             /*tensormap=*/{});
  }
  prefetch.erase();
}

struct LowerPrefetches : impl::LowerPrefetchesBase<LowerPrefetches> {
  void runOnOperation() override { getOperation()->walk(lowerPrefetch); }
};
} // namespace
} // namespace lispier
