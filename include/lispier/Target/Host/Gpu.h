//===- Gpu.h - from kernels to the bytes a driver loads --------*- C++ -*-===//
//
// Targets and formats by name. The passes from a gpu.module to bytes are in
// Passes.td; Pipeline has them in order.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_HOST_GPU_H
#define LISPIER_TARGET_HOST_GPU_H

#include "lispier/Target/Backend/Backend.h"
#include "llvm/Support/Error.h"

namespace lispier {
struct GpuTarget {
  const GpuBackend *backend;
  const GpuChip *chip;
};

/// All backends, the first being the one for a GPU that nobody named.
llvm::ArrayRef<const GpuBackend *> gpuBackends();
/// "cuda", "cuda:sm_90a", "rocm:gfx942". The error names what there is, near misses first.
llvm::Expected<GpuTarget> findGpu(llvm::StringRef name);

/// What --target= takes before a colon: "cpu", "sim" and the backends.
std::vector<std::string> targetNames();
/// "cpu, sim and cuda", for messages.
std::string inWords(llvm::ArrayRef<std::string> names);

/// "ptx", "cubin", "fatbin", "hsaco".
llvm::StringRef nameOf(GpuFormat format);
std::optional<GpuFormat> findGpuFormat(llvm::StringRef name);

/// The device dialect, with all targets in its table: device.target and the passes that ask for TargetInfo need it.
void registerTargets(mlir::DialectRegistry &registry);
/// For the context in which modules are compiled.
void registerGpuDialects(mlir::DialectRegistry &registry);

/// The GPU that `device.target` of the op, or of one around it, names; without one an error at the op.
mlir::FailureOr<GpuTarget> gpuTargetOf(mlir::Operation *op);
} // namespace lispier
#endif
