//===- Chips.cpp - what each AMD chip can do ------------------------------===//
//
// gfx9 are the data-centre chips: waves of 64 lanes and MFMA. gfx11 and gfx12 are
// consumer chips, run with waves of 32 lanes, and have WMMA. Numbers from LLVM's
// AMDGPU usage guide, its processors (GCNProcessors.td) and the ISA documents.
//
//===----------------------------------------------------------------------===//
#include "Chips.h"

using namespace llvm;

namespace lispier {
namespace {
TargetInfo common(unsigned warpWidth) {
  TargetInfo info;
  info.warpWidth = warpWidth;
  info.maxThreadsPerBlock = 1024;
  info.defaultBlockThreads = 256;
  info.sharedBytes = info.maxSharedBytes = 64 << 10;
  info.vectorBytes = 16;
  return info;
}

TargetInfo cdna() { return common(64); }

/// More shared memory.
TargetInfo cdna4() {
  TargetInfo info = cdna();
  info.sharedBytes = info.maxSharedBytes = 160 << 10;
  return info;
}

TargetInfo rdna3() { return common(32); }
/// What is said here of RDNA 3 holds; how its WMMA spreads a tile over the lanes does not.
TargetInfo rdna4() { return rdna3(); }
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
