//===- Sim.h - TargetInfo of the simulator ----------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_SIM_SIM_H
#define LISPIER_TARGET_SIM_SIM_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
/// A GPU without any optional ability.
TargetInfo simInfo(unsigned warpSize);
} // namespace lispier
#endif
