//===- NvidiaChips.cpp - table of NVIDIA chips ----------------------------===//
//
// Numbers from the CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability". The PTX version is the oldest with the features that kernels
// use on the chip, so that old drivers can load the PTX. Speeds from NVIDIA's data
// sheets, with multiprocessors, of dense BF16 products with sums in F32 (7.5: F16): A100 80GB SXM, T4, A10,
// Jetson AGX Orin, L40S, H100 SXM as sm_90, H200 as sm_90a, B200, B300, RTX 5090.
// Exponentials are 16 a clock of a multiprocessor, of B300 32, by the guide's table of
// arithmetic throughput, at the clock for which the F32 operations are 256 (7.5 and
// 8.0: 128).
//
//===----------------------------------------------------------------------===//
#include "NvidiaChips.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
TargetInfo common(int64_t maxSharedBytes) {
  TargetInfo info;
  info.warpWidth = 32;
  info.shuffleMasks = true;
  info.maxThreadsPerBlock = 1024;
  info.defaultBlockThreads = 256;
  info.maxRegisters = 255;
  info.blockRegisters = 64 << 10;
  info.sharedBytes = 48 << 10;
  info.maxSharedBytes = maxSharedBytes;
  info.vectorBytes = 16;
  return info;
}

/// Since 8.0: matrix instructions on BF16, and asynchronous copies to shared memory.
TargetInfo ampere(int64_t maxSharedBytes) {
  TargetInfo info = common(maxSharedBytes);
  info.add(Ability::MmaBf16);
  info.matrixInstructions = nvidiaMatrixInstructions();
  info.loadsMatrices = info.copiesAsync = info.roundsPairs = true;
  return info;
}

/// Since 9.0: thread block clusters and programmatic dependent launch.
TargetInfo hopper(int64_t maxSharedBytes) {
  TargetInfo info = ampere(maxSharedBytes);
  info.add({Ability::Clusters, Ability::DependentLaunch});
  return info;
}

/// Only sm_90a: wgmma.
TargetInfo hopperAlone() {
  TargetInfo info = hopper(227 << 10);
  info.add(Ability::Wgmma);
  return info;
}

TargetInfo at(DeviceSpeed speed, unsigned multiprocessors, TargetInfo info) {
  info.speed = speed;
  info.multiprocessors = multiprocessors;
  return info;
}
} // namespace

ArrayRef<GpuChip> nvidiaChips() {
  static const GpuChip chips[] = {
      {"sm_80", "+ptx80", at({2039, 19.5, 312, 2.44}, 108, ampere(163 << 10))},   // A100 of 80 GB, SXM.
      {"sm_75", "+ptx75", at({320, 8.1, 65, 1.02}, 40, common(64 << 10))},        // T4.
      {"sm_86", "+ptx80", at({600, 31.2, 125, 1.95}, 72, ampere(99 << 10))},      // A10.
      {"sm_87", "+ptx80", at({204.8, 5.3, 42.5, 0.34}, 16, ampere(163 << 10))},   // Jetson AGX Orin.
      {"sm_89", "+ptx80", at({864, 91.6, 362, 5.73}, 142, ampere(99 << 10))},     // L40S.
      {"sm_90", "+ptx80", at({3350, 67, 989, 4.2}, 132, hopper(227 << 10))},      // H100 SXM.
      {"sm_90a", "+ptx83", at({4800, 67, 989, 4.2}, 132, hopperAlone())},         // H200.
      {"sm_100", "+ptx86", at({8000, 80, 2250, 5}, 148, hopper(227 << 10))},      // B200.
      {"sm_103", "+ptx88", at({8000, 80, 2250, 10}, 160, hopper(227 << 10))},     // B300.
      {"sm_120", "+ptx87", at({1792, 104.8, 209.5, 6.6}, 170, hopper(99 << 10))}, // RTX 5090.
  };
  return chips;
}

std::vector<std::string> nvidiaAbilities(const GpuChip &chip) {
  auto number = [](StringRef name) {
    unsigned value = 0;
    name.consume_front("sm_");
    name.consumeInteger(10, value);
    return value;
  };
  std::vector<std::string> names{"nvidia"};
  for (const GpuChip &older : nvidiaChips())
    // Code for a chip with the suffix `a` runs on that chip only.
    if (older.name == chip.name || (number(older.name) <= number(chip.name) && isDigit(older.name.back())))
      names.push_back(older.name);
  return names;
}
} // namespace lispier
