//===- CallDevice.cpp - launches and device memory -> runtime calls -------===//
//
// Before: gpu.launch_func, gpu.alloc, gpu.memcpy and their like in host code, and
// allocations that kernels use. After: calls of Runtime/Device/DeviceProgram.h; no gpu
// op and no gpu.module is left. WaitForDevice has inserted waits; addCpuPhase,
// which follows, lowers ordinary host code.
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"
#include "lispier/Group/EntryAttributes.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CALLDEVICE
#include "lispier/Target/Host/Passes.h.inc"

Value DeviceCallLowering::wide(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  return value.getType().isInteger(64) ? value : arith::ExtSIOp::create(b, loc, b.getI64Type(), value).getResult();
}

/// The address of the first element.
Value DeviceCallLowering::startOf(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value address = wide(b, loc, base);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value elements = wide(b, loc, metadata.getOffset());
    Value bytes = arith::MulIOp::create(b, loc, elements, constant(b, loc, byteSize(type.getElementType())));
    address = arith::AddIOp::create(b, loc, address, bytes);
  }
  return LLVM::IntToPtrOp::create(b, loc, pointerType(), address);
}

/// Whether the kernel loads pointers from memory, where the launch cannot translate them.
bool DeviceCallLowering::readsPointers(gpu::LaunchFuncOp launch) {
  Operation *kernel = registersMemory ? SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()) : nullptr;
  return kernel && kernel->hasAttr(device::kReadsPointers);
}

/// Translates a host pointer, also within a struct or array value, to the device's address of the same memory. Pointers
/// in memory cannot be translated: with `readsPointers`, the runtime refuses those that need it.
Value DeviceCallLowering::forKernel(OpBuilder &b, Location loc, Value value, bool readsPointers) {
  Type type = value.getType();
  if (!registersMemory)
    return value;
  if (type == pointerType())
    return calls
        .call(b, loc, readsPointers ? "lispier_rt_device_address_of_pointers" : "lispier_rt_device_address",
              {value, calls.site(b, loc)}, pointerType())
        .getResult(0);
  int64_t count = 0;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    count = structure.getBody().size();
  else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    count = array.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    Value member = LLVM::ExtractValueOp::create(b, loc, value, i);
    if (Value there = forKernel(b, loc, member, readsPointers); there != member)
      value = LLVM::InsertValueOp::create(b, loc, value, there, i);
    else
      member.getDefiningOp()->erase();
  }
  return value;
}

Value DeviceCallLowering::bytesOf(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Value bytes = constant(b, loc, byteSize(type.getElementType()));
  for (int64_t i = 0; i < type.getRank(); ++i) {
    Value size = type.isDynamicDim(i) ? wide(b, loc, memref::DimOp::create(b, loc, memref, i).getResult())
                                      : constant(b, loc, type.getDimSize(i));
    bytes = arith::MulIOp::create(b, loc, bytes, size);
  }
  return bytes;
}

/// A memref of identity layout over raw memory.
Value DeviceCallLowering::memrefAt(OpBuilder &b, Location loc, MemRefType type, Value start, ValueRange dynamicSizes) {
  auto descriptor = MemRefDescriptor::poison(b, loc, types.convertType(type));
  descriptor.setAllocatedPtr(b, loc, start);
  descriptor.setAlignedPtr(b, loc, start);
  descriptor.setConstantOffset(b, loc, 0);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i)) {
      sizes.push_back(wide(b, loc, dynamicSizes.front()));
      dynamicSizes = dynamicSizes.drop_front();
    } else {
      sizes.push_back(constant(b, loc, type.getDimSize(i)));
    }
  }
  Value stride = constant(b, loc, 1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    descriptor.setSize(b, loc, i, sizes[i]);
    descriptor.setStride(b, loc, i, stride);
    stride = arith::MulIOp::create(b, loc, stride, sizes[i]);
  }
  return UnrealizedConversionCastOp::create(b, loc, type, Value(descriptor)).getResult(0);
}

/// An array of i64 on the stack.
Value DeviceCallLowering::numbers(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> values) {
  // In the entry block: a loop must not grow the stack.
  auto host = b.getBlock()->getParentOp()->getParentOfType<FunctionOpInterface>();
  if (auto function = dyn_cast<FunctionOpInterface>(b.getBlock()->getParentOp()))
    host = function;
  OpBuilder entry = OpBuilder::atBlockBegin(&host.getFunctionBody().front());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), std::max<size_t>(values.size(), 1));
  Value memory = LLVM::AllocaOp::create(entry, loc, pointerType(), type, constant(entry, loc, 1));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value number = isa<Attribute>(value) ? constant(b, loc, cast<IntegerAttr>(cast<Attribute>(value)).getInt())
                                         : wide(b, loc, cast<Value>(value));
    Value place =
        LLVM::GEPOp::create(b, loc, pointerType(), type, memory, ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, number, place);
  }
  return memory;
}

//===- Launches -----------------------------------------------------------===//

/// A global, one per kernel, in which the runtime caches the result of looking up the kernel's name.
Value DeviceCallLowering::kernelSlot(OpBuilder &b, Location loc, StringRef kernel) {
  std::string name = ("lispier_kernel_" + kernel).str();
  auto slot = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    slot = LLVM::GlobalOp::create(b, module.getLoc(), pointerType(), /*isConstant=*/false, LLVM::Linkage::Internal,
                                  name, Attribute());
    Block *block = b.createBlock(&slot.getInitializerRegion());
    b.setInsertionPointToStart(block);
    Value null = LLVM::ZeroOp::create(b, module.getLoc(), pointerType());
    LLVM::ReturnOp::create(b, module.getLoc(), null);
  }
  return LLVM::AddressOfOp::create(b, loc, slot);
}

/// Whether memrefs are passed as descriptors: FlattenKernelArguments makes kernels take pointers and sizes, but a
/// kernel that a compilation form has lowered may take descriptors.
bool DeviceCallLowering::takesDescriptors(gpu::LaunchFuncOp launch) {
  auto kernel = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
  return kernel && kernel.getNumArguments() != launch.getNumKernelOperands();
}

void DeviceCallLowering::addDescriptor(OpBuilder &b, Location loc, Value memref, bool readsPointers,
                                       SmallVectorImpl<Value> &values) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value start = forKernel(b, loc, startOf(b, loc, memref), readsPointers);
  values.append({start, start, constant(b, loc, 0)}); // The pointer includes the offset.
  for (ValueRange numbers : {metadata.getSizes(), metadata.getStrides()})
    for (Value number : numbers)
      values.push_back(wide(b, loc, number));
}

/// Stores the arguments of a launch where `b` is.
PackedArguments DeviceCallLowering::pack(OpBuilder &b, gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  bool descriptors = takesDescriptors(launch), reads = readsPointers(launch);
  SmallVector<Value> values;
  for (Value operand : launch.getKernelOperands()) {
    if (isa<MemRefType>(operand.getType()) && descriptors)
      addDescriptor(b, loc, operand, reads, values);
    else if (isa<MemRefType>(operand.getType()))
      values.push_back(forKernel(b, loc, startOf(b, loc, operand), reads));
    else if (isa<nvgpu::TensorMapDescriptorType>(operand.getType()))
      values.push_back(UnrealizedConversionCastOp::create(b, loc, tensorMapType(b.getContext()), operand).getResult(0));
    else if (operand.getType().isIndex())
      values.push_back(wide(b, loc, operand));
    else if (Type stored = types.convertType(operand.getType());
             stored != operand.getType()) // A complex number is a struct.
      values.push_back(UnrealizedConversionCastOp::create(b, loc, stored, operand).getResult(0));
    else
      values.push_back(forKernel(b, loc, operand, reads));
  }
  // In the entry block, so that a launch in a loop does not grow the stack.
  auto host = launch->getParentOfType<FunctionOpInterface>();
  OpBuilder entry = OpBuilder::atBlockBegin(&host.getFunctionBody().front());
  SmallVector<Type> fields;
  for (Value value : values)
    fields.push_back(types.convertType(value.getType()));
  auto packed = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  auto addresses = LLVM::LLVMArrayType::get(pointerType(), std::max<size_t>(values.size(), 1));
  Value one = constant(entry, loc, 1);
  Value fieldMemory = LLVM::AllocaOp::create(entry, loc, pointerType(), packed, one);
  Value addressMemory = LLVM::AllocaOp::create(entry, loc, pointerType(), addresses, one);
  // Clears padding, since the runtime compares these bytes with those of a captured graph. A store of zeros as a struct
  // may leave padding as it is.
  int64_t bytes = DataLayout::closest(launch).getTypeSize(packed).getFixedValue();
  Value zero = LLVM::ConstantOp::create(entry, loc, entry.getI8Type(), 0);
  LLVM::MemsetOp::create(entry, loc, fieldMemory, zero, constant(entry, loc, bytes), /*isVolatile=*/false);
  for (auto [i, value] : llvm::enumerate(values)) {
    int32_t index = i;
    Value field = LLVM::GEPOp::create(b, loc, pointerType(), packed, fieldMemory, ArrayRef<LLVM::GEPArg>{0, index});
    LLVM::StoreOp::create(b, loc, value, field);
    Value place =
        LLVM::GEPOp::create(b, loc, pointerType(), addresses, addressMemory, ArrayRef<LLVM::GEPArg>{0, index});
    LLVM::StoreOp::create(b, loc, field, place);
  }
  return {addressMemory, int64_t(values.size()), bytes};
}

/// The op of the innermost block that has all `launches`, in the order of the program, in its ops that is or has the
/// first of them; null if they are in different blocks of one region. All operands that they share are defined before.
static Operation *firstOf(ArrayRef<gpu::LaunchFuncOp> launches) {
  Operation *first = launches.front();
  while (first && !isa<FunctionOpInterface>(first)) {
    Block *block = first->getBlock();
    if (llvm::all_of(launches, [&](gpu::LaunchFuncOp launch) { return block->findAncestorOpInBlock(*launch); }))
      return first;
    first = block->getParentOp();
  }
  return nullptr;
}

void DeviceCallLowering::groupLaunches(ArrayRef<DeviceCallPlan> plans) {
  if (registersMemory) // A launch translates pointers by what is registered at its time.
    return;
  using Key = std::pair<bool, SmallVector<void *>>;
  llvm::MapVector<Key, SmallVector<gpu::LaunchFuncOp>, std::map<Key, unsigned>> launches;
  for (const DeviceCallPlan &plan : plans)
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(plan.op)) {
      Key key{takesDescriptors(launch), {launch->getParentOfType<FunctionOpInterface>().getOperation()}};
      for (Value operand : launch.getKernelOperands())
        key.second.push_back(operand.getAsOpaquePointer());
      launches[key].push_back(launch);
    }
  for (auto &[key, equal] : launches)
    if (Operation *first = equal.size() > 1 ? firstOf(equal) : nullptr) {
      for (gpu::LaunchFuncOp launch : equal)
        groupOf[launch] = groups.size();
      groups.push_back({first, {}});
    }
}

PackedArguments DeviceCallLowering::argumentsOf(gpu::LaunchFuncOp launch) {
  auto found = groupOf.find(launch);
  if (found == groupOf.end()) {
    OpBuilder b(launch);
    return pack(b, launch);
  }
  LaunchGroup &group = groups[found->second];
  if (!group.packed.addresses) {
    OpBuilder b(group.first);
    group.packed = pack(b, launch);
  }
  return group.packed;
}

LogicalResult DeviceCallLowering::lowerLaunch(gpu::LaunchFuncOp launch) {
  PackedArguments arguments = argumentsOf(launch);
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Value shared = launch.getDynamicSharedMemorySize();
  StringRef kernel = launch.getKernelName();
  SmallVector<Value> operands{kernelSlot(b, loc, kernel), calls.text(b, loc, kernel)};
  auto addSizes = [&](gpu::KernelDim3 sizes) {
    for (Value size : {sizes.x, sizes.y, sizes.z})
      operands.push_back(wide(b, loc, size));
  };
  if (launch.hasClusterSize())
    addSizes(launch.getClusterSizeOperandValues());
  addSizes(launch.getGridSizeOperandValues());
  addSizes(launch.getBlockSizeOperandValues());
  operands.append({shared ? wide(b, loc, shared) : constant(b, loc, 0), arguments.addresses,
                   constant(b, loc, arguments.count, 32), constant(b, loc, arguments.bytes, 32),
                   constant(b, loc, launch->hasAttr(device::kDependentLaunch) ? LISPIER_LAUNCH_DEPENDENT : 0, 32),
                   calls.site(b, loc)});
  calls.call(b, loc, launch.hasClusterSize() ? "lispier_rt_device_launch_clusters" : "lispier_rt_device_launch",
             operands);
  launch.erase();
  return success();
}

//===- The module ---------------------------------------------------------===//

DeviceCallPlan DeviceCallLowering::plan(Operation *op, const DeviceMemory &memory) {
  DeviceCallPlan plan{op, {}};
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    plan.queued = memory.isQueued(copy);
    plan.memory = memory.of(copy.getTarget());
  } else if (auto copy = dyn_cast<gpu::MemcpyOp>(op))
    plan.memory = memory.of(copy.getDst());
  else if (isa<device::UploadOp, device::DownloadOp, gpu::AllocOp, memref::AllocOp, memref::AllocaOp,
               memref::GetGlobalOp>(op))
    plan.memory = memory.of(op->getResult(0));
  else if (isa<gpu::HostRegisterOp, gpu::HostUnregisterOp, memref::DeallocOp>(op))
    plan.memory = memory.of(op->getOperand(0));
  return plan;
}

LogicalResult DeviceCallLowering::lower(const DeviceCallPlan &plan) {
  Operation *op = plan.op;
  const DeviceMemory::Class &memory = plan.memory;
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return lowerLaunch(launch);
  if (auto copy = dyn_cast<gpu::MemcpyOp>(op))
    return lowerCopy(plan, copy.getDst(), copy.getSrc());
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return plan.queued ? lowerCopy(plan, copy.getTarget(), copy.getSource()) : success();
  if (auto upload = dyn_cast<device::UploadOp>(op))
    return lowerUpload(upload, memory.onHost());
  if (auto download = dyn_cast<device::DownloadOp>(op)) {
    lowerDownload(download, memory);
    return success();
  }
  if (auto fill = dyn_cast<gpu::MemsetOp>(op))
    return lowerFill(fill);
  if (auto descriptor = dyn_cast<nvgpu::TmaCreateDescriptorOp>(op))
    return lowerTensorMap(descriptor);
  if (auto choice = dyn_cast<gpu::SetDefaultDeviceOp>(op)) {
    OpBuilder b(op);
    calls.call(b, op->getLoc(), "lispier_rt_device_choose", {choice.getDevIndex(), calls.site(b, op->getLoc())});
    op->erase();
    return success();
  }
  if (auto begin = dyn_cast<gpu::HostRegisterOp>(op))
    return lowerRegister(plan, begin.getValue(), true);
  if (auto end = dyn_cast<gpu::HostUnregisterOp>(op))
    return lowerRegister(plan, end.getValue(), false);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return memory.onDevice() ? lowerGlobal(global) : success();
  if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
    lowerAlloc(op, alloc.getType(), alloc.getDynamicSizes(), alloc.getHostShared() || memory.onHost());
  } else if (auto dealloc = dyn_cast<gpu::DeallocOp>(op)) {
    lowerFree(op, dealloc.getMemref());
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && memory.onDevice()) {
    if (!alloc.getType().getLayout().isIdentity())
      return op->emitError("memory for kernels is allocated without gaps, not as ") << alloc.getType();
    lowerAlloc(op, alloc.getType(), alloc.getDynamicSizes(), memory.onHost() || memory.unknown);
  } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op); dealloc && memory.onDevice()) {
    lowerFree(op, dealloc.getMemref());
  } else if (auto stack = dyn_cast<memref::AllocaOp>(op); stack && memory.kernel) {
    // An absent operand of an op, which nothing reads: null at each launch, as what a captured graph passes must not
    // move.
    if (llvm::is_contained(stack.getType().getShape(), 0)) {
      OpBuilder b(op);
      Value null = LLVM::ZeroOp::create(b, op->getLoc(), pointerType());
      op->getResult(0).replaceAllUsesWith(memrefAt(b, op->getLoc(), stack.getType(), null, {}));
      op->erase();
      return success();
    }
    return op->emitError("kernels cannot reach the host's stack; allocate what they use with memref.alloc");
  }
  return success();
}

/// The host cannot reach the memory that callers of a library's functions have on the device.
static LogicalResult checkGivenMemory(ModuleOp module, const DeviceMemory &memory) {
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      if (!function->hasAttr(kEntryAttr) || !isa<BaseMemRefType>(argument.getType()))
        continue;
      const DeviceMemory::Class &access = memory.of(argument);
      if (!access.host)
        continue;
      Operation *op = access.hostOp ? access.hostOp : function.getOperation();
      InFlightDiagnostic error = op->emitError("the host accesses memory of a tensor that callers of the library have "
                                               "on the device; (host x) is a copy that it can access");
      error.attachNote(argument.getLoc()) << "memory that may be of this parameter or result";
      return error;
    }
  return success();
}

LogicalResult DeviceCallLowering::run() {
  DeviceMemory memory(module);
  if (failed(checkGivenMemory(module, memory)))
    return failure();
  SmallVector<DeviceCallPlan> plans;
  registersMemory = llvm::any_of(module.getOps<SymbolOpInterface>(), [](SymbolOpInterface symbol) {
    return symbol.getName().starts_with("mgpuMemHostRegister");
  });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    registersMemory |= isa<gpu::HostRegisterOp>(op);
    plans.push_back(plan(op, memory));
    return WalkResult::advance();
  });
  groupLaunches(plans);
  for (const DeviceCallPlan &plan : plans) {
    if (isa<gpu::WaitOp>(plan.op)) // WaitForDevice has inserted the waits that are needed.
      plan.op->erase();
    else if (failed(lower(plan)))
      return failure();
  }
  for (auto kernels : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    kernels.erase();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  module->removeAttr(device::kTarget);
  return success();
}

namespace {
struct CallDevice : impl::CallDeviceBase<CallDevice> {
  void runOnOperation() override {
    if (failed(DeviceCallLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
