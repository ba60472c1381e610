//===- TileOpsToAmdgpu.cpp - thread-level tile ops -> AMD's instructions --===//
//
// Copies to shared memory go through registers: the chips before gfx950 have no
// asynchronous copies of more than four bytes a lane. They are thus done when their
// group ends, and a wait has nothing to wait for. What a pipelined loop copies for a
// later step it reads before its products and writes behind them (DelayStores.cpp).
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TILEOPSTOAMDGPU
#include "lispier/Target/Amd/Passes.h.inc"

namespace {
/// v_wmma has as many elements of a in a lane as the product has steps; v_mfma divides them between the lanes.
bool isWmma(tile::MmaOp mma) { return cast<VectorType>(mma.getA().getType()).getNumElements() == int64_t(mma.getK()); }

LogicalResult lower(tile::MmaOp mma) {
  ImplicitLocOpBuilder b(mma.getLoc(), mma);
  if (isWmma(mma)) {
    mma.replaceAllUsesWith(
        amdgpu::WMMAOp::create(b, mma.getType(), mma.getM(), mma.getN(), mma.getK(), mma.getA(), mma.getB(), mma.getC())
            .getResult());
    mma.erase();
    return success();
  }
  Value a = mma.getA(), c = mma.getB();
  if (cast<VectorType>(a.getType()).getNumElements() == 1) { // Scalars, as the instructions for F32 take them.
    a = vector::ExtractOp::create(b, a, ArrayRef<int64_t>{0});
    c = vector::ExtractOp::create(b, c, ArrayRef<int64_t>{0});
  }
  Value product =
      amdgpu::MFMAOp::create(b, mma.getType(), mma.getM(), mma.getN(), mma.getK(), /*blocks=*/1, a, c, mma.getC());
  mma.replaceAllUsesWith(product);
  mma.erase();
  return success();
}

/// The first `read` of `count` elements, and zeros behind them.
Value partOf(ImplicitLocOpBuilder &b, tile::CopyAsyncOp copy, VectorType type) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value first = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, first, copy.getRead(), one, ValueRange{zero}, [&](OpBuilder &body, Location loc, Value i, ValueRange carried) {
        SmallVector<Value> at(copy.getSourceIndices());
        at.back() = arith::AddIOp::create(body, loc, at.back(), i);
        Value element = memref::LoadOp::create(body, loc, copy.getSource(), at);
        Value next = vector::InsertOp::create(body, loc, element, carried[0], OpFoldResult(i));
        scf::YieldOp::create(body, loc, next);
      });
  return loop.getResult(0);
}

LogicalResult lower(tile::CopyAsyncOp copy) {
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  auto type =
      VectorType::get({int64_t(copy.getElements())}, cast<MemRefType>(copy.getSource().getType()).getElementType());
  auto whole = [&](OpBuilder &at, Location loc) -> Value {
    return vector::LoadOp::create(at, loc, type, copy.getSource(), copy.getSourceIndices());
  };
  Value elements;
  if (Value read = copy.getRead()) {
    Value count = arith::ConstantIndexOp::create(b, copy.getElements());
    Value all = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, read, count);
    auto branch = scf::IfOp::create(b, TypeRange{type}, all, /*withElseRegion=*/true);
    OpBuilder then = branch.getThenBodyBuilder();
    scf::YieldOp::create(then, copy.getLoc(), whole(then, copy.getLoc()));
    ImplicitLocOpBuilder otherwise(copy.getLoc(), branch.getElseBodyBuilder());
    scf::YieldOp::create(otherwise, partOf(otherwise, copy, type));
    elements = branch.getResult(0);
  } else {
    elements = whole(b, copy.getLoc());
  }
  vector::StoreOp::create(b, elements, copy.getDestination(), copy.getDestinationIndices());
  copy.erase();
  return success();
}

void keepBehind(Operation *op, amdgpu::sched_barrier_opt_enum passes) {
  OpBuilder b(op);
  amdgpu::SchedBarrierOp::create(b, op->getLoc(), passes);
}

/// The first op behind the block's products that the value of a store to a slot is made of, or the store.
Operation *firstOfStore(Operation *store) {
  Operation *first = store;
  for (Operation *op = store->getPrevNode(); op && !isa<tile::MmaOp>(op); op = op->getPrevNode())
    if (isa<vector::VectorDialect>(op->getDialect()) && !isa<vector::LoadOp>(op))
      first = op;
  return first;
}

/// What is stored to slots of a later step is read before the block's products; the scheduler would read it between
/// them, to save registers. And nothing moves past the first of these stores, or what makes its value of what was read.
void keepStoresToSlots(gpu::GPUModuleOp module) {
  using Kinds = amdgpu::sched_barrier_opt_enum;
  llvm::SetVector<Operation *> first;
  module.walk([&](Operation *op) {
    bool isFirst = op->hasAttr(tile::kToSlot) &&
                   llvm::none_of(first, [&](Operation *other) { return other->getBlock() == op->getBlock(); });
    if (isFirst)
      first.insert(op);
    op->removeDiscardableAttr(tile::kToSlot);
  });
  for (Operation *op : first) {
    auto products = op->getBlock()->getOps<tile::MmaOp>();
    if (!products.empty())
      keepBehind(*products.begin(), Kinds::salu | Kinds::all_ds);
    keepBehind(firstOfStore(op), Kinds::none);
  }
}

struct TileOpsToAmdgpu : impl::TileOpsToAmdgpuBase<TileOpsToAmdgpu> {
  using TileOpsToAmdgpuBase::TileOpsToAmdgpuBase;

  void runOnOperation() override {
    if (keepStores)
      keepStoresToSlots(getOperation());
    WalkResult walked = getOperation()->walk([](Operation *op) {
      LogicalResult lowered =
          TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tile::MmaOp, tile::CopyAsyncOp>([](auto of) { return lower(of); })
              .Case<tile::CommitCopiesOp, tile::WaitCopiesOp>([](auto of) {
                of.erase();
                return success();
              })
              .Case([](tile::LoadMatrixOp load) { return load.emitOpError("is no instruction of AMD's"); })
              .Default(success());
      return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
