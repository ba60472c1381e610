//===- SimMemory.h - use after free in simulated programs ------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_SIMMEMORY_H
#define LISPIER_LIB_RUNTIME_SIMMEMORY_H

#include <atomic>
#include <cstdint>

namespace lispier::sim {
/// Bounds of all freed addresses; empty before the first free.
extern std::atomic<uint64_t> freedLow, freedHigh;

/// Returns the source location at which the memory at `address` was freed, or null if it is not freed memory. Call
/// mayBeFreed first, which is much cheaper.
const char *whereFreed(uint64_t address);

/// Fast filter for whereFreed; almost always false.
inline bool mayBeFreed(uint64_t address) {
  return address >= freedLow.load(std::memory_order_relaxed) && address < freedHigh.load(std::memory_order_relaxed);
}
} // namespace lispier::sim
#endif
