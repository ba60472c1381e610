//===- CommTable.h - interface of an engine ---------------------*- C++ -*-===//
//
// One function table for each engine that moves data between ranks; the code above
// it (lispier_rt_comm_*) is written once. Work on memory of a device is enqueued in
// the device's queue, and other work is done on return. All ranks of a group call
// the same functions with the same counts, in the same order.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_COMMTABLE_H
#define LISPIER_LIB_RUNTIME_COMMTABLE_H

#include "Ranks.h"
#include "lispier/Runtime/Comm/CommProgram.h"
#include <cstdint>

namespace lispier::runtime {
using Element = LispierElement;
using Combine = LispierCombine;

/// Of one number.
int64_t bytesOf(Element element);
const char *nameOf(Element element);

/// The code of a Status: the other ranks have not come in time.
constexpr int kTimeout = -1;

/// Where in the program the last collective was, or its start, for messages of other threads.
extern const char *placeOfCollective;

/// LISPIER_COMM_TIMEOUT, in seconds; 0 for never.
double patience();

/// When to give up waiting for other ranks: LISPIER_COMM_TIMEOUT seconds after it was made, 60 by default, 0 for never.
class Deadline {
public:
  Deadline();
  bool hasPassed() const;
  static double seconds();

private:
  double end;
};

/// The status of a wait that has lasted too long.
Status timeout();

struct Group; ///< Some of the ranks, defined by each engine.

struct CommTable {
  const char *name;   ///< As in LISPIER_COMM.
  const char *engine; ///< As messages call it.
  bool isForDevice;   ///< Its work is on memory of the current device.
  /// Why the engine cannot be used; opens its library.
  Status (*absent)();
  /// Its version, for the comparison at start.
  const char *(*version)();
  /// Joins all ranks.
  Status (*join)(const Ranks &ranks, Group *&world);
  /// Divides all ranks into groups by `color`; `place` is this rank's in its group of `size`.
  Status (*split)(Group *world, int color, int place, int size, Group *&group);
  /// `to[i]` becomes the combination of the `from[i]` of all. The two may be one memory.
  Status (*allReduce)(Group *group, const void *from, void *to, int64_t count, Element element, Combine by);
  /// `to` becomes the `count` numbers of each rank, one rank after the other.
  Status (*allGather)(Group *group, const void *from, void *to, int64_t count, Element element);
  /// As allReduce of `count` numbers for each rank; `to` gets those of this rank.
  Status (*reduceScatter)(Group *group, const void *from, void *to, int64_t count, Element element, Combine by);
  /// `to` becomes the `from` of the rank at `root`. The two may be one memory.
  Status (*fromRank)(Group *group, const void *from, void *to, int64_t count, Element element, int root);
  /// Collectives of one group between these two are done at once, by the second. Null if the engine does each by
  /// itself.
  Status (*begin)(Group *group);
  Status (*end)(Group *group);
  /// An allGather of memory of the host.
  Status (*exchange)(Group *group, const void *from, void *to, int64_t bytes);
  /// Ends the other ranks, if the engine can, as this one is about to fail.
  void (*endOthers)(Group *world);
  /// Leaves all groups; other ranks do so, too.
  void (*leave)(Group *world);
};

/// Processes of one host, over shared memory: for programs on CPUs, where `lispier run --ranks` has started them.
extern const CommTable kFakeComm;
} // namespace lispier::runtime
#endif
