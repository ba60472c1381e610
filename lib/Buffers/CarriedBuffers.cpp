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
// A value that is carried on, as in [(f a b) a], where bufferization copies `a`, stays
// in its buffer for another iteration: the loop has a buffer more, and no copy.
//
//===----------------------------------------------------------------------===//
#include "CarriedBuffers.h"
#include "BufferLifetime.h"
#include "lispier/Buffers/OuterSizes.h"
#include "lispier/Group/Group.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace lispier {
namespace {
Value withoutCast(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return memref;
}

/// A memref that each iteration allocates, and the carried values that it becomes one after the other: its first one in
/// the next iteration, `then` in those after.
struct Chain {
  memref::AllocOp alloc;
  unsigned first;
  SmallVector<unsigned> then;
  SmallVector<memref::CopyOp> copies; ///< For each of `then`, the one that bufferization has made of it.
};

/// The copy of a carried memref that the loop carries on as `to`, and that has no other use.
memref::CopyOp copyCarriedOn(scf::ForOp loop, unsigned to, llvm::function_ref<bool(Operation *)> isOwn) {
  auto alloc = loop.getYieldedValues()[to].getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != loop.getBody() || !isOwn(alloc) || llvm::range_size(alloc->getUses()) != 2)
    return nullptr;
  for (Operation *user : alloc->getUsers())
    if (auto copy = dyn_cast<memref::CopyOp>(user); copy && copy->getBlock() == loop.getBody()) {
      bool isCarried = llvm::is_contained(loop.getRegionIterArgs(), copy.getSource());
      return isCarried && copy.getSource().getType() == alloc.getType() ? copy : nullptr;
    }
  return nullptr;
}

/// The allocation in the loop's body that is the next value of a carried memref and nothing else afterwards.
std::optional<Chain> chainFrom(scf::ForOp loop, unsigned first, llvm::function_ref<bool(Operation *)> isOwn) {
  Value yielded = loop.getYieldedValues()[first];
  Chain chain{withoutCast(yielded).getDefiningOp<memref::AllocOp>(), first, {}, {}};
  if (!chain.alloc || !isOwn(chain.alloc) || chain.alloc->getBlock() != loop.getBody())
    return std::nullopt;
  OpOperand &handedOn = loop.getBody()->getTerminator()->getOpOperand(first);
  if (!isHandedOnOnlyBy(chain.alloc, handedOn))
    return std::nullopt;
  BlockArgument last = loop.getRegionIterArg(first);
  for (bool found = true; found && isOnlyRead(last);) {
    found = false;
    for (unsigned i : llvm::seq(loop.getNumRegionIterArgs())) {
      bool isKnown = i == first || llvm::is_contained(chain.then, i);
      memref::CopyOp copy = isKnown ? memref::CopyOp() : copyCarriedOn(loop, i, isOwn);
      if (!copy || copy.getSource() != last)
        continue;
      chain.then.push_back(i);
      chain.copies.push_back(copy);
      last = loop.getRegionIterArg(i);
      found = true;
      break;
    }
  }
  return outlivesIteration(last) ? std::nullopt : std::optional(chain);
}

/// Whether nothing writes the memory of a carried value once it has been copied.
bool isCopiedAtItsEnd(memref::CopyOp copy) {
  return llvm::all_of(copy.getSource().getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (op->getBlock() != copy->getBlock() || !isa<group::KernelOp, memref::CopyOp, memref::DimOp>(op))
      return false;
    return isa<memref::DimOp>(op) || op == copy || op->isBeforeInBlock(copy);
  });
}

/// Values that exchange places, as in [b a], where bufferization copies each in each iteration: they exchange their
/// memory instead. It has to be the loop's own, so that what it begins with is copied, once, if it is not.
void exchangePlaces(scf::ForOp loop, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn) {
  llvm::SmallMapVector<unsigned, memref::CopyOp, 4> copies; ///< Of each place that gets the value of another.
  for (unsigned i : llvm::seq(loop.getNumRegionIterArgs()))
    if (memref::CopyOp copy = copyCarriedOn(loop, i, isOwn); copy && isCopiedAtItsEnd(copy))
      copies[i] = copy;
  auto placeOf = [&](memref::CopyOp copy) {
    return cast<BlockArgument>(copy.getSource()).getArgNumber() - loop.getNumInductionVars();
  };
  for (size_t before = copies.size() + 1; before != copies.size();) { // Until each value there goes to one place there.
    before = copies.size();
    copies.remove_if([&](auto &entry) {
      unsigned from = placeOf(entry.second);
      return !copies.contains(from) ||
             llvm::count_if(copies, [&](auto &other) { return placeOf(other.second) == from; }) != 1;
    });
  }
  for (unsigned i : llvm::make_first_range(copies))
    if (!mayOverwrite(loop.getInitsMutable()[i], isOwn))
      giveCopy(loop.getInitsMutable()[i], rewriter);
  for (auto [i, copy] : copies) {
    auto made = copy.getTarget().getDefiningOp<memref::AllocOp>();
    Value from = copy.getSource();
    rewriter.eraseOp(copy);
    rewriter.replaceOp(made, from);
  }
}

} // namespace

SmallVector<Value> allocateOutside(memref::AllocOp alloc, size_t count, OuterSizes &sizes, RewriterBase &rewriter) {
  SmallVector<SymbolicSize> known;
  for (Value size : alloc.getDynamicSizes())
    if (std::optional<SymbolicSize> outer = sizes.ofIndex(size))
      known.push_back(*outer);
    else
      return {};
  SmallVector<Value> dynamic, buffers;
  for (const SymbolicSize &size : known)
    dynamic.push_back(sizes.emit(rewriter, alloc.getLoc(), size, [](Value value) { return value; }));
  for (size_t i = 0; i < count; ++i) {
    auto buffer = cast<memref::AllocOp>(rewriter.clone(*alloc));
    buffer.getDynamicSizesMutable().assign(dynamic);
    buffers.push_back(buffer);
  }
  return buffers;
}

namespace {
class Exchange {
public:
  Exchange(scf::ForOp loop, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn)
      : loop(loop), rewriter(rewriter), isOwn(isOwn) {}

  void run() {
    for (unsigned carried : llvm::seq(loop.getNumRegionIterArgs()))
      if (isa<MemRefType>(loop.getRegionIterArg(carried).getType()))
        if (std::optional<Chain> chain = chainFrom(loop, carried, isOwn))
          exchange(*chain);
  }

private:
  void exchange(const Chain &chain) {
    memref::AllocOp alloc = chain.alloc;
    unsigned carried = chain.first;
    OuterSizes sizes(cast<LoopLikeOpInterface>(loop.getOperation()));
    bool overwritesInit = chain.then.empty() && loop.getInits()[carried].getType() == alloc.getType() &&
                          mayOverwrite(loop.getInitsMutable()[carried], isOwn);
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> buffers = allocateOutside(alloc, overwritesInit ? 1 : chain.then.size() + 2, sizes, rewriter);
    if (buffers.empty())
      return;
    ownInits(chain);
    auto further = [&](OpBuilder &, Location, ArrayRef<BlockArgument> places) {
      SmallVector<Value> after(places.drop_front());
      after.push_back(places.size() == 1 ? loop.getRegionIterArg(carried) : places.front());
      return after;
    };
    auto wider = loop.replaceWithAdditionalYields(rewriter, buffers, /*replaceInitOperandUsesInLoop=*/false, further);
    loop = cast<scf::ForOp>(**wider);
    rewriter.replaceOp(alloc, loop.getRegionIterArgs().take_back(buffers.size()).front());
    unsigned before = carried;
    for (auto [i, carriedCopy] : llvm::zip(chain.then, chain.copies)) {
      memref::CopyOp copy = carriedCopy;
      auto place = copy.getTarget().getDefiningOp<memref::AllocOp>();
      rewriter.eraseOp(copy);
      rewriter.replaceOp(place, loop.getRegionIterArg(before));
      before = i;
    }
  }

  /// What a value begins with gets to the places of `then`, in the first iterations or behind the loop. If that may be
  /// written, it has to be memory of the loop.
  void ownInits(const Chain &chain) {
    SmallVector<unsigned> places{chain.first};
    llvm::append_range(places, chain.then);
    bool isWritten = false;
    for (size_t i = places.size() - 1; i > 0; --i) {
      isWritten |= !isOnlyRead(loop.getRegionIterArg(places[i])) || !isOnlyRead(loop.getResult(places[i]));
      OpOperand &init = loop.getInitsMutable()[places[i - 1]];
      if (isWritten && !mayOverwrite(init, isOwn))
        giveCopy(init, rewriter);
    }
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
  for (scf::ForOp loop : loops) {
    exchangePlaces(loop, rewriter, isOwn);
    Exchange(loop, rewriter, isOwn).run();
  }
}
} // namespace lispier
