//===- TileOpsToNvvm.cpp - thread-level tile ops -> NVIDIA's instructions -===//
#include "lispier/Loops/ByteSize.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TILEOPSTONVVM
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
constexpr int64_t kWordBytes = 4, kLargestCopy = 16;

/// The operands of mma.sync: words of 32 bits, of two halves as vector<2xf16> if they are F16, else as i32.
SmallVector<Value> wordsOf(ImplicitLocOpBuilder &b, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  int64_t perWord = kWordBytes / byteSize(type.getElementType());
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getNumElements(); i += perWord) {
    Value part = vector::ExtractStridedSliceOp::create(b, fragment, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{perWord},
                                                       ArrayRef<int64_t>{1});
    if (!type.getElementType().isF16()) {
      part = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), part);
      part = vector::ExtractOp::create(b, part, ArrayRef<int64_t>{0});
    }
    words.push_back(part);
  }
  return words;
}

std::optional<NVVM::MMATypes> operandType(tile::MmaOp mma) {
  Type type = cast<VectorType>(mma.getA().getType()).getElementType();
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isF32() && mma.getTf32())
    return NVVM::MMATypes::tf32;
  if (type.isInteger(8))
    return NVVM::MMATypes::s8;
  return std::nullopt;
}

LogicalResult lower(tile::MmaOp mma) {
  ImplicitLocOpBuilder b(mma.getLoc(), mma);
  std::optional<NVVM::MMATypes> type = operandType(mma);
  if (!type)
    return mma.emitOpError("of ") << mma.getA().getType() << " is no instruction of NVIDIA's";
  auto sums = cast<VectorType>(mma.getType());
  SmallVector<Value> c;
  for (int64_t i = 0; i < sums.getNumElements(); ++i)
    c.push_back(vector::ExtractOp::create(b, mma.getC(), ArrayRef<int64_t>{i}));
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(c.size(), sums.getElementType()));
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (*type == NVVM::MMATypes::s8)
    overflow = NVVM::MMAIntOverflow::wrapped;
  auto product = NVVM::MmaOp::create(b, result, wordsOf(b, mma.getA()), wordsOf(b, mma.getB()), c,
                                     ArrayRef<int64_t>{int64_t(mma.getM()), int64_t(mma.getN()), int64_t(mma.getK())},
                                     std::nullopt, overflow, std::array{*type, *type},
                                     std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> d;
  for (int64_t i = 0; i < sums.getNumElements(); ++i)
    d.push_back(LLVM::ExtractValueOp::create(b, product.getRes(), ArrayRef<int64_t>{i}));
  mma.replaceAllUsesWith(vector::FromElementsOp::create(b, sums, d).getResult());
  mma.erase();
  return success();
}

LogicalResult lower(tile::LoadMatrixOp load) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  auto type = cast<VectorType>(load.getType());
  Value loaded = nvgpu::LdMatrixOp::create(b, type, load.getSource(), load.getIndices(), load.getTransposed(),
                                           uint32_t(type.getDimSize(0)));
  load.replaceAllUsesWith(loaded);
  load.erase();
  return success();
}

LogicalResult lower(tile::CopyAsyncOp copy) {
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  int64_t bytes = copy.getElements() * byteSize(cast<MemRefType>(copy.getSource().getType()).getElementType());
  // Copies of 16 bytes may pass the first-level cache by, in which a tile is not found again.
  UnitAttr bypass = bytes == kLargestCopy ? b.getUnitAttr() : nullptr;
  nvgpu::DeviceAsyncCopyOp::create(b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), copy.getDestination(),
                                   copy.getDestinationIndices(), copy.getSource(), copy.getSourceIndices(),
                                   b.getIndexAttr(copy.getElements()), copy.getRead(), bypass);
  copy.erase();
  return success();
}

LogicalResult lower(tile::CommitCopiesOp commit) {
  OpBuilder b(commit);
  NVVM::CpAsyncCommitGroupOp::create(b, commit.getLoc());
  commit.erase();
  return success();
}

LogicalResult lower(tile::WaitCopiesOp wait) {
  OpBuilder b(wait);
  NVVM::CpAsyncWaitGroupOp::create(b, wait.getLoc(), uint32_t(wait.getPending()));
  wait.erase();
  return success();
}

struct TileOpsToNvvm : impl::TileOpsToNvvmBase<TileOpsToNvvm> {
  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([](Operation *op) {
      LogicalResult lowered =
          TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tile::MmaOp, tile::LoadMatrixOp, tile::CopyAsyncOp, tile::CommitCopiesOp, tile::WaitCopiesOp>(
                  [](auto of) { return lower(of); })
              .Default(success());
      return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
