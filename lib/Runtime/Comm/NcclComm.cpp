//===- NcclComm.cpp - NCCL and RCCL as engines ----------------------------===//
//
// Collectives on memory of the program's device, in its queue. Calls block until other
// ranks have made theirs, up to a deadline: NCCL starts a thread for each call of a
// communicator that does not block, which takes 85 us on an H100.
//
//===----------------------------------------------------------------------===//
#include "NcclComm.h"
#include "BlockedCall.h"
#include "Device/ProgramDevice.h"
#include "MpiComm.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
struct NcclId {
  char bytes[128];
};
/// ncclConfig_t of NCCL 2.14: the library copies `size` bytes and knows by `version` which members there are.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 1;
};
constexpr int kInProgress = 7;

struct NcclCalls {
#define CALL(member, symbol, parameters) int(*member) parameters;
#include "NcclCalls.def"
};
constexpr const char *kNcclNames[] = {
#define CALL(member, symbol, parameters) #symbol,
#include "NcclCalls.def"
};

struct Nccl {
  void *library;
  bool isRccl;
  NcclCalls calls;
  const char *(*errorString)(int code);
  const char *(*lastError)(void *comm);
  void *comms[17]; ///< The world's, and those of its groups.
  int commCount;
  bool isTogether; ///< Between begin and end.
  int rank;
  char versionText[32];
} nccl;

struct NcclGroup {
  void *comm;
  int size;
};

NcclGroup *groupOf(Group *group) { return reinterpret_cast<NcclGroup *>(group); }

const char *libraryName() { return nccl.isRccl ? "librccl.so.1" : "libnccl.so.2"; }

Status ncclError(const char *call, int code, void *comm) {
  const char *more = nccl.lastError(comm);
  return Status(call, code, "%s%s%.300s", nccl.errorString(code), more && *more ? ": " : "", more ? more : "");
}

/// The library of the Python that the user works with, which has PyTorch's.
void *openInEnvironment() {
  const char *folder = getenv("VIRTUAL_ENV");
  char pattern[1024];
  if (!folder || snprintf(pattern, sizeof(pattern), "%s/lib/python3*/site-packages/nvidia/nccl/lib/%s", folder,
                          libraryName()) >= int(sizeof(pattern)))
    return nullptr;
  glob_t found{};
  void *library = nullptr;
  if (glob(pattern, 0, nullptr, &found) == 0)
    library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
  globfree(&found);
  return library;
}

Status absent() {
  if (nccl.library)
    return Status();
  const char *file = getenv("LISPIER_NCCL"), *engine = nccl.isRccl ? "RCCL" : "NCCL";
  nccl.library = dlopen(file && *file ? file : libraryName(), RTLD_NOW | RTLD_LOCAL);
  char why[400];
  snprintf(why, sizeof(why), "%s", nccl.library ? "" : dlerror());
  if (!nccl.library && !(file && *file))
    nccl.library = openInEnvironment();
  if (!nccl.library)
    return Status("dlopen", 0, "%s: %s; LISPIER_NCCL=FILE", engine, why);
  auto *calls = reinterpret_cast<void **>(&nccl.calls);
  auto find = [&](const char *name, void *&address) { return (address = dlsym(nccl.library, name)) != nullptr; };
  for (size_t i = 0; i < sizeof(kNcclNames) / sizeof(kNcclNames[0]); ++i)
    if (!find(kNcclNames[i], calls[i]))
      return Status("dlsym", 0, "%s: it has no `%s`, and is too old", engine, kNcclNames[i]);
  if (!find("ncclGetErrorString", reinterpret_cast<void *&>(nccl.errorString)) ||
      !find("ncclGetLastError", reinterpret_cast<void *&>(nccl.lastError)))
    return Status("dlsym", 0, "%s: it has no `ncclGetLastError`, and is too old", engine);
  return Status();
}

const char *version() {
  int number = 0;
  nccl.calls.getVersion(&number);
  snprintf(nccl.versionText, sizeof(nccl.versionText), "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  return nccl.versionText;
}

/// Makes a call of the communicator, which the call itself may make.
template <typename Call> Status complete(const char *name, void *const &comm, Call call) {
  BlockedCall watched(name, nccl.rank);
  int code = call();
  if (code == kInProgress && nccl.isTogether) // Until the last of several calls nothing is.
    return Status();
  while (code == kInProgress) // A user's NCCL_COMM_BLOCKING=0.
    if (int failed = nccl.calls.asyncError(comm, &code))
      return ncclError(name, failed, comm);
  return code ? ncclError(name, code, comm) : Status();
}

Status newGroup(void *comm, int size, Group *&group) {
  auto *made = static_cast<NcclGroup *>(malloc(sizeof(NcclGroup)));
  if (!made)
    return Status("join", 0, "no memory");
  *made = {comm, size};
  nccl.comms[nccl.commCount++] = comm;
  group = reinterpret_cast<Group *>(made);
  return Status();
}

/// The id that all ranks have. NCCL itself meets at an address; ranks that came by MPI tell each other.
Status findId(const Ranks &ranks, NcclId &id) {
  char address[300] = "";
  const char *root = getenv("LISPIER_ROOT"), *master = getenv("MASTER_ADDR"), *port = getenv("MASTER_PORT");
  if (root && *root)
    snprintf(address, sizeof(address), "%s", root);
  else if (!ranks.launcher->isMpi && master && port) // The port itself is torchrun's.
    snprintf(address, sizeof(address), "%s:%d", master, atoi(port) + 1);
  if (*address)
    setenv("NCCL_COMM_ID", address, /*overwrite=*/false);
  Group *world = nullptr;
  if (!getenv("NCCL_COMM_ID")) {
    if (Status status = kMpiComm.absent(); !status.ok())
      return Status("join", 0, "%s; or LISPIER_ROOT=host:port, where ranks meet", status.reason);
    if (Status status = kMpiComm.join(ranks, world); !status.ok())
      return status;
  }
  if (!world || ranks.rank == 0)
    if (int code = nccl.calls.getUniqueId(&id))
      return ncclError("ncclGetUniqueId", code, nullptr);
  return world ? kMpiComm.fromRank(world, &id, &id, sizeof(id), LISPIER_I8, 0) : Status();
}

Status join(const Ranks &ranks, Group *&world) {
  NcclId id;
  if (Status status = findId(ranks, id); !status.ok())
    return status;
  deviceOfProgram("start");
  void *comm = nullptr;
  NcclConfig config;
  nccl.rank = ranks.rank;
  Status status = complete("ncclCommInitRankConfig", comm,
                           [&] { return nccl.calls.initRank(&comm, ranks.ranks, id, ranks.rank, &config); });
  if (!status.ok())
    return status;
  return newGroup(comm, ranks.ranks, world);
}

Status split(Group *world, int color, int place, int size, Group *&group) {
  void *comm = nullptr;
  NcclConfig config;
  Status status = complete("ncclCommSplit", comm,
                           [&] { return nccl.calls.split(groupOf(world)->comm, color, place, &comm, &config); });
  if (!status.ok())
    return status;
  return newGroup(comm, size, group);
}

int typeOf(Element element) {
  constexpr int types[] = {8, 7, 6, 9, 4, 2, 0, 1};
  return types[element];
}

int opOf(Element element, Combine by) {
  constexpr int ops[] = {0, 4, 2, 3};
  return element == LISPIER_I1 && by == LISPIER_ADD ? 2 : ops[by];
}

void *stream() {
  Opened &opened = deviceOfProgram("collective");
  return opened.table->queue(opened.device);
}

Status allReduce(Group *group, const void *from, void *to, int64_t count, Element element, Combine by) {
  void *comm = groupOf(group)->comm;
  return complete("ncclAllReduce", comm, [&] {
    return nccl.calls.allReduce(from, to, count, typeOf(element), opOf(element, by), comm, stream());
  });
}

Status allGather(Group *group, const void *from, void *to, int64_t count, Element element) {
  void *comm = groupOf(group)->comm;
  return complete("ncclAllGather", comm,
                  [&] { return nccl.calls.allGather(from, to, count, typeOf(element), comm, stream()); });
}

Status reduceScatter(Group *group, const void *from, void *to, int64_t count, Element element, Combine by) {
  void *comm = groupOf(group)->comm;
  return complete("ncclReduceScatter", comm, [&] {
    return nccl.calls.reduceScatter(from, to, count, typeOf(element), opOf(element, by), comm, stream());
  });
}

Status fromRank(Group *group, const void *from, void *to, int64_t count, Element element, int root) {
  void *comm = groupOf(group)->comm;
  return complete("ncclBroadcast", comm,
                  [&] { return nccl.calls.broadcast(from, to, count, typeOf(element), root, comm, stream()); });
}

Status begin(Group *group) {
  int code = nccl.calls.groupStart();
  nccl.isTogether = code == 0;
  return code ? ncclError("ncclGroupStart", code, groupOf(group)->comm) : Status();
}

Status end(Group *group) {
  nccl.isTogether = false;
  return complete("ncclGroupEnd", groupOf(group)->comm, [] { return nccl.calls.groupEnd(); });
}

Status exchange(Group *group, const void *from, void *to, int64_t bytes) {
  int64_t all = bytes * groupOf(group)->size;
  char *scratch = static_cast<char *>(lispier_rt_device_alloc(bytes + all, "start"));
  lispier_rt_device_copy(scratch, from, bytes, "start");
  Status status = allGather(group, scratch, scratch + bytes, bytes, LISPIER_I8);
  if (status.ok()) {
    lispier_rt_device_copy(to, scratch + bytes, all, "start");
    lispier_rt_device_wait("start");
  }
  lispier_rt_device_free(scratch, "start");
  return status;
}

void endOthers(Group *) { // NCCL notices no rank that is gone: what has started the ranks ends the others.
  for (int i = nccl.commCount; i-- > 0;)
    nccl.calls.abort(nccl.comms[i]);
  nccl.commCount = 0;
}

/// Others may still read this rank's memory until they are here, too. The end of the process releases the
/// communicators: ncclCommDestroy may wait for others for ever.
void leave(Group *world) {
  char own = 0, all[1024];
  if (groupOf(world)->size <= int(sizeof(all)))
    (void)exchange(world, &own, all, 1);
  lispier_rt_device_wait("exit");
}
} // namespace

void useRccl() { nccl.isRccl = true; }

Status ncclFailed() {
  for (int i = 0; i < nccl.commCount; ++i) {
    int error = 0;
    if (int code = nccl.calls.asyncError(nccl.comms[i], &error))
      return ncclError("ncclCommGetAsyncError", code, nccl.comms[i]);
    if (error && error != kInProgress)
      return ncclError("collective", error, nccl.comms[i]);
  }
  return Status();
}

const CommTable kNcclComm = {"nccl",    "NCCL",    /*isForDevice=*/true, absent,   version, join, split,
                             allReduce, allGather, reduceScatter,        fromRank, begin,   end,  exchange,
                             endOthers, leave};
} // namespace lispier::runtime
