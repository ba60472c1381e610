//===- SimTarget.cpp - the simulator as a machine -------------------------===//
#include "lispier/Target/Sim/SimTarget.h"
#include "lispier/Runtime/Sim/Sim.h"

namespace lispier {
TargetInfo simInfo(unsigned warpWidth) {
  TargetInfo info;
  info.warpWidth = warpWidth;
  info.maxThreadsPerBlock = kSimMaxThreadsPerBlock;
  info.defaultBlockThreads = 256;
  info.multiprocessors = 132; // Kernels are divided as for a large GPU.
  info.sharedBytes = 48 << 10;
  info.maxSharedBytes = kSimMaxSharedBytes;
  info.reportsErrors = true;
  return info;
}

TargetInfo simInfo(const TargetInfo &chip) {
  TargetInfo info = simInfo(chip.warpWidth);
  info.vectorBytes = chip.vectorBytes;
  info.multiprocessors = chip.multiprocessors;
  info.maxRegisters = chip.maxRegisters;
  info.blockRegisters = chip.blockRegisters;
  info.sharedBytes = chip.sharedBytes;
  info.maxSharedBytes = chip.maxSharedBytes;
  info.matrixInstructions = chip.matrixInstructions;
  info.loadsMatrices = chip.loadsMatrices;
  info.copiesAsync = chip.copiesAsync;
  // Matrix units whose products tile programs make of ops that the simulator runs. What others need is instructions of
  // a vendor.
  for (Ability ability : {Ability::Mfma, Ability::Wmma, Ability::Wgmma})
    if (chip.has(ability))
      info.add(ability);
  return info;
}
} // namespace lispier
