//===- RuntimeNumbers.cpp - the simulator runtime's numbers ---------------===//
#include "RuntimeNumbers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace lispier {
namespace {
/// The runtime takes MLIR's numbers, which a new MLIR may change.
constexpr bool sameNumbers() {
  using Kind = gpu::AllReduceOperation;
  using Mode = gpu::ShuffleMode;
  return int(Kind::ADD) == kSimAdd && int(Kind::MUL) == kSimMul && int(Kind::MINUI) == kSimMinUI &&
         int(Kind::MINSI) == kSimMinSI && int(Kind::MINNUMF) == kSimMinNumF && int(Kind::MAXUI) == kSimMaxUI &&
         int(Kind::MAXSI) == kSimMaxSI && int(Kind::MAXNUMF) == kSimMaxNumF && int(Kind::AND) == kSimAnd &&
         int(Kind::OR) == kSimOr && int(Kind::XOR) == kSimXor && int(Kind::MINIMUMF) == kSimMinimumF &&
         int(Kind::MAXIMUMF) == kSimMaximumF && int(Mode::XOR) == kSimShuffleXor &&
         int(Mode::DOWN) == kSimShuffleDown && int(Mode::UP) == kSimShuffleUp && int(Mode::IDX) == kSimShuffleIdx;
}
static_assert(sameNumbers());
} // namespace

std::optional<LispierSimType> elementKind(Type type) {
  using Row = std::pair<bool, LispierSimType>;
  for (auto [matches, kind] : {Row{type.isInteger(1) || type.isInteger(8), kSimInt8},
                               Row{type.isInteger(16), kSimInt16}, Row{type.isInteger(32), kSimInt32},
                               Row{type.isInteger(64) || type.isIndex(), kSimInt64}, Row{type.isF16(), kSimF16},
                               Row{type.isBF16(), kSimBF16}, Row{type.isF32(), kSimF32}, Row{type.isF64(), kSimF64}})
    if (matches)
      return kind;
  return std::nullopt;
}
} // namespace lispier
