//===- StoredMemory.cpp - memrefs that tensors are stored in --------------===//
//
// A stored tensor is made in the memref. Bufferization compares tensors only: that the
// program has read another tensor of the memref is told to it here.
//
//===----------------------------------------------------------------------===//
#include "StoredMemory.h"
#include "lispier/Buffers/MemoryViews.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace lispier {
Operation *storeByCopy(MaterializeInDestinationOp store) {
  OpBuilder b(store);
  auto type = cast<RankedTensorType>(store.getSource().getType());
  Value buffer =
      bufferization::ToBufferOp::create(b, store.getLoc(), MemRefType::get(type.getShape(), type.getElementType()),
                                        store.getSource(), /*read_only=*/true);
  Operation *copy = memref::CopyOp::create(b, store.getLoc(), buffer, store.getDest());
  store.erase();
  return copy;
}

ToTensorOp lastReadBefore(Value memref, Operation *user, MemoryOrigins &origins,
                          llvm::function_ref<bool(ToTensorOp)> isRead) {
  for (Operation *op = user->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto read = dyn_cast<ToTensorOp>(op)) {
      if (read.getBuffer() == memref && isRead(read))
        return read;
    } else if (origins.mayWrite(*op, memref)) {
      return nullptr;
    }
  }
  return nullptr;
}

llvm::DenseSet<Operation *> readsOfMemrefs(ModuleOp module) {
  llvm::DenseSet<Operation *> reads;
  module.walk([&](ToTensorOp read) { reads.insert(read); });
  return reads;
}

void joinReadsOfMemrefs(ModuleOp module, const llvm::DenseSet<Operation *> &before) {
  MemoryOrigins origins(module);
  SmallVector<ToTensorOp> places;
  module.walk([&](ToTensorOp read) {
    if (!before.contains(read))
      places.push_back(read);
  });
  for (ToTensorOp place : places)
    for (OpOperand &use : llvm::make_early_inc_range(place->getUses())) {
      auto isOfProgram = [&](ToTensorOp read) { return before.contains(read); };
      if (ToTensorOp read = lastReadBefore(place.getBuffer(), use.getOwner(), origins, isOfProgram)) {
        read.setRestrict(true);
        read.setWritable(true);
        if (read.getType() == place.getType())
          use.set(read);
      }
    }
}
} // namespace lispier
