//===- TargetInfo.h - what the lowering asks about a machine ---*- C++ -*-===//
//
// A value that answers questions, made by a component of Target and read by the passes
// before it.
// No answer is a vendor's name: a pass that needs to know which vendor it works
// for is missing a question here.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGETINFO_TARGETINFO_H
#define LISPIER_TARGETINFO_TARGETINFO_H

#include "lispier/TargetInfo/MatrixInstruction.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace lispier {
/// What kernel implementations ask of a machine, `gpu+wgmma`, beside the width of its warps, `gpu+warp32`.
enum class Ability : unsigned {
  MmaBf16,         ///< mma.sync and ldmatrix with BF16 operands, fed by asynchronous copies to shared memory.
  Wgmma,           ///< Products that four warps make in the background, straight from shared memory.
  Clusters,        ///< Several blocks that reach each other's shared memory.
  DependentLaunch, ///< A kernel may begin before the one before it has ended, and wait for that itself.
  Mfma,            ///< Matrix instructions of warps of 64 lanes.
  Wmma,            ///< Matrix instructions of warps of 32 lanes, 16 x 16 x 16.
  AmxBf16,         ///< Tiles of BF16, in a processor.
  Avx512Bf16,      ///< Dot products of 32 pairs of BF16, in a processor.
};
inline constexpr llvm::StringLiteral kAbilityNames[] = {"mma-bf16", "wgmma", "clusters", "dependent-launch",
                                                        "mfma",     "wmma",  "amx-bf16", "avx512-bf16"};
using Abilities = std::bitset<std::size(kAbilityNames)>;

struct TargetInfo {
  /// Lanes that run in step and may shuffle; a power of two, 1 where there are no lanes.
  unsigned warpWidth = 1;
  unsigned maxThreadsPerBlock = 1;
  /// What the generic route gives a block; a multiple of warpWidth.
  unsigned defaultBlockThreads = 1;
  /// Shared memory of one block in bytes: without asking, and after asking the runtime for more.
  int64_t sharedBytes = 0, maxSharedBytes = 0;
  /// The widest single access to global memory by one lane, in bytes.
  unsigned vectorBytes = 16;
  /// Shuffles name the lanes that take part: a group of them may shuffle while the others are elsewhere.
  bool shuffleMasks = false;
  /// The vendor's passes reduce numbers of 32 bits over a full warp in a shorter way than by shuffles.
  bool warpReductions = false;
  Abilities abilities;
  /// Which tile programs multiply by, the preferred ones first.
  std::vector<MatrixInstruction> matrixInstructions;
  /// A warp can read matrices of 8 x 8 elements of 16 bits from shared memory, also transposed, as tile.load_matrix
  /// does.
  bool loadsMatrices = false;

  void add(llvm::ArrayRef<Ability> more) {
    for (Ability ability : more)
      abilities.set(static_cast<size_t>(ability));
  }
  bool has(Ability ability) const { return abilities.test(static_cast<size_t>(ability)); }
  /// By their names, and "warp32" or the like.
  std::vector<std::string> abilityNames() const {
    std::vector<std::string> names;
    for (auto [i, name] : llvm::enumerate(kAbilityNames))
      if (abilities.test(i))
        names.push_back(name.str());
    names.push_back("warp" + std::to_string(warpWidth));
    return names;
  }
};

/// A processor's features by LLVM's names, and the abilities that they are.
inline std::vector<std::string> withCpuAbilities(std::vector<std::string> features) {
  if (llvm::is_contained(features, "avx512bf16")) // amx-bf16 is LLVM's name too.
    features.push_back(kAbilityNames[static_cast<size_t>(Ability::Avx512Bf16)].str());
  return features;
}
} // namespace lispier
#endif
