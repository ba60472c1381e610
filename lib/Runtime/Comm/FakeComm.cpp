//===- FakeComm.cpp - ranks of one host over shared memory ----------------===//
//
// An engine without a library, for tests of programs with ranks on machines that have
// none. Each group has a file in shared memory, called after the job that
// `lispier run --ranks` has started: a barrier, and a slot for each rank, by which
// data goes from one to the others. Numbers are combined in the order of the ranks.
//
//===----------------------------------------------------------------------===//
#include "CombineNumbers.h"
#include "CommTable.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
constexpr int64_t kSlotBytes = 1 << 18;

/// A file begins with it, all zeros at first.
struct Shared {
  std::atomic<uint32_t> arrived, round;
  alignas(64) unsigned char slots[];
};

struct FakeGroup {
  Shared *shared;
  int place, size;
  unsigned char *slot(int place) const { return shared->slots + place * kSlotBytes; }
};

FakeGroup *groupOf(Group *group) { return reinterpret_cast<FakeGroup *>(group); }
int worldRank;

/// Waits for all ranks of the group. Ranks may be more than processors.
Status meet(const FakeGroup &group) {
  uint32_t round = group.shared->round.load();
  if (group.shared->arrived.fetch_add(1) + 1 == uint32_t(group.size)) {
    group.shared->arrived.store(0);
    group.shared->round.fetch_add(1);
    return Status();
  }
  Deadline deadline;
  for (int64_t tries = 0; group.shared->round.load() == round; ++tries) {
    if (tries < 200)
      sched_yield();
    else
      usleep(tries < 2000 ? 20 : 1000);
    if (tries % 64 == 63 && deadline.hasPassed())
      return timeout();
  }
  return Status();
}

/// Opens the group's file, waits until all have, and removes its name.
Status open(const char *key, int place, int size, Group *&group) {
  const char *job = getenv("LISPIER_JOB");
  if (!job)
    return Status("join", 0, "the fake engine is for ranks that `lispier run --ranks` has started");
  char name[200];
  snprintf(name, sizeof(name), "/lispier-%s-%s", job, key);
  int file = shm_open(name, O_RDWR | O_CREAT, 0600);
  int64_t bytes = sizeof(Shared) + size * kSlotBytes;
  if (file < 0 || ftruncate(file, bytes) != 0)
    return Status("shm_open", errno, "%s: %s", name, strerror(errno));
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  auto *made = static_cast<FakeGroup *>(malloc(sizeof(FakeGroup)));
  if (memory == MAP_FAILED || !made)
    return Status("mmap", errno, "%s: %s", name, strerror(errno));
  *made = {static_cast<Shared *>(memory), place, size};
  Status status = meet(*made);
  if (place == 0)
    shm_unlink(name);
  group = reinterpret_cast<Group *>(made);
  return status;
}

Status absent() { return Status(); }
const char *version() { return "1"; }

Status join(const Ranks &ranks, Group *&world) {
  worldRank = ranks.rank;
  return open("all", ranks.rank, ranks.ranks, world);
}

Status split(Group *, int color, int place, int size, Group *&group) {
  static int splits; // The same on all ranks.
  char key[64];
  snprintf(key, sizeof(key), "%d-%d", splits++, color);
  return open(key, place, size, group);
}

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// Lets each rank put a piece of its data into its slot, and take what it wants of all slots.
template <typename Put, typename Take>
Status exchangePieces(const FakeGroup &group, int64_t bytes, const Put &put, const Take &take) {
  for (int64_t at = 0; at < bytes; at += kSlotBytes) {
    int64_t piece = least(kSlotBytes, bytes - at);
    put(at, piece);
    if (Status status = meet(group); !status.ok())
      return status;
    take(at, piece);
    if (Status status = meet(group); !status.ok())
      return status;
  }
  return Status();
}

void combineSlots(const FakeGroup &group, unsigned char *to, int64_t bytes, Element element, Combine by) {
  int64_t count = bytes / bytesOf(element);
  memcpy(to, group.slot(0), bytes);
  for (int place = 1; place < group.size; ++place)
    combineNumbers(to, group.slot(place), count, element, by);
  if (by == LISPIER_MEAN)
    divideNumbers(to, count, element, group.size);
}

Status allReduce(Group *any, const void *from, void *to, int64_t count, Element element, Combine by) {
  const FakeGroup &group = *groupOf(any);
  return exchangePieces(
      group, count * bytesOf(element),
      [&](int64_t at, int64_t piece) { memcpy(group.slot(group.place), static_cast<const char *>(from) + at, piece); },
      [&](int64_t at, int64_t piece) {
        combineSlots(group, static_cast<unsigned char *>(to) + at, piece, element, by);
      });
}

Status exchange(Group *any, const void *from, void *to, int64_t bytes) {
  const FakeGroup &group = *groupOf(any);
  return exchangePieces(
      group, bytes,
      [&](int64_t at, int64_t piece) { memcpy(group.slot(group.place), static_cast<const char *>(from) + at, piece); },
      [&](int64_t at, int64_t piece) {
        for (int place = 0; place < group.size; ++place)
          memcpy(static_cast<char *>(to) + place * bytes + at, group.slot(place), piece);
      });
}

Status allGather(Group *group, const void *from, void *to, int64_t count, Element element) {
  return exchange(group, from, to, count * bytesOf(element));
}

Status reduceScatter(Group *any, const void *from, void *to, int64_t count, Element element, Combine by) {
  const FakeGroup &group = *groupOf(any);
  int64_t bytes = count * bytesOf(element);
  for (int place = 0; place < group.size; ++place) {
    auto *part = static_cast<const char *>(from) + place * bytes;
    Status status = exchangePieces(
        group, bytes, [&](int64_t at, int64_t piece) { memcpy(group.slot(group.place), part + at, piece); },
        [&](int64_t at, int64_t piece) {
          if (group.place == place)
            combineSlots(group, static_cast<unsigned char *>(to) + at, piece, element, by);
        });
    if (!status.ok())
      return status;
  }
  return Status();
}

Status fromRank(Group *any, const void *from, void *to, int64_t count, Element element, int root) {
  const FakeGroup &group = *groupOf(any);
  return exchangePieces(
      group, count * bytesOf(element),
      [&](int64_t at, int64_t piece) {
        if (group.place == root)
          memcpy(group.slot(root), static_cast<const char *>(from) + at, piece);
      },
      [&](int64_t at, int64_t piece) { memcpy(static_cast<char *>(to) + at, group.slot(root), piece); });
}

void endOthers(Group *) {} // What has started the ranks ends them.
void leave(Group *) {}
} // namespace

const CommTable kFakeComm = {"fake",        "the fake engine", /*isForDevice=*/false,
                             absent,        version,           join,
                             split,         allReduce,         allGather,
                             reduceScatter, fromRank,          nullptr,
                             nullptr,       exchange,          endOthers,
                             leave};
} // namespace lispier::runtime
