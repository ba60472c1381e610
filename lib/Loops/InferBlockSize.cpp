//===- InferBlockSize.cpp - the block size that all launches have ---------===//
//
// Before: kernels launched with constant block sizes. After: the kernel says
// so (known_block_size), and its questions for them are constants.
// LowerGroupOps and the code generators make use of it.
//
//===----------------------------------------------------------------------===//

#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_INFERBLOCKSIZE
#include "lispier/Loops/Passes.h.inc"

namespace {
using BlockSize = std::array<int32_t, 3>;

/// The block size of a launch; nullopt when it is computed.
std::optional<BlockSize> blockSize(gpu::LaunchFuncOp launch) {
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  BlockSize sizes;
  for (auto [i, value] : llvm::enumerate(ArrayRef<Value>{block.x, block.y, block.z})) {
    std::optional<int64_t> size = getConstantIntValue(value);
    if (!size || *size <= 0 || *size > INT32_MAX)
      return std::nullopt;
    sizes[i] = *size;
  }
  return sizes;
}

void foldBlockDims(gpu::GPUFuncOp kernel, ArrayRef<int32_t> block) {
  kernel.walk([&](gpu::BlockDimOp op) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, op.getLoc(), block[static_cast<unsigned>(op.getDimension())]).getResult());
    op.erase();
  });
}

struct InferBlockSize : impl::InferBlockSizeBase<InferBlockSize> {
  void runOnOperation() override {
    llvm::DenseMap<SymbolRefAttr, std::optional<BlockSize>> found;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      std::optional<BlockSize> size = blockSize(launch);
      auto [entry, isFirst] = found.try_emplace(launch.getKernelAttr(), size);
      if (!isFirst && entry->second != size)
        entry->second = std::nullopt;
    });
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
      auto name = SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
      if (std::optional<BlockSize> size = found.lookup(name); size && !kernel.getKnownBlockSize())
        kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(&getContext(), *size));
      if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize())
        foldBlockDims(kernel, *block);
    });
  }
};
} // namespace
} // namespace lispier
