//===- AmdMatrix.cpp - MFMA and WMMA as data ------------------------------===//
//
// From the CDNA 3 and RDNA 3 ISA documents, "Matrix Arithmetic Instructions" and
// "Wave Matrix Multiply Accumulate".
//
//===----------------------------------------------------------------------===//
#include "AmdChips.h"

namespace lispier {
namespace {
constexpr auto M = MatrixDimension::M, N = MatrixDimension::N, K = MatrixDimension::K, None = MatrixDimension::None;

/// 64 lanes. `run` neighbours along k, a power of two, are in a lane, as many for the factors' rows and columns; the
/// lanes of `groups` parts of a wave have those that follow, `run` apart. Of the sums four neighbours of a column are
/// in a lane, and further ones 32 / groups apart.
MatrixInstruction mfma(MatrixType type, unsigned size, unsigned run, unsigned steps) {
  auto bits = [](MatrixDimension dimension, unsigned from, unsigned end) {
    std::vector<MatrixBit> all;
    for (unsigned value = from; value < end; value *= 2)
      all.push_back({dimension, value});
    return all;
  };
  auto then = [](std::vector<MatrixBit> all, const std::vector<MatrixBit> &more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  constexpr unsigned kLanes = 64, kRows = 4;
  unsigned groups = kLanes / size, k = run * groups;
  auto factor = [&](MatrixDimension kept) {
    return MatrixFragment{bits(K, 1, run), then(bits(kept, 1, size), bits(K, run, k))};
  };
  MatrixFragment sums{then(bits(M, 1, kRows), bits(M, kRows * groups, size)),
                      then(bits(N, 1, size), bits(M, kRows, kRows * groups))};
  return {type, MatrixType::F32, size, size, k, factor(M), factor(N), sums, /*rounds=*/false, steps};
}

/// 32 lanes, of which the upper half has copies of the factors.
MatrixInstruction wmma(MatrixType type) {
  return {type,
          MatrixType::F32,
          16,
          16,
          16,
          {{{K, 1}, {K, 2}, {K, 4}, {K, 8}}, {{M, 1}, {M, 2}, {M, 4}, {M, 8}, {None, 0}}},
          {{{K, 1}, {K, 2}, {K, 4}, {K, 8}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {None, 0}}},
          {{{M, 2}, {M, 4}, {M, 8}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {M, 1}}}};
}
} // namespace

/// The smaller instruction first: it fits more tiles, and a tile's operands stay in fewer registers. Before it two of
/// them in a row, for which a lane reads 16 bytes at once; on gfx950 that is one instruction.
std::vector<MatrixInstruction> mfmaInstructions(bool isDeep) {
  std::vector<MatrixInstruction> all;
  for (unsigned size : {16, 32})
    for (unsigned run : {8, 4})
      for (MatrixType type : {MatrixType::BF16, MatrixType::F16})
        all.push_back(mfma(type, size, run, /*steps=*/run == 8 && !isDeep ? 2 : 1));
  return all;
}

std::vector<MatrixInstruction> wmmaInstructions() { return {wmma(MatrixType::BF16), wmma(MatrixType::F16)}; }
} // namespace lispier
