//===- SimBlock.h - a block of simulated threads ---------------*- C++ -*-===//
//
// What SimLaunch.cpp (launches, the scheduler), SimMeetings.cpp (what threads bring to
// a meeting and take away) and SimChecks.cpp (accesses) share.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_SIMBLOCK_H
#define LISPIER_LIB_RUNTIME_SIMBLOCK_H

#include "Fiber.h"
#include "lispier/Runtime/Sim/Sim.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lispier::sim {
/// What a thread waits for. Gather: every thread's value to every thread.
enum class Waiting { No, Barrier, Shuffle, SubgroupReduce, AllReduce, Gather, Done };

struct Block;

/// A thread, the generated code's view of it first: the two are one address.
struct SimThread : LispierSimThread {
  Block *block = nullptr;
  Fiber fiber;
  Waiting waiting = Waiting::No;
  const char *site = nullptr;
  // What it brings to a meeting, and what it takes away.
  int64_t value = 0;
  int32_t operands[3] = {};
  int64_t result = 0;
  bool valid = false;
};

/// What is known of one byte of shared memory since the block began.
struct Shadow {
  uint32_t writeEpoch = 0, readEpoch = 0;           ///< 0: never.
  uint16_t writer = 0, reader = 0, otherReader = 0; ///< otherReader: the last that is not `reader`.
  bool manyReaders = false, atomic = false;
};

struct Launch {
  LispierSimKernel kernel;
  void *arguments;
  int64_t grid[3], block[3];
  int64_t sharedBytes, dynamicSharedBytes;
  int32_t flags;
  const char *name;
  const char *site; ///< Of the launch.
  std::mutex lock;
  std::atomic<bool> failed{false};
  std::string message;

  int64_t threads() const { return block[0] * block[1] * block[2]; }
  int64_t warpSize() const { return flags & kSimWarp64 ? 64 : 32; }
  /// An error's code: the simulator's, or that of a CPU that found what it cannot go on with ("sim-barrier",
  /// "cpu-barrier").
  std::string code(const char *what) const { return std::string(flags & kSimChecked ? "sim-" : "cpu-") + what; }
  void fail(const std::string &text) {
    std::lock_guard<std::mutex> guard(lock);
    if (!failed.exchange(true))
      message = text;
  }
};

inline std::string triple(const int64_t *v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}

struct Block {
  explicit Block(Launch &launch);
  void run(int64_t index);
  /// `code` is what follows the target's name in it, "race".
  void report(const SimThread &thread, const char *site, const char *code, const std::string &text,
              const std::string &note = "");
  bool meet();
  std::pair<size_t, size_t> groupOf(size_t index) const;
  bool complete(std::vector<SimThread *> &group);
  void checkShared(SimThread &thread, const char *site, int64_t offset, int64_t bytes, int32_t kind);

  Launch &launch;
  std::vector<std::unique_ptr<SimThread>> threads;
  std::vector<char> shared;
  int64_t sharedSpan = 0; ///< From the aligned start, all of it inside `shared`: addresses of nothing else.
  std::vector<Shadow> shadow;
  std::vector<const char *> writeSites, readSites, otherReadSites; ///< By byte, for the second half of a race report.
  std::vector<int64_t> gathered; ///< Values by thread, until the next gathering is complete.
  uint32_t epoch = 1;            ///< Barriers passed, plus one.
};

/// Of a thread that waits at a shuffle: how many lanes form a group.
inline int32_t shuffleWidth(const SimThread &thread) { return thread.operands[2]; }

/// "index 8 of dimension 0 is outside its size 8"
inline std::string outside(int64_t index, int64_t extent, int64_t size, int32_t dimension) {
  std::string what = extent == 1 ? "index " + std::to_string(index)
                                 : "elements " + std::to_string(index) + " to " + std::to_string(index + extent - 1);
  return what + " of dimension " + std::to_string(dimension) + (extent == 1 ? " is" : " are") + " outside its size " +
         std::to_string(size);
}

inline SimThread &self(LispierSimThread *thread) { return *static_cast<SimThread *>(thread); }

/// Waits at a meeting; comes back when the group was complete.
void waitAt(SimThread &thread, Waiting what, const char *site);

/// Reports and never returns: the launch is over.
void fail(SimThread &thread, const char *site, const char *code, const std::string &text, const std::string &note = "");
} // namespace lispier::sim
#endif
