//===- PlaceKernelMemory.cpp - address spaces of kernel memory ------------===//
//
// Before: memref.alloc and alloca inside kernels. After: workgroup memory is an
// attribution of the kernel, with a static size, and stack memory is in the
// private address space. The vendors' conversions support only these.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PLACEKERNELMEMORY
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Adds a workgroup attribution to the kernel or launch that contains `op`; null if there is none.
Value attribute(Operation *op, MemRefType type) {
  if (auto launch = op->getParentOfType<gpu::LaunchOp>())
    return launch.addWorkgroupAttribution(type, op->getLoc());
  if (auto kernel = op->getParentOfType<gpu::GPUFuncOp>())
    return kernel.addWorkgroupAttribution(type, op->getLoc());
  return nullptr;
}

LogicalResult share(Operation *op, MemRefType type) {
  if (!type.hasStaticShape())
    return op->emitOpError("has a dynamic size; shared memory is sized before the kernel starts: give it a static "
                           "shape, or use gpu.dynamic_shared_memory");
  Value place = attribute(op, type);
  if (!place)
    return op->emitOpError("allocates shared memory outside a kernel");
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  op->getResult(0).replaceAllUsesWith(place);
  op->erase();
  return success();
}

void makePrivate(memref::AllocaOp op) {
  MemRefType type = op.getType();
  OpBuilder builder(op);
  auto space = gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Private);
  auto own = memref::AllocaOp::create(builder, op.getLoc(),
                                      MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space),
                                      op.getDynamicSizes(), op.getSymbolOperands(), op.getAlignmentAttr());
  op.replaceAllUsesWith(memref::MemorySpaceCastOp::create(builder, op.getLoc(), type, own).getResult());
  op.erase();
}

struct PlaceKernelMemory : impl::PlaceKernelMemoryBase<PlaceKernelMemory> {
  void runOnOperation() override {
    SmallVector<Operation *> allocations;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::AllocOp, memref::AllocaOp>(op))
        allocations.push_back(op);
    });
    for (Operation *op : allocations) {
      auto type = cast<MemRefType>(op->getResult(0).getType());
      if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)) {
        if (failed(share(op, type)))
          return signalPassFailure();
      } else if (auto stack = dyn_cast<memref::AllocaOp>(op);
                 stack && !type.getMemorySpace() &&
                 (op->getParentOfType<gpu::GPUModuleOp>() || op->getParentOfType<gpu::LaunchOp>())) {
        makePrivate(stack);
      }
    }
  }
};
} // namespace
} // namespace lispier
