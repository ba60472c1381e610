//===- ReadTileSources.cpp - tiles that need not be copied ----------------===//
//
// Before: a tile program's load is a copy from the tile's source, under the condition
// that the tile lies within it, to memory of the thread, which linalg ops read. After:
// where one op alone reads the tile, and each element once, it reads the source itself
// under that condition.
//
//===----------------------------------------------------------------------===//
#include "TileSources.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace lispier {
#define GEN_PASS_DEF_READTILESOURCES
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
Value rootOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

bool isLocal(Value memory) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(rootOf(memory).getDefiningOp());
}

/// Whether all that the op writes is memory of this function.
bool writesLocally(Operation *op) {
  auto isAllowed = [](Operation *inside) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(inside))
      return structured.hasPureBufferSemantics() && llvm::all_of(structured.getDpsInits(), isLocal);
    if (auto store = dyn_cast<memref::StoreOp>(inside))
      return isLocal(store.getMemRef());
    return isa<memref::LoadOp>(inside) || inside->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
           isMemoryEffectFree(inside);
  };
  WalkResult result =
      op->walk([&](Operation *inside) { return isAllowed(inside) ? WalkResult::advance() : WalkResult::interrupt(); });
  return !result.wasInterrupted();
}

/// What a view that leaves out nothing of another view is of.
Value withoutWholeViews(Value memory) {
  auto view = memory.getDefiningOp<memref::SubViewOp>();
  auto of = view ? view.getSource().getDefiningOp<memref::SubViewOp>() : nullptr;
  bool isWhole = of && view.getMixedSizes() == of.getMixedSizes() && view.getType() == of.getType() &&
                 llvm::all_of(view.getMixedOffsets(), [](OpFoldResult o) { return isZeroInteger(o); }) &&
                 llvm::all_of(view.getMixedStrides(), [](OpFoldResult s) { return isOneInteger(s); });
  return isWhole ? withoutWholeViews(of) : memory;
}

/// Whether both are the same part of the same memory.
bool isSamePart(Value a, Value b) {
  a = withoutWholeViews(a), b = withoutWholeViews(b);
  if (a == b)
    return true;
  auto x = a.getDefiningOp<memref::SubViewOp>(), y = b.getDefiningOp<memref::SubViewOp>();
  return x && y && x.getSource() == y.getSource() && x.getMixedOffsets() == y.getMixedOffsets() &&
         x.getMixedSizes() == y.getMixedSizes() && x.getMixedStrides() == y.getMixedStrides() &&
         x.getType() == y.getType();
}

class Load {
public:
  Load(OpOperand &operand, linalg::LinalgOp reader) : operand(operand), reader(reader) {}

  bool readInSource() {
    Value tile = rootOf(operand.get());
    if (!isLocal(tile) || !llvm::all_of(reader.getDpsInits(), isLocal))
      return false;
    for (Operation *user : usersOf(tile))
      if (auto found = dyn_cast<linalg::CopyOp>(user); found && isLoad(found)) {
        if (copy)
          return false;
        copy = found;
      }
    if (!copy || !isOnlyReadHere(tile) || !keepsSource() || !isCompatible())
      return false;
    replace();
    return true;
  }

private:
  /// Of the memory and its views.
  static SmallVector<Operation *> usersOf(Value memory) {
    SmallVector<Operation *> users;
    for (Operation *user : memory.getUsers())
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        llvm::append_range(users, usersOf(view->getResult(0)));
      else
        users.push_back(user);
    return users;
  }

  /// Whether the copy fills the whole operand, under a condition that is known where the reader is.
  bool isLoad(linalg::CopyOp found) {
    auto around = dyn_cast<scf::IfOp>(found->getParentOp());
    if (!around || found->getBlock() != around.thenBlock() || around->getBlock() != reader->getBlock() ||
        !around->isBeforeInBlock(reader) || !isSamePart(found.getDpsInits()[0], operand.get()))
      return false;
    branch = around;
    return llvm::all_of(*around.thenBlock(), [&](Operation &op) { return &op == found || isMemoryEffectFree(&op); });
  }

  /// Whether all other uses of the tile's memory write to it, and none after the copy.
  bool isOnlyReadHere(Value memory) {
    return llvm::all_of(memory.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        return isOnlyReadHere(view->getResult(0));
      if (isa<memref::DeallocOp>(user) || user == copy || &use == &operand)
        return true;
      auto structured = dyn_cast<linalg::LinalgOp>(user);
      Operation *around = reader->getBlock()->findAncestorOpInBlock(*user);
      return structured && structured.isDpsInit(&use) && !structured.payloadUsesValueFromOperand(&use) &&
             (!around || around == branch || around->isBeforeInBlock(branch));
    });
  }

  /// Whether the source is not written between the copy and the reader.
  bool keepsSource() {
    if (isLocal(copy.getDpsInputs()[0]))
      return false;
    for (Operation *op = branch; op != reader.getOperation(); op = op->getNextNode())
      if (!writesLocally(op))
        return false;
    return true;
  }

  /// Whether a view of the tile can have the type of one of the source.
  bool isCompatible() {
    Type tile = operand.get().getType(), source = copy.getDpsInputs()[0].getType();
    return tile == source || memref::CastOp::areCastCompatible(tile, source);
  }

  void replace() {
    OpBuilder b(reader);
    Location loc = copy.getLoc();
    IRMapping mapping; // Of the then-block, which has no other effects than the copy.
    for (Operation &op : branch.thenBlock()->without_terminator())
      if (&op != copy)
        b.clone(op, mapping);
    Value source = mapping.lookupOrDefault(copy.getDpsInputs()[0]), tile = operand.get();
    if (tile.getType() != source.getType())
      tile = memref::CastOp::create(b, loc, source.getType(), tile);
    operand.set(arith::SelectOp::create(b, loc, branch.getCondition(), source, tile));
    copy->erase();
  }

  OpOperand &operand;
  linalg::LinalgOp reader;
  linalg::CopyOp copy;
  scf::IfOp branch;
};

struct ReadTileSources : impl::ReadTileSourcesBase<ReadTileSources> {
  void runOnOperation() override {
    getOperation()->walk([](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics())
        return;
      for (OpOperand *input : op.getDpsInputOperands())
        if (isa<MemRefType>(input->get().getType()) && op.getMatchingIndexingMap(input).isIdentity())
          readInSource(*input, op);
    });
  }
};
} // namespace

bool readInSource(OpOperand &operand, linalg::LinalgOp reader) { return Load(operand, reader).readInSource(); }
} // namespace lispier
