//===- TargetNames.h - the targets by name ---------------------*- C++ -*-===//
//
// What the compiler, its runtime and compiled programs call each target. No LLVM,
// since the runtime reads this file too.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGETINFO_TARGETNAMES_H
#define LISPIER_TARGETINFO_TARGETNAMES_H

namespace lispier {
struct TargetName {
  const char *name;       ///< In --target= and LISPIER_TARGET, before the colon, and in compilation forms.
  const char *deviceKind; ///< runtime::DeviceTable::kind of the devices that run its kernels.
};
inline constexpr TargetName kCpuName{"cpu", "cpu"}, kSimName{"sim", "sim"}, kCudaName{"cuda", "cuda"},
    kRocmName{"rocm", "hip"};
inline constexpr TargetName kTargetNames[] = {kCpuName, kSimName, kCudaName, kRocmName};
} // namespace lispier
#endif
