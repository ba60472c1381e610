//===- Nvidia.h - backend for NVIDIA GPUs ----------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_NVIDIA_NVIDIA_H
#define LISPIER_TARGET_NVIDIA_NVIDIA_H

#include "lispier/Target/Backend/Backend.h"

namespace lispier {
/// The backend for NVIDIA GPUs. Makes PTX with LLVM; cubin and fatbin need ptxas and fatbinary.
const GpuBackend &nvidiaBackend();
} // namespace lispier
#endif
