// NCCL and RCCL for tests, beside the driver of driver.c: libnccl.so.2, librccl.so.1. Ranks are processes of one host,
// data goes through shared memory called after the id, and a stream's order is the fake driver's: at once, or when what
// is captured is launched. Numbers are F32, bytes, I64 and, where nothing is computed of them, BF16.
//
// LISPIER_FAKE_LOG, LISPIER_FAKE_FAIL=CALL:N  as in driver.c
// LISPIER_FAKE_HANG=ncclAllReduce:3           the third such call of a rank never comes to an end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMostRanks = 8, kSlot = 1 << 16, kInvalidArgument = 4 };
typedef struct {
  char bytes[128];
} Id;
struct Shared {
  atomic_uint arrived, round;
  char slots[kMostRanks][kSlot];
};
struct Comm {
  struct Shared *shared;
  int rank, ranks, splits;
  char name[100];
};

static int say(const char *call) {
  const char *path = getenv("LISPIER_FAKE_LOG"), *fail = getenv("LISPIER_FAKE_FAIL"),
             *hang = getenv("LISPIER_FAKE_HANG");
  if (path) {
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\n", call);
    fclose(file);
  }
  size_t length = strlen(call);
  static int calls;
  if (hang && strncmp(hang, call, length) == 0 && hang[length] == ':' && ++calls == atoi(hang + length + 1))
    return -1;
  return fail && strncmp(fail, call, length) == 0 && fail[length] == ':' ? atoi(fail + length + 1) : 0;
}

static void meet(const struct Comm *comm) {
  unsigned round = atomic_load(&comm->shared->round);
  if (atomic_fetch_add(&comm->shared->arrived, 1) + 1 == (unsigned)comm->ranks) {
    atomic_store(&comm->shared->arrived, 0);
    atomic_fetch_add(&comm->shared->round, 1);
    return;
  }
  while (atomic_load(&comm->shared->round) == round)
    sched_yield();
}
static int join(const char *name, int rank, int ranks, void **made) {
  struct Comm *comm = calloc(1, sizeof(*comm));
  int file = shm_open(name, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ranks > kMostRanks || ftruncate(file, sizeof(struct Shared)))
    return 2;
  comm->shared = mmap(NULL, sizeof(struct Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  comm->rank = rank;
  comm->ranks = ranks;
  snprintf(comm->name, sizeof(comm->name), "%s", name);
  meet(comm);
  if (rank == 0)
    shm_unlink(name);
  *made = comm;
  return 0;
}

int ncclGetVersion(int *version) {
  *version = 22809;
  return 0;
}
const char *ncclGetErrorString(int code) { return code == kInvalidArgument ? "invalid argument" : "internal error"; }
const char *ncclGetLastError(void *comm) { return "said by the fake library"; }
int ncclGetUniqueId(Id *id) {
  int code = say("ncclGetUniqueId");
  const char *address = getenv("NCCL_COMM_ID");
  if (code || !address)
    return code ? code : kInvalidArgument;
  snprintf(id->bytes, sizeof(id->bytes), "/fake-nccl-%s", address);
  return 0;
}
int ncclCommInitRankConfig(void **comm, int ranks, Id id, int rank, const void *config) {
  int code = say("ncclCommInitRankConfig");
  return code ? code : join(id.bytes, rank, ranks, comm);
}
int ncclCommSplit(struct Comm *comm, int color, int key, void **part, const void *config) {
  int code = say("ncclCommSplit"), size = 0;
  int *colors = (int *)comm->shared->slots[0];
  meet(comm);
  colors[comm->rank] = color;
  meet(comm);
  for (int i = 0; i < comm->ranks; ++i)
    size += colors[i] == color;
  meet(comm);
  char name[160];
  snprintf(name, sizeof(name), "%s-%d-%d", comm->name, comm->splits++, color);
  return code ? code : join(name, key, size, part);
}
int ncclCommGetAsyncError(void *comm, int *error) {
  *error = 0;
  return 0;
}
int ncclCommAbort(void *comm) { return say("ncclCommAbort"); }

// What is combined, gathered or sent: `op` of a reduction, -1 to gather, -2 - root to send.
struct Request {
  const struct Comm *comm;
  const char *from;
  char *to;
  size_t count;
  int width, op, scatters;
};
static void combine(char *to, const char *from, size_t count, int width, int op) {
  for (size_t i = 0; i < count; ++i) {
    if (width == 4) {
      float a = ((float *)to)[i], b = ((const float *)from)[i];
      ((float *)to)[i] = op == 2 ? (a > b ? a : b) : op == 3 ? (a < b ? a : b) : a + b;
    } else if (width == 8)
      ((int64_t *)to)[i] += ((const int64_t *)from)[i];
  }
}
static void perform(const void *bytes) {
  struct Request r;
  memcpy(&r, bytes, sizeof(r));
  int ranks = r.comm->ranks, own = r.comm->rank;
  size_t all = r.count * r.width * (r.scatters ? ranks : 1), part = r.count * r.width;
  for (size_t at = 0; at < all; at += kSlot) {
    size_t piece = all - at < kSlot ? all - at : kSlot;
    memcpy(r.comm->shared->slots[own], r.from + at, piece);
    meet(r.comm);
    if (r.op >= 0) {
      char sum[kSlot];
      memcpy(sum, r.comm->shared->slots[0], piece);
      for (int i = 1; i < ranks; ++i)
        combine(sum, r.comm->shared->slots[i], piece / r.width, r.width, r.op);
      for (size_t i = 0; r.op == 4 && i < piece / 4; ++i)
        ((float *)sum)[i] /= (float)ranks;
      for (size_t i = 0; i < piece; ++i)
        if (!r.scatters)
          r.to[at + i] = sum[i];
        else if ((at + i) / part == (size_t)own)
          r.to[at + i - own * part] = sum[i];
    } else if (r.op == -1) {
      for (int i = 0; i < ranks; ++i)
        memcpy(r.to + i * part + at, r.comm->shared->slots[i], piece);
    } else
      memcpy(r.to + at, r.comm->shared->slots[-2 - r.op], piece);
    meet(r.comm);
  }
}
static void hang(const void *bytes) { *(int *)dlsym(dlopen(FAKE_DRIVER, RTLD_NOW), "fakeIsStuck") = 1; }
static int enqueue(const char *call, const struct Comm *comm, const void *from, void *to, size_t count, int type,
                   int op, int scatters) {
  static void (*order)(void (*)(const void *), const void *, size_t);
  int code = say(call);
  if (code > 0)
    return code;
  if (!order)
    order = (void (*)(void (*)(const void *), const void *, size_t))dlsym(dlopen(FAKE_DRIVER, RTLD_NOW), "fakeEnqueue");
  struct Request request = {comm, from,    to, count, type == 7 ? 4 : type == 4 || type == 8 ? 8 : type == 9 ? 2 : 1,
                            op,   scatters};
  order(code < 0 ? hang : perform, &request, sizeof(request));
  return 0;
}
int ncclGroupStart(void) { return say("ncclGroupStart"); }
int ncclGroupEnd(void) { return say("ncclGroupEnd"); }
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream) {
  return enqueue("ncclAllReduce", comm, from, to, count, type, op, 0);
}
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream) {
  return enqueue("ncclReduceScatter", comm, from, to, count, type, op, 1);
}
int ncclAllGather(const void *from, void *to, size_t count, int type, void *comm, void *stream) {
  return enqueue("ncclAllGather", comm, from, to, count, type, -1, 0);
}
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream) {
  return enqueue("ncclBroadcast", comm, from, to, count, type, -2 - root, 0);
}
