//===- SimBlock.h - a block of simulated threads ---------------*- C++ -*-===//
//
// Shared by SimLaunch.cpp (launches and the scheduler), SimCollectives.cpp
// (barriers, shuffles, reductions) and SimChecks.cpp (memory accesses).
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_SIMBLOCK_H
#define LISPIER_LIB_RUNTIME_SIMBLOCK_H

#include "Fiber.h"
#include "lispier/Runtime/Sim/Sim.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace lispier::sim {
/// The collective that a thread waits at. Gather: every thread receives every thread's value.
enum class Waiting {
  No,
  Barrier,
  Shuffle,
  SubgroupReduce,
  AllReduce,
  Gather,
  Matrix,
  LoadMatrix,
  StoreMatrix,
  Warpgroup,
  Ring, ///< For a slot of a ring to be filled, or vacant.
  Join, ///< At a barrier of some warps.
  Done
};

struct Block;

/// An asynchronous copy that has not landed.
struct PendingCopy {
  int64_t destination, source;
  int64_t bytes, read; ///< The first `read` of the `bytes` come from `source`, the others are zeros.
  int64_t group;       ///< Number of groups that the thread had made before.
};

/// Operands of a matrix instruction, as lispier_sim_matrix takes them; ldmatrix uses only `c`, for its words.
struct MatrixOperands {
  int32_t family = 0, m = 0, n = 0, k = 0, type = 0, tf32 = 0, sums = 0;
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr;
};

/// Operands of wgmma, as lispier_sim_warpgroup_multiply takes them; `c` of MatrixOperands has the sums.
struct WarpgroupOperands {
  int32_t n = 0, type = 0, aTransposed = 0, transposed = 0;
  int64_t apart = 0;
  const void *registers = nullptr; ///< The lane's part of a; null if a is in shared memory.
  int64_t a = 0, b = 0;            ///< Addresses.
};

/// A lane's sums of a product of a warpgroup, from its beginning until a wait returns them or another product adds to
/// them.
struct SumsInFlight {
  int64_t group;
  std::vector<float> sums;
};

/// Bytes of shared memory, from the start of the block's, that a warp reads until its wait for the group.
struct ReadsInFlight {
  int64_t group;
  std::vector<int64_t> offsets; ///< Of rows of eight elements.
};

/// What a thread has begun by wgmma.
struct WarpgroupState {
  int64_t groups = 0; ///< Made so far.
  bool fenced = false;
  uint32_t tickets = 0; ///< Names given to sums in flight so far.
  std::map<uint32_t, SumsInFlight> sums;
  std::vector<ReadsInFlight> reads; ///< Of the warp, in its first lane.
};

/// A slot of a ring, with two barriers: how many phases have ended, and what of the present one has come.
struct RingSlot {
  int64_t filled = 0, vacated = 0;
  bool isExpecting = false;
  int64_t expected = 0, begun = 0; ///< Bytes.
  std::vector<uint32_t> fills;     ///< That have not landed: numbers in Block::fills, from 1 on.
  int64_t released = 0, consumers = 0;
};

struct SimThread;
struct Ring {
  std::vector<RingSlot> slots;
  SimThread *starter = nullptr;
  uint32_t epoch = 0; ///< When it was started.
};

/// A copy of a tile to a slot.
struct Fill {
  RingSlot *slot;
  int64_t phase, n;
  const char *site;
  int64_t destination, rows, blocks, source, rank; ///< Addresses, and rows of 128 bytes in blocks beside each other.
  std::vector<int64_t> numbers;                    ///< Sizes, strides and indices.
  int64_t elementBytes;
  std::set<int64_t> readers; ///< Warps.
};

/// What a thread waits for at a ring.
struct RingWait {
  RingSlot *slot = nullptr;
  int64_t phase = 0, n = 0;
  bool isForFill = false;
};

/// A bulk copy from shared memory that has not been waited for.
struct DrainInFlight {
  const char *site;
  int64_t offset, bytes;
};

/// A thread. Generated code sees only its LispierSimThread base, which has the same address.
struct SimThread : LispierSimThread {
  Block *block = nullptr;
  Fiber fiber;
  Waiting waiting = Waiting::No;
  const char *site = nullptr;
  // Inputs to a collective, and its result.
  int64_t value = 0;
  int32_t operands[3] = {};
  int64_t result = 0;
  bool valid = false;
  MatrixOperands matrix;
  WarpgroupOperands warpgroup;
  WarpgroupState products;
  uint32_t proxyFences = 0;        ///< Made so far.
  std::vector<PendingCopy> copies; ///< In the order of their groups.
  int64_t copyGroups = 0;          ///< Groups made so far.
  RingWait ringWait;
  std::map<RingSlot *, int64_t> waitedFills;   ///< How many phases of a slot the thread has waited for.
  std::map<RingSlot *, int64_t> releasedFills; ///< How many the warp has released, in its first lane.
  std::map<RingSlot *, int64_t> releases;      ///< How often it has released the slot, in its first lane.
  std::vector<DrainInFlight> drains;
};

/// Shadow state of one byte of shared memory.
struct Shadow {
  uint32_t writeEpoch = 0, readEpoch = 0;           ///< Block::epoch at the last access; 0: none.
  uint16_t writer = 0, reader = 0, otherReader = 0; ///< otherReader: the last reader that is not `reader`.
  bool manyReaders = false, atomic = false;
  bool pending = false;     ///< An asynchronous copy to it has not landed.
  uint16_t products = 0;    ///< Warps' products that read it and have not been waited for.
  uint16_t drains = 0;      ///< Bulk copies that read it and have not been waited for.
  uint32_t proxyFences = 0; ///< Of the writer, when it wrote.
  uint32_t fill = 0;        ///< The fill that wrote it, a number in Block::fills from 1 on; 0: a thread.
};

struct Launch {
  LispierSimKernel kernel;
  void *arguments;
  int64_t grid[3], block[3];
  int64_t sharedBytes, dynamicSharedBytes;
  int32_t flags;
  const char *name;
  const char *site; ///< Source location of the launch.
  std::mutex lock;
  std::atomic<bool> failed{false};
  std::string message;

  int64_t threads() const { return block[0] * block[1] * block[2]; }
  int64_t warpSize() const { return flags & kSimWarp64 ? 64 : 32; }
  /// Full error code: with the prefix "sim-", or "cpu-" for errors that the target cpu detects too ("sim-barrier",
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
  /// Runs the block with this linear index.
  void run(int64_t index);
  /// Ends the launch with an error at `site` in `thread`. `code` is the code without its prefix: "race".
  void report(const SimThread &thread, const char *site, const char *code, const std::string &text,
              const std::string &note = "");
  /// Releases the threads of every complete collective. Returns false if there is none, after reporting the error.
  bool releaseComplete();
  /// Indices [begin, end) of the threads that must take part in the collective at which a thread waits: its shuffle
  /// group, its warp or the block.
  std::pair<size_t, size_t> groupOf(size_t index) const;
  /// Executes a collective and marks its threads runnable. Returns false after reporting an error.
  bool complete(std::vector<SimThread *> &group);
  /// Checks an access to shared memory, `offset` bytes from its start. `kind` is a LispierSimAccess. Returns false
  /// after reporting an error; it is called on the stacks of threads and on that of the block.
  bool checkShared(SimThread &thread, const char *site, int64_t offset, int64_t bytes, int32_t kind);
  /// Marks bytes of shared memory, at an address, as the destination of a copy that begins; or as written when it
  /// lands.
  void setPending(SimThread &thread, int64_t address, int64_t bytes, bool pending);
  /// Executes a matrix instruction of a warp. Returns false after reporting an error.
  bool multiply(std::vector<SimThread *> &warp);
  /// Executes ldmatrix: each lane receives a pair of elements of each matrix. Returns false after reporting an error.
  bool loadMatrices(std::vector<SimThread *> &warp);
  /// Begins a product of four warps. Returns false after reporting an error.
  bool beginProduct(std::vector<SimThread *> &group);
  /// Executes stmatrix. Returns false after reporting an error.
  bool storeMatrices(std::vector<SimThread *> &warp);
  /// The ring at an address; stops the thread, after an error, if there is none.
  Ring &ringAt(SimThread &thread, const char *site, int64_t address, int64_t slots);
  SimThread &leaderOf(const SimThread &thread); ///< The first lane of its warp.
  /// Whether a thread's wait at a ring may pass; copies to its slot land for that.
  bool isReady(SimThread &thread);
  void land(RingSlot &slot);
  /// Checks a read of a byte that a fill has written, or a fill of it. Return false after reporting an error.
  bool checkFillRead(SimThread &thread, const char *site, int64_t byte);
  bool checkFillBegins(SimThread &thread, const char *site, int64_t byte);
  /// Releases the threads at rings and at barriers of some warps that may go on; whether there were any. False after an
  /// error, too.
  bool releaseRingsAndJoins();
  std::string describeRingWait(const SimThread &thread) const;
  /// Whether threads wait at rings or such barriers, which then is an error.
  bool reportRingDeadlock();
  /// Reports bulk copies that a thread has begun and never waited for.
  void checkDrained(const SimThread &thread);
  /// Reports sums that a thread has begun and never waited for.
  void checkProductsEnded(const SimThread &thread);

  Launch &launch;
  std::vector<std::unique_ptr<SimThread>> threads;
  std::vector<char> shared;
  int64_t sharedSpan = 0; ///< Bytes reserved from the aligned start, a little more than the block may use.
  std::vector<Shadow> shadow;
  std::vector<const char *> writeSites, readSites, otherReadSites; ///< By byte; the other location of a race report.
  std::vector<int64_t> gathered;                                   ///< Values by thread of the last gather.
  uint32_t epoch = 1;                                              ///< Number of barriers passed, plus one.
  std::map<int64_t, Ring> rings;                                   ///< By address.
  std::vector<Fill> fills;                                         ///< Begun so far.
  std::map<int32_t, int64_t> passed; ///< Threads that a barrier of some warps counts, and that do not wait; by its id.
};

/// The number of lanes in the group of a thread that waits at a shuffle.
inline int32_t shuffleWidth(const SimThread &thread) { return thread.operands[2]; }

/// Message text: "index 8 of dimension 0 is outside its size 8".
inline std::string outside(int64_t index, int64_t extent, int64_t size, int32_t dimension) {
  std::string what = extent == 1 ? "index " + std::to_string(index)
                                 : "elements " + std::to_string(index) + " to " + std::to_string(index + extent - 1);
  return what + " of dimension " + std::to_string(dimension) + (extent == 1 ? " is" : " are") + " outside its size " +
         std::to_string(size);
}

/// Where element `i` of the lane's part of a (16 x 16) and of c (16 x 8) of m16n8k16 is, by row and column.
std::pair<int, int> placeInA(int lane, int i);
std::pair<int, int> placeInC(int lane, int i);
/// An element of 16 bits; `type` is kSimBF16 or kSimF16.
float halfToFloat(uint16_t bits, int32_t type);

inline SimThread &self(LispierSimThread *thread) { return *static_cast<SimThread *>(thread); }

/// Suspends the thread at a collective until it is complete.
void waitAt(SimThread &thread, Waiting what, const char *site);

/// Suspends for ever a thread whose launch has failed. Called on the thread's stack; does not return.
[[noreturn]] void stop(SimThread &thread);

/// Reports an error and ends the launch. Called on the thread's stack; does not return.
[[noreturn]] void fail(SimThread &thread, const char *site, const char *code, const std::string &text,
                       const std::string &note = "");
} // namespace lispier::sim
#endif
