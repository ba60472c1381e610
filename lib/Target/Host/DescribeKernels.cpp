//===- DescribeKernels.cpp - how a kernel is called, as an attribute ------===//
//
// Before: kernels in the gpu dialect, or in the LLVM dialect if a compilation form
// has lowered them. After: each has the attribute `device.kernel`, because lowering
// loses its parameter types, block size and shared memory, and one that loads
// pointers from memory has `device.reads_pointers`. A kernel that exceeds a limit of
// the target is an error.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Runtime/Device/Device.h"
#include "lispier/Target/Host/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_DESCRIBEKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
/// The type as which a launch passes a parameter.
Type parameterType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (isa<nvgpu::TensorMapDescriptorType>(type))
    return LLVM::LLVMArrayType::get(IntegerType::get(type.getContext(), 64), runtime::TensorMap::kBytes / 8);
  bool number = type.isIntOrFloat() || isa<VectorType, ComplexType>(type);
  return number ? type : LLVM::LLVMPointerType::get(type.getContext());
}

int64_t bytesOf(MemRefType type) { return type.getNumElements() * byteSize(type.getElementType()); }

/// Static shared memory of one block, in bytes.
int64_t sharedBytesOf(gpu::GPUFuncOp kernel) {
  constexpr int64_t kAlignment = 16;
  int64_t bytes = 0;
  for (BlockArgument shared : kernel.getWorkgroupAttributions())
    bytes = llvm::alignTo(bytes, kAlignment) + bytesOf(cast<MemRefType>(shared.getType()));
  return bytes;
}

device::KernelAttr describe(FunctionOpInterface kernel) {
  SmallVector<Type> parameters;
  for (Type type : kernel.getArgumentTypes())
    parameters.push_back(parameterType(type));
  ArrayAttr types = Builder(kernel->getContext()).getTypeArrayAttr(parameters);
  auto function = dyn_cast<gpu::GPUFuncOp>(kernel.getOperation());
  if (!function)
    return device::KernelAttr::get(kernel->getContext(), types,
                                   kernel->getAttrOfType<DenseI32ArrayAttr>("gpu.known_block_size"), 0, false);
  bool dynamic = function.walk([](gpu::DynamicSharedMemoryOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return device::KernelAttr::get(kernel->getContext(), types, function.getKnownBlockSizeAttr(), sharedBytesOf(function),
                                 dynamic);
}

/// Whether a function loads a pointer of LLVM, also as part of a struct, from memory.
bool readsPointers(FunctionOpInterface function) {
  auto isPointer = [](LLVM::LLVMPointerType) { return WalkResult::interrupt(); };
  return function
      .walk([&](Operation *op) {
        bool loads =
            isa<LLVM::LoadOp, memref::LoadOp>(op) && op->getResult(0).getType().walk(isPointer).wasInterrupted();
        return loads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// LLVM's PTX backend aborts on names with other characters.
LogicalResult checkName(FunctionOpInterface kernel) {
  if (llvm::all_of(kernel.getName(), [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }))
    return success();
  return kernel->emitError("kernel name ") << kernel.getName() << " has characters that no assembler takes; "
                                           << "lispier-merge-gpu-modules spells it with letters, digits and _";
}

LogicalResult checkLimits(FunctionOpInterface kernel, device::KernelAttr description) {
  StringAttr target = device::targetOf(kernel);
  const TargetInfo *info = device::targetInfoOf(kernel);
  if (!info)
    return success();
  StringRef chip = target.getValue().split(':').second;
  chip = chip.empty() ? target.getValue() : chip;
  int64_t threads = 1;
  if (description.getBlock())
    for (int32_t size : description.getBlock().asArrayRef())
      threads *= size;
  if (threads > info->maxThreadsPerBlock)
    return kernel->emitError("kernel ") << kernel.getName() << " has " << threads << " threads in a block; " << chip
                                        << " allows " << info->maxThreadsPerBlock;
  if (description.getSharedBytes() <= info->sharedBytes)
    return success();
  InFlightDiagnostic error = kernel->emitError("kernel ")
                             << kernel.getName() << " has " << description.getSharedBytes()
                             << " bytes of static shared memory; " << chip << " allows " << info->sharedBytes;
  if (info->maxSharedBytes > info->sharedBytes)
    error << ", and up to " << info->maxSharedBytes << " as dynamic shared memory";
  return error;
}

struct DescribeKernels : impl::DescribeKernelsBase<DescribeKernels> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FunctionOpInterface>()) {
      if (!kernel->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        continue;
      device::KernelAttr description = describe(kernel);
      if (failed(checkName(kernel)) || failed(checkLimits(kernel, description)))
        return signalPassFailure();
      kernel->setAttr(device::kKernel, description);
      if (readsPointers(kernel))
        kernel->setAttr(device::kReadsPointers, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace
} // namespace lispier
