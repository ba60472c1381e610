//===- Heap.cpp - heap memory of compiled programs ------------------------===//
//
// All memory from here can be released by free(), since a program may combine its
// own malloc and free with memref.alloc and memref.dealloc.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace {
constexpr uint64_t kCacheLine = 64;
constexpr uint64_t kHugePage = 2u << 20;

/// Returns null if memory is exhausted.
void *allocate(uint64_t bytes, uint64_t alignment) {
  void *memory = nullptr;
  if (bytes > uint64_t(INT64_MAX) || posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0)
    return nullptr;
  if (alignment >= kHugePage)
    madvise(memory, bytes, MADV_HUGEPAGE); // Only a hint: failing costs speed.
  return memory;
}

uint64_t usualAlignment(uint64_t bytes) { return bytes >= kHugePage ? kHugePage : kCacheLine; }

/// Ends the program if `memory` is null; continuing would write through it.
void *orStop(void *memory, uint64_t bytes) {
  if (memory)
    return memory;
  fflush(stdout);
  fprintf(stderr, "lispier: out of memory: a buffer of %" PRId64 " bytes asked for\n", int64_t(bytes));
  exit(1);
}
} // namespace

extern "C" {
void *lispier_rt_try_alloc(int64_t bytes) { return allocate(uint64_t(bytes), usualAlignment(uint64_t(bytes))); }
void *lispier_rt_alloc(int64_t bytes) { return orStop(lispier_rt_try_alloc(bytes), uint64_t(bytes)); }
void lispier_rt_free(void *pointer) { free(pointer); }

// Called by code from finalize-memref-to-llvm{use-generic-functions}.
void *_mlir_memref_to_llvm_alloc(uint64_t bytes) { return lispier_rt_alloc(int64_t(bytes)); }
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes) {
  uint64_t usual = usualAlignment(bytes);
  return orStop(allocate(bytes, alignment > usual ? alignment : usual), bytes);
}
void _mlir_memref_to_llvm_free(void *pointer) { free(pointer); }
}
