//===- CallDeviceMemory.cpp - device memory -> runtime calls --------------===//
#include "DeviceCalls.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Runtime/Device/Device.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"

using namespace mlir;

namespace lispier {
namespace {
/// The element type of a tensor map; nullopt for types that tensor maps do not support.
std::optional<runtime::TensorMapType> tensorType(Type type) {
  using enum runtime::TensorMapType;
  using Row = std::pair<bool, runtime::TensorMapType>;
  for (auto [matches, found] : {Row{type.isInteger(8), U8}, Row{type.isInteger(16), U16}, Row{type.isInteger(32), S32},
                                Row{type.isInteger(64), S64}, Row{type.isF16(), F16}, Row{type.isF32(), F32},
                                Row{type.isF64(), F64}, Row{type.isBF16(), BF16}, Row{type.isTF32(), TF32}})
    if (matches)
      return found;
  return std::nullopt;
}
} // namespace

Type DeviceCallLowering::tensorMapType(MLIRContext *context) {
  constexpr int64_t kWordBytes = 8;
  return LLVM::LLVMArrayType::get(IntegerType::get(context, 8 * kWordBytes), runtime::TensorMap::kBytes / kWordBytes);
}

void DeviceCallLowering::lowerAlloc(Operation *op, MemRefType type, ValueRange sizes, bool shared) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value bytes = constant(b, loc, byteSize(type.getElementType()));
  unsigned next = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    Value size = type.isDynamicDim(i) ? wide(b, loc, sizes[next++]) : constant(b, loc, type.getDimSize(i));
    bytes = arith::MulIOp::create(b, loc, bytes, size);
  }
  StringRef callee = shared ? "lispier_rt_device_alloc_shared" : "lispier_rt_device_alloc";
  Value start = calls.call(b, loc, callee, {bytes, calls.site(b, loc)}, pointerType()).getResult(0);
  op->getResult(0).replaceAllUsesWith(memrefAt(b, loc, type, start, sizes));
  op->erase();
}

void DeviceCallLowering::lowerFree(Operation *op, Value memref) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value start = wide(b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
  calls.call(b, loc, "lispier_rt_device_free",
             {LLVM::IntToPtrOp::create(b, loc, pointerType(), start), calls.site(b, loc)});
  op->erase();
}

/// Copies between memrefs of which one or both are strided.
void DeviceCallLowering::copyStrided(OpBuilder &b, Location loc, Value to, Value from) {
  auto type = cast<MemRefType>(to.getType());
  auto target = memref::ExtractStridedMetadataOp::create(b, loc, to);
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, from);
  calls.call(b, loc, "lispier_rt_device_copy_strided",
             {startOf(b, loc, to), startOf(b, loc, from), constant(b, loc, byteSize(type.getElementType())),
              constant(b, loc, type.getRank()), numbers(b, loc, target.getConstifiedMixedSizes()),
              numbers(b, loc, target.getConstifiedMixedStrides()), numbers(b, loc, source.getConstifiedMixedStrides()),
              calls.site(b, loc)});
}

LogicalResult DeviceCallLowering::lowerCopy(const DeviceCallPlan &plan, Value to, Value from) {
  Operation *op = plan.op;
  OpBuilder b(op);
  Location loc = op->getLoc();
  bool contiguous = isContiguous(cast<MemRefType>(to.getType())) && isContiguous(cast<MemRefType>(from.getType()));
  for (Value memref : {to, from}) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(memref.getType()).getStridesAndOffset(strides, offset)))
      return op->emitError("copies between host and device need strided memory, not ") << memref.getType();
  }
  if (contiguous)
    calls.call(b, loc, "lispier_rt_device_copy",
               {startOf(b, loc, to), startOf(b, loc, from), bytesOf(b, loc, to), calls.site(b, loc)});
  else
    copyStrided(b, loc, to, from);
  // The host may read its own memory through pointers, which DeviceMemory does not track.
  if (!plan.memory.onDevice() || plan.memory.unknown)
    calls.call(b, loc, "lispier_rt_device_wait", calls.site(b, loc));
  op->erase();
  return success();
}

LogicalResult DeviceCallLowering::lowerUpload(device::UploadOp upload, bool shared) {
  Value from = upload.getSource();
  auto type = dyn_cast<MemRefType>(from.getType());
  if (!type || !type.getLayout().isIdentity())
    return upload.emitError("uploads contiguous memory; this is ") << from.getType();
  OpBuilder b(upload);
  Location loc = upload.getLoc();
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, loc, from, i));
  Value bytes = bytesOf(b, loc, from), start;
  if (upload.getOnce() && !shared) {
    start = calls
                .call(b, loc, "lispier_rt_device_upload_once", {startOf(b, loc, from), bytes, calls.site(b, loc)},
                      pointerType())
                .getResult(0);
  } else {
    StringRef callee = shared ? "lispier_rt_device_alloc_shared" : "lispier_rt_device_alloc";
    start = calls.call(b, loc, callee, {bytes, calls.site(b, loc)}, pointerType()).getResult(0);
    calls.call(b, loc, "lispier_rt_device_copy", {start, startOf(b, loc, from), bytes, calls.site(b, loc)});
  }
  upload.getResult().replaceAllUsesWith(memrefAt(b, loc, type, start, sizes));
  upload.erase();
  return success();
}

/// The result is ordinary host memory, unless a kernel uses it, too.
void DeviceCallLowering::lowerDownload(device::DownloadOp download, const DeviceMemory::Class &memory) {
  OpBuilder b(download);
  Location loc = download.getLoc();
  Value from = download.getSource();
  auto type = cast<MemRefType>(download.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, loc, from, i));
  auto to = memref::AllocOp::create(b, loc, type, sizes);
  auto copy = gpu::MemcpyOp::create(b, loc, Type(), ValueRange(), to, from);
  download.getResult().replaceAllUsesWith(to);
  download.erase();
  (void)lowerCopy({copy, memory}, to, from); // The verifier has checked that both are strided.
  if (memory.onDevice())
    lowerAlloc(to, type, sizes, memory.onHost() || memory.unknown);
}

LogicalResult DeviceCallLowering::lowerFill(gpu::MemsetOp fill) {
  auto type = cast<MemRefType>(fill.getDst().getType());
  Type element = type.getElementType();
  int64_t width = byteSize(element);
  if (!type.getLayout().isIdentity() || !element.isIntOrIndexOrFloat() || !llvm::is_contained({1, 2, 4, 8}, width))
    return fill.emitError("fills contiguous memory with elements of 1, 2, 4 or 8 bytes; this is ") << type;
  OpBuilder b(fill);
  Location loc = fill.getLoc();
  Value pattern = fill.getValue();
  if (isa<FloatType>(element))
    pattern = arith::BitcastOp::create(b, loc, b.getIntegerType(element.getIntOrFloatBitWidth()), pattern);
  if (element.isIndex())
    pattern = wide(b, loc, pattern);
  else if (width < 8)
    pattern = arith::ExtUIOp::create(b, loc, b.getI64Type(), pattern);
  Value bytes = bytesOf(b, loc, fill.getDst());
  Value count = arith::DivUIOp::create(b, loc, bytes, constant(b, loc, width));
  calls.call(b, loc, "lispier_rt_device_fill",
             {startOf(b, loc, fill.getDst()), pattern, constant(b, loc, width, 32), count, calls.site(b, loc)});
  fill.erase();
  return success();
}

LogicalResult DeviceCallLowering::lowerTensorMap(nvgpu::TmaCreateDescriptorOp op) {
  auto cast = op.getTensor().getDefiningOp<memref::CastOp>();
  auto type = cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  if (!type)
    return op.emitError("describes a memref of unknown rank; cast it from a ranked one here");
  std::optional<runtime::TensorMapType> element = tensorType(type.getElementType());
  if (!element || type.getRank() != int64_t(op.getBoxDimensions().size()))
    return op.emitError("describes tiles of integers or floats, one size a dimension; this is ")
           << type << " in tiles of " << op.getBoxDimensions().size() << " dimensions";
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, cast.getSource());
  SmallVector<OpFoldResult> box(op.getBoxDimensions().begin(), op.getBoxDimensions().end());
  auto description = llvm::cast<nvgpu::TensorMapDescriptorType>(op.getTensorMap().getType());
  auto choice = [&](auto kind) { return constant(b, loc, static_cast<int64_t>(kind), 32); };
  // In the entry block, so that a loop does not grow the stack.
  OpBuilder entry = OpBuilder::atBlockBegin(&op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
  Type words = tensorMapType(b.getContext());
  Value made = LLVM::AllocaOp::create(entry, loc, pointerType(), words, constant(entry, loc, 1));
  calls.call(b, loc, "lispier_rt_device_tensor_map",
             {made, startOf(b, loc, cast.getSource()), constant(b, loc, type.getRank()),
              numbers(b, loc, metadata.getConstifiedMixedSizes()),
              numbers(b, loc, metadata.getConstifiedMixedStrides()), numbers(b, loc, box), choice(*element),
              choice(description.getInterleave()), choice(description.getSwizzle()), choice(description.getL2promo()),
              choice(description.getOob()), calls.site(b, loc)});
  Value map = LLVM::LoadOp::create(b, loc, words, made);
  op.replaceAllUsesWith(UnrealizedConversionCastOp::create(b, loc, description, map).getResult(0));
  op.erase();
  return success();
}

/// Memory from this program's own allocations is accessible to the device already and need not be registered.
LogicalResult DeviceCallLowering::lowerRegister(const DeviceCallPlan &plan, Value unranked, bool begin) {
  Operation *op = plan.op;
  if (plan.memory.unknown) {
    auto cast = unranked.getDefiningOp<memref::CastOp>();
    auto type = cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
    if (!type)
      return op->emitError("registers a memref of unknown rank; cast it from a ranked one here");
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value start = startOf(b, loc, cast.getSource());
    if (begin)
      calls.call(b, loc, "lispier_rt_device_register", {start, bytesOf(b, loc, cast.getSource()), calls.site(b, loc)});
    else
      calls.call(b, loc, "lispier_rt_device_unregister", {start, calls.site(b, loc)});
  }
  op->erase();
  return success();
}

LogicalResult DeviceCallLowering::lowerGlobal(memref::GetGlobalOp global) {
  MemRefType type = global.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return global.emitError("kernels reach globals of static shape only, not ") << type;
  OpBuilder b(global->getContext());
  b.setInsertionPointAfter(global);
  Location loc = global.getLoc();
  auto own = cast<memref::GetGlobalOp>(b.clone(*global));
  Value bytes = constant(b, loc, type.getNumElements() * byteSize(type.getElementType()));
  Value start =
      calls.call(b, loc, "lispier_rt_device_global", {startOf(b, loc, own), bytes, calls.site(b, loc)}, pointerType())
          .getResult(0);
  global.getResult().replaceAllUsesWith(memrefAt(b, loc, type, start, {}));
  global.erase();
  return success();
}
} // namespace lispier
