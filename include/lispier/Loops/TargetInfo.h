//===- TargetInfo.h - what the lowering asks about a machine ---*- C++ -*-===//
//
// A value that answers questions, made by a room of Target and read by Loops.
// No answer is a vendor's name: a pass that needs to know which vendor it works
// for is missing a question here.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LOOPS_TARGETINFO_H
#define LISPIER_LOOPS_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>

namespace lispier {
enum class Element { F16, BF16, F32, F64 };

/// One matrix instruction: d = a b + c with a [m,k], b [k,n], c and d [m,n], spread over the lanes of one warp.
struct MatrixTile {
  unsigned m, n, k;
  Element operand, accumulator;
};

struct TargetInfo {
  /// Lanes that run in step and may shuffle; a power of two, 1 where there are no lanes.
  unsigned warpWidth = 1;
  unsigned maxThreadsPerBlock = 1;
  /// What the generic route gives a block; a multiple of warpWidth.
  unsigned defaultBlockThreads = 1;
  /// Blocks along x, y, z in one launch.
  std::array<int64_t, 3> maxGrid = {1, 1, 1};
  /// Shared memory of one block in bytes: without asking, and after asking the runtime for more.
  int64_t sharedBytes = 0, maxSharedBytes = 0;
  /// The widest single access to global memory by one lane, in bytes.
  unsigned vectorBytes = 16;
  unsigned registersPerThread = 0;
  /// Copies from global to shared memory that do not pass through registers.
  bool asyncCopy = false;
  /// Several blocks that reach each other's shared memory.
  bool blockClusters = false;
  llvm::SmallVector<MatrixTile, 4> matrixTiles;

  bool hasMatrixTile(Element operand, Element accumulator) const {
    return llvm::any_of(matrixTiles, [&](const MatrixTile &tile) {
      return tile.operand == operand && tile.accumulator == accumulator;
    });
  }
};
} // namespace lispier
#endif
