//===- Gpu.h - GPU targets and formats by name ------------------*- C++ -*-===//
//
// Parses the names of targets and binary formats. Passes.td declares the passes that
// compile a gpu.module to a binary; Pipeline defines their order.
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

/// All backends; the first is the default.
llvm::ArrayRef<const GpuBackend *> gpuBackends();
/// Parses "cuda", "cuda:sm_90a", "rocm:gfx942". The error suggests similar names, or lists all.
llvm::Expected<GpuTarget> findGpu(llvm::StringRef name);

/// The chip of that name, of whichever vendor.
std::optional<GpuTarget> findChip(llvm::StringRef name);

/// The names that --target= accepts before a colon: "cpu", "sim" and those of the backends.
std::vector<std::string> targetNames();
/// Joins names for a message: "cpu, sim and cuda".
std::string inWords(llvm::ArrayRef<std::string> names);

/// The names of binary formats: "ptx", "cubin", "fatbin", "hsaco".
llvm::StringRef nameOf(GpuFormat format);
std::optional<GpuFormat> findGpuFormat(llvm::StringRef name);

/// Registers the device dialect and its table of all targets, which device.target and queries of TargetInfo need.
void registerTargets(mlir::DialectRegistry &registry);
/// Registers the dialects and translations of all backends in the context that compiles modules.
void registerGpuDialects(mlir::DialectRegistry &registry);

/// Returns the GPU named by `device.target` of the op or of an enclosing op; reports an error at the op if there is
/// none.
mlir::FailureOr<GpuTarget> gpuTargetOf(mlir::Operation *op);
} // namespace lispier
#endif
