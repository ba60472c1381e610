//===- StoredMemory.cpp - memrefs that tensors are stored in --------------===//
//
// A stored tensor is made in the memref. Bufferization compares tensors only: that the
// program changes the memref later, or has read another tensor of it, are told to it
// here.
//
//===----------------------------------------------------------------------===//
#include "StoredMemory.h"
#include "MemoryViews.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace lispier {
namespace {
/// Visits the ops other than `store` that may write the memory of which `memref` is a view, as far as they name it.
bool anyWriter(Value memref, Operation *store, llvm::function_ref<bool(Operation *)> visit) {
  SmallVector<Value> views{rootOf(memref)};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface, memref::TransposeOp>(user))
        llvm::append_range(views, user->getResults());
      else if (user != store && !isa<memref::DimOp, memref::LoadOp, ToTensorOp>(user) && visit(user))
        return true;
    }
  return false;
}

/// Whether a use of the tensor may come after an op that writes the memref behind the store.
bool outlivesMemref(MaterializeInDestinationOp store) {
  Block *block = store->getBlock();
  bool isOfBlock = store.getSource().getParentBlock() == block;
  Operation *lastUse = nullptr;
  for (Operation *user : store.getSource().getUsers())
    if (Operation *here = block->findAncestorOpInBlock(*user); !here)
      isOfBlock = false;
    else if (!isa<tensor::DimOp>(user) && store->isBeforeInBlock(here) && (!lastUse || lastUse->isBeforeInBlock(here)))
      lastUse = here;
  return anyWriter(store.getDest(), store, [&](Operation *writer) {
    Operation *here = block->findAncestorOpInBlock(*writer);
    if (!isOfBlock)
      return true;
    return lastUse && here && store->isBeforeInBlock(here) && here->isBeforeInBlock(lastUse);
  });
}

/// The last tensor that is read of the memref before `user`, if nothing between the two may write it.
ToTensorOp readBefore(Value memref, Operation *user, const llvm::DenseSet<Operation *> &reads) {
  for (Operation *op = user->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto read = dyn_cast<ToTensorOp>(op)) {
      if (read.getBuffer() == memref && reads.contains(op))
        return read;
    } else if (mayWrite(*op, memref)) {
      return nullptr;
    }
  }
  return nullptr;
}
} // namespace

void copyWhatOutlivesMemref(ModuleOp module) {
  module.walk([](MaterializeInDestinationOp store) {
    if (!isa<MemRefType>(store.getDest().getType()) || !outlivesMemref(store))
      return;
    OpBuilder b(store);
    auto type = cast<RankedTensorType>(store.getSource().getType());
    Value buffer = bufferization::ToBufferOp::create(
        b, store.getLoc(), MemRefType::get(type.getShape(), type.getElementType()), store.getSource(),
        /*read_only=*/true);
    memref::CopyOp::create(b, store.getLoc(), buffer, store.getDest());
    store.erase();
  });
}

llvm::DenseSet<Operation *> readsOfMemrefs(ModuleOp module) {
  llvm::DenseSet<Operation *> reads;
  module.walk([&](ToTensorOp read) { reads.insert(read); });
  return reads;
}

void joinReadsOfMemrefs(ModuleOp module, const llvm::DenseSet<Operation *> &before) {
  SmallVector<ToTensorOp> places;
  module.walk([&](ToTensorOp read) {
    if (!before.contains(read))
      places.push_back(read);
  });
  for (ToTensorOp place : places)
    for (OpOperand &use : llvm::make_early_inc_range(place->getUses()))
      if (ToTensorOp read = readBefore(place.getBuffer(), use.getOwner(), before)) {
        read.setRestrict(true);
        read.setWritable(true);
        if (read.getType() == place.getType())
          use.set(read);
      }
}
} // namespace lispier
