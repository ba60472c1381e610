//===- DownloadLoads.cpp - numbers that host code reads of device memory --===//
//
// Before: host code that loads numbers from memory of kernels, which would have to
// be memory that both reach. After: where loads are all that host code does with a
// class of memory, each is of a copy, device.download: of one number, or of all
// before a loop that launches nothing. CallDevice then allocates device memory.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_DOWNLOADLOADS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
/// The outermost loop around the load that launches nothing and has the memory from outside; null if there is none.
Operation *loopAround(memref::LoadOp load, const DeviceMemory &memory) {
  Operation *found = nullptr;
  for (Operation *parent = load->getParentOp(); !isa<FunctionOpInterface>(parent); parent = parent->getParentOp()) {
    if (parent->isAncestor(load.getMemRef().getParentBlock()->getParentOp()) || memory.launches(parent))
      break;
    if (isa<LoopLikeOpInterface>(parent))
      found = parent;
  }
  return found;
}

Value download(OpBuilder &b, Location loc, Value source) {
  auto type = cast<MemRefType>(source.getType());
  return device::DownloadOp::create(b, loc, MemRefType::get(type.getShape(), type.getElementType()), source);
}

/// The memory of the one element, without dimensions.
Value elementOf(OpBuilder &b, memref::LoadOp load) {
  SmallVector<OpFoldResult> indices = getAsOpFoldResult(load.getIndices());
  SmallVector<OpFoldResult> ones(indices.size(), b.getIndexAttr(1));
  MemRefType type = memref::SubViewOp::inferRankReducedResultType({}, load.getMemRefType(), indices, ones, ones);
  return memref::SubViewOp::create(b, load.getLoc(), type, load.getMemRef(), indices, ones, ones);
}

struct DownloadLoads : impl::DownloadLoadsBase<DownloadLoads> {
  void runOnOperation() override {
    DeviceMemory memory(getOperation());
    SmallVector<std::pair<memref::LoadOp, Operation *>> loads; // Each with the loop before which all is copied.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp>(op))
        return WalkResult::skip();
      if (auto load = dyn_cast<memref::LoadOp>(op); load && memory.of(load.getMemRef()).isOnlyLoaded())
        loads.push_back({load, loopAround(load, memory)});
      return WalkResult::advance();
    });
    llvm::DenseMap<std::pair<Operation *, Value>, Value> copies;
    for (auto [load, loop] : loads) {
      OpBuilder b(load);
      if (loop) {
        Value &copy = copies[{loop, load.getMemRef()}];
        if (!copy) {
          b.setInsertionPoint(loop);
          copy = download(b, load.getLoc(), load.getMemRef());
          b.setInsertionPointAfter(loop);
          memref::DeallocOp::create(b, load.getLoc(), copy);
        }
        load.getMemrefMutable().assign(copy);
        continue;
      }
      Value copy = download(b, load.getLoc(), elementOf(b, load));
      load.getMemrefMutable().assign(copy);
      load.getIndicesMutable().clear();
      b.setInsertionPointAfter(load);
      memref::DeallocOp::create(b, load.getLoc(), copy);
    }
  }
};
} // namespace
} // namespace lispier
