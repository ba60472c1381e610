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

#include <cstdint>

namespace lispier {
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
  /// Several blocks that reach each other's shared memory.
  bool blockClusters = false;
};
} // namespace lispier
#endif
