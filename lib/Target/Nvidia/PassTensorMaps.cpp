//===- PassTensorMaps.cpp - tensor maps for copies of tiles ---------------===//
//
// Before: kernels whose tile.fill and tile.copy_bulk name memory. After: they name a
// tensor map of it, too, a parameter of the kernel that each launch makes beside it:
// its memory's sizes and strides, and the box that one copy moves.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/Launches.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PASSTENSORMAPS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
/// A map of a kernel's parameter: how many rows of 128 bytes a copy moves.
using MapOf = std::pair<unsigned, int64_t>;
using MapsOf = llvm::MapVector<MapOf, Value, std::map<MapOf, unsigned>>;
constexpr int64_t kBoxRowBytes = 128;

int64_t rowElements(MemRefType type) { return kBoxRowBytes * 8 / type.getElementTypeBitWidth(); }

nvgpu::TensorMapDescriptorType mapType(MemRefType type, int64_t rows) {
  auto space = gpu::AddressSpaceAttr::get(type.getContext(), gpu::AddressSpace::Workgroup);
  auto box = MemRefType::get({rows, rowElements(type)}, type.getElementType(), MemRefLayoutAttrInterface(), space);
  return nvgpu::TensorMapDescriptorType::get(
      type.getContext(), box, nvgpu::TensorMapSwizzleKind::SWIZZLE_128B, nvgpu::TensorMapL2PromoKind::L2PROMO_256B,
      nvgpu::TensorMapOOBKind::OOB_ZERO, nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
}

/// The map of `memory`, a parameter that the kernel has had or now gets; null, after an error, of other memory.
Value mapOf(gpu::GPUFuncOp kernel, Operation *copy, Value memory, int64_t rows, MapsOf &maps) {
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument || argument.getOwner() != &kernel.getBody().front()) {
    copy->emitOpError("moves tiles of memory that is no parameter of the kernel");
    return {};
  }
  Value &map = maps[{argument.getArgNumber(), rows}];
  if (!map) {
    unsigned number = kernel.getNumArguments();
    (void)kernel.insertArgument(number, mapType(cast<MemRefType>(memory.getType()), rows),
                                DictionaryAttr::get(kernel.getContext()), copy->getLoc());
    map = kernel.getArgument(number);
  }
  return map;
}

LogicalResult addMaps(gpu::GPUFuncOp kernel, MapsOf &maps) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    Value map;
    if (auto fill = dyn_cast<tile::FillOp>(op)) {
      map = mapOf(kernel, op, fill.getSource(), cast<MemRefType>(fill.getSlots().getType()).getDimSize(1), maps);
      if (map)
        fill.getMapMutable().assign(map);
    } else if (auto copy = dyn_cast<tile::CopyBulkOp>(op)) {
      map = mapOf(kernel, op, copy.getDestination(), copy.getRows(), maps);
      if (map)
        copy.getMapMutable().assign(map);
    } else {
      return WalkResult::advance();
    }
    return map ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

void makeMaps(gpu::LaunchFuncOp launch, const MapsOf &maps) {
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  for (auto &[of, parameter] : maps) {
    Value memory = launch.getKernelOperands()[of.first];
    auto type = cast<MemRefType>(memory.getType());
    SmallVector<Value> box(type.getRank() - 2, arith::ConstantIndexOp::create(b, 1));
    box.push_back(arith::ConstantIndexOp::create(b, of.second));
    box.push_back(arith::ConstantIndexOp::create(b, rowElements(type)));
    Value unranked =
        memref::CastOp::create(b, UnrankedMemRefType::get(type.getElementType(), type.getMemorySpace()), memory);
    launch.getKernelOperandsMutable().append(
        nvgpu::TmaCreateDescriptorOp::create(b, parameter.getType(), unranked, box).getResult());
  }
}

struct PassTensorMaps : impl::PassTensorMapsBase<PassTensorMaps> {
  void runOnOperation() override {
    llvm::MapVector<Operation *, MapsOf> kernels;
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation())) {
      MapsOf maps;
      if (failed(addMaps(kernel, maps)))
        return signalPassFailure();
      if (!maps.empty())
        kernels[kernel] = std::move(maps);
    }
    if (kernels.empty())
      return;
    SymbolTableCollection symbols;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      auto found = kernels.find(symbols.lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (found != kernels.end())
        makeMaps(launch, found->second);
    });
  }
};
} // namespace
} // namespace lispier
