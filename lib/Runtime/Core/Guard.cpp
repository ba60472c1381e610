//===- Guard.cpp - failures that come back to the caller ------------------===//
//
// Compiled code and what it calls of the runtime have no destructors on the way, so
// a failure may jump over their frames. What they hold is memory that they have
// asked for, which the guard lists.
//
//===----------------------------------------------------------------------===//
#include "Guard.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <setjmp.h>

namespace lispier::runtime {
namespace {
/// A set of blocks by their address: open addressing with linear probing, at most half full.
class BlockSet {
public:
  void insert(void *block) {
    if (2 * (count + 1) > capacity && !grow())
      return; // Without memory for the list, the block is lost if the call fails.
    *slotOf(block) = block;
    ++count;
  }
  bool erase(void *block) {
    size_t hole = slotOf(block) - slots;
    if (!slots[hole])
      return false;
    --count;
    // Later blocks move up, so that a search never passes a hole.
    for (size_t next = after(hole); slots[next]; next = after(next))
      if (distance(homeOf(slots[next]), next) >= distance(hole, next)) {
        slots[hole] = slots[next];
        hole = next;
      }
    slots[hole] = nullptr;
    return true;
  }
  template <typename Take> void drain(Take take) {
    for (size_t i = 0; count && i < capacity; ++i)
      if (void *block = slots[i]) {
        slots[i] = nullptr;
        --count;
        take(block);
      }
    if (slots != first)
      free(slots);
    slots = first;
    capacity = kFirst;
  }
  bool isEmpty() const { return count == 0; }

private:
  static constexpr size_t kFirst = 16;

  size_t homeOf(void *block) const { return (uintptr_t(block) >> 6) * 0x9e3779b97f4a7c15u >> 32 & (capacity - 1); }
  size_t after(size_t i) const { return (i + 1) & (capacity - 1); }
  size_t distance(size_t from, size_t to) const { return (to - from) & (capacity - 1); }
  void **slotOf(void *block) {
    size_t i = homeOf(block);
    while (slots[i] && slots[i] != block)
      i = after(i);
    return &slots[i];
  }
  bool grow() {
    auto **larger = static_cast<void **>(calloc(4 * capacity, sizeof(void *)));
    if (!larger)
      return false;
    void **old = slots;
    size_t oldCapacity = capacity;
    slots = larger;
    capacity *= 4;
    for (size_t i = 0; i < oldCapacity; ++i)
      if (old[i])
        *slotOf(old[i]) = old[i];
    if (old != first)
      free(old);
    return true;
  }

  void *first[kFirst] = {}; ///< Most calls allocate little.
  void **slots = first;
  size_t capacity = kFirst, count = 0;
};

struct Guard {
  sigjmp_buf target;
  char *message;
  size_t size;
  Guard *outer;
  BlockSet blocks;
};
thread_local Guard *innermost = nullptr;
void (*release)(void *block) = lispier_rt_free;
} // namespace

void releaseNotedBy(void (*function)(void *block)) { __atomic_store_n(&release, function, __ATOMIC_RELEASE); }

bool isGuarded() { return innermost != nullptr; }

void returnToGuard(const char *message, int status) {
  Guard &guard = *innermost;
  size_t length = strlen(message);
  while (length && message[length - 1] == '\n') // Messages are lines; the host's are texts.
    --length;
  if (guard.size) {
    length = length < guard.size ? length : guard.size - 1;
    memmove(guard.message, message, length); // The outer guard's message may be the inner one's.
    guard.message[length] = 0;
  }
  siglongjmp(guard.target, status);
}

void noteAllocated(void *block) {
  if (innermost)
    innermost->blocks.insert(block);
}

void noteFreed(void *block) {
  if (block)
    for (Guard *guard = innermost; guard && !guard->blocks.erase(block); guard = guard->outer)
      ;
}
} // namespace lispier::runtime

using namespace lispier::runtime;

int lispier_rt_guard(void (*body)(void *argument), void *argument, char *message, size_t size) {
  Guard guard;
  guard.message = message;
  guard.size = size;
  guard.outer = innermost;
  innermost = &guard;
  int failed = sigsetjmp(guard.target, /*savemask=*/0);
  if (!failed)
    body(argument);
  innermost = guard.outer;
  if (failed)
    lispier_rt_plan_allocation(nullptr, nullptr, nullptr);
  guard.blocks.drain(
      [&](void *block) { failed ? __atomic_load_n(&release, __ATOMIC_ACQUIRE)(block) : noteAllocated(block); });
  return failed;
}
