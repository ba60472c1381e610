//===- NvidiaMatrix.cpp - mma.sync as data --------------------------------===//
//
// From the PTX ISA, "Warp-level matrix instructions", the figures of the fragments
// of mma.m16n8k16, m16n8k8 and m16n8k32.
//
//===----------------------------------------------------------------------===//
#include "NvidiaChips.h"

namespace lispier {
namespace {
constexpr auto M = MatrixDimension::M, N = MatrixDimension::N, K = MatrixDimension::K;

/// A lane has two neighbours of a row of sums, and the same eight rows below.
const MatrixFragment kSums{{{N, 1}, {M, 8}}, {{N, 2}, {N, 4}, {M, 1}, {M, 2}, {M, 4}}};

MatrixInstruction halves(MatrixType type) {
  return {type,
          MatrixType::F32,
          16,
          8,
          16,
          {{{K, 1}, {M, 8}, {K, 8}}, {{K, 2}, {K, 4}, {M, 1}, {M, 2}, {M, 4}}},
          {{{K, 1}, {K, 8}}, {{K, 2}, {K, 4}, {N, 1}, {N, 2}, {N, 4}}},
          kSums};
}
} // namespace

std::vector<MatrixInstruction> nvidiaMatrixInstructions() {
  return {halves(MatrixType::BF16),
          halves(MatrixType::F16),
          {MatrixType::F32,
           MatrixType::F32,
           16,
           8,
           8,
           {{{M, 8}, {K, 4}}, {{K, 1}, {K, 2}, {M, 1}, {M, 2}, {M, 4}}},
           {{{K, 4}}, {{K, 1}, {K, 2}, {N, 1}, {N, 2}, {N, 4}}},
           kSums,
           /*rounds=*/true},
          {MatrixType::S8,
           MatrixType::S32,
           16,
           8,
           32,
           {{{K, 1}, {K, 2}, {M, 8}, {K, 16}}, {{K, 4}, {K, 8}, {M, 1}, {M, 2}, {M, 4}}},
           {{{K, 1}, {K, 2}, {K, 16}}, {{K, 4}, {K, 8}, {N, 1}, {N, 2}, {N, 4}}},
           kSums}};
}
} // namespace lispier
