//===- SharedAllocations.cpp - places in the memory of a block ------------===//
#include "SharedAllocations.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// Slots of loops begin where eight rows of 128 bytes, the unit of a swizzle, do for the hardware; what is moved
/// between threads begins at the first bank.
int64_t alignmentOf(Value allocation) { return isa<BlockArgument>(allocation) ? 1024 : 128; }

bool isInBlockMemory(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

int64_t bytesOf(Value allocation) {
  auto type = cast<MemRefType>(allocation.getType());
  Type element = type.getElementType();
  int64_t bytes = element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return llvm::alignTo(type.getNumElements() * bytes, alignmentOf(allocation));
}

/// From the first to the last use, in the order of a walk.
struct Lifetime {
  int64_t first = INT64_MAX, last = -1;
  bool meets(const Lifetime &other) const { return first <= other.last && other.first <= last; }
};

/// Numbers all ops: an op's own number, and that of the last op in it.
class Order {
public:
  explicit Order(gpu::GPUFuncOp kernel) { number(kernel); }

  void extend(Lifetime &life, Operation *user, Region *allocated) {
    // In a loop that the allocation is not in, what one step leaves another may use.
    for (Operation *parent = user->getParentOp(); !parent->isAncestor(allocated->getParentOp());
         parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface>(parent))
        user = parent;
    auto [first, last] = numbers.lookup(user);
    life.first = std::min(life.first, first);
    life.last = std::max(life.last, last);
  }

private:
  void number(Operation *op) {
    int64_t first = next++;
    for (Region &region : op->getRegions())
      for (Operation &each : region.getOps())
        number(&each);
    numbers[op] = {first, next - 1};
  }
  int64_t next = 0;
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> numbers;
};

void extendByUses(Order &order, Lifetime &life, Value memref, Region *allocated) {
  for (Operation *user : memref.getUsers()) {
    order.extend(life, user, allocated);
    if (isa<ViewLikeOpInterface>(user))
      extendByUses(order, life, user->getResult(0), allocated);
  }
}
} // namespace

Value sharedAllocationOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return isInBlockMemory(memref) ? memref : nullptr;
}

SmallVector<SharedRange> placeSharedMemory(gpu::GPUFuncOp kernel, int64_t plenty) {
  SmallVector<SharedRange> ranges;
  int64_t total = 0;
  auto add = [&](Value allocation) {
    int64_t bytes = bytesOf(allocation);
    total = llvm::alignTo(total, alignmentOf(allocation));
    ranges.push_back({allocation, total, total + bytes});
    total += bytes;
  };
  llvm::for_each(kernel.getWorkgroupAttributions(), add);
  kernel.walk([&](memref::AllocOp allocation) {
    if (isInBlockMemory(allocation))
      add(allocation);
  });
  if (total <= plenty)
    return ranges;
  Order order(kernel);
  llvm::DenseMap<Value, Lifetime> lifetimes;
  for (SharedRange &range : ranges)
    extendByUses(order, lifetimes[range.allocation], range.allocation, range.allocation.getParentRegion());
  // The largest first: the small ones fill the gaps.
  llvm::sort(ranges, [](const SharedRange &a, const SharedRange &c) { return a.end - a.begin > c.end - c.begin; });
  for (size_t i = 0; i < ranges.size(); ++i) {
    int64_t bytes = ranges[i].end - ranges[i].begin;
    ranges[i].begin = 0;
    ranges[i].end = bytes;
    auto isTaken = [&](const SharedRange &other) {
      return ranges[i].overlaps(other) && lifetimes[ranges[i].allocation].meets(lifetimes[other.allocation]);
    };
    while (auto *other = llvm::find_if(ArrayRef(ranges).take_front(i), isTaken)) {
      if (other == ranges.begin() + i)
        break;
      ranges[i].begin = llvm::alignTo(other->end, alignmentOf(ranges[i].allocation));
      ranges[i].end = ranges[i].begin + bytes;
    }
  }
  return ranges;
}
} // namespace lispier
