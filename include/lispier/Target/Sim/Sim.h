//===- Sim.h - the simulator as a machine ----------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_SIM_SIM_H
#define LISPIER_TARGET_SIM_SIM_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
/// What any GPU has, and nothing that only some have.
TargetInfo simInfo(unsigned warpSize);
} // namespace lispier
#endif
