//===- HostMemory.cpp - "the device's view" of memory, on the host --------===//
//
// Programs written for a GPU ask for a device's view of host memory. Where the
// device is the CPU, that is the memory itself.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/MemRef.h"

using namespace lispier::runtime;

// The layout that compiled code has; it also makes them types that a C function may return.
static_assert(sizeof(MemRef<float, 1>) == 40 && sizeof(MemRef<float, 2>) == 56 && sizeof(MemRef<int32_t, 1>) == 40);

extern "C" {
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor, int64_t elementBytes) {}
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor, int64_t elementBytes) {}

// A memref as separate arguments, then through a pointer to its descriptor.
MemRef<float, 1> mgpuMemGetDeviceMemRef1dFloat(float *allocated, float *aligned, int64_t offset, int64_t size,
                                               int64_t stride) {
  return {allocated, aligned, offset, {size}, {stride}};
}
MemRef<float, 2> mgpuMemGetDeviceMemRef2dFloat(float *allocated, float *aligned, int64_t offset, int64_t rows,
                                               int64_t columns, int64_t rowStride, int64_t columnStride) {
  return {allocated, aligned, offset, {rows, columns}, {rowStride, columnStride}};
}
MemRef<int32_t, 1> mgpuMemGetDeviceMemRef1dInt32(int32_t *allocated, int32_t *aligned, int64_t offset, int64_t size,
                                                 int64_t stride) {
  return {allocated, aligned, offset, {size}, {stride}};
}
void _mlir_ciface_mgpuMemGetDeviceMemRef1dFloat(MemRef<float, 1> *result, MemRef<float, 1> *memref) {
  *result = *memref;
}
void _mlir_ciface_mgpuMemGetDeviceMemRef2dFloat(MemRef<float, 2> *result, MemRef<float, 2> *memref) {
  *result = *memref;
}
void _mlir_ciface_mgpuMemGetDeviceMemRef1dInt32(MemRef<int32_t, 1> *result, MemRef<int32_t, 1> *memref) {
  *result = *memref;
}
}
