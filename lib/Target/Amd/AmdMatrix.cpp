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

/// 64 lanes: four neighbours along k, or down a column of sums, in each.
MatrixInstruction mfma16(MatrixType type) {
  return {type,
          MatrixType::F32,
          16,
          16,
          16,
          {{{K, 1}, {K, 2}}, {{M, 1}, {M, 2}, {M, 4}, {M, 8}, {K, 4}, {K, 8}}},
          {{{K, 1}, {K, 2}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {K, 4}, {K, 8}}},
          {{{M, 1}, {M, 2}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {M, 4}, {M, 8}}}};
}

MatrixInstruction mfma32(MatrixType type) {
  return {type,
          MatrixType::F32,
          32,
          32,
          8,
          {{{K, 1}, {K, 2}}, {{M, 1}, {M, 2}, {M, 4}, {M, 8}, {M, 16}, {K, 4}}},
          {{{K, 1}, {K, 2}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {N, 16}, {K, 4}}},
          {{{M, 1}, {M, 2}, {M, 8}, {M, 16}}, {{N, 1}, {N, 2}, {N, 4}, {N, 8}, {N, 16}, {M, 4}}}};
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

/// The smaller instruction first: it fits more tiles, and a tile's operands stay in fewer registers.
std::vector<MatrixInstruction> mfmaInstructions() {
  return {mfma16(MatrixType::BF16), mfma16(MatrixType::F16), mfma32(MatrixType::BF16), mfma32(MatrixType::F16)};
}

std::vector<MatrixInstruction> wmmaInstructions() { return {wmma(MatrixType::BF16), wmma(MatrixType::F16)}; }
} // namespace lispier
