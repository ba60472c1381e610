//===- AmdChips.h - table of AMD chips --------------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_AMD_AMDCHIPS_H
#define LISPIER_TARGET_AMD_AMDCHIPS_H

#include "lispier/Target/Backend/Backend.h"

namespace lispier {
llvm::ArrayRef<GpuChip> amdChips();
/// Of gfx90a and later data-centre chips; deep: of gfx950.
std::vector<MatrixInstruction> mfmaInstructions(bool isDeep);
/// Of gfx11.
std::vector<MatrixInstruction> wmmaInstructions();
} // namespace lispier
#endif
