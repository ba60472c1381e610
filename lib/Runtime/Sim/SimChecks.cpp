//===- SimChecks.cpp - checks of simulated threads ------------------------===//
//
// Checked kernels call these before each access, index and division. Shadow memory
// holds, for each byte of shared memory, its last writer and readers with the epoch
// (number of barriers passed): accesses by two threads in one epoch are a race.
//
//===----------------------------------------------------------------------===//

#include "SimBlock.h"
#include "SimMemory.h"
#include <cstdint>

namespace lispier::sim {
bool Block::checkShared(SimThread &thread, const char *site, int64_t offset, int64_t bytes, int32_t kind) {
  auto error = [&](const char *code, const std::string &text, const std::string &note = "") {
    report(thread, site, code, text, note);
    return false;
  };
  if (offset < 0 || offset + bytes > static_cast<int64_t>(shadow.size()))
    return error("bounds", "shared memory access at byte " + std::to_string(offset) +
                               (offset < 0 ? ", before the start" : ", past the end") + " of the block's " +
                               std::to_string(shadow.size()) + " bytes");
  auto me = static_cast<uint16_t>(thread.warp * thread.warpSize + thread.lane);
  auto name = [&](uint16_t index) { return "thread " + triple(threads[index]->threadId); };
  for (int64_t i = offset; i < offset + bytes; ++i) {
    Shadow &byte = shadow[i];
    if (byte.pending)
      return error(kind == kSimWrite ? "race" : "unwritten",
                   std::string("shared memory is ") + (kind == kSimWrite ? "written" : "read") + " at byte " +
                       std::to_string(i) + " before the asynchronous copy to it has been waited for",
                   std::string(writeSites[i]) + ": note: the copy begins here, in " + name(byte.writer) + "\n");
    if (byte.products && kind != kSimRead)
      return error("race",
                   "shared memory is written at byte " + std::to_string(i) +
                       " before the product of a warpgroup that reads it has been waited for",
                   std::string(readSites[i]) + ": note: the product begins here\n");
    if (byte.drains && kind != kSimRead)
      return error("race",
                   "shared memory is written at byte " + std::to_string(i) +
                       " before the bulk copy that reads it has been waited for",
                   std::string(readSites[i]) + ": note: the copy begins here\n");
    if (byte.fill && kind == kSimRead) { // Phases of its ring order that.
      if (!checkFillRead(thread, site, i))
        return false;
      readSites[i] = site;
      continue;
    }
    byte.fill = 0;
    bool wroteNow = byte.writeEpoch == epoch && byte.writer != me && !(kind == kSimAtomic && byte.atomic);
    if (wroteNow)
      return error("race",
                   std::string(kind == kSimRead ? "shared memory is read" : "shared memory is written") + " at byte " +
                       std::to_string(i) + " without a barrier since " + name(byte.writer) + " wrote it",
                   std::string(writeSites[i]) + ": note: written here\n");
    if (kind != kSimWrite && !byte.writeEpoch)
      return error("unwritten", "shared memory is read at byte " + std::to_string(i) + " before anyone wrote it");
    if (kind == kSimRead) {
      if (byte.readEpoch == epoch && byte.reader != me) {
        byte.otherReader = byte.reader;
        otherReadSites[i] = readSites[i];
        byte.manyReaders = true;
      } else if (byte.readEpoch != epoch) {
        byte.manyReaders = false;
      }
      byte.readEpoch = epoch;
      byte.reader = me;
      readSites[i] = site;
      continue;
    }
    if (byte.readEpoch == epoch && (byte.manyReaders || byte.reader != me)) {
      bool last = byte.reader != me;
      return error("race",
                   "shared memory is written at byte " + std::to_string(i) + " without a barrier since " +
                       name(last ? byte.reader : byte.otherReader) + " read it",
                   std::string((last ? readSites : otherReadSites)[i]) + ": note: read here\n");
    }
    byte.writeEpoch = epoch;
    byte.writer = me;
    byte.proxyFences = thread.proxyFences;
    byte.atomic = kind == kSimAtomic;
    writeSites[i] = site;
  }
  return true;
}
} // namespace lispier::sim

using namespace lispier::sim;

void lispier_sim_access(LispierSimThread *thread, const char *site, int64_t address, int64_t bytes, int64_t alignment,
                        int32_t kind) {
  SimThread &me = self(thread);
  constexpr int64_t kNullPage = 4096;
  if (address >= 0 && address < kNullPage)
    fail(me, site, "bounds", "access through a null pointer");
  if (alignment > 1 && address % alignment) {
    // The address itself is not in the message, because it changes from run to run.
    fail(me, site, "alignment",
         "access of " + std::to_string(bytes) + " bytes at an address that is " + std::to_string(address % alignment) +
             " bytes past a multiple of " + std::to_string(alignment));
  }
  Block &block = *me.block;
  int64_t offset = address - reinterpret_cast<int64_t>(me.shared);
  if (offset >= 0 && offset < block.sharedSpan) {
    if (!block.checkShared(me, site, offset, bytes, kind))
      stop(me);
    return;
  }
  if (!mayBeFreed(uint64_t(address)))
    return;
  if (const char *freedAt = whereFreed(uint64_t(address)))
    fail(me, site, "freed", std::string("memory is ") + (kind == kSimRead ? "read" : "written") + " after it was freed",
         std::string(freedAt) + ": note: freed here\n");
}

void lispier_sim_index(LispierSimThread *thread, const char *site, int64_t index, int64_t extent, int64_t size,
                       int32_t dimension, int64_t byte) {
  if (index >= 0 && index <= size - extent)
    return;
  fail(self(thread), site, "bounds",
       outside(index, extent, size, dimension) + ", at byte " + std::to_string(byte) + " of the memory");
}

void lispier_sim_outside(LispierSimThread *thread, const char *site, const char *callers, int64_t index, int64_t axis,
                         int64_t size) {
  fail(self(thread), site, "bounds",
       "the index " + std::to_string(index) + " is outside of axis " + std::to_string(axis) + ", which has " +
           std::to_string(size) + (size == 1 ? " element" : " elements"),
       callers);
}

void lispier_sim_assert(LispierSimThread *thread, const char *site, const char *message) {
  fail(self(thread), site, "assert", std::string("assertion failed: ") + message);
}

void lispier_sim_dimension(LispierSimThread *thread, const char *site, int64_t dimension, int64_t rank) {
  if (dimension < 0 || dimension >= rank)
    fail(self(thread), site, "bounds",
         "there is no dimension " + std::to_string(dimension) + " of memory that has rank " + std::to_string(rank));
}

void lispier_sim_size(LispierSimThread *thread, const char *site, int64_t size, int32_t dimension) {
  if (size < 0)
    fail(self(thread), site, "bounds",
         "a view of size " + std::to_string(size) + " along dimension " + std::to_string(dimension) +
             "; sizes cannot be negative");
}

void lispier_sim_view(LispierSimThread *thread, const char *site, int64_t first, int64_t bytes, int64_t size) {
  if (first >= 0 && bytes >= 0 && first <= size - bytes)
    return;
  fail(self(thread), site, "bounds",
       "a view of " + std::to_string(bytes) + " bytes from byte " + std::to_string(first) + " is outside its " +
           std::to_string(size) + " bytes");
}

void lispier_sim_reinterpret(LispierSimThread *thread, const char *site, int64_t first, int64_t last, int64_t elements,
                             int64_t sourceFirst, int64_t sourceLast, int64_t sourceElements) {
  if (elements <= 0 || (sourceElements > 0 && first >= sourceFirst && last <= sourceLast))
    return;
  auto range = [](int64_t first, int64_t last) { return std::to_string(first) + " to " + std::to_string(last); };
  fail(self(thread), site, "bounds",
       "a view of elements " + range(first, last) + " of the memory is outside its source" +
           (sourceElements <= 0 ? ", which is empty" : ", elements " + range(sourceFirst, sourceLast)));
}

void lispier_sim_shift(LispierSimThread *thread, const char *site, int64_t amount, int32_t bits) {
  if (amount < 0 || amount >= bits)
    fail(self(thread), site, "shift",
         "shift of " + std::to_string(bits) + " bits by " + std::to_string(amount) + "; the amount is from 0 to " +
             std::to_string(bits - 1));
}

void lispier_sim_division(LispierSimThread *thread, const char *site, int64_t dividend, int64_t divisor, int32_t bits) {
  if (divisor == 0)
    fail(self(thread), site, "division", "integer division by zero");
  if (bits && divisor == -1 && dividend == INT64_MIN >> (64 - bits))
    fail(self(thread), site, "division", "integer division overflows: the least number by -1");
}
