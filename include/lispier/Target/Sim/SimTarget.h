//===- SimTarget.h - TargetInfo of the simulator ----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_SIM_SIMTARGET_H
#define LISPIER_TARGET_SIM_SIMTARGET_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
/// The simulator as a GPU with warps of that many lanes and no ability.
TargetInfo simInfo(unsigned warpWidth);
/// The same with what tile programs are distributed by: the chip's warp width, registers, shared memory, access width,
/// matrix instructions and ways of copying. Of its abilities only Mfma, Wmma and Wgmma, whose kernels are tile
/// programs; those of other abilities need a vendor's instructions.
TargetInfo simInfo(const TargetInfo &chip);
} // namespace lispier
#endif
