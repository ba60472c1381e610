//===- HostMemory.cpp - host memory registered for kernels ----------------===//
//
// Programs written for a GPU register host memory and ask for its device view: the
// same memref at the device address, which may differ from the host's. Launches of
// this program's own kernels translate addresses themselves, so for them a view
// keeps the host address. For kernels on the CPU there is nothing to register.
//
//
//===----------------------------------------------------------------------===//
#include "Device/OpenDevices.h"
#include "lispier/Runtime/Core/MemRef.h"

using namespace lispier::runtime;

// The layout of compiled code. Instantiating them here also allows them as return types of C functions.
static_assert(sizeof(MemRef<float, 1>) == 40 && sizeof(MemRef<float, 2>) == 56 && sizeof(MemRef<int32_t, 1>) == 40);

namespace {
void tell(void *memory, int64_t bytes) {
  bool told = registerForProgram && registerForProgram(memory, bytes);
  if (!told && registerForModules)
    registerForModules(memory, bytes);
}

/// Translates an address for kernels of modules that the program loads itself.
template <typename T> T *view(T *memory) {
  return addressForModules ? static_cast<T *>(addressForModules(memory)) : memory;
}
template <typename T>
T view(T memref)
  requires requires { memref.allocated; }
{
  memref.allocated = view(memref.allocated);
  memref.aligned = view(memref.aligned);
  return memref;
}

/// Distance in bytes from the first element to the end of the last.
int64_t bytesOf(const MemRefView<char> &view, int64_t elementBytes) {
  int64_t elements = 1;
  for (int64_t i = 0; i < view.rank; ++i)
    elements += (view.sizes[i] - 1) * view.strides[i];
  return elements > 0 ? elements * elementBytes : 0;
}
} // namespace

extern "C" {
void mgpuMemHostRegister(void *memory, uint64_t bytes) { tell(memory, int64_t(bytes)); }
void mgpuMemHostUnregister(void *memory) { tell(memory, -1); }
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor, int64_t elementBytes) {
  MemRefView<char> view(rank, descriptor);
  tell(view.data + view.offset * elementBytes, bytesOf(view, elementBytes));
}
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor, int64_t elementBytes) {
  MemRefView<char> view(rank, descriptor);
  tell(view.data + view.offset * elementBytes, -1);
}

// With the memref as separate arguments, then with a pointer to its descriptor.
MemRef<float, 1> mgpuMemGetDeviceMemRef1dFloat(float *allocated, float *aligned, int64_t offset, int64_t size,
                                               int64_t stride) {
  return {view(allocated), view(aligned), offset, {size}, {stride}};
}
MemRef<float, 2> mgpuMemGetDeviceMemRef2dFloat(float *allocated, float *aligned, int64_t offset, int64_t rows,
                                               int64_t columns, int64_t rowStride, int64_t columnStride) {
  return {view(allocated), view(aligned), offset, {rows, columns}, {rowStride, columnStride}};
}
MemRef<int32_t, 1> mgpuMemGetDeviceMemRef1dInt32(int32_t *allocated, int32_t *aligned, int64_t offset, int64_t size,
                                                 int64_t stride) {
  return {view(allocated), view(aligned), offset, {size}, {stride}};
}
void _mlir_ciface_mgpuMemGetDeviceMemRef1dFloat(MemRef<float, 1> *result, MemRef<float, 1> *memref) {
  *result = view(*memref);
}
void _mlir_ciface_mgpuMemGetDeviceMemRef2dFloat(MemRef<float, 2> *result, MemRef<float, 2> *memref) {
  *result = view(*memref);
}
void _mlir_ciface_mgpuMemGetDeviceMemRef1dInt32(MemRef<int32_t, 1> *result, MemRef<int32_t, 1> *memref) {
  *result = view(*memref);
}
}
