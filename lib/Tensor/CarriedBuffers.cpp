//===- CarriedBuffers.cpp - loops whose values have fixed places ----------===//
//
// Before: an iteration allocates the memory of a value that the next one is given,
// and that of the last one is freed on the way. After: two buffers before the loop,
// which it carries beside the value; an iteration writes the one that is not the
// value's. What the loop begins with is only read.
//
//   for x = init:         for x = init, free = a, next = b:
//     y = alloc              y = free
//     ... x -> y ...         ... x -> y ...
//     yield y                yield y, next, free
//
// A third buffer is not needed where the loop may overwrite what it begins with: then
// `next` is the value's own place.
//
//===----------------------------------------------------------------------===//
#include "CarriedBuffers.h"
#include "BufferLifetime.h"
#include "OuterSizes.h"

using namespace mlir;

namespace lispier {
namespace {
Value withoutCast(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return memref;
}

/// The allocation in the loop's body that is the next value of a carried memref and nothing else afterwards.
memref::AllocOp nextValueOf(scf::ForOp loop, unsigned carried) {
  Value yielded = loop.getYieldedValues()[carried];
  auto alloc = withoutCast(yielded).getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != loop.getBody() || outlivesIteration(loop.getRegionIterArg(carried)))
    return nullptr;
  OpOperand &handedOn = loop.getBody()->getTerminator()->getOpOperand(carried);
  return isHandedOnOnlyBy(alloc, handedOn) ? alloc : nullptr;
}

/// Whether the loop may overwrite the memory that the value begins with: its own, which nothing else uses from then on.
bool mayOverwriteInit(scf::ForOp loop, unsigned carried, llvm::function_ref<bool(Operation *)> isOwn) {
  Value init = loop.getInits()[carried];
  auto alloc = init.getDefiningOp<memref::AllocOp>();
  OpOperand &entry = loop.getInitsMutable()[carried];
  return alloc && isOwn(alloc) && alloc->getBlock() == loop->getBlock() && isHandedOnOnlyBy(alloc, entry);
}

class Exchange {
public:
  Exchange(scf::ForOp loop, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn)
      : loop(loop), rewriter(rewriter), isOwn(isOwn) {}

  void run() {
    for (unsigned carried : llvm::seq(loop.getNumRegionIterArgs()))
      if (isa<MemRefType>(loop.getRegionIterArg(carried).getType()))
        if (memref::AllocOp alloc = nextValueOf(loop, carried); alloc && isOwn(alloc))
          exchange(carried, alloc);
  }

private:
  void exchange(unsigned carried, memref::AllocOp alloc) {
    OuterSizes sizes(cast<LoopLikeOpInterface>(loop.getOperation()));
    SmallVector<SymbolicSize> dynamic;
    for (Value size : alloc.getDynamicSizes())
      if (std::optional<SymbolicSize> outer = sizes.ofIndex(size))
        dynamic.push_back(*outer);
      else
        return;
    bool overwritesInit =
        loop.getInits()[carried].getType() == alloc.getType() && mayOverwriteInit(loop, carried, isOwn);
    SmallVector<Value> buffers;
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> outside;
    for (const SymbolicSize &size : dynamic)
      outside.push_back(sizes.emit(rewriter, alloc.getLoc(), size, [](Value value) { return value; }));
    for (unsigned i = 0; i < (overwritesInit ? 1 : 2); ++i) {
      auto copy = cast<memref::AllocOp>(rewriter.clone(*alloc));
      copy.getDynamicSizesMutable().assign(outside);
      buffers.push_back(copy);
    }
    auto further = [&](OpBuilder &, Location, ArrayRef<BlockArgument> places) {
      Value value = loop.getRegionIterArg(carried);
      return places.size() == 1 ? SmallVector<Value>{value} : SmallVector<Value>{places[1], places[0]};
    };
    auto wider = loop.replaceWithAdditionalYields(rewriter, buffers, /*replaceInitOperandUsesInLoop=*/false, further);
    loop = cast<scf::ForOp>(**wider);
    rewriter.replaceOp(alloc, loop.getRegionIterArgs().take_back(buffers.size()).front());
  }

  scf::ForOp loop;
  RewriterBase &rewriter;
  llvm::function_ref<bool(Operation *)> isOwn;
};
} // namespace

void exchangeCarriedBuffers(func::FuncOp function, RewriterBase &rewriter,
                            llvm::function_ref<bool(Operation *)> isOwn) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    Exchange(loop, rewriter, isOwn).run();
}
} // namespace lispier
