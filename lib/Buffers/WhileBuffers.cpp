//===- WhileBuffers.cpp - values of loops that begin with a condition ------===//
//
// Before: such a loop copies what it carries on the way from its condition to its body,
// into memory that it allocates, and the body allocates the next value. After: the body
// is given the value itself, and writes the next one to one of two buffers that are
// allocated before the loop (CarriedBuffers.cpp), or to the value's place, if it did so
// in the copy.
//
//===----------------------------------------------------------------------===//
#include "BufferLifetime.h"
#include "CarriedBuffers.h"
#include "lispier/Buffers/OuterSizes.h"

using namespace mlir;

namespace lispier {
namespace {
class WhileBuffers {
public:
  WhileBuffers(scf::WhileOp loop, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn)
      : loop(loop), rewriter(rewriter), isOwn(isOwn) {}

  void run() {
    for (unsigned i : llvm::seq(loop.getNumResults()))
      if (std::optional<unsigned> carried = copiedArgument(i))
        handOn(i, *carried);
    for (unsigned i : llvm::seq(loop.getNumResults()))
      exchange(i);
  }

private:
  OpOperand &handedOn(unsigned i) { return loop.getConditionOp().getArgsMutable()[i]; }
  OpOperand &yielded(unsigned carried) { return loop.getYieldOp()->getOpOperand(carried); }

  /// The allocation in the body that is the next value of a carried memref, and nothing else afterwards.
  memref::AllocOp nextValue(unsigned carried) {
    auto alloc = yielded(carried).get().getDefiningOp<memref::AllocOp>();
    bool isNext =
        alloc && isOwn(alloc) && alloc->getBlock() == loop.getAfterBody() && isHandedOnOnlyBy(alloc, yielded(carried));
    return isNext ? alloc : memref::AllocOp();
  }

  memref::CopyOp copyTo(memref::AllocOp made) {
    for (Operation *user : made->getUsers())
      if (auto copy = dyn_cast<memref::CopyOp>(user); copy && copy.getTarget() == made)
        return copy;
    return nullptr;
  }

  /// The carried memref of which the body is given a copy that is made for it alone, if it could have the memref: each
  /// iteration ends with memory of its own.
  std::optional<unsigned> copiedArgument(unsigned i) {
    auto made = handedOn(i).get().getDefiningOp<memref::AllocOp>();
    if (!made || made->getBlock() != loop.getBeforeBody() || !isOwn(made) || llvm::range_size(made->getUses()) != 2)
      return std::nullopt;
    memref::CopyOp copy = copyTo(made);
    auto from = copy ? dyn_cast<BlockArgument>(copy.getSource()) : BlockArgument();
    if (!from || from.getOwner() != loop.getBeforeBody() || from.getType() != made.getType() || !isOnlyRead(from))
      return std::nullopt;
    Value inBody = loop.getAfterArguments()[i], next = yielded(from.getArgNumber()).get();
    bool isInPlace = next == inBody && llvm::count(loop.getYieldOp()->getOperands(), inBody) == 1;
    bool isOwnMemory = isInPlace || nextValue(from.getArgNumber());
    return isOwnMemory ? std::optional(from.getArgNumber()) : std::nullopt;
  }

  void handOn(unsigned i, unsigned carried) {
    OpOperand &init = loop.getInitsMutable()[carried];
    bool isWritten = !isOnlyRead(loop.getAfterArguments()[i]) || !isOnlyRead(loop.getResult(i));
    if (isWritten && !mayOverwrite(init, isOwn))
      giveCopy(init, rewriter);
    auto made = handedOn(i).get().getDefiningOp<memref::AllocOp>();
    memref::CopyOp copy = copyTo(made);
    Value from = copy.getSource();
    rewriter.eraseOp(copy);
    rewriter.replaceOp(made, from);
  }

  void exchange(unsigned i) {
    auto carried = dyn_cast<BlockArgument>(handedOn(i).get());
    if (!carried || carried.getOwner() != loop.getBeforeBody() || !isOnlyRead(loop.getAfterArguments()[i]))
      return;
    memref::AllocOp alloc = nextValue(carried.getArgNumber());
    bool isFreed = alloc && llvm::all_of(carried.getUses(), [&](OpOperand &use) {
                     return &use == &handedOn(i) || isa<memref::DimOp, memref::LoadOp>(use.getOwner());
                   });
    if (!isFreed)
      return;
    OuterSizes sizes(cast<LoopLikeOpInterface>(loop.getOperation()));
    for (int64_t d : llvm::seq(alloc.getType().getRank()))
      (void)sizes.of(carried, d); // First, since those of the body's argument follow from them.
    OpOperand &init = loop.getInitsMutable()[carried.getArgNumber()];
    bool overwritesInit = init.get().getType() == alloc.getType() && mayOverwrite(init, isOwn);
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> buffers = allocateOutside(alloc, overwritesInit ? 1 : 2, sizes, rewriter);
    if (buffers.empty())
      return;
    carry(buffers);
    auto places = loop.getAfterArguments().take_back(buffers.size());
    SmallVector<Value> after(places.drop_front());
    after.push_back(overwritesInit ? loop.getAfterArguments()[i] : places.front());
    rewriter.modifyOpInPlace(loop.getYieldOp(), [&] { loop.getYieldOp().getResultsMutable().append(after); });
    rewriter.replaceOp(alloc, places.front());
  }

  /// Makes the loop one that hands these from its condition to its body, too; what the body yields is left to the
  /// caller.
  void carry(ValueRange buffers) {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> results(loop.getResultTypes());
    llvm::append_range(inits, buffers);
    llvm::append_range(results, buffers.getTypes());
    auto wider = scf::WhileOp::create(rewriter, loop.getLoc(), results, inits);
    wider.getBefore().takeBody(loop.getBefore());
    wider.getAfter().takeBody(loop.getAfter());
    SmallVector<Value> handed;
    for (Value buffer : buffers) {
      handed.push_back(wider.getBefore().addArgument(buffer.getType(), buffer.getLoc()));
      wider.getAfter().addArgument(buffer.getType(), buffer.getLoc());
    }
    wider.getConditionOp().getArgsMutable().append(handed);
    rewriter.replaceOp(loop, wider.getResults().take_front(loop.getNumResults()));
    loop = wider;
  }

  scf::WhileOp loop;
  RewriterBase &rewriter;
  llvm::function_ref<bool(Operation *)> isOwn;
};
} // namespace

void keepWhileBuffers(func::FuncOp function, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn) {
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops)
    WhileBuffers(loop, rewriter, isOwn).run();
}
} // namespace lispier
