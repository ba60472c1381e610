//===- SimRing.cpp - rings of tiles, and barriers of some warps -----------===//
//
// A ring's slot has two barriers with phases, as mbarriers do: full, which ends when
// the expected bytes have come, and vacant, which ends when each warp that reads has
// released the slot. A wait names a parity; that it passes in another phase than the
// one that it means is an error. A fill is checked when it begins, and lands as late
// as it may, when somebody waits for it.
//
//===----------------------------------------------------------------------===//
#include "SimBlock.h"
#include <algorithm>
#include <cstring>

namespace lispier::sim {
namespace {
constexpr int64_t kRowBytes = 128, kChunk = 16, kEightRows = 8;

/// The chunks of a row change places by its number.
int64_t swizzledByte(int64_t row, int64_t byte) { return row * kRowBytes + (byte ^ (row % kEightRows * kChunk)); }

/// A tile of a tensor in global memory: of its last two dimensions, rows of 128 bytes.
struct TensorTile {
  const char *base;
  int64_t rank;
  const int64_t *sizes, *strides, *indices;
  int64_t elementBytes;

  TensorTile(int64_t base, int64_t rank, const int64_t *numbers, int64_t elementBytes)
      : base(reinterpret_cast<const char *>(base)), rank(rank), sizes(numbers), strides(numbers + rank),
        indices(numbers + 2 * rank), elementBytes(elementBytes) {}

  /// The address of an element of the tile; null if it is outside of the tensor.
  char *at(int64_t row, int64_t column) const {
    int64_t offset = 0;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t index = indices[i] + (i == rank - 2 ? row : i == rank - 1 ? column : 0);
      if (index < 0 || index >= sizes[i])
        return nullptr;
      offset += index * strides[i];
    }
    return const_cast<char *>(base) + offset * elementBytes;
  }
  int64_t columns() const { return kRowBytes / elementBytes; }
};

std::string bytesText(int64_t bytes, int64_t of) { return std::to_string(bytes) + " of " + std::to_string(of); }
} // namespace

Ring &Block::ringAt(SimThread &thread, const char *site, int64_t address, int64_t slots) {
  auto found = rings.find(address);
  if (found == rings.end() || int64_t(found->second.slots.size()) != slots)
    fail(thread, site, "barrier", "a ring of " + std::to_string(slots) + " slots is used before it is started");
  if (found->second.epoch == epoch && found->second.starter != &thread)
    fail(thread, site, "race",
         "a ring is used without a barrier since thread " + triple(found->second.starter->threadId) + " started it");
  return found->second;
}

SimThread &Block::leaderOf(const SimThread &thread) { return *threads[thread.warp * thread.warpSize]; }

bool Block::isReady(SimThread &thread) {
  const RingWait &wait = thread.ringWait;
  RingSlot &slot = *wait.slot;
  if (wait.isForFill && slot.isExpecting && slot.begun == slot.expected && (slot.filled & 1) == (wait.phase & 1))
    land(slot);
  int64_t ended = wait.isForFill ? slot.filled : slot.vacated;
  return (ended & 1) != (wait.phase & 1);
}

/// Copies what has been begun for a slot.
void Block::land(RingSlot &slot) {
  for (uint32_t number : slot.fills) {
    Fill &fill = fills[number - 1];
    TensorTile tile(fill.source, fill.rank, fill.numbers.data(), fill.elementBytes);
    for (int64_t row = 0; row < fill.rows; ++row)
      for (int64_t column = 0; column < fill.blocks * tile.columns(); ++column) {
        int64_t block = column / tile.columns(), byte = column % tile.columns() * fill.elementBytes;
        auto *to = reinterpret_cast<char *>(fill.destination + block * fill.rows * kRowBytes + swizzledByte(row, byte));
        if (const char *from = tile.at(row, column))
          std::memcpy(to, from, size_t(fill.elementBytes));
        else
          std::memset(to, 0, size_t(fill.elementBytes));
      }
    int64_t offset = fill.destination - reinterpret_cast<int64_t>(threads[0]->shared);
    for (int64_t i = offset; i < offset + fill.rows * fill.blocks * kRowBytes && i < int64_t(shadow.size()); ++i)
      shadow[i].pending = false;
  }
  slot.fills.clear();
  slot.isExpecting = false;
  slot.begun = slot.expected = 0;
  ++slot.filled;
}

bool Block::checkFillRead(SimThread &thread, const char *site, int64_t byte) {
  Fill &fill = fills[shadow[byte].fill - 1];
  auto waited = thread.waitedFills.find(fill.slot);
  auto begins = std::string(fill.site) + ": note: the fill begins here\n";
  if (waited == thread.waitedFills.end() || waited->second <= fill.phase) {
    report(thread, site, "unwritten",
           "shared memory is read at byte " + std::to_string(byte) + " before the thread has waited for fill " +
               std::to_string(fill.n) + " of it",
           begins);
    return false;
  }
  SimThread &leader = leaderOf(thread);
  if (auto released = leader.releasedFills.find(fill.slot);
      released != leader.releasedFills.end() && released->second > fill.phase) {
    report(thread, site, "race",
           "shared memory is read at byte " + std::to_string(byte) + " after the thread's warp has released fill " +
               std::to_string(fill.n) + " of it",
           begins);
    return false;
  }
  fill.readers.insert(thread.warp);
  return true;
}

bool Block::checkFillBegins(SimThread &thread, const char *site, int64_t byte) {
  Shadow &shadow = this->shadow[byte];
  auto error = [&](const std::string &text, const char *where, const char *note) {
    report(thread, site, "race", "a copy fills shared memory at byte " + std::to_string(byte) + " " + text,
           std::string(where) + ": note: " + note + "\n");
    return false;
  };
  if (shadow.pending)
    return error("before the copy to it before has been waited for", writeSites[byte], "that copy begins here");
  if (shadow.products)
    return error("before the product of a warpgroup that reads it has been waited for", readSites[byte],
                 "the product begins here");
  if (!shadow.fill)
    return true;
  for (int64_t warp : fills[shadow.fill - 1].readers) {
    SimThread &leader = *threads[warp * thread.warpSize];
    auto released = leader.releasedFills.find(fills[shadow.fill - 1].slot);
    if (released == leader.releasedFills.end() || released->second <= fills[shadow.fill - 1].phase)
      return error("before warp " + std::to_string(warp) + ", which has read it, has released it", readSites[byte],
                   "it is read here");
  }
  return true;
}

bool Block::releaseRingsAndJoins() {
  bool progress = false;
  for (auto &thread : threads) {
    if (thread->waiting != Waiting::Ring || !isReady(*thread))
      continue;
    const RingWait &wait = thread->ringWait;
    int64_t ended = wait.isForFill ? wait.slot->filled : wait.slot->vacated;
    if (ended != wait.phase + 1) {
      report(*thread, thread->site, "barrier",
             "the wait for phase " + std::to_string(wait.phase) + " of a slot's barrier, of fill " +
                 std::to_string(wait.n) + ", passes by parity in phase " + std::to_string(ended));
      return false;
    }
    thread->waiting = Waiting::No;
    progress = true;
  }
  for (auto &thread : threads) {
    if (thread->waiting != Waiting::Join)
      continue;
    std::vector<SimThread *> group;
    for (auto &other : threads)
      if (other->waiting == Waiting::Join && other->operands[0] == thread->operands[0])
        group.push_back(other.get());
    int64_t count = int64_t(group.size()) + passed[thread->operands[0]];
    for (SimThread *other : group)
      if (other->operands[1] != thread->operands[1] || count > thread->operands[1]) {
        report(*other, other->site, "barrier",
               "barrier " + std::to_string(other->operands[0]) + " of " + std::to_string(other->operands[1]) +
                   " threads is reached by " + std::to_string(count) + ", of which one waits for " +
                   std::to_string(thread->operands[1]));
        return false;
      }
    if (count < thread->operands[1])
      continue;
    ++epoch;
    passed[thread->operands[0]] = 0;
    for (SimThread *other : group)
      other->waiting = Waiting::No;
    progress = true;
  }
  return progress;
}

std::string Block::describeRingWait(const SimThread &thread) const {
  if (thread.waiting == Waiting::Join) {
    int64_t here = std::count_if(threads.begin(), threads.end(), [&](auto &other) {
      return other->waiting == Waiting::Join && other->operands[0] == thread.operands[0];
    });
    if (auto others = passed.find(thread.operands[0]); others != passed.end())
      here += others->second;
    return "waits for ever at barrier " + std::to_string(thread.operands[0]) + ", which " +
           bytesText(here, thread.operands[1]) + " threads have reached";
  }
  const RingWait &wait = thread.ringWait;
  const RingSlot &slot = *wait.slot;
  std::string of = "fill " + std::to_string(wait.n);
  if (!wait.isForFill)
    return "waits for ever for the slot of " + of + " to be vacant: " + bytesText(slot.released, slot.consumers) +
           " warps have released it in phase " + std::to_string(slot.vacated);
  std::string phase = " in phase " + std::to_string(slot.filled);
  return "waits for ever for " + of + ": " +
         (slot.isExpecting ? bytesText(slot.begun, slot.expected) + " bytes come" : "no thread fills its slot") + phase;
}

/// Of threads of which some wait for a ring or some warps: what each role waits for.
bool Block::reportRingDeadlock() {
  auto waits = [](const SimThread &thread) {
    return thread.waiting == Waiting::Ring || thread.waiting == Waiting::Join;
  };
  auto first = std::find_if(threads.begin(), threads.end(), [&](auto &thread) { return waits(*thread); });
  if (first == threads.end())
    return false;
  std::string others;
  std::vector<const char *> sites{(*first)->site};
  for (auto &thread : threads)
    if (waits(*thread) && std::find(sites.begin(), sites.end(), thread->site) == sites.end()) {
      sites.push_back(thread->site);
      others += std::string(thread->site) + ": note: thread " + triple(thread->threadId) + " " +
                describeRingWait(*thread) + "\n";
    }
  report(**first, (*first)->site, "barrier", "the thread " + describeRingWait(**first), others);
  return true;
}

void Block::checkDrained(const SimThread &thread) {
  if ((launch.flags & kSimChecked) && !thread.drains.empty() && !launch.failed)
    report(thread, thread.drains.front().site, "race",
           "the thread ends before its bulk copy has read the block's memory, which then is another block's");
}
} // namespace lispier::sim

//===-- C ABI -------------------------------------------------------------===//

using namespace lispier::sim;

void lispier_sim_ring_start(LispierSimThread *thread, int64_t ring, int64_t slots, int64_t consumers) {
  SimThread &me = self(thread);
  Ring &made = me.block->rings[ring];
  made = {};
  made.slots.resize(slots);
  for (RingSlot &slot : made.slots)
    slot.consumers = consumers;
  made.starter = &me;
  made.epoch = me.block->epoch;
}

void lispier_sim_ring_vacant(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                             int64_t bytes, int64_t late) {
  SimThread &me = self(thread);
  RingSlot &slot = me.block->ringAt(me, site, ring, slots).slots[n % slots];
  me.ringWait = {&slot, (n + late) / slots - 1, n, /*isForFill=*/false};
  waitAt(me, Waiting::Ring, site);
  if (slot.isExpecting)
    fail(me, site, "barrier", "fill " + std::to_string(n) + " begins before the one before it of its slot has come");
  slot.isExpecting = true;
  slot.expected = bytes;
}

void lispier_sim_ring_fill(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                           int64_t destination, int64_t rows, int64_t blocks, int64_t source, int64_t rank,
                           const int64_t *numbers, int64_t elementBytes) {
  SimThread &me = self(thread);
  Block &block = *me.block;
  RingSlot &slot = block.ringAt(me, site, ring, slots).slots[n % slots];
  int64_t bytes = rows * blocks * kRowBytes;
  destination += n % slots * bytes;
  slot.begun += bytes;
  if (!slot.isExpecting || slot.begun > slot.expected)
    fail(me, site, "barrier",
         "fill " + std::to_string(n) + " of a slot brings " + std::to_string(slot.begun) + " bytes, of which " +
             std::to_string(slot.isExpecting ? slot.expected : 0) + " are expected");
  block.fills.push_back({&slot, n / slots, n, site, destination, rows, blocks, source, rank, {}, elementBytes, {}});
  block.fills.back().numbers.assign(numbers, numbers + 3 * rank);
  auto number = uint32_t(block.fills.size());
  slot.fills.push_back(number);
  int64_t offset = destination - reinterpret_cast<int64_t>(me.shared), end = offset + bytes;
  if (!(block.launch.flags & kSimChecked))
    return;
  if (offset < 0 || end > int64_t(block.shadow.size()))
    fail(me, site, "bounds",
         "a copy fills bytes " + std::to_string(offset) + " to " + std::to_string(end) + " of the block's " +
             std::to_string(block.shadow.size()));
  if (offset % (kEightRows * kRowBytes))
    fail(me, site, "alignment",
         "a copy fills shared memory at byte " + std::to_string(offset) +
             ", which is no multiple of 1024, the period of its swizzle");
  for (int64_t i = offset; i < end; ++i)
    if (!block.checkFillBegins(me, site, i))
      stop(me);
  block.setPending(me, destination, bytes, true);
  for (int64_t i = offset; i < end; ++i) {
    block.shadow[i].fill = number;
    block.writeSites[i] = site;
  }
}

void lispier_sim_ring_filled(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n) {
  SimThread &me = self(thread);
  RingSlot &slot = me.block->ringAt(me, site, ring, slots).slots[n % slots];
  me.ringWait = {&slot, n / slots, n, /*isForFill=*/true};
  waitAt(me, Waiting::Ring, site);
  me.waitedFills[&slot] = n / slots + 1;
}

void lispier_sim_ring_release(LispierSimThread *thread, const char *site, int64_t ring, int64_t slots, int32_t n,
                              int64_t late) {
  SimThread &me = self(thread);
  Block &block = *me.block;
  RingSlot &slot = block.ringAt(me, site, ring, slots).slots[(n + slots - late) % slots];
  SimThread &leader = block.leaderOf(me);
  int64_t phase = n < late ? -1 : (n - late) / slots; // What is released; nothing by the first steps.
  for (const ReadsInFlight &reads : leader.products.reads)
    for (int64_t offset : reads.offsets)
      if (uint32_t number = block.shadow[offset].fill;
          number && block.fills[number - 1].slot == &slot && block.fills[number - 1].phase == phase)
        fail(me, site, "race",
             "the slot of fill " + std::to_string(n - late) +
                 " is released before the product of a warpgroup that reads it has been waited for",
             std::string(block.readSites[offset]) + ": note: the product begins here\n");
  leader.releasedFills[&slot] = phase + 1;
  if (int64_t own = leader.releases[&slot]++; own != slot.vacated)
    fail(me, site, "barrier",
         "the warp releases a slot for the " + std::to_string(own + 1) + ". time, in phase " +
             std::to_string(slot.vacated) + " of its barrier, of " + std::to_string(slot.consumers) + " warps");
  if (++slot.released < slot.consumers)
    return;
  slot.released = 0;
  ++slot.vacated;
}

void lispier_sim_join(LispierSimThread *thread, const char *site, int32_t id, int64_t threads, int32_t publishes) {
  SimThread &me = self(thread);
  if (publishes)
    ++me.proxyFences;
  me.operands[0] = id;
  me.operands[1] = int32_t(threads);
  waitAt(me, Waiting::Join, site);
}

void lispier_sim_pass(LispierSimThread *thread, const char *site, int32_t id, int64_t threads) {
  SimThread &me = self(thread);
  int64_t &count = me.block->passed[id];
  if (++count > threads)
    fail(me, site, "barrier",
         "barrier " + std::to_string(id) + " of " + std::to_string(threads) + " threads is passed by " +
             std::to_string(count));
}

int32_t lispier_sim_elected(LispierSimThread *thread) { return self(thread).lane == 0; }

void lispier_sim_copy_bulk(LispierSimThread *thread, const char *site, int64_t source, int64_t rows,
                           int64_t destination, int64_t rank, const int64_t *numbers, int64_t elementBytes) {
  SimThread &me = self(thread);
  Block &block = *me.block;
  TensorTile tile(destination, rank, numbers, elementBytes);
  int64_t offset = source - reinterpret_cast<int64_t>(me.shared), bytes = rows * kRowBytes;
  if (block.launch.flags & kSimChecked) {
    if (!block.checkShared(me, site, offset, bytes, kSimRead))
      stop(me);
    for (int64_t i = offset; i < offset + bytes; ++i) {
      Shadow &byte = block.shadow[i];
      const SimThread &writer = *block.threads[byte.writer];
      if (!byte.fill && writer.proxyFences == byte.proxyFences)
        fail(me, site, "race",
             "a bulk copy reads shared memory at byte " + std::to_string(i) + " that thread " +
                 triple(writer.threadId) + " wrote without a fence (fence.proxy.async) since",
             std::string(block.writeSites[i]) + ": note: written here\n");
      ++byte.drains;
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < tile.columns(); ++column)
      if (char *to = tile.at(row, column))
        std::memcpy(to, reinterpret_cast<const char *>(source + swizzledByte(row, column * elementBytes)),
                    size_t(elementBytes));
  me.drains.push_back({site, offset, bytes});
}

void lispier_sim_drained(LispierSimThread *thread, int64_t pending) {
  SimThread &me = self(thread);
  while (int64_t(me.drains.size()) > pending) {
    const DrainInFlight &drain = me.drains.front();
    for (int64_t i = drain.offset; (me.block->launch.flags & kSimChecked) && i < drain.offset + drain.bytes; ++i) {
      Shadow &byte = me.block->shadow[i];
      --byte.drains;
      byte.readEpoch = me.block->epoch; // Others know of the end of the copy behind a barrier.
      byte.reader = static_cast<uint16_t>(me.warp * me.warpSize + me.lane);
      byte.manyReaders = false;
    }
    me.drains.erase(me.drains.begin());
  }
}
