//===- MatrixInstruction.h - matrix instructions as data -------*- C++ -*-===//
//
// A matrix instruction of a warp, d[m, n] = a[m, k] b[k, n] + c[m, n], by the place
// of each element: which bit of m, n or k each bit of the register's and of the lane's
// number is. Passes make layouts of tiles from it, and know no instruction by name.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGETINFO_MATRIXINSTRUCTION_H
#define LISPIER_TARGETINFO_MATRIXINSTRUCTION_H

#include <cstdint>
#include <vector>

namespace lispier {
enum class MatrixDimension : uint8_t {
  M,
  N,
  K,
  None ///< Lanes that differ in this bit have copies.
};

/// The bit of that value: {M, 8} is bit 3 of the row.
struct MatrixBit {
  MatrixDimension dimension;
  unsigned value;
};

/// Lowest bits first.
struct MatrixFragment {
  std::vector<MatrixBit> registers, lanes;
};

enum class MatrixType : uint8_t { BF16, F16, F32, S8, S32 };

struct MatrixInstruction {
  MatrixType factors, sums;
  unsigned m, n, k;
  MatrixFragment a, b, c; ///< d is as c.
  /// It ignores low bits of its factors, so that it is taken only where a program allows that.
  bool rounds = false;
  /// So many instructions of k / steps one after the other, of which each takes as many of a thread's registers of both
  /// factors. A thread then has more neighbours along k, which one access reads from shared memory.
  unsigned steps = 1;
};
} // namespace lispier
#endif
