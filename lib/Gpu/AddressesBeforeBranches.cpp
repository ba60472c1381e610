//===- AddressesBeforeBranches.cpp - addresses of guarded accesses --------===//
//
// Before: a kernel tests for each of many accesses whether it is inside of a memref.
// The address is computed in the branch, from all of the memref's strides, since no
// branch dominates the others. After: addresses are computed before the branches, where
// accesses of one row share what they have in common, and where LLVM sees which ones
// differ by a constant. Most of the code of a tile at the edge of memory is addresses.
//
//===----------------------------------------------------------------------===//
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ADDRESSESBEFOREBRANCHES
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct Access {
  OpOperand *memref = nullptr;
  MutableOperandRange indices;
};

/// The memref that `op` loads from or stores to, and the indices; nullopt if it does neither.
std::optional<Access> accessOf(Operation *op) {
  using Found = std::optional<Access>;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return Found({&load.getMemrefMutable(), load.getIndicesMutable()});
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Found({&store.getMemrefMutable(), store.getIndicesMutable()});
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return Found({&load.getBaseMutable(), load.getIndicesMutable()});
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return Found({&store.getBaseMutable(), store.getIndicesMutable()});
  return std::nullopt;
}

/// The addresses of accesses in branches in one block.
class AddressesOfBlock {
public:
  void hoist(Block &block) {
    for (auto branch : block.getOps<scf::IfOp>())
      for (Region *region : branch.getRegions())
        if (Operation *op = onlyAccess(*region))
          hoist(branch, op);
  }

private:
  using Key = std::tuple<StringRef, Value, Value>;

  /// The access to memory of dynamic strides that a region makes, if it makes no other.
  static Operation *onlyAccess(Region &region) {
    Operation *found = nullptr;
    for (Operation &op : region.getOps()) {
      if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
        continue;
      std::optional<Access> access = accessOf(&op);
      auto view = access ? access->memref->get().getDefiningOp<memref::ReinterpretCastOp>() : nullptr;
      if (found || !view || view.getType().getRank() < 2 || view.getStrides().empty())
        return nullptr;
      found = &op;
    }
    return found;
  }

  /// `value` before `branch`, with the arithmetic that it needs there; null if it needs more than that.
  Value before(scf::IfOp branch, Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !branch->isProperAncestor(op))
      return value;
    if (!isa<arith::AddIOp, arith::MulIOp, arith::ConstantOp>(op))
      return nullptr;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(before(branch, operand));
      if (!operands.back())
        return nullptr;
    }
    OpBuilder b(branch);
    if (isa<arith::ConstantOp>(op))
      return b.clone(*op)->getResult(0);
    return isa<arith::AddIOp>(op) ? combine<arith::AddIOp>(b, op->getLoc(), operands[0], operands[1])
                                  : combine<arith::MulIOp>(b, op->getLoc(), operands[0], operands[1]);
  }

  /// A sum or product, of which equal ones before earlier branches of the block are not made again.
  template <typename Op> Value combine(OpBuilder &b, Location loc, Value x, Value y) {
    Value &known = made[{Op::getOperationName(), x, y}];
    if (!known)
      known = b.createOrFold<Op>(loc, x, y);
    return known;
  }

  void hoist(scf::IfOp branch, Operation *op) {
    Access access = *accessOf(op);
    auto view = access.memref->get().getDefiningOp<memref::ReinterpretCastOp>();
    if (branch->isProperAncestor(view))
      return;
    SmallVector<Value> indices;
    for (OpOperand &index : access.indices) {
      indices.push_back(before(branch, index.get()));
      if (!indices.back())
        return;
    }
    OpBuilder b(branch);
    Location loc = op->getLoc();
    auto valueOf = [&](OpFoldResult number) {
      auto attribute = dyn_cast<Attribute>(number);
      if (!attribute)
        return cast<Value>(number);
      Value &known = constants[attribute];
      if (!known)
        known = getValueOrCreateConstantIndexOp(b, loc, number);
      return known;
    };
    Value sum = valueOf(view.getMixedOffsets().front()); // Of the outer dimensions first, which neighbours share.
    for (auto [index, stride] : llvm::zip(indices, view.getMixedStrides()))
      sum = combine<arith::AddIOp>(b, loc, sum, combine<arith::MulIOp>(b, loc, index, valueOf(stride)));
    access.memref->set(flat(b, view));
    access.indices.assign(sum);
    for (Operation &unused : llvm::make_early_inc_range(llvm::reverse(*op->getBlock())))
      if (isOpTriviallyDead(&unused))
        unused.erase();
  }

  /// The memory of a view in one dimension.
  Value flat(OpBuilder &b, memref::ReinterpretCastOp view) {
    Value &known = flats[view];
    if (!known) {
      auto type = MemRefType::get({ShapedType::kDynamic}, view.getType().getElementType(), MemRefLayoutAttrInterface(),
                                  view.getType().getMemorySpace());
      // Accesses are inside, and nothing reads the size.
      Value size = getValueOrCreateConstantIndexOp(b, view.getLoc(), view.getMixedSizes().front());
      known = memref::ReinterpretCastOp::create(b, view.getLoc(), type, view.getSource(), b.getIndexAttr(0), {size},
                                                {b.getIndexAttr(1)});
    }
    return known;
  }

  llvm::DenseMap<Key, Value> made;
  llvm::DenseMap<Attribute, Value> constants;
  llvm::DenseMap<Operation *, Value> flats;
};

struct AddressesBeforeBranches : impl::AddressesBeforeBranchesBase<AddressesBeforeBranches> {
  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](scf::IfOp branch) { blocks.insert(branch->getBlock()); });
    for (Block *block : blocks)
      AddressesOfBlock().hoist(*block);
  }
};
} // namespace
} // namespace lispier
