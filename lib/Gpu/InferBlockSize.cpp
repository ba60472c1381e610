//===- InferBlockSize.cpp - propagate block sizes to kernels --------------===//
//
// Before: kernels launched with constant block and cluster sizes. After: the
// kernels have the attributes known_block_size and known_cluster_size, and the
// ops that query block sizes are constants. LowerGroupOps and the code generators
// use them.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/Launches.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_INFERBLOCKSIZE
#include "lispier/Gpu/Passes.h.inc"

namespace {
using Size = std::array<int32_t, 3>;

/// The sizes if all are constants, else nullopt.
std::optional<Size> constants(gpu::KernelDim3 dims) {
  Size sizes;
  for (auto [i, value] : llvm::enumerate(ArrayRef<Value>{dims.x, dims.y, dims.z})) {
    std::optional<int64_t> size = getConstantIntValue(value);
    if (!size || *size <= 0 || *size > INT32_MAX)
      return std::nullopt;
    sizes[i] = *size;
  }
  return sizes;
}

/// The block and cluster sizes that all launches of a kernel have in common.
struct Agreement {
  llvm::DenseMap<SymbolRefAttr, std::optional<Size>> found;

  void add(gpu::LaunchFuncOp launch, std::optional<Size> size) {
    auto [entry, isFirst] = found.try_emplace(launch.getKernelAttr(), size);
    if (!isFirst && entry->second != size)
      entry->second = std::nullopt;
  }
};

void foldBlockDims(gpu::GPUFuncOp kernel, ArrayRef<int32_t> block) {
  kernel.walk([&](gpu::BlockDimOp op) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, op.getLoc(), block[static_cast<unsigned>(op.getDimension())])
            .getResult());
    op.erase();
  });
}

struct InferBlockSize : impl::InferBlockSizeBase<InferBlockSize> {
  void runOnOperation() override {
    Agreement blocks, clusters;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      blocks.add(launch, constants(launch.getBlockSizeOperandValues()));
      clusters.add(launch, launch.hasClusterSize() ? constants(launch.getClusterSizeOperandValues()) : std::nullopt);
    });
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation())) {
      auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
      auto name = SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
      if (std::optional<Size> size = blocks.found.lookup(name); size && !kernel.getKnownBlockSize())
        kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(&getContext(), *size));
      if (std::optional<Size> size = clusters.found.lookup(name); size && !kernel.getKnownClusterSize())
        kernel.setKnownClusterSizeAttr(DenseI32ArrayAttr::get(&getContext(), *size));
      if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize())
        foldBlockDims(kernel, *block);
    }
  }
};
} // namespace
} // namespace lispier
