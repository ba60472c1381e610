//===- Nvidia.h - NVIDIA GPUs: chips and the last mile ---------*- C++ -*-===//
#ifndef LISPIER_TARGET_NVIDIA_NVIDIA_H
#define LISPIER_TARGET_NVIDIA_NVIDIA_H

#include "lispier/Target/Backend/Backend.h"

namespace lispier {
/// PTX by LLVM alone; cubin and fatbin through ptxas and fatbinary where they are found.
const GpuBackend &nvidiaBackend();
} // namespace lispier
#endif
