//===- Heap.cpp - heap memory of compiled programs ------------------------===//
//
// All memory from here can be released by free(), since a program may combine its
// own malloc and free with memref.alloc and memref.dealloc. Large blocks that are
// released here are kept for the next allocation: the system would take them back,
// and clear each page of the next one.
//
//===----------------------------------------------------------------------===//
#include "Guard.h"
#include "PlannedAllocation.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>
#include <cstdlib>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

using namespace lispier::runtime;

namespace {
constexpr uint64_t kCacheLine = 64;
constexpr uint64_t kHugePage = 2u << 20;

/// Returns null if memory is exhausted.
void *allocateNew(uint64_t bytes, uint64_t alignment) {
  void *memory = nullptr;
  if (bytes > uint64_t(INT64_MAX) || posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0)
    return nullptr;
  if (alignment >= kHugePage)
    madvise(memory, bytes, MADV_HUGEPAGE); // Only a hint: failing costs speed.
  return memory;
}

//===- Kept blocks ---------------------------------------------------------===//

constexpr uint64_t kSmallestKept = 256u << 10;
constexpr uint64_t kMostKeptBytes = uint64_t(1) << 30;
constexpr unsigned kMostKept = 16;

struct KeptBlock {
  void *memory;
  uint64_t bytes;
};
pthread_mutex_t keptLock = PTHREAD_MUTEX_INITIALIZER;
KeptBlock kept[kMostKept]; ///< Oldest first.
unsigned keptCount = 0;
uint64_t keptBytes = 0;

void *takeKept(unsigned i) {
  void *memory = kept[i].memory;
  keptBytes -= kept[i].bytes;
  for (--keptCount; i < keptCount; ++i)
    kept[i] = kept[i + 1];
  return memory;
}

/// The smallest kept block for so many bytes, of which at most a quarter is left over; null if there is none. An
/// aligned block may be larger by the alignment than what was asked for.
void *reuse(uint64_t bytes, uint64_t alignment) {
  if (bytes < kSmallestKept || bytes > kMostKeptBytes)
    return nullptr;
  uint64_t most = bytes + bytes / 4 + (alignment >= kHugePage ? alignment : 0);
  pthread_mutex_lock(&keptLock);
  unsigned best = keptCount;
  for (unsigned i = 0; i < keptCount; ++i)
    if (kept[i].bytes >= bytes && kept[i].bytes <= most && uintptr_t(kept[i].memory) % alignment == 0 &&
        (best == keptCount || kept[i].bytes < kept[best].bytes))
      best = i;
  void *memory = best < keptCount ? takeKept(best) : nullptr;
  pthread_mutex_unlock(&keptLock);
  return memory;
}

/// Keeps the block in the place of older ones, or frees it.
void release(void *memory) {
  noteFreed(memory);
  uint64_t bytes = memory ? malloc_usable_size(memory) : 0;
  if (bytes < kSmallestKept || bytes > kMostKeptBytes)
    return free(memory);
  pthread_mutex_lock(&keptLock);
  for (unsigned i = 0; i < keptCount; ++i)
    if (kept[i].memory == memory) {
      pthread_mutex_unlock(&keptLock);
      fail({.ending = Ending::Abort}, "lispier: memory is freed a second time");
    }
  while (keptCount == kMostKept || keptBytes + bytes > kMostKeptBytes)
    free(takeKept(0));
  kept[keptCount++] = {memory, bytes};
  keptBytes += bytes;
  pthread_mutex_unlock(&keptLock);
}

uint64_t usualAlignment(uint64_t bytes) { return bytes >= kHugePage ? kHugePage : kCacheLine; }

void *allocate(uint64_t bytes, uint64_t alignment) {
  void *memory = reuse(bytes, alignment);
  return memory ? memory : allocateNew(bytes, alignment);
}

/// Fails if `memory` is null; continuing would write through it.
void *orStop(void *memory, uint64_t bytes) {
  if (memory) {
    allocationSucceeded();
    noteAllocated(memory);
    return memory;
  }
  reportPlannedAllocation(int64_t(bytes), "");
  fail({}, "lispier: out of memory: a buffer of %" PRId64 " bytes asked for", int64_t(bytes));
}
} // namespace

extern "C" {
void *lispier_rt_try_alloc(int64_t bytes) { return allocate(uint64_t(bytes), usualAlignment(uint64_t(bytes))); }
void *lispier_rt_alloc(int64_t bytes) { return orStop(lispier_rt_try_alloc(bytes), uint64_t(bytes)); }
void lispier_rt_free(void *pointer) { release(pointer); }

// Called by code from finalize-memref-to-llvm{use-generic-functions}.
void *_mlir_memref_to_llvm_alloc(uint64_t bytes) { return lispier_rt_alloc(int64_t(bytes)); }
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes) {
  uint64_t usual = usualAlignment(bytes);
  return orStop(allocate(bytes, alignment > usual ? alignment : usual), bytes);
}
void _mlir_memref_to_llvm_free(void *pointer) { release(pointer); }
}
