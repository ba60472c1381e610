//===- Sim.h - what kernels on the CPU call --------------------*- C++ -*-===//
//
// Kernels that run on the CPU (targets sim and cpu) are ordinary functions over
// a SimThread. A block's threads are fibers on one core: each runs until it
// meets others (barrier, shuffle, reduction) or ends, in thread order, so that
// a run is deterministic. The checked functions report the first mistake of a
// launch and abandon it.
//
// The C names are the ABI between the pass lispier-gpu-to-host and the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_SIM_H
#define LISPIER_RUNTIME_SIM_H

#include <cstdint>

extern "C" {
/// One thread's place in the grid. lispier-gpu-to-host reads the fields by position.
struct LispierSimThread {
  int64_t threadId[3];
  int64_t blockId[3];
  int64_t blockDim[3];
  int64_t gridDim[3];
  int64_t lane;     ///< Within its warp.
  int64_t warp;     ///< Within its block.
  int64_t warps;    ///< In a block.
  int64_t warpSize; ///< 32 or 64.
  char *shared;     ///< The block's static shared memory.
  char *dynamicShared;
  int64_t dynamicSharedBytes;
};

typedef void (*LispierSimKernel)(LispierSimThread *thread, void *arguments);

enum LispierSimFlags : int32_t {
  kSimChecked = 1,    ///< Blocks one after the other, shared memory shadowed.
  kSimRendezvous = 2, ///< The kernel has barriers, shuffles or reductions: its threads need fibers.
  kSimWarp64 = 4,     ///< Warps of 64 lanes instead of 32.
};

/// A launch of more is an error; the limits are CUDA's, sm_90's of shared memory.
constexpr int64_t kSimMaxThreadsPerBlock = 1024, kSimMaxSharedBytes = 227 * 1024;
constexpr int64_t kSimMaxBlock[3] = {1024, 1024, 64}, kSimMaxGrid[3] = {INT32_MAX, 65535, 65535};

/// Runs a grid; one with a size of 0 has no blocks, and nothing to do. `site` is "file:line:column" of the launch,
/// `name` the kernel's. Null when all went well, else a message that lives until this thread's next launch.
const char *lispier_sim_launch(LispierSimKernel kernel, void *arguments, int64_t gridX, int64_t gridY, int64_t gridZ,
                               int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes,
                               int64_t dynamicSharedBytes, int32_t flags, const char *name, const char *site);

/// Ends the program with the message, if any, by lispier_rt_fail (Runtime.h).
void lispier_sim_check(const char *message);

void lispier_sim_barrier(LispierSimThread *thread, const char *site);

/// mode: 0 xor, 1 down, 2 up, 3 idx, as gpu.shuffle; `bits` is the value, zero-extended. *valid says
/// whether the source lane lies within `width` lanes; otherwise the result is the thread's own value. The lanes of each
/// group of `width` wait for each other, and for no other lane.
int64_t lispier_sim_shuffle(LispierSimThread *thread, const char *site, int32_t mode, int64_t bits, int32_t offset,
                            int32_t width, int8_t *valid);

/// Kinds of gpu.all_reduce, in MLIR's order.
enum LispierSimReduction : int32_t {
  kSimAdd,
  kSimMul,
  kSimMinUI,
  kSimMinSI,
  kSimMinNumF,
  kSimMaxUI,
  kSimMaxSI,
  kSimMaxNumF,
  kSimAnd,
  kSimOr,
  kSimXor,
  kSimMinimumF,
  kSimMaximumF,
};
enum LispierSimType : int32_t { kSimInt8, kSimInt16, kSimInt32, kSimInt64, kSimF16, kSimBF16, kSimF32, kSimF64 };

/// Over the lanes of a cluster of the warp (clusterSize 0: the whole warp), in lane order.
int64_t lispier_sim_subgroup_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                                    int64_t bits, int32_t clusterSize, int32_t clusterStride);
/// Over all threads of the block, in thread order.
int64_t lispier_sim_all_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                               int64_t bits);

/// A reduction whose combining is the kernel's own: every thread of the block brings a value; then each may read all of
/// them, by thread, until it next meets others.
void lispier_sim_gather(LispierSimThread *thread, const char *site, int64_t bits);
int64_t lispier_sim_gathered(LispierSimThread *thread, int64_t index);

/// C's printf, under a name that no program declares otherwise.
int lispier_sim_printf(const char *format, ...);

enum LispierSimAccess : int32_t { kSimRead, kSimWrite, kSimAtomic };

/// A memory access of `bytes` at `address`, which must be a multiple of `alignment`. Checks alignment
/// and null; in shared memory also the block's bounds, races since the last barrier, and reads of
/// what nobody wrote.
void lispier_sim_access(LispierSimThread *thread, const char *site, int64_t address, int64_t bytes, int64_t alignment,
                        int32_t kind);
/// What the kernel asserts does not hold.
void lispier_sim_assert(LispierSimThread *thread, const char *site, const char *message);
/// index < size in dimension `dimension` of a memref; `extent` elements are accessed from there. `byte`: where the
/// access begins, counted from the memref's first element.
void lispier_sim_index(LispierSimThread *thread, const char *site, int64_t index, int64_t extent, int64_t size,
                       int32_t dimension, int64_t byte);
/// `bytes` from byte `first` of a buffer of `size` bytes are seen as a memref.
void lispier_sim_view(LispierSimThread *thread, const char *site, int64_t first, int64_t bytes, int64_t size);
/// The same memory seen as another memref, by which elements of it both reach, counted from where it begins; a view of
/// no `elements` reaches none.
void lispier_sim_reinterpret(LispierSimThread *thread, const char *site, int64_t first, int64_t last, int64_t elements,
                             int64_t sourceFirst, int64_t sourceLast, int64_t sourceElements);
/// The amount of a shift of a number of `bits`, sign-extended.
void lispier_sim_shift(LispierSimThread *thread, const char *site, int64_t amount, int32_t bits);
/// Memory that host code has allocated: `allocated` is what to free, `start` where its bytes begin.
void lispier_sim_allocated(void *allocated, void *start, int64_t bytes);
/// Frees it. Of memory that was told above the bytes stay out of use for long enough to see who still uses them.
void lispier_sim_free(const char *site, void *allocated, void *start);
/// Host code accesses memory that begins at `start`.
void lispier_sim_host_access(const char *site, int64_t start, int32_t kind);
/// An index of host code that may be outside; an error if it is and `start` lies in allocated memory. Otherwise as
/// lispier_sim_index.
void lispier_sim_host_index(const char *site, int64_t start, int64_t index, int64_t extent, int64_t size,
                            int32_t dimension);
/// The operands of an integer division, sign-extended; bits: of the type of a signed division, 0 for an unsigned one,
/// which cannot overflow.
void lispier_sim_division(LispierSimThread *thread, const char *site, int64_t dividend, int64_t divisor, int32_t bits);
}
#endif
