//===- AmdChips.cpp - table of AMD chips ----------------------------------===//
//
// gfx9 are data-centre chips with waves of 64 lanes and MFMA; gfx11 and gfx12 are
// consumer chips, used with waves of 32 lanes, and have WMMA. Numbers from LLVM's
// AMDGPU usage guide, its processors (GCNProcessors.td) and the ISA documents. Speeds
// from AMD's data sheets, of dense BF16 products: MI300X, MI355X, a half of MI250X,
// RX 7900 XTX, RX 7800 XT, RX 7600; of the other chips none. Exponentials are 16 a
// clock of a compute unit (a quarter of the rate of other instructions), of MI355X 32.
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

TargetInfo cdna(bool isDeep = false) {
  TargetInfo info = common(64);
  info.maxRegisters = 512; // Half of them accumulation registers.
  info.blockRegisters = 128 << 10;
  info.add(Ability::Mfma);
  info.matrixInstructions = mfmaInstructions(isDeep);
  return info;
}

/// More shared memory, and matrix instructions of twice the depth.
TargetInfo cdna4() {
  TargetInfo info = cdna(/*isDeep=*/true);
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

TargetInfo at(DeviceSpeed speed, unsigned computeUnits, TargetInfo info) {
  info.speed = speed;
  info.multiprocessors = computeUnits;
  return info;
}
} // namespace

ArrayRef<GpuChip> amdChips() {
  static const GpuChip chips[] = {
      {"gfx942", "", at({5300, 163.4, 1307, 10.3}, 304, cdna())},  // MI300X.
      {"gfx950", "", at({8000, 157.3, 2517, 19.7}, 256, cdna4())}, // MI355X.
      {"gfx90a", "", at({1638, 23.9, 191.5, 3}, 110, cdna())},     // One of the two dies of an MI250X.
      {"gfx1100", "", at({960, 61.4, 122.8, 3.9}, 96, rdna3())},   // RX 7900 XTX.
      {"gfx1101", "", at({624, 37.3, 74.7, 2.4}, 60, rdna3())},    // RX 7800 XT.
      {"gfx1102", "", at({288, 21.8, 43.5, 1.4}, 32, rdna3())},    // RX 7600.
      {"gfx1103", "", at({}, 12, rdna3())},
      {"gfx1150", "", at({}, 16, rdna3())},
      {"gfx1151", "", at({}, 40, rdna3())},
      {"gfx1200", "", at({}, 32, rdna4())},
      {"gfx1201", "", at({}, 64, rdna4())},
  };
  return chips;
}
} // namespace lispier
