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
  info.maxGrid = {2147483647, 65535, 65535};
  info.sharedBytes = info.maxSharedBytes = 64 << 10;
  info.vectorBytes = 16;
  info.registersPerThread = 256;
  return info;
}

TargetInfo cdna() {
  TargetInfo info = common(64);
  info.registersPerThread = 512;
  info.matrixTiles = {{32, 32, 8, Element::BF16, Element::F32},
                      {16, 16, 16, Element::BF16, Element::F32},
                      {32, 32, 8, Element::F16, Element::F32},
                      {16, 16, 16, Element::F16, Element::F32}};
  return info;
}

/// More shared memory, and matrix instructions that take twice as many columns of a at once.
TargetInfo cdna4() {
  TargetInfo info = cdna();
  info.sharedBytes = info.maxSharedBytes = 160 << 10;
  info.matrixTiles.append({{32, 32, 16, Element::BF16, Element::F32},
                           {16, 16, 32, Element::BF16, Element::F32},
                           {32, 32, 16, Element::F16, Element::F32},
                           {16, 16, 32, Element::F16, Element::F32}});
  return info;
}

TargetInfo rdna3() {
  TargetInfo info = common(32);
  info.matrixTiles = {{16, 16, 16, Element::BF16, Element::F32}, {16, 16, 16, Element::F16, Element::F32}};
  return info;
}
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
