//===- NvidiaChips.cpp - table of NVIDIA chips ----------------------------===//
//
// Numbers from the CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability". The PTX version is the oldest with the features that kernels
// use on the chip, so that old drivers can load the PTX.
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
  info.loadsMatrices = info.copiesAsync = true;
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
} // namespace

ArrayRef<GpuChip> nvidiaChips() {
  static const GpuChip chips[] = {
      {"sm_80", "+ptx80", ampere(163 << 10)},  {"sm_75", "+ptx75", common(64 << 10)},
      {"sm_86", "+ptx80", ampere(99 << 10)},   {"sm_87", "+ptx80", ampere(163 << 10)},
      {"sm_89", "+ptx80", ampere(99 << 10)},   {"sm_90", "+ptx80", hopper(227 << 10)},
      {"sm_90a", "+ptx83", hopperAlone()},     {"sm_100", "+ptx86", hopper(227 << 10)},
      {"sm_103", "+ptx88", hopper(227 << 10)}, {"sm_120", "+ptx87", hopper(99 << 10)},
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
