//===- MaskRegions.h - where comparisons of two indices change --*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_MASKREGIONS_H
#define LISPIER_LIB_TENSOR_FORMULAS_MASKREGIONS_H

#include "mlir/Support/LLVM.h"

namespace lispier {
/// What a comparison compares with 0: `token * t + position * p + constant` for token t and position p. Each factor is
/// -1, 0 or 1.
struct MaskLine {
  int64_t token, position, constant;
};

/// Places (token, position), none of them negative, of which every region of places has one: a region is where every
/// line is less than 0, 0, or greater than 0 everywhere. A mask that is right at these places, and depends on its place
/// only by comparisons of the lines, is right everywhere.
mlir::SmallVector<std::pair<int64_t, int64_t>> placesOfRegions(mlir::ArrayRef<MaskLine> lines);
} // namespace lispier
#endif
