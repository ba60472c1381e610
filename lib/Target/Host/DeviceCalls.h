//===- DeviceCalls.h - device ops -> runtime calls --------------*- C++ -*-===//
//
// CallDevice.cpp has launches and what runs them all, CallDeviceMemory.cpp allocations,
// copies and tensor maps.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TARGET_HOST_DEVICECALLS_H
#define LISPIER_LIB_TARGET_HOST_DEVICECALLS_H

#include "DeviceMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace lispier {
/// An op to lower with the analysis of its memory, which must be complete before any op is replaced.
struct DeviceCallPlan {
  mlir::Operation *op;
  DeviceMemory::Class memory;
  bool queued = false;
};

/// The arguments of a launch in memory, as the runtime takes them.
struct PackedArguments {
  mlir::Value addresses; ///< Of each argument, in an array; null before they are stored.
  int64_t count, bytes;
};

/// Launches with equal operands, such as those of a kernel for each range of sizes, one in each branch: their arguments
/// are stored once, before `first`, an op which precedes or contains all of them.
struct LaunchGroup {
  mlir::Operation *first;
  PackedArguments packed;
};

/// Lowers the device ops of a module and the memory that they use to calls of the runtime.
class DeviceCallLowering {
public:
  explicit DeviceCallLowering(mlir::ModuleOp module) : module(module), calls(module), types(module.getContext()) {}
  mlir::LogicalResult run();

private:
  DeviceCallPlan plan(mlir::Operation *op, const DeviceMemory &memory);
  mlir::LogicalResult lower(const DeviceCallPlan &plan);
  bool takesDescriptors(mlir::gpu::LaunchFuncOp launch);
  void addDescriptor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref, bool readsPointers,
                     mlir::SmallVectorImpl<mlir::Value> &values);
  PackedArguments pack(mlir::OpBuilder &b, mlir::gpu::LaunchFuncOp launch);
  void groupLaunches(mlir::ArrayRef<DeviceCallPlan> plans);
  PackedArguments argumentsOf(mlir::gpu::LaunchFuncOp launch);
  mlir::LogicalResult lowerLaunch(mlir::gpu::LaunchFuncOp launch);
  mlir::LogicalResult lowerTensorMap(mlir::nvgpu::TmaCreateDescriptorOp op);
  static mlir::Type tensorMapType(mlir::MLIRContext *context); ///< As which a launch passes one.
  mlir::LogicalResult lowerCopy(const DeviceCallPlan &plan, mlir::Value to, mlir::Value from);
  void copyStrided(mlir::OpBuilder &b, mlir::Location loc, mlir::Value to, mlir::Value from);
  mlir::LogicalResult lowerUpload(device::UploadOp upload, bool shared);
  void lowerDownload(device::DownloadOp download, const DeviceMemory::Class &memory);
  mlir::LogicalResult lowerFill(mlir::gpu::MemsetOp fill);
  mlir::LogicalResult lowerRegister(const DeviceCallPlan &plan, mlir::Value unranked, bool begin);
  mlir::LogicalResult lowerGlobal(mlir::memref::GetGlobalOp global);
  void lowerAlloc(mlir::Operation *op, mlir::MemRefType type, mlir::ValueRange sizes, bool shared);
  void lowerFree(mlir::Operation *op, mlir::Value memref);

  mlir::Type pointerType() { return mlir::LLVM::LLVMPointerType::get(module.getContext()); }
  mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc, int64_t value, unsigned width = 64) {
    return mlir::arith::ConstantIntOp::create(b, loc, value, width);
  }
  mlir::Value wide(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
  mlir::Value startOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref);
  mlir::Value forKernel(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, bool readsPointers);
  bool readsPointers(mlir::gpu::LaunchFuncOp launch);
  mlir::Value bytesOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref);
  mlir::Value memrefAt(mlir::OpBuilder &b, mlir::Location loc, mlir::MemRefType type, mlir::Value start,
                       mlir::ValueRange dynamicSizes);
  mlir::Value numbers(mlir::OpBuilder &b, mlir::Location loc, mlir::ArrayRef<mlir::OpFoldResult> values);
  mlir::Value kernelSlot(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef kernel);

  mlir::ModuleOp module;
  bool registersMemory = false; ///< The module has gpu.host_register: kernels may see that memory at other addresses.
  RuntimeCalls calls;
  std::vector<LaunchGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf; ///< Of launches that are not alone.
  mlir::LLVMTypeConverter types;
};
} // namespace lispier
#endif
