//===- SimTarget.h - TargetInfo of the simulator ----------------*- C++ -*-===//
#ifndef LISPIER_TARGET_SIM_SIMTARGET_H
#define LISPIER_TARGET_SIM_SIMTARGET_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
/// A GPU without any optional ability.
TargetInfo simInfo(unsigned warpSize);
} // namespace lispier
#endif
