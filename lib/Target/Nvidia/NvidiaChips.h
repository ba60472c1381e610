//===- NvidiaChips.h - table of NVIDIA chips --------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_NVIDIA_NVIDIACHIPS_H
#define LISPIER_TARGET_NVIDIA_NVIDIACHIPS_H

#include "lispier/Target/Backend/Backend.h"

namespace lispier {
llvm::ArrayRef<GpuChip> nvidiaChips();
/// mma.sync, from sm_80 on.
std::vector<MatrixInstruction> nvidiaMatrixInstructions();
/// "nvidia", then the chip and every one before it: an sm_90a does what an sm_80 does.
std::vector<std::string> nvidiaAbilities(const GpuChip &chip);
} // namespace lispier
#endif
