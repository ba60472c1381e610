//===- TargetInfo.h - properties of a target for passes --------*- C++ -*-===//
//
// The components of Target create these values; the passes before them read them.
// Passes ask for properties, never for a vendor: where one would depend on the
// vendor, add the property that it needs. Only `Ability` has instructions of one
// vendor or processor, by which kernel implementations are chosen.
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
/// Optional features of a target that a kernel implementation may require, as in `gpu+wgmma`. A warp width is required
/// in the same way, `gpu+warp32`.
enum class Ability : unsigned {
  MmaBf16,         ///< mma.sync and ldmatrix with BF16 operands, fed by asynchronous copies to shared memory.
  Wgmma,           ///< Asynchronous matrix instructions of four warps, with operands in shared memory.
  Clusters,        ///< Thread block clusters, whose blocks access each other's shared memory.
  DependentLaunch, ///< Programmatic dependent launch: a kernel may start early and wait for its predecessor itself.
  Mfma,            ///< AMD's matrix instructions for warps of 64 lanes.
  Wmma,            ///< AMD's matrix instructions for warps of 32 lanes, 16 x 16 x 16.
  AmxBf16,         ///< x86: matrix instructions on BF16 tile registers. In no TargetInfo: see withCpuAbilities.
  Avx512Bf16,      ///< x86: dot products of 32 pairs of BF16. In no TargetInfo, too.
};
/// In the order of Ability.
inline constexpr llvm::StringLiteral kAbilityNames[] = {"mma-bf16", "wgmma", "clusters", "dependent-launch",
                                                        "mfma",     "wmma",  "amx-bf16", "avx512-bf16"};
using Abilities = std::bitset<std::size(kAbilityNames)>;

/// What a device does in a second at most, for predictions that are printed; 0 where it is not known. A chip's is that
/// of one product with it, which a comment in the vendor's table names.
struct DeviceSpeed {
  double gigabytes = 0;    ///< Read from its memory, in 10^9 bytes.
  double teraflops = 0;    ///< F32 multiplications and additions, together, in 10^12.
  double productFlops = 0; ///< The same in products of 16-bit factors, in 10^12; as above if 0.
  double exponentials = 0; ///< Exponentials by an instruction, in 10^12; 0 if they are a formula of operations.

  bool isKnown() const { return gigabytes > 0 && teraflops > 0; }
};

struct TargetInfo {
  /// Lanes of a warp (subgroup); a power of two.
  unsigned warpWidth = 1;
  unsigned maxThreadsPerBlock = 1;
  /// Threads per block of generated kernels, those not written with an explicit block size; a multiple of warpWidth.
  unsigned defaultBlockThreads = 1;
  /// Multiprocessors, or compute units, of the product that the speed is of.
  unsigned multiprocessors = 1;
  /// Registers of 32 bits that a thread, and all threads of a block together, can have; both 0 where there is no limit.
  unsigned maxRegisters = 0, blockRegisters = 0;
  /// Bytes of shared memory that a block may use by default, and after the runtime has requested more.
  int64_t sharedBytes = 0, maxSharedBytes = 0;
  /// The widest single access to global memory by one lane, in bytes.
  unsigned vectorBytes = 16;
  /// Shuffles take a mask of the participating lanes, so that a group of lanes may shuffle in divergent code.
  bool shuffleMasks = false;
  /// The vendor's passes lower 32-bit reductions over a full warp to something faster than shuffles.
  bool warpReductions = false;
  Abilities abilities;
  /// The matrix instructions for products in tile programs, preferred ones first.
  std::vector<MatrixInstruction> matrixInstructions;
  /// A warp can read matrices of 8 x 8 elements of 16 bits from shared memory, also transposed, as tile.load_matrix
  /// does.
  bool loadsMatrices = false;
  DeviceSpeed speed;
  /// A thread can begin copies of 4 to 16 bytes from global to shared memory, and wait for them later.
  bool copiesAsync = false;
  /// One instruction rounds two F32 numbers to BF16 and makes a word of them, faster than one number.
  bool roundsPairs = false;
  /// Kernels end the program with a message where they fail, as host code does; else what they compute is unspecified.
  bool reportsErrors = false;

  void add(llvm::ArrayRef<Ability> more) {
    for (Ability ability : more)
      abilities.set(static_cast<size_t>(ability));
  }
  bool has(Ability ability) const { return abilities.test(static_cast<size_t>(ability)); }
  /// The names of all abilities, and of the warp width, such as "warp32".
  std::vector<std::string> abilityNames() const {
    std::vector<std::string> names;
    for (auto [i, name] : llvm::enumerate(kAbilityNames))
      if (abilities.test(i))
        names.push_back(name.str());
    names.push_back("warp" + std::to_string(warpWidth));
    return names;
  }
};

/// Returns the CPU's abilities by name, which stand in for a TargetInfo: a processor's features, which are in LLVM's
/// names, and Ability's names for them.
inline std::vector<std::string> withCpuAbilities(std::vector<std::string> features) {
  if (llvm::is_contained(features, "avx512bf16")) // amx-bf16 is LLVM's name too.
    features.push_back(kAbilityNames[static_cast<size_t>(Ability::Avx512Bf16)].str());
  return features;
}
} // namespace lispier
#endif
