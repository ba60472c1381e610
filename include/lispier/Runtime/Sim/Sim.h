//===- Sim.h - SIMT execution of kernels on the CPU ------------*- C++ -*-===//
//
// On the targets sim and cpu a kernel is an ordinary function of a SimThread. The
// threads of a block are fibers on one core. The scheduler runs them in thread
// order, each until it waits at a collective (barrier, shuffle, reduction) or
// ends, so that runs are deterministic. The checking functions report the first
// error of a launch and stop it.
//
// The C names are the ABI between the pass lispier-gpu-to-host and the runtime.
// `site` is always the source location of the operation, "file:line:column".
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_SIM_H
#define LISPIER_RUNTIME_SIM_H

#include <cstdint>

extern "C" {
/// Indices of one thread. lispier-gpu-to-host loads the fields from their offsets.
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
  kSimChecked = 1,    ///< Run blocks one after the other and keep shadow memory for shared memory.
  kSimCollective = 2, ///< The kernel has collectives, so its threads need fibers.
  kSimWarp64 = 4,     ///< Warps have 64 lanes instead of 32.
};

/// Launch limits; exceeding one is an error. They are CUDA's; the shared memory is that of sm_90.
constexpr int64_t kSimMaxThreadsPerBlock = 1024, kSimMaxSharedBytes = 227 * 1024;
constexpr int64_t kSimMaxBlock[3] = {1024, 1024, 64}, kSimMaxGrid[3] = {INT32_MAX, 65535, 65535};

/// Runs a grid, which is empty if one of its sizes is 0. `site` is the launch's location, `name` the kernel's name.
/// Returns null on success, else an error message that is valid until this thread's next launch.
const char *lispier_sim_launch(LispierSimKernel kernel, void *arguments, int64_t gridX, int64_t gridY, int64_t gridZ,
                               int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes,
                               int64_t dynamicSharedBytes, int32_t flags, const char *name, const char *site);

/// Ends the program with `message` through lispier_rt_fail (Runtime.h); does nothing if it is null.
void lispier_sim_check(const char *message);

/// Waits for all threads of the block.
void lispier_sim_barrier(LispierSimThread *thread, const char *site);

/// Modes of gpu.shuffle, in the order of MLIR's enum.
enum LispierSimShuffle : int32_t { kSimShuffleXor, kSimShuffleDown, kSimShuffleUp, kSimShuffleIdx };

/// gpu.shuffle; `mode` is a LispierSimShuffle and `bits` the value, zero-extended. Sets *valid to whether the
/// source lane lies within the group of `width` lanes and exists; otherwise returns the thread's own value. In checked
/// kernels it is an error if xor or idx names a lane outside of the group, if a step up or down is as long as the warp,
/// and if the lane is one that a partial warp lacks. Synchronises the `width` lanes of the thread's group only.
int64_t lispier_sim_shuffle(LispierSimThread *thread, const char *site, int32_t mode, int64_t bits, int32_t offset,
                            int32_t width, int8_t *valid);

/// Kinds of gpu.all_reduce, in the order of MLIR's enum.
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
/// Types of scalars whose bits a reduction combines.
enum LispierSimType : int32_t { kSimInt8, kSimInt16, kSimInt32, kSimInt64, kSimF16, kSimBF16, kSimF32, kSimF64 };

/// Reduces over a cluster of lanes of the warp (clusterSize 0: the whole warp), in lane order.
int64_t lispier_sim_subgroup_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                                    int64_t bits, int32_t clusterSize, int32_t clusterStride);
/// Reduces over all threads of the block, in thread order.
int64_t lispier_sim_all_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                               int64_t bits);

/// A block reduction with a combining region: every thread contributes a value with lispier_sim_gather, which waits for
/// all threads; each may then read the value of every thread with lispier_sim_gathered until its next collective.
void lispier_sim_gather(LispierSimThread *thread, const char *site, int64_t bits);
int64_t lispier_sim_gathered(LispierSimThread *thread, int64_t index);

/// Families of matrix instructions, d = a b + c. The tables of their manuals say which elements a lane holds.
enum LispierSimMatrixFamily : int32_t {
  kSimMma,  ///< PTX ISA, mma.sync.aligned.m16n8k*: warps of 32 lanes.
  kSimMfma, ///< AMD CDNA ISA, v_mfma_* with one block: warps of 64 lanes.
  kSimWmma, ///< AMD RDNA 3 ISA, v_wmma_*_16x16x16: warps of 32 lanes, of which the upper half repeats a and b.
};

/// A matrix instruction, which all lanes of a warp execute together. `a` and `b` point to the lane's elements, of type
/// `operands`, in the order of its registers; `c`, of type `sums` (F32 or I32), is replaced by d. `tf32` operands
/// are F32 whose lower 13 bits the instruction ignores. Sums are made in the order of k, by FMA in the type of c.
void lispier_sim_matrix(LispierSimThread *thread, const char *site, int32_t family, int32_t m, int32_t n, int32_t k,
                        int32_t operands, int32_t tf32, int32_t sums, const void *a, const void *b, void *c);

/// PTX's ldmatrix, of 1, 2 or 4 matrices of 8 x 8 16-bit elements: lane 8 t + r has the address of row r of matrix t.
/// Writes a 32-bit word for each matrix to `words`.
void lispier_sim_load_matrix(LispierSimThread *thread, const char *site, int64_t address, int32_t matrices,
                             int32_t transposed, void *words);

/// PTX's wgmma.mma_async.m64nNk16 of BF16 or F16 (`type`), or m64nNk8 of TF32 (F32, not transposed, and 8 for 16 in
/// what follows), d = a b + c with sums in F32, which the 128 lanes of four warps begin together. a [64 16] is in the
/// lanes' `registers`, as of mma.m16n8k16, or at the address `a` in shared memory, there [16 64] if `aTransposed`; b at
/// the address `b` is [n 16], or [16 n] if `transposed`, 64 columns `apart` bytes from the next. Both lie in rows of
/// 128 bytes with the 128-byte swizzle. `c` points to the lane's n / 2 sums, which it replaces by names of pending
/// sums: only a product that adds to these and lispier_sim_warpgroup_wait can read them.
void lispier_sim_warpgroup_multiply(LispierSimThread *thread, const char *site, int32_t n, int32_t type,
                                    int32_t aTransposed, int32_t transposed, int64_t apart, const void *registers,
                                    int64_t a, int64_t b, void *c);
/// wgmma.fence; a product is an error if the thread has called none since its last group.
void lispier_sim_warpgroup_fence(LispierSimThread *thread);
/// Makes a group of the thread's products since its last group.
void lispier_sim_warpgroup_commit(LispierSimThread *thread);
/// Waits until all but the thread's latest `pending` groups are complete: those of the `count` values at `sums` that
/// they have become numbers.
void lispier_sim_warpgroup_wait(LispierSimThread *thread, int64_t pending, float *sums, int64_t count);
/// fence.proxy.async: what the thread has written to shared memory so far may be read by products of warpgroups, after
/// a barrier.
void lispier_sim_proxy_fence(LispierSimThread *thread);

/// Rings of tiles (tile.roles), each at the address of its barriers, with `slots` slots. Fill n, from 0 on, is of slot
/// n modulo `slots`. A start makes all slots vacant, which `consumers` warps will release.
void lispier_sim_ring_start(LispierSimThread *thread, int64_t ring, int64_t slots, int64_t consumers);
/// Waits until the slot of fill n is vacant, and expects `bytes` bytes of it.
void lispier_sim_ring_vacant(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                             int64_t bytes, int64_t late);
/// A copy of `rows` rows of 128 bytes, with the 128-byte swizzle, and `blocks - 1` times what is to the right of them,
/// to the slot of fill n of those from `destination` on. `numbers`: the tensor's sizes and strides, in elements, and
/// the tile's indices, `rank` of each.
void lispier_sim_ring_fill(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                           int64_t destination, int64_t rows, int64_t blocks, int64_t source, int64_t rank,
                           const int64_t *numbers, int64_t elementBytes);
/// Waits until fill n has come.
void lispier_sim_ring_filled(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n);
/// Releases the slot of fill n - late, for the thread's warp.
void lispier_sim_ring_release(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                              int64_t late);
/// A barrier of `threads` threads that name the same `id`; with `publishes`, after fence.proxy.async.
void lispier_sim_join(LispierSimThread *thread, const char *site, int32_t id, int64_t threads, int32_t publishes);
/// Is counted at such a barrier, and goes on.
void lispier_sim_pass(LispierSimThread *thread, const char *site, int32_t id, int64_t threads);
/// elect.sync: 1 in one lane of a warp.
int32_t lispier_sim_elected(LispierSimThread *thread);
/// Begins to write `rows` rows, as of a fill, to a tile of global memory.
void lispier_sim_copy_bulk(LispierSimThread *thread, const char *site, int64_t source, int64_t rows,
                           int64_t destination, int64_t rank, const int64_t *numbers, int64_t elementBytes);
/// Waits for all but the thread's latest `pending` such copies.
void lispier_sim_drained(LispierSimThread *thread, int64_t pending);
/// PTX's stmatrix: as lispier_sim_load_matrix, the other way round.
void lispier_sim_store_matrix(LispierSimThread *thread, const char *site, int64_t address, int32_t matrices,
                              const void *words);

/// Begins an asynchronous copy of `bytes` bytes to shared memory, of which the first `read` come from `source` and the
/// others are 0. It lands at the wait; an access to its destination before that is an error.
void lispier_sim_copy_async(LispierSimThread *thread, const char *site, int64_t destination, int64_t source,
                            int64_t bytes, int64_t read);
/// Makes a group of the thread's copies since its last group.
void lispier_sim_copy_commit(LispierSimThread *thread);
/// Waits until all but the thread's latest `pending` groups have landed.
void lispier_sim_copy_wait(LispierSimThread *thread, int64_t pending);

/// C's printf, under a name that no program declares with another signature.
int lispier_sim_printf(const char *format, ...);

enum LispierSimAccess : int32_t { kSimRead, kSimWrite, kSimAtomic };

/// Checks a memory access of `bytes` at `address`: null, freed memory, and alignment to `alignment`; in shared memory
/// also the block's bounds, races since the last barrier, and reads of uninitialised bytes.
void lispier_sim_access(LispierSimThread *thread, const char *site, int64_t address, int64_t bytes, int64_t alignment,
                        int32_t kind);
/// Reports that an assertion of the kernel failed.
void lispier_sim_assert(LispierSimThread *thread, const char *site, const char *message);
/// Reports an index of a tensor that is outside of an axis. `callers` are lines of notes, or empty.
void lispier_sim_outside(LispierSimThread *thread, const char *site, const char *callers, int64_t index, int64_t axis,
                         int64_t size);
/// Checks that index + extent <= size in dimension `dimension` of a memref. `byte` is the offset of the access from the
/// memref's first element, for the message.
void lispier_sim_index(LispierSimThread *thread, const char *site, int64_t index, int64_t extent, int64_t size,
                       int32_t dimension, int64_t byte);
/// Checks that a memref of that rank has the dimension.
void lispier_sim_dimension(LispierSimThread *thread, const char *site, int64_t dimension, int64_t rank);
/// Checks that the size of a view along a dimension is not negative.
void lispier_sim_size(LispierSimThread *thread, const char *site, int64_t size, int32_t dimension);
/// Checks a view of `bytes` bytes from byte `first` of a buffer of `size` bytes.
void lispier_sim_view(LispierSimThread *thread, const char *site, int64_t first, int64_t bytes, int64_t size);
/// Checks a reinterpreting cast: the range of element offsets that the result can reach must lie within the source's.
/// A memref without elements reaches none.
void lispier_sim_reinterpret(LispierSimThread *thread, const char *site, int64_t first, int64_t last, int64_t elements,
                             int64_t sourceFirst, int64_t sourceLast, int64_t sourceElements);
/// Checks the amount of a shift, sign-extended, of a `bits`-bit integer.
void lispier_sim_shift(LispierSimThread *thread, const char *site, int64_t amount, int32_t bits);
/// Records an allocation of host code: `allocated` is the pointer to free, `start` the address of its first byte.
void lispier_sim_allocated(void *allocated, void *start, int64_t bytes);
/// Frees memory. A recorded allocation stays in quarantine for a while, so that later accesses to it are reported.
void lispier_sim_free(const char *site, void *allocated, void *start);
/// Checks an access of host code to `bytes` bytes, `offset` bytes behind `start`: the recorded allocation around
/// `start`, if there is one, must not have been freed and must hold them. With 0 bytes only checks that it was not
/// freed.
void lispier_sim_host_access(const char *site, int64_t start, int64_t offset, int64_t bytes, int32_t kind);
/// Checks an index of host code, as lispier_sim_index, if `start` lies in a recorded allocation.
void lispier_sim_host_index(const char *site, int64_t start, int64_t index, int64_t extent, int64_t size,
                            int32_t dimension);
/// Checks the operands of an integer division, sign-extended. `bits` is the width of a signed division, or 0 for an
/// unsigned one, which cannot overflow.
void lispier_sim_division(LispierSimThread *thread, const char *site, int64_t dividend, int64_t divisor, int32_t bits);
}
#endif
