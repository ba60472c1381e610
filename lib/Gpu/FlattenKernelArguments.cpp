//===- FlattenKernelArguments.cpp - memref parameters -> pointer, sizes ---===//
//
// Before: kernels take memrefs of dynamic shape or layout, each of which would be
// a descriptor of up to seven words. After: they take a memref<T> (one pointer)
// and the index values that are not in the type, and reconstruct the memref at
// entry. The bare-pointer convention of the vendors' conversions rejects dynamic
// memrefs, so it depends on this pass.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/Launches.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_FLATTENKERNELARGUMENTS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// The parts of a memref's descriptor, besides the pointer, that must be passed because the type leaves them open.
struct Descriptor {
  bool offset = false;
  SmallVector<unsigned> sizes, strides; ///< Dimensions whose size or stride is passed as an argument.
};

/// Whether `op` computes an address without using the memref's first size.
bool ignoresFirstSize(Operation *op) {
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index && *index != 0;
  }
  return isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp, memref::PrefetchOp, vector::LoadOp, vector::StoreOp>(
      op);
}

FailureOr<Descriptor> describe(BlockArgument argument) {
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  Descriptor found;
  found.offset = ShapedType::isDynamic(offset);
  for (unsigned i = 0, rank = type.getRank(); i < rank; ++i) {
    if (type.isDynamicDim(i) && !(i == 0 && llvm::all_of(argument.getUsers(), ignoresFirstSize)))
      found.sizes.push_back(i);
    // The identity layout's dynamic strides are products of sizes.
    if (ShapedType::isDynamic(strides[i]) && !type.getLayout().isIdentity())
      found.strides.push_back(i);
  }
  return found;
}

bool isOnePointer(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() && succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

/// A placeholder for a size that nothing reads.
Value unreadSize(OpBuilder &builder, Location loc) {
  Value undefined = LLVM::UndefOp::create(builder, loc, builder.getI64Type());
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), undefined);
}

/// Reconstructs the memref from the pointer `base` and the index values for `descriptor` in `values`.
memref::ReinterpretCastOp rebuild(OpBuilder &builder, Location loc, MemRefType type, const Descriptor &descriptor,
                                  Value base, ArrayRef<Value> values) {
  SmallVector<int64_t> typeStrides;
  int64_t typeOffset;
  (void)type.getStridesAndOffset(typeStrides, typeOffset);
  OpFoldResult offset = builder.getIndexAttr(typeOffset);
  if (descriptor.offset) {
    offset = values.front();
    values = values.drop_front();
  }
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned i = 0, rank = type.getRank(); i < rank; ++i) {
    if (!type.isDynamicDim(i)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(i)));
    } else if (llvm::is_contained(descriptor.sizes, i)) {
      sizes.push_back(values.front());
      values = values.drop_front();
    } else {
      sizes.push_back(unreadSize(builder, loc));
    }
  }
  for (unsigned i = 0, rank = type.getRank(); i < rank; ++i)
    if (llvm::is_contained(descriptor.strides, i)) {
      strides.push_back(values.front());
      values = values.drop_front();
    } else {
      strides.push_back(builder.getIndexAttr(ShapedType::isDynamic(typeStrides[i]) ? 0 : typeStrides[i]));
    }
  if (type.getLayout().isIdentity()) { // Row-major: a stride is the product of the following sizes.
    for (int64_t i = type.getRank() - 2; i >= 0; --i) {
      if (!ShapedType::isDynamic(typeStrides[i]))
        continue;
      Value size = getValueOrCreateConstantIndexOp(builder, loc, sizes[i + 1]);
      Value next = getValueOrCreateConstantIndexOp(builder, loc, strides[i + 1]);
      strides[i] = builder.createOrFold<arith::MulIOp>(loc, size, next);
    }
  }
  return memref::ReinterpretCastOp::create(builder, loc, type, base, offset, sizes, strides);
}

/// Replaces `argument` by `memory`, and memref.dim ops on it by the size arguments.
void replace(OpBuilder &builder, BlockArgument argument, memref::ReinterpretCastOp memory) {
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    auto dim = dyn_cast<memref::DimOp>(user);
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index || *index < 0 || *index >= memory.getType().getRank())
      continue;
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, dim.getLoc(), memory.getMixedSizes()[*index]));
    dim.erase();
  }
  argument.replaceAllUsesWith(memory.getResult());
}

/// The operands to pass for `memory` at a launch. They are taken where the memory is defined, not at the launch, so
/// that launches in different branches have the same operands.
SmallVector<Value> takeApart(Value memory, const Descriptor &descriptor) {
  OpBuilder builder(memory.getContext());
  builder.setInsertionPointAfterValue(memory);
  Location loc = memory.getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, memory);
  SmallVector<Value> values{metadata.getBaseBuffer()};
  if (descriptor.offset)
    values.push_back(metadata.getOffset());
  for (unsigned i : descriptor.sizes)
    values.push_back(builder.createOrFold<memref::DimOp>(loc, memory, i));
  for (unsigned i : descriptor.strides)
    values.push_back(metadata.getStrides()[i]);
  return values;
}

LogicalResult flatten(gpu::GPUFuncOp kernel, unsigned index, ArrayRef<gpu::LaunchFuncOp> launches) {
  BlockArgument argument = kernel.getArgument(index);
  if (isa<UnrankedMemRefType>(argument.getType()))
    return kernel.emitOpError("takes an unranked memref; cast it to a rank before the launch");
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || isOnePointer(type))
    return success();
  FailureOr<Descriptor> descriptor = describe(argument);
  if (failed(descriptor))
    return kernel.emitOpError("takes a memref whose layout has no strides: ") << type;

  Location loc = argument.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto baseType = MemRefType::get({}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  unsigned count = descriptor->offset + descriptor->sizes.size() + descriptor->strides.size();
  SmallVector<Type> types{baseType};
  types.append(count, builder.getIndexType());
  SmallVector<DictionaryAttr> attributes(types.size(), builder.getDictionaryAttr({}));
  if (DictionaryAttr own = kernel.getArgAttrDict(index))
    attributes.front() = own;
  if (failed(kernel.insertArguments(SmallVector<unsigned>(types.size(), index + 1), types, attributes,
                                    SmallVector<Location>(types.size(), loc))))
    return failure();
  SmallVector<Value> values(kernel.getArguments().slice(index + 2, count));
  replace(builder, argument, rebuild(builder, loc, type, *descriptor, kernel.getArgument(index + 1), values));
  if (failed(kernel.eraseArgument(index)))
    return failure();

  for (gpu::LaunchFuncOp launch : launches) {
    SmallVector<Value> operands(launch.getKernelOperands());
    SmallVector<Value> parts = takeApart(operands[index], *descriptor);
    operands.erase(operands.begin() + index);
    operands.insert(operands.begin() + index, parts.begin(), parts.end());
    launch.getKernelOperandsMutable().assign(operands);
  }
  return success();
}

struct FlattenKernelArguments : impl::FlattenKernelArgumentsBase<FlattenKernelArguments> {
  void runOnOperation() override {
    llvm::DenseMap<SymbolRefAttr, SmallVector<gpu::LaunchFuncOp>> launches;
    device::forEachLaunch(getOperation(),
                          [&](gpu::LaunchFuncOp launch) { launches[launch.getKernelAttr()].push_back(launch); });
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation())) {
      if (!kernel.isKernel())
        continue;
      auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
      auto name = SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
      for (unsigned i = kernel.getNumArguments(); i-- > 0;) // In reverse, so that earlier indices stay valid.
        if (failed(flatten(kernel, i, launches.lookup(name))))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace lispier
