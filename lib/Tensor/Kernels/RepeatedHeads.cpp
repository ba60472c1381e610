//===- RepeatedHeads.cpp - heads of keys that several heads of queries share -===//
#include "RepeatedHeads.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
std::optional<RepeatedHeads> repeatedHeadsOf(Value memory, unsigned at, group::KernelOp reader) {
  auto whole = rootOf(memory).getDefiningOp<memref::AllocOp>();
  auto type = cast<MemRefType>(memory.getType());
  if (!whole || !whole->hasAttr(kIntermediateAttr) || whole.getType().getRank() != type.getRank() + 1)
    return std::nullopt;
  // The sizes are those of the copy, with the heads and the number of copies as one: also that is equal then, since
  // both have as many elements.
  for (Value view = memory; view != whole.getResult(); view = view.getDefiningOp()->getOperand(0))
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(view.getDefiningOp()))
      return std::nullopt;
  SmallVector<OpFoldResult> sizes = whole.getMixedSizes();
  for (unsigned i = 0; i < type.getRank(); ++i)
    if (i != at && knownSize(memory, i) != sizes[i < at ? i : i + 1])
      return std::nullopt;
  group::KernelOp copy;
  for (Operation *op = reader->getPrevNode(); op && !copy; op = op->getPrevNode())
    if (auto kernel = dyn_cast<group::KernelOp>(op); kernel && llvm::is_contained(kernel.getInits(), whole.getResult()))
      copy = kernel;
  auto made = copy && copy.getKind() == group::Kind::Copy && copy.getInits().size() == 1
                  ? copy.yieldOp().getResults()[0].getDefiningOp<linalg::GenericOp>()
                  : linalg::GenericOp();
  if (!made || !made.getMatchingIndexingMap(made.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  SmallVector<unsigned> read = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank() + 1));
  read.erase(read.begin() + at + 1);
  Value source = memrefOf(copy, made.getDpsInputs()[0]);
  bool isCopied = source && loopDimsOf(made, *made.getDpsInputOperand(0)) == read &&
                  getElementTypeOrSelf(source) == type.getElementType();
  auto between = llvm::make_range(std::next(copy->getIterator()), reader->getIterator());
  if (!isCopied || llvm::any_of(between, [&](Operation &op) { return mayWrite(op, source) || mayWrite(op, whole); }))
    return std::nullopt;
  return RepeatedHeads{source, copy, sizes[at + 1]};
}

void eraseUnread(group::KernelOp copy) {
  auto whole = copy.getInits()[0].getDefiningOp<memref::AllocOp>();
  SmallVector<Operation *> users;
  SmallVector<Value> aliases{whole};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(aliases, user->getResults());
      else if (user != copy && !isa<memref::DeallocOp>(user))
        return;
      users.push_back(user);
    }
  for (Operation *user : llvm::reverse(users)) // Views come before what uses them.
    user->erase();
  whole->erase();
}
} // namespace lispier
