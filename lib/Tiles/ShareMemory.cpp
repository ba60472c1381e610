//===- ShareMemory.cpp - shared memory and its barriers -------------------===//
//
// Before: a distributed kernel that allocates memory of the block where it uses it,
// and orders nothing. After: one dynamic allocation, and barriers. A barrier stands
// where all threads of the block come by: in loops, in branches that are the same
// for all threads, never under a thread's own condition.
//
//===----------------------------------------------------------------------===//
#include "DistributeRoles.h"
#include "SharedAllocations.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SHAREMEMORY
#include "lispier/Tiles/Passes.h.inc"

namespace {
/// Up to here allocations have bytes of their own: several blocks still fit on a multiprocessor.
constexpr int64_t kPlentyBytes = 24 << 10;

class Barriers {
public:
  explicit Barriers(ArrayRef<SharedRange> ranges) : ranges(ranges) {
    for (auto [number, range] : llvm::enumerate(ranges))
      numbers[range.allocation] = number;
  }

  void insert(gpu::GPUFuncOp kernel) {
    Accesses pending;
    visit(kernel.getBody().front(), pending);
  }

private:
  /// An allocation, and whether it is written.
  using Access = std::pair<unsigned, bool>;
  using Accesses = SmallVector<Access>;

  static void include(Accesses &all, const Accesses &more) {
    for (Access each : more)
      if (!llvm::is_contained(all, each))
        all.push_back(each);
  }

  /// Of an op and all in it.
  Accesses accessesOf(Operation *op) {
    Accesses all;
    op->walk([&](MemoryEffectOpInterface access) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      access.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        bool writes = isa<MemoryEffects::Write>(effect.getEffect());
        if (!effect.getValue() || !(writes || isa<MemoryEffects::Read>(effect.getEffect())))
          continue;
        if (Value allocation = sharedAllocationOf(effect.getValue()))
          include(all, {{numbers.lookup(allocation), writes}});
      }
    });
    return all;
  }

  /// The threads that write an allocation write different parts of it; and of an attribution, the slots of a pipelined
  /// loop, accesses are in order by the loop's own waits and barriers.
  bool conflict(Access before, Access now) {
    if (before.first == now.first &&
        ((before.second && now.second) || isa<BlockArgument>(ranges[now.first].allocation)))
      return false;
    return (before.second || now.second) && ranges[before.first].overlaps(ranges[now.first]);
  }

  void visit(Block &block, Accesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, pending);
  }

  void visit(Operation *op, Accesses &pending) {
    if (isa<gpu::BarrierOp>(op))
      return pending.clear();
    if (isa<scf::IndexSwitchOp>(op) || op->hasAttr(tile::kUniform)) {
      Accesses after = op->getNumRegions() > 1 && op->getRegion(1).empty() ? pending : Accesses();
      for (Region &region : op->getRegions()) {
        Accesses own = pending;
        if (!region.empty())
          visit(region.front(), own);
        include(after, own);
      }
      pending = after;
      return;
    }
    if (isa<LoopLikeOpInterface>(op)) {
      // Twice: what a step leaves pending meets the next.
      for (int step = 0; step < 2; ++step)
        for (Region &region : op->getRegions()) {
          Accesses before = pending;
          visit(region.front(), pending);
          include(pending, before);
        }
      return;
    }
    Accesses own = accessesOf(op);
    if (llvm::any_of(own, [&](Access now) {
          return llvm::any_of(pending, [&](Access before) { return conflict(before, now); });
        })) {
      OpBuilder builder(op);
      gpu::BarrierOp::create(builder, op->getLoc());
      pending.clear();
    }
    include(pending, own);
  }

  ArrayRef<SharedRange> ranges;
  llvm::DenseMap<Value, unsigned> numbers;
};

/// Each allocation becomes a view of the kernel's dynamic shared memory. Returns how many bytes that has.
int64_t makeDynamic(gpu::GPUFuncOp kernel, ArrayRef<SharedRange> ranges) {
  if (ranges.empty())
    return 0;
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(), MemRefLayoutAttrInterface(), space);
  Value memory = gpu::DynamicSharedMemoryOp::create(builder, loc, bytes);
  int64_t total = 0;
  for (const SharedRange &range : ranges) {
    Value allocation = range.allocation, begin = arith::ConstantIndexOp::create(builder, loc, range.begin);
    Value view = memref::ViewOp::create(builder, allocation.getLoc(), cast<MemRefType>(allocation.getType()), memory,
                                        begin, ValueRange());
    allocation.replaceAllUsesWith(view);
    if (Operation *op = allocation.getDefiningOp())
      op->erase();
    total = std::max(total, range.end);
  }
  unsigned attributions = kernel.getNumWorkgroupAttributions(), first = kernel.getNumArguments();
  kernel.getBody().front().eraseArguments(first, attributions);
  kernel.removeWorkgroupAttribAttrsAttr();
  (*kernel).setAttr(kernel.getNumWorkgroupAttributionsAttrName(), builder.getI64IntegerAttr(0));
  return total;
}

/// Barriers of the warps that compute leave out the one that copies for them.
void joinConsumers(scf::IfOp branch) {
  auto threads = branch->getAttrOfType<IntegerAttr>(tile::kConsumers);
  if (!threads)
    return;
  branch->removeAttr(tile::kConsumers);
  branch.getThenRegion().walk([&](gpu::BarrierOp barrier) {
    OpBuilder builder(barrier);
    Value id = arith::ConstantIntOp::create(builder, barrier.getLoc(), kBarrierOfConsumers, 32);
    tile::JoinOp::create(builder, barrier.getLoc(), id, threads.getInt(), /*publishes=*/false,
                         /*passes=*/false);
    barrier.erase();
  });
}

FailureOr<int64_t> share(gpu::GPUFuncOp kernel) {
  SmallVector<SharedRange> ranges = placeSharedMemory(kernel, kPlentyBytes);
  Barriers(ranges).insert(kernel);
  int64_t bytes = makeDynamic(kernel, ranges);
  kernel.walk([](scf::IfOp branch) {
    joinConsumers(branch);
    branch->removeAttr(tile::kUniform);
  });
  kernel->removeAttr(tile::kDistributed);
  const TargetInfo *target = device::targetInfoOf(kernel);
  int64_t most = target ? std::max(target->sharedBytes, target->maxSharedBytes) : INT64_MAX;
  if (bytes > most)
    return emitError(kernel.getLoc()) << "the tiles of this program need " << bytes
                                      << " bytes of shared memory; a block has at most " << most
                                      << ": use smaller tiles, or fewer stages";
  return bytes;
}

struct ShareMemory : impl::ShareMemoryBase<ShareMemory> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels = device::kernelsOf(getOperation());
    llvm::erase_if(kernels, [](gpu::GPUFuncOp kernel) { return !kernel->hasAttr(tile::kDistributed); });
    SmallVector<int64_t> bytes(kernels.size());
    auto shareIn = [&](size_t index) -> LogicalResult {
      FailureOr<int64_t> needed = share(kernels[index]);
      bytes[index] = needed.value_or(0);
      return needed;
    };
    if (failed(device::forEachInParallel(&getContext(), kernels.size(), shareIn)))
      return signalPassFailure();
    llvm::DenseMap<Operation *, int64_t> shared;
    for (auto [kernel, needed] : llvm::zip(kernels, bytes))
      if (needed)
        shared[kernel] = needed;
    SymbolTableCollection symbols;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      auto kernel = shared.find(symbols.lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (kernel == shared.end())
        return;
      OpBuilder builder(launch);
      launch.getDynamicSharedMemorySizeMutable().assign(
          arith::ConstantIntOp::create(builder, launch.getLoc(), kernel->second, 32));
    });
  }
};
} // namespace
} // namespace lispier
