//===- Accesses.cpp - what reads and writes memrefs -----------------------===//
#include "Accesses.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
int64_t Access::extent() const {
  auto vector = dyn_cast<VectorType>(type);
  return vector && cast<MemRefType>(memref.getType()).getElementType() != type ? vector.getNumElements() : 1;
}

namespace {
bool isPlain(VectorTransferOpInterface transfer) {
  return isa<MemRefType>(transfer.getShapedType()) && transfer.getVectorType().getRank() == 1 &&
         !transfer.hasOutOfBoundsDim() && transfer.getPermutationMap().isMinorIdentity();
}
} // namespace

std::optional<Access> accessOf(Operation *op) {
  using Result = std::optional<Access>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([](memref::LoadOp load) { return Result({load.getMemRef(), load.getIndices(), load.getType(), kSimRead}); })
      .Case([](memref::StoreOp store) {
        return Result({store.getMemRef(), store.getIndices(), store.getValueToStore().getType(), kSimWrite});
      })
      .Case([](vector::LoadOp load) { return Result({load.getBase(), load.getIndices(), load.getType(), kSimRead}); })
      .Case([](vector::StoreOp store) {
        return Result({store.getBase(), store.getIndices(), store.getValueToStore().getType(), kSimWrite});
      })
      .Case([](memref::AtomicRMWOp rmw) {
        return Result({rmw.getMemref(), rmw.getIndices(), rmw.getType(), kSimAtomic});
      })
      .Case([](memref::GenericAtomicRMWOp rmw) {
        return Result({rmw.getMemref(), rmw.getIndices(), rmw.getResult().getType(), kSimAtomic});
      })
      .Case([](vector::TransferReadOp read) {
        return isPlain(read) ? Result({read.getBase(), read.getIndices(), read.getVectorType(), kSimRead})
                             : std::nullopt;
      })
      .Case([](vector::TransferWriteOp write) {
        return isPlain(write) ? Result({write.getBase(), write.getIndices(), write.getVectorType(), kSimWrite})
                              : std::nullopt;
      })
      .Default(Result());
}
} // namespace lispier
