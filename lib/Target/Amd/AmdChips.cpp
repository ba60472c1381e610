//===- AmdChips.cpp - table of AMD chips ----------------------------------===//
//
// gfx9 are data-centre chips with waves of 64 lanes and MFMA; gfx11 and gfx12 are
// consumer chips, used with waves of 32 lanes, and have WMMA. Numbers from LLVM's
// AMDGPU usage guide, its processors (GCNProcessors.td) and the ISA documents.
//
//===----------------------------------------------------------------------===//
#include "AmdChips.h"

using namespace llvm;

namespace lispier {
namespace {
TargetInfo common(unsigned warpWidth) {
  TargetInfo info;
  info.warpWidth = warpWidth;
  info.maxThreadsPerBlock = 1024;
  info.defaultBlockThreads = 256;
  info.maxRegisters = 256;
  info.blockRegisters = 192 << 10;
  info.sharedBytes = info.maxSharedBytes = 64 << 10;
  info.vectorBytes = 16;
  info.warpReductions = true;
  return info;
}

TargetInfo cdna() {
  TargetInfo info = common(64);
  info.maxRegisters = 512; // Half of them accumulation registers.
  info.blockRegisters = 128 << 10;
  info.add(Ability::Mfma);
  info.matrixInstructions = mfmaInstructions();
  return info;
}

/// More shared memory.
TargetInfo cdna4() {
  TargetInfo info = cdna();
  info.sharedBytes = info.maxSharedBytes = 160 << 10;
  return info;
}

TargetInfo rdna3() {
  TargetInfo info = common(32);
  info.add(Ability::Wmma);
  info.matrixInstructions = wmmaInstructions();
  return info;
}
/// RDNA 4's WMMA has other fragment layouts than RDNA 3's: it would be an ability of its own.
TargetInfo rdna4() { return common(32); }
} // namespace

ArrayRef<GpuChip> amdChips() {
  static const GpuChip chips[] = {
      {"gfx942", "", cdna()},   {"gfx950", "", cdna4()},  {"gfx90a", "", cdna()},   {"gfx1100", "", rdna3()},
      {"gfx1101", "", rdna3()}, {"gfx1102", "", rdna3()}, {"gfx1103", "", rdna3()}, {"gfx1150", "", rdna3()},
      {"gfx1151", "", rdna3()}, {"gfx1200", "", rdna4()}, {"gfx1201", "", rdna4()},
  };
  return chips;
}
} // namespace lispier
