//===- SimTarget.h - TargetInfo of the simulator ----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_SIM_SIMTARGET_H
#define LISPIER_TARGET_SIM_SIMTARGET_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
/// A GPU without any optional ability.
TargetInfo simInfo(unsigned warpSize);
/// The same with a chip's warps, shared memory and matrix instructions, which tile programs are distributed for, and
/// the abilities of kernels that are tile programs.
TargetInfo simInfo(const TargetInfo &chip);
} // namespace lispier
#endif
