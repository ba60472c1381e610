//===- MemoryOrder.cpp - accesses that threads must not reorder -----------===//
#include "MemoryOrder.h"
#include "LayoutRules.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
enum class AccessKind { Read, Write, Add };

struct TileAccess {
  Operation *op;
  AccessKind kind;
};

/// The memref that an op accesses, and how; null for another op. Stores of scalars have barriers of their own.
std::pair<Value, AccessKind> accessOf(Operation *op) {
  using Found = std::pair<Value, AccessKind>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([](memref::LoadOp load) { return Found(load.getMemRef(), AccessKind::Read); })
      .Case([](vector::TransferReadOp read) { return Found(read.getBase(), AccessKind::Read); })
      .Case([](vector::TransferWriteOp write) { return Found(write.getBase(), AccessKind::Write); })
      .Case([](tile::GatherOp gather) { return Found(gather.getBase(), AccessKind::Read); })
      .Case([](tile::ScatterOp scatter) { return Found(scatter.getBase(), AccessKind::Write); })
      .Case([](tile::AtomicAddOp add) { return Found(add.getBase(), AccessKind::Add); })
      .Default(Found(nullptr, AccessKind::Read));
}

/// The layout of a transfer's tile.
Attribute layoutOfTransfer(Operation *op) {
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  Value tile = write ? Value(write.getValueToStore()) : Value(op->getResult(0));
  Operation *made = tile.getDefiningOp();
  return made ? made->getAttr(tile::kLayout) : Attribute();
}

/// Whether each thread accesses the same elements at both.
bool areOfSameElements(Operation *a, Operation *c) {
  auto first = dyn_cast<VectorTransferOpInterface>(a), second = dyn_cast<VectorTransferOpInterface>(c);
  return first && second && first.getBase() == second.getBase() && first.getVectorType() == second.getVectorType() &&
         llvm::equal(first.getIndices(), second.getIndices()) && layoutOfTransfer(a) &&
         layoutOfTransfer(a) == layoutOfTransfer(c) && vectorOf(first) == vectorOf(second);
}

bool mayConflict(TileAccess a, TileAccess c) {
  if (a.kind == c.kind && a.kind != AccessKind::Write)
    return false;
  return a.op == c.op ? isa<tile::ScatterOp>(a.op) : !areOfSameElements(a.op, c.op);
}
} // namespace

llvm::DenseSet<Operation *> accessesInOrder(gpu::GPUFuncOp kernel) {
  llvm::MapVector<Value, SmallVector<TileAccess>> accesses;
  kernel.walk([&](Operation *op) {
    auto [memref, kind] = accessOf(op);
    if (!memref || gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memref.getType())))
      return;
    while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
      memref = view.getViewSource();
    accesses[memref].push_back({op, kind});
  });
  llvm::DenseSet<Operation *> ordered;
  for (auto &[memref, all] : accesses)
    for (TileAccess a : all)
      if (llvm::any_of(all, [&, a = a](TileAccess c) { return mayConflict(a, c); }))
        ordered.insert(a.op);
  return ordered;
}
} // namespace lispier
