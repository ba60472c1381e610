//===- Gpu.h - from kernels to the bytes a driver loads --------*- C++ -*-===//
//
// What the driver of the compiler calls: find a target by name, compile a
// gpu.module of the gpu dialect for it, learn what to launch its kernels with.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_HOST_GPU_H
#define LISPIER_TARGET_HOST_GPU_H

#include "lispier/Target/Backend/Backend.h"
#include "llvm/Support/Error.h"
#include <array>

namespace lispier {
struct GpuTarget {
  const GpuBackend *backend;
  const GpuChip *chip;
};

/// All backends, the first being the one for a GPU that nobody named.
llvm::ArrayRef<const GpuBackend *> gpuBackends();
/// "cuda", "cuda:sm_90a", "rocm:gfx942". The error names what there is, near misses first.
llvm::Expected<GpuTarget> findGpu(llvm::StringRef name);

/// The runtime's name for a kind of device: "cuda", "hip".
llvm::StringRef runtimeKind(const GpuBackend &backend);

/// "ptx", "cubin", "fatbin", "hsaco".
llvm::StringRef nameOf(GpuFormat format);
std::optional<GpuFormat> findGpuFormat(llvm::StringRef name);

/// For the context in which modules are compiled.
void registerGpuDialects(mlir::DialectRegistry &registry);

struct KernelParameter {
  std::string type; ///< "pointer", or the type of the number: "i64", "f32". An index is an i64.
  unsigned bytes;
};

struct KernelDescription {
  std::string name;
  std::vector<KernelParameter> parameters;  ///< In the order of the launch.
  std::array<int32_t, 3> block = {0, 0, 0}; ///< Threads of a block along x, y, z; zeros when the launch may choose.
  int64_t sharedBytes = 0;                  ///< Static, of one block.
  bool dynamicShared = false;               ///< Wants more shared memory, whose size the launch gives.
};

struct GpuCode {
  GpuBytes bytes;
  std::vector<KernelDescription> kernels;
};

/// Reports what no pass can lower for the target, in a gpu.module or in the host code around it: instructions of other
/// vendors, and what the chip does not have.
mlir::LogicalResult checkOps(mlir::Operation *root, GpuTarget target);

/// Compiles a copy of `kernels`. Errors are reported at the ops they are about: what the chip does not allow (threads,
/// shared memory), a function that needs a vendor's library, a missing tool.
mlir::FailureOr<GpuCode> compileGpuModule(mlir::gpu::GPUModuleOp kernels, GpuTarget target, GpuFormat format,
                                          const GpuTools &tools = {});
} // namespace lispier
#endif
