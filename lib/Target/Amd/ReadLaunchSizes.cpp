//===- ReadLaunchSizes.cpp - block and grid sizes without a library -------===//
//
// Before: gpu.block_dim and gpu.grid_dim. After: constants if the kernel has
// known_block_size, else loads from the implicit arguments, at the offsets that
// LLVM's AMDGPU usage guide gives for code object version 5.
// convert-gpu-to-rocdl would call the device library.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Amd/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_READLAUNCHSIZES
#include "lispier/Target/Amd/Passes.h.inc"

namespace {
constexpr unsigned kConstantSpace = 4;
/// Offsets in bytes of hidden_block_count_x (three numbers of 32 bits) and hidden_group_size_x (three of 16 bits).
constexpr int32_t kBlockCounts = 0, kBlockSizes = 12;
constexpr llvm::StringLiteral kAnyBlock = "1,1024";

/// Loads the unsigned number of `bits` bits at byte `offset` of the implicit arguments, as an index.
Value readImplicit(OpBuilder &b, Location loc, int32_t offset, unsigned bits) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace);
  Value base =
      LLVM::CallIntrinsicOp::create(b, loc, pointer, b.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
          .getResult(0);
  Value place = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
  Value number = LLVM::LoadOp::create(b, loc, b.getIntegerType(bits), place, bits / 8, /*isVolatile=*/false,
                                      /*isNonTemporal=*/false, /*isInvariant=*/true);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
}

struct ReadLaunchSizes : impl::ReadLaunchSizesBase<ReadLaunchSizes> {
  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
      if (kernel.isKernel() && !block && !kernel->hasAttr("rocdl.flat_work_group_size"))
        kernel->setAttr("rocdl.flat_work_group_size", StringAttr::get(&getContext(), kAnyBlock));
      kernel.walk([&](gpu::BlockDimOp op) {
        auto axis = static_cast<unsigned>(op.getDimension());
        OpBuilder b(op);
        replace(op, block ? arith::ConstantIndexOp::create(b, op.getLoc(), (*block)[axis]).getResult()
                          : readImplicit(b, op.getLoc(), kBlockSizes + 2 * axis, 16));
      });
      kernel.walk([&](gpu::GridDimOp op) {
        OpBuilder b(op);
        replace(op, readImplicit(b, op.getLoc(), kBlockCounts + 4 * static_cast<unsigned>(op.getDimension()), 32));
      });
    });
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
};
} // namespace
} // namespace lispier
