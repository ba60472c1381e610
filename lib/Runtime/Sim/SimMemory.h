//===- SimMemory.h - memory that a program has freed -----------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_SIMMEMORY_H
#define LISPIER_LIB_RUNTIME_SIMMEMORY_H

#include <atomic>
#include <cstdint>

namespace lispier::sim {
/// Around all memory that was freed; before the first, of nothing.
extern std::atomic<uint64_t> freedLow, freedHigh;

/// Where the memory at an address was freed; null where it was not. `mayBeFreed` first: this one looks.
const char *whereFreed(uint64_t address);

/// Whether it is worth looking; nearly always not.
inline bool mayBeFreed(uint64_t address) {
  return address >= freedLow.load(std::memory_order_relaxed) && address < freedHigh.load(std::memory_order_relaxed);
}
} // namespace lispier::sim
#endif
