//===- SimMemory.cpp - use after free in simulated programs ---------------===//
//
// Freed memory is quarantined: its address, with the location of the free, is not
// reused until much more has been freed. Its pages go back to the system at once.
//
//===----------------------------------------------------------------------===//
#include "SimMemory.h"
#include "SimBlock.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <deque>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace lispier::sim {
std::atomic<uint64_t> freedLow{UINT64_MAX}, freedHigh{0};

namespace {
constexpr size_t kMostFreed = 4096;
constexpr int64_t kMostFreedBytes = int64_t(4) << 30;
constexpr uint64_t kPage = 4096;

struct Allocation {
  void *allocated;
  int64_t bytes;
  const char *freedAt; ///< Source location of the free; null while in use.
};

/// Allocations by start address. Never destroyed, since programs free memory during exit.
struct Memory {
  std::mutex lock;
  std::map<uint64_t, Allocation> allocations;
  std::deque<uint64_t> freed; ///< In quarantine, oldest first.
  int64_t freedBytes = 0;
  std::atomic<uint32_t> version{0}; ///< Incremented when CleanPages becomes stale.

  std::map<uint64_t, Allocation>::iterator around(uint64_t address) {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin())
      return allocations.end();
    auto found = std::prev(next);
    return address - found->first < uint64_t(std::max<int64_t>(found->second.bytes, 1)) ? found : allocations.end();
  }

  /// Forgets entries that overlap memory which the C library has returned again: the program called C's free for them.
  void forgetOverlapping(uint64_t start, int64_t bytes) {
    for (auto it = around(start); it != allocations.end();)
      it = it->first < start + uint64_t(bytes) ? allocations.erase(it) : allocations.end();
    for (auto it = allocations.lower_bound(start); it != allocations.end() && it->first < start + uint64_t(bytes);)
      it = allocations.erase(it);
  }

  void giveBackOldest() {
    while (freed.size() > kMostFreed || freedBytes > kMostFreedBytes) {
      auto allocation = allocations.find(freed.front());
      freed.pop_front();
      freedBytes -= allocation->second.bytes;
      lispier_rt_free(allocation->second.allocated);
      allocations.erase(allocation);
    }
  }
};

Memory &memory() {
  static auto *all = new Memory;
  return *all;
}

/// Cache of pages that contain no freed memory.
struct CleanPages {
  static constexpr size_t kCount = 256;
  uint32_t version = 0;
  uint64_t pages[kCount] = {};
};
thread_local CleanPages clean;

/// The allocation that host code used last: a loop's accesses do not look it up each time. Around memory that is not
/// recorded it is that one address, without bounds.
struct Extent {
  uint32_t version = 0;
  uint64_t begin = 0, end = 0;
  bool isRecorded = false;
};
thread_local Extent lastExtent;

const Extent &extentAround(uint64_t address) {
  Memory &all = memory();
  uint32_t version = all.version.load(std::memory_order_relaxed);
  if (lastExtent.version == version && address >= lastExtent.begin && address < lastExtent.end)
    return lastExtent;
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.around(address);
  bool isRecorded = found != all.allocations.end();
  uint64_t begin = isRecorded ? found->first : address;
  lastExtent = {version, begin, begin + (isRecorded ? uint64_t(found->second.bytes) : 1), isRecorded};
  return lastExtent;
}

void dropPages(uint64_t start, int64_t bytes) {
  uint64_t first = (start + kPage - 1) / kPage * kPage, last = (start + uint64_t(bytes)) / kPage * kPage;
  if (last > first)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}
} // namespace

const char *whereFreed(uint64_t address) {
  Memory &all = memory();
  uint64_t page = address / kPage;
  uint32_t version = all.version.load(std::memory_order_relaxed);
  if (clean.version == version && clean.pages[page % CleanPages::kCount] == page)
    return nullptr;
  std::lock_guard<std::mutex> guard(all.lock);
  if (auto allocation = all.around(address); allocation != all.allocations.end() && allocation->second.freedAt)
    return allocation->second.freedAt;
  // Check the allocation that extends into the page and those that begin in it.
  auto before = all.around(page * kPage);
  bool touched = before != all.allocations.end() && before->second.freedAt;
  for (auto it = all.allocations.lower_bound(page * kPage); it != all.allocations.end() && it->first / kPage == page;
       ++it)
    touched |= it->second.freedAt != nullptr;
  if (touched)
    return nullptr;
  if (clean.version != version)
    clean = CleanPages{version, {}};
  clean.pages[page % CleanPages::kCount] = page;
  return nullptr;
}

namespace {
/// Ends the program with an error in host code. No simulated kernel runs at that time.
void failOnHost(const char *site, const char *code, const std::string &text, const std::string &note = "") {
  lispier_rt_fail((std::string(site) + ": error[sim-" + code + "]: " + text + "\nnote: in host code\n" + note).c_str());
}
} // namespace
} // namespace lispier::sim

using namespace lispier::sim;

void lispier_sim_allocated(void *allocated, void *start, int64_t bytes) {
  Memory &all = memory();
  auto address = reinterpret_cast<uint64_t>(start);
  std::lock_guard<std::mutex> guard(all.lock);
  all.forgetOverlapping(address, bytes);
  all.allocations[address] = {allocated, bytes, nullptr};
}

void lispier_sim_free(const char *site, void *allocated, void *start) {
  Memory &all = memory();
  auto address = reinterpret_cast<uint64_t>(start);
  std::unique_lock<std::mutex> guard(all.lock);
  auto allocation = all.allocations.find(address);
  if (allocation == all.allocations.end()) {
    guard.unlock();
    return lispier_rt_free(allocated);
  }
  if (const char *freedAt = allocation->second.freedAt) {
    guard.unlock();
    failOnHost(site, "freed", "memory is freed a second time", std::string(freedAt) + ": note: freed here\n");
  }
  allocation->second.freedAt = site;
  int64_t bytes = allocation->second.bytes;
  dropPages(address, bytes);
  freedLow = std::min(freedLow.load(), address);
  freedHigh = std::max(freedHigh.load(), address + uint64_t(bytes));
  ++all.version;
  all.freed.push_back(address);
  all.freedBytes += bytes;
  all.giveBackOldest();
}

void lispier_sim_host_access(const char *site, int64_t start, int64_t offset, int64_t bytes, int32_t kind) {
  auto accessed = [&] { return std::string("memory is ") + (kind == kSimRead ? "read" : "written"); };
  const char *freedAt = mayBeFreed(uint64_t(start)) ? whereFreed(uint64_t(start)) : nullptr;
  if (freedAt)
    failOnHost(site, "freed", accessed() + " after it was freed", std::string(freedAt) + ": note: freed here\n");
  if (!bytes)
    return;
  const Extent &extent = extentAround(uint64_t(start));
  auto first = start + offset - int64_t(extent.begin), size = int64_t(extent.end - extent.begin);
  if (extent.isRecorded && (first < 0 || first > size - bytes))
    failOnHost(site, "bounds",
               accessed() + " at byte " + std::to_string(first) + ", outside its " + std::to_string(size) + " bytes");
}

void lispier_sim_host_index(const char *site, int64_t start, int64_t index, int64_t extent, int64_t size,
                            int32_t dimension) {
  if (index >= 0 && index <= size - extent)
    return;
  Memory &all = memory();
  std::unique_lock<std::mutex> guard(all.lock);
  bool isAllocated = all.around(uint64_t(start)) != all.allocations.end();
  guard.unlock();
  if (isAllocated)
    failOnHost(site, "bounds", outside(index, extent, size, dimension));
}
