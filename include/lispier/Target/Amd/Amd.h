//===- Amd.h - backend for AMD GPUs ----------------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_AMD_AMD_H
#define LISPIER_TARGET_AMD_AMD_H

#include "lispier/Target/Backend/Backend.h"

namespace lispier {
/// The backend for AMD GPUs. Makes HSACO with LLVM and ld.lld; needs no part of ROCm.
const GpuBackend &amdBackend();
} // namespace lispier
#endif
