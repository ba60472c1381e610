//===- RingsToNvvm.cpp - rings of tiles -> mbarriers and bulk copies ------===//
//
// A ring is two rows of mbarriers: full, of one arrival and the bytes of a fill, and
// vacant, of one arrival of each warp that reads. Fill n uses slot n % slots, and is
// phase n / slots of both, whose parity a wait names (PTX ISA, "mbarrier").
//
//===----------------------------------------------------------------------===//
#include "RingsToNvvm.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr unsigned kShared = 3, kCluster = 7;                              ///< Address spaces.
constexpr int64_t kRowBytes = 128, kBarrierBytes = 8, kTicks = 10'000'000; ///< Of one try of a wait, which tries again.

class RingLowering {
public:
  explicit RingLowering(Operation *op) : b(op->getLoc(), op) {}
  ImplicitLocOpBuilder b;

  Value i32(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }

  /// `bytes`, an i32, behind the first element of memory of the block.
  Value pointer(Value memory, Value bytes) {
    Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
    Value address = arith::AddIOp::create(b, arith::IndexCastUIOp::create(b, b.getI32Type(), start), bytes);
    return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), kShared), address);
  }
  Value element(Value memory, Value index) {
    int64_t bytes = byteSize(cast<MemRefType>(memory.getType()).getElementType());
    Value offset = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
    return pointer(memory, arith::MulIOp::create(b, offset, i32(bytes)));
  }

  static int64_t slotsOf(Value ring) { return cast<MemRefType>(ring.getType()).getDimSize(1); }
  Value slot(Value ring, Value n) { return arith::RemUIOp::create(b, n, i32(slotsOf(ring))); }
  Value barrier(Value ring, Value slot, bool isVacant) {
    Value bytes = arith::MulIOp::create(b, slot, i32(kBarrierBytes));
    return pointer(ring,
                   isVacant ? arith::AddIOp::create(b, bytes, i32(slotsOf(ring) * kBarrierBytes)).getResult() : bytes);
  }
  /// Waits for the end of a phase of that parity.
  void wait(Value barrier, Value parity) { NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity, i32(kTicks)); }
  Value parity(Value ring, Value n) {
    return arith::AndIOp::create(b, arith::DivUIOp::create(b, n, i32(slotsOf(ring))), i32(1));
  }
  /// Innermost first.
  SmallVector<Value> coordinates(ValueRange indices) {
    return llvm::map_to_vector(llvm::reverse(indices), [&](Value each) -> Value {
      return arith::IndexCastOp::create(b, b.getI32Type(), each);
    });
  }
  Value map(Value map) {
    return UnrealizedConversionCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), map).getResult(0);
  }
};

void toNvvm(RingLowering &to, tile::RingStartOp op) {
  ImplicitLocOpBuilder &b = to.b;
  Value one = to.i32(1), consumers = to.i32(op.getConsumers());
  for (int64_t slot = 0; slot < RingLowering::slotsOf(op.getRing()); ++slot)
    for (bool isVacant : {false, true})
      NVVM::MBarrierInitOp::create(b, to.barrier(op.getRing(), to.i32(slot), isVacant), isVacant ? consumers : one,
                                   /*predicate=*/Value());
  NVVM::FenceMbarrierInitOp::create(b);
}

void toNvvm(RingLowering &to, tile::VacantOp op) {
  ImplicitLocOpBuilder &b = to.b;
  Value slot = to.slot(op.getRing(), op.getN()), one = to.i32(1);
  // That of the phase before: a barrier that has just begun counts as at the end of one of parity 1.
  Value parity = to.parity(op.getRing(), arith::AddIOp::create(b, op.getN(), to.i32(op.getLate())));
  to.wait(to.barrier(op.getRing(), slot, true), arith::XOrIOp::create(b, parity, one));
  NVVM::MBarrierArriveExpectTxOp::create(b, /*res=*/Type(), to.barrier(op.getRing(), slot, false),
                                         to.i32(op.getBytes()), NVVM::MemScopeKind::CTA, /*relaxed=*/false,
                                         /*predicate=*/Value());
}

void toNvvm(RingLowering &to, tile::FillOp op) {
  ImplicitLocOpBuilder &b = to.b;
  auto type = cast<MemRefType>(op.getSlots().getType());
  int64_t bytes = type.getNumElements() / type.getDimSize(0) * byteSize(type.getElementType());
  Value slot = to.slot(op.getRing(), op.getN()), full = to.barrier(op.getRing(), slot, false);
  Value begin = arith::MulIOp::create(b, slot, to.i32(bytes)), map = to.map(op.getMap());
  SmallVector<Value> coordinates = to.coordinates(op.getIndices());
  int64_t columns = kRowBytes / byteSize(type.getElementType()), blockBytes = type.getDimSize(1) * kRowBytes;
  for (int64_t block = 0; block * blockBytes < bytes; ++block) {
    SmallVector<Value> at = coordinates;
    at.front() = b.createOrFold<arith::AddIOp>(at.front(), to.i32(block * columns));
    Value place = to.pointer(op.getSlots(), b.createOrFold<arith::AddIOp>(begin, to.i32(block * blockBytes)));
    place = LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), kCluster), place);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, place, map, at, full, ValueRange(), /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, /*group=*/nullptr, /*predicate=*/Value());
  }
}

void toNvvm(RingLowering &to, tile::FilledOp op) {
  Value slot = to.slot(op.getRing(), op.getN());
  to.wait(to.barrier(op.getRing(), slot, false), to.parity(op.getRing(), op.getN()));
}

void toNvvm(RingLowering &to, tile::ReleaseOp op) {
  // Without going below 0.
  int64_t ahead = RingLowering::slotsOf(op.getRing()) - op.getLate();
  Value slot = to.slot(op.getRing(), arith::AddIOp::create(to.b, op.getN(), to.i32(ahead)));
  NVVM::MBarrierArriveOp::create(to.b, /*res=*/to.b.getI64Type(), to.barrier(op.getRing(), slot, true));
}

void toNvvm(RingLowering &to, tile::DrainedOp op) {
  NVVM::CpAsyncBulkWaitGroupOp::create(to.b, uint32_t(op.getPending()), op.getWritten() ? nullptr : to.b.getUnitAttr());
}

void toNvvm(RingLowering &to, tile::ElectedOp op) {
  op.replaceAllUsesWith(NVVM::ElectSyncOp::create(to.b, to.b.getI1Type(), /*membermask=*/Value()).getResult());
}

/// ptxas knows how a copy, or what a lane's number is made of, is computed before; not the highest bit of the clock,
/// which is 0.
void toNvvm(RingLowering &to, tile::AgainOp op) {
  ImplicitLocOpBuilder &b = to.b;
  Value zero = LLVM::InlineAsmOp::create(b, b.getI32Type(), ValueRange(), "mov.u32 $0, %clock_hi; shr.u32 $0, $0, 31;",
                                         "=r", /*has_side_effects=*/true,
                                         /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                         LLVM::AsmDialectAttr(), ArrayAttr())
                   .getRes();
  op.replaceAllUsesWith(arith::XOrIOp::create(b, op.getNumber(), zero).getResult());
}

void toNvvm(RingLowering &to, tile::JoinOp op) {
  if (op.getPublishes())
    NVVM::FenceProxyOp::create(to.b, NVVM::ProxyKindAttr::get(to.b.getContext(), NVVM::ProxyKind::async_shared),
                               NVVM::SharedSpaceAttr::get(to.b.getContext(), NVVM::SharedSpace::shared_cta));
  if (op.getPasses())
    NVVM::BarrierArriveOp::create(to.b, op.getId(), to.i32(op.getThreads()));
  else
    NVVM::BarrierOp::create(to.b, /*res=*/Type(), op.getId(), to.i32(op.getThreads()), nullptr, Value());
}

void toNvvm(RingLowering &to, tile::RegistersOp op) {
  NVVM::SetMaxRegisterOp::create(to.b, uint32_t(op.getCount()),
                                 op.getMore() ? NVVM::SetMaxRegisterAction::increase
                                              : NVVM::SetMaxRegisterAction::decrease);
}

void toNvvm(RingLowering &to, tile::StoreMatrixOp op) {
  ImplicitLocOpBuilder &b = to.b;
  SmallVector<Value> words;
  for (int64_t i = 0, count = cast<VectorType>(op.getMatrices().getType()).getDimSize(0); i < count; ++i) {
    Value pair = vector::ExtractOp::create(b, op.getMatrices(), ArrayRef<int64_t>{i});
    Value word = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), pair);
    words.push_back(vector::ExtractOp::create(b, word, ArrayRef<int64_t>{0}));
  }
  NVVM::StMatrixOp::create(b, to.element(op.getDestination(), op.getIndices().front()), words, NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
}

void toNvvm(RingLowering &to, tile::CopyBulkOp op) {
  ImplicitLocOpBuilder &b = to.b;
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, to.map(op.getMap()), to.element(op.getSource(), op.getSourceIndex()), to.coordinates(op.getIndices()),
      /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}
} // namespace

template <typename Op> static LogicalResult lowerRing(Op op) {
  if constexpr (std::is_same_v<Op, tile::FillOp> || std::is_same_v<Op, tile::CopyBulkOp>)
    if (!op.getMap())
      return op.emitOpError("has no tensor map, which lispier-pass-tensor-maps makes");
  RingLowering to(op);
  toNvvm(to, op);
  op->erase();
  return success();
}

LogicalResult ringToNvvm(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::RingStartOp, tile::VacantOp, tile::FillOp, tile::FilledOp, tile::ReleaseOp, tile::DrainedOp,
            tile::ElectedOp, tile::AgainOp, tile::JoinOp, tile::StoreMatrixOp, tile::CopyBulkOp, tile::RegistersOp>(
          [](auto of) { return lowerRing(of); })
      .Default(success());
}
} // namespace lispier
