//===- TargetNames.h - the targets by name ---------------------*- C++ -*-===//
//
// The names of targets, shared by the compiler, its runtime and compiled programs.
// Includes nothing of LLVM, since the runtime includes this file too.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGETINFO_TARGETNAMES_H
#define LISPIER_TARGETINFO_TARGETNAMES_H

namespace lispier {
struct TargetName {
  const char *name;       ///< In --target= and LISPIER_TARGET, before the colon, and in `compilation` forms (not sim).
  const char *deviceKind; ///< The runtime::DeviceTable::kind of the devices that run this target's kernels.
};
inline constexpr TargetName kCpuName{"cpu", "cpu"}, kSimName{"sim", "sim"}, kCudaName{"cuda", "cuda"},
    kRocmName{"rocm", "hip"};
inline constexpr TargetName kTargetNames[] = {kCpuName, kSimName, kCudaName, kRocmName};
} // namespace lispier
#endif
