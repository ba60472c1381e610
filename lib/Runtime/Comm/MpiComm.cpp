//===- MpiComm.cpp - MPI as an engine -------------------------------------===//
//
// One file for Open MPI, for MPICH and what is compatible with it, and for the ABI
// that MPI 5 defines: they differ in the values of handles (MpiHandles.def) and agree
// in the functions. No header of an MPI is needed, and a machine may have several.
// Collectives are the non-blocking ones, polled up to a deadline: a blocking one
// would wait for a rank that is gone for ever.
//
//===----------------------------------------------------------------------===//
#include "MpiComm.h"
#include "CombineNumbers.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <sched.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
using Handle = uintptr_t;

enum class Abi { OpenMpi, Mpich, Standard };

struct Handles {
#define HANDLE(member, openMpi, mpich, abi) Handle member;
#include "MpiHandles.def"
};

/// The functions of MPI that are called; each returns 0 or an error code.
struct Calls {
  int (*MPI_Init_thread)(int *, char ***, int wanted, int *provided);
  int (*MPI_Initialized)(int *);
  int (*MPI_Comm_rank)(Handle, int *);
  int (*MPI_Comm_size)(Handle, int *);
  int (*MPI_Comm_split)(Handle, int color, int key, Handle *);
  int (*MPI_Comm_set_errhandler)(Handle, Handle);
  int (*MPI_Iallreduce)(const void *, void *, int, Handle type, Handle op, Handle comm, Handle *request);
  int (*MPI_Iallgather)(const void *, int, Handle, void *, int, Handle, Handle comm, Handle *request);
  int (*MPI_Ireduce_scatter_block)(const void *, void *, int, Handle, Handle op, Handle comm, Handle *request);
  int (*MPI_Ibcast)(void *, int, Handle, int root, Handle comm, Handle *request);
  int (*MPI_Test)(Handle *request, int *flag, void *status);
  int (*MPI_Op_create)(void (*)(void *, void *, int *, void *), int commutes, Handle *);
  int (*MPI_Error_string)(int, char *, int *);
  int (*MPI_Get_library_version)(char *, int *);
  int (*MPI_Abort)(Handle, int);
  int (*MPI_Finalize)();
};
constexpr const char *kCallNames[] = {"MPI_Init_thread",
                                      "MPI_Initialized",
                                      "MPI_Comm_rank",
                                      "MPI_Comm_size",
                                      "MPI_Comm_split",
                                      "MPI_Comm_set_errhandler",
                                      "MPI_Iallreduce",
                                      "MPI_Iallgather",
                                      "MPI_Ireduce_scatter_block",
                                      "MPI_Ibcast",
                                      "MPI_Test",
                                      "MPI_Op_create",
                                      "MPI_Error_string",
                                      "MPI_Get_library_version",
                                      "MPI_Abort",
                                      "MPI_Finalize"};
static_assert(sizeof(Calls) == sizeof(kCallNames));

constexpr int kMostVersion = 8192; // MPI_MAX_LIBRARY_VERSION_STRING is less.

struct Mpi {
  void *library;
  char file[256]; ///< The name that it was opened by.
  Abi abi;
  Handles handles;
  Calls calls;
  void *ignoredStatus, *inPlace;
  int serialized;
  char versionText[64];
} mpi;

struct MpiGroup {
  Handle comm;
  int place, size;
};

MpiGroup *groupOf(Group *group) { return reinterpret_cast<MpiGroup *>(group); }

Status mpiError(const char *call, int code) {
  char text[kMostVersion] = "";
  int length = 0;
  mpi.calls.MPI_Error_string(code, text, &length);
  text[strcspn(text, "\n")] = '\0';
  return Status(call, code, "%.400s", text);
}

bool readHandles() {
  switch (mpi.abi) {
#define HANDLE(member, openMpi, mpich, abi)                                                                            \
  mpi.handles.member = reinterpret_cast<Handle>(dlsym(mpi.library, #openMpi));                                         \
  if (!mpi.handles.member)                                                                                             \
    return false;
  case Abi::OpenMpi:
#include "MpiHandles.def"
    break;
#define HANDLE(member, openMpi, mpich, abi) mpi.handles.member = mpich;
  case Abi::Mpich:
#include "MpiHandles.def"
    break;
#define HANDLE(member, openMpi, mpich, abi) mpi.handles.member = abi;
  case Abi::Standard:
#include "MpiHandles.def"
    break;
  }
  return true;
}

bool readCalls() {
  auto *calls = reinterpret_cast<void **>(&mpi.calls);
  for (size_t i = 0; i < sizeof(kCallNames) / sizeof(kCallNames[0]); ++i)
    if (!(calls[i] = dlsym(mpi.library, kCallNames[i])))
      return false;
  return true;
}

/// Opens a library. Which ABI it has follows from what it defines, or else from its name.
bool open(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  mpi.library = library;
  snprintf(mpi.file, sizeof(mpi.file), "%s", file);
  mpi.abi = dlsym(library, "ompi_mpi_comm_world") ? Abi::OpenMpi : strstr(file, "mpi_abi") ? Abi::Standard : Abi::Mpich;
  bool isMpich = mpi.abi == Abi::Mpich;
  mpi.ignoredStatus = reinterpret_cast<void *>(isMpich ? 1 : 0);
  mpi.inPlace = reinterpret_cast<void *>(isMpich ? intptr_t(-1) : 1);
  mpi.serialized = mpi.abi == Abi::Standard ? 2048 : 2;
  return readHandles() && readCalls();
}

/// The library of the launcher's MPI, or any.
Status openLibrary() {
  if (mpi.library)
    return Status();
  if (const char *file = getenv("LISPIER_MPI"); file && *file)
    return open(file) ? Status() : Status("dlopen", 0, "MPI: %s; LISPIER_MPI=FILE", dlerror());
  constexpr const char *kOpenMpi[] = {"libmpi.so.40", nullptr};
  constexpr const char *kMpich[] = {"libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.1", nullptr};
  bool isMpich = getenv("PMI_RANK") && !getenv("OMPI_COMM_WORLD_RANK");
  for (const char *const *names : {isMpich ? kMpich : kOpenMpi, isMpich ? kOpenMpi : kMpich})
    for (; *names; ++names)
      if (open(*names))
        return Status();
  void *none = dlopen(isMpich ? kMpich[0] : kOpenMpi[0], RTLD_NOW | RTLD_LOCAL);
  return Status("dlopen", 0, "MPI: %s; LISPIER_MPI=FILE", none ? "it has not all functions" : dlerror());
}

Status absent() { return openLibrary(); }

const char *version() {
  char text[kMostVersion] = "";
  int length = 0;
  mpi.calls.MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  snprintf(mpi.versionText, sizeof(mpi.versionText), "%.63s", text);
  for (char *at = mpi.versionText; *at; ++at)
    if (*at == '\t')
      *at = ' ';
  return mpi.versionText;
}

Status newGroup(Handle comm, Group *&group) {
  auto *made = static_cast<MpiGroup *>(malloc(sizeof(MpiGroup)));
  if (!made)
    return Status("join", 0, "no memory");
  made->comm = comm;
  mpi.calls.MPI_Comm_set_errhandler(comm, mpi.handles.errorsReturn);
  if (int code = mpi.calls.MPI_Comm_rank(comm, &made->place))
    return mpiError("MPI_Comm_rank", code);
  if (int code = mpi.calls.MPI_Comm_size(comm, &made->size))
    return mpiError("MPI_Comm_size", code);
  group = reinterpret_cast<Group *>(made);
  return Status();
}

Status join(const Ranks &ranks, Group *&world) {
  int isInitialized = 0, provided = 0;
  mpi.calls.MPI_Initialized(&isInitialized);
  if (!isInitialized)
    if (int code = mpi.calls.MPI_Init_thread(nullptr, nullptr, mpi.serialized, &provided))
      return mpiError("MPI_Init_thread", code);
  if (Status status = newGroup(mpi.handles.world, world); !status.ok())
    return status;
  int size = groupOf(world)->size;
  if (size == ranks.ranks && groupOf(world)->place == ranks.rank)
    return Status();
  world = nullptr;
  return Status("join", 0, "%s has started %d ranks, and %s knows %d; LISPIER_MPI=FILE names that one's library",
                ranks.launcher->name, ranks.ranks, mpi.file, size);
}

Status split(Group *world, int color, int place, int, Group *&group) {
  Handle comm = 0;
  if (int code = mpi.calls.MPI_Comm_split(groupOf(world)->comm, color, place, &comm))
    return mpiError("MPI_Comm_split", code);
  return newGroup(comm, group);
}

/// Waits until a collective is done.
Status finish(const char *call, int code, Handle request) {
  if (code)
    return mpiError(call, code);
  Deadline deadline;
  for (int64_t tries = 0;; ++tries) {
    int isDone = 0;
    if (int failed = mpi.calls.MPI_Test(&request, &isDone, mpi.ignoredStatus))
      return mpiError(call, failed);
    if (isDone)
      return Status();
    if (tries > 50)
      sched_yield();
    if (tries > 10000)
      usleep(20);
    if (tries % 64 == 63 && deadline.hasPassed())
      return timeout();
  }
}

Handle typeOf(Element element) {
  switch (element) {
  case LISPIER_F64:
    return mpi.handles.f64;
  case LISPIER_F32:
    return mpi.handles.f32;
  case LISPIER_F16: // MPI has no floats of 16 bits.
  case LISPIER_BF16:
    return mpi.handles.u16;
  case LISPIER_I64:
    return mpi.handles.i64;
  case LISPIER_I32:
    return mpi.handles.i32;
  case LISPIER_I8:
    return mpi.handles.i8;
  case LISPIER_I1:
    return mpi.handles.u8;
  }
  return 0;
}

/// An operation of MPI's interface. MPI's own leave open what the maximum of a NaN is, and have no floats of 16 bits.
template <Element element, Combine by> void combineFor(void *from, void *to, int *count, void *) {
  combineNumbers(to, from, *count, element, by);
}

using Operation = void (*)(void *, void *, int *, void *);
template <Element element>
constexpr Operation kOperations[] = {combineFor<element, LISPIER_ADD>, combineFor<element, LISPIER_ADD>,
                                     combineFor<element, LISPIER_MAX>, combineFor<element, LISPIER_MIN>};
constexpr const Operation *kOwnOperations[] = {
    kOperations<LISPIER_F64>, kOperations<LISPIER_F32>, kOperations<LISPIER_F16>, kOperations<LISPIER_BF16>,
    kOperations<LISPIER_I64>, kOperations<LISPIER_I32>, kOperations<LISPIER_I8>,  kOperations<LISPIER_I1>};

/// Does not commute, so that numbers are combined in the order of the ranks.
Status operationOf(Element element, Combine by, Handle &operation) {
  static Handle made[8][4];
  bool isSum = by == LISPIER_ADD || by == LISPIER_MEAN;
  bool isFloat = element <= LISPIER_BF16, isWide = element != LISPIER_F16 && element != LISPIER_BF16;
  if (isWide && element != LISPIER_I1 && (isSum || !isFloat)) {
    operation = isSum ? mpi.handles.sum : by == LISPIER_MAX ? mpi.handles.max : mpi.handles.min;
    return Status();
  }
  Handle &own = made[element][by];
  if (!own)
    if (int code = mpi.calls.MPI_Op_create(kOwnOperations[element][by], /*commutes=*/0, &own))
      return mpiError("MPI_Op_create", code);
  operation = own;
  return Status();
}

constexpr int64_t kMostCount = 1 << 30; ///< Counts are ints.

Status tooMany(const char *call, int64_t count) {
  return Status(call, 0, "%lld numbers of each rank, and MPI takes %lld", (long long)count, (long long)kMostCount);
}

Status allReduce(Group *any, const void *from, void *to, int64_t count, Element element, Combine by) {
  const MpiGroup &group = *groupOf(any);
  Handle operation = 0;
  if (Status status = operationOf(element, by, operation); !status.ok())
    return status;
  for (int64_t at = 0; at < count; at += kMostCount) {
    int piece = int(count - at < kMostCount ? count - at : kMostCount);
    char *target = static_cast<char *>(to) + at * bytesOf(element);
    const void *source = from == to ? mpi.inPlace : static_cast<const char *>(from) + at * bytesOf(element);
    Handle request = 0;
    int code = mpi.calls.MPI_Iallreduce(source, target, piece, typeOf(element), operation, group.comm, &request);
    if (Status status = finish("MPI_Iallreduce", code, request); !status.ok())
      return status;
  }
  if (by == LISPIER_MEAN)
    divideNumbers(to, count, element, group.size);
  return Status();
}

Status gather(Group *any, const void *from, void *to, int64_t count, Handle type) {
  if (count > kMostCount)
    return tooMany("MPI_Iallgather", count);
  Handle request = 0;
  int code = mpi.calls.MPI_Iallgather(from, int(count), type, to, int(count), type, groupOf(any)->comm, &request);
  return finish("MPI_Iallgather", code, request);
}

Status allGather(Group *group, const void *from, void *to, int64_t count, Element element) {
  return gather(group, from, to, count, typeOf(element));
}

Status exchange(Group *group, const void *from, void *to, int64_t bytes) {
  return gather(group, from, to, bytes, mpi.handles.u8);
}

Status reduceScatter(Group *any, const void *from, void *to, int64_t count, Element element, Combine by) {
  const MpiGroup &group = *groupOf(any);
  if (count > kMostCount)
    return tooMany("MPI_Ireduce_scatter_block", count);
  Handle operation = 0, request = 0;
  if (Status status = operationOf(element, by, operation); !status.ok())
    return status;
  int code =
      mpi.calls.MPI_Ireduce_scatter_block(from, to, int(count), typeOf(element), operation, group.comm, &request);
  Status status = finish("MPI_Ireduce_scatter_block", code, request);
  if (status.ok() && by == LISPIER_MEAN)
    divideNumbers(to, count, element, group.size);
  return status;
}

Status fromRank(Group *any, const void *from, void *to, int64_t count, Element element, int root) {
  const MpiGroup &group = *groupOf(any);
  if (group.place == root && from != to)
    memcpy(to, from, count * bytesOf(element));
  for (int64_t at = 0; at < count; at += kMostCount) {
    int piece = int(count - at < kMostCount ? count - at : kMostCount);
    Handle request = 0;
    int code = mpi.calls.MPI_Ibcast(static_cast<char *>(to) + at * bytesOf(element), piece, typeOf(element), root,
                                    group.comm, &request);
    if (Status status = finish("MPI_Ibcast", code, request); !status.ok())
      return status;
  }
  return Status();
}

void endOthers(Group *world) { mpi.calls.MPI_Abort(groupOf(world)->comm, 1); }
void leave(Group *) { mpi.calls.MPI_Finalize(); }

/// Whether a program of that name is in the path.
bool isCommand(const char *name) {
  char path[4096];
  for (const char *folder = getenv("PATH"); folder && *folder;) {
    size_t length = strcspn(folder, ":");
    if (snprintf(path, sizeof(path), "%.*s/%s", int(length), folder, name) < int(sizeof(path)) &&
        access(path, X_OK) == 0)
      return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}
} // namespace

bool mpiCommand(const char *arguments[kMostMpiArguments], Status &why) {
  why = openLibrary();
  if (!why.ok())
    return false;
  bool isOpenMpi = mpi.abi == Abi::OpenMpi;
  constexpr const char *kOpenMpi[] = {"mpirun.openmpi", "mpirun", "mpiexec"};
  constexpr const char *kMpich[] = {"mpiexec.hydra", "mpirun.mpich", "mpiexec"};
  int count = 0;
  for (const char *name : isOpenMpi ? kOpenMpi : kMpich)
    if (!count && isCommand(name))
      arguments[count++] = name;
  if (!count) {
    why = Status("mpirun", 0, "%s is there, and its mpirun is not in the path", mpi.file);
    return false;
  }
  if (isOpenMpi) { // It binds each rank to a processor, takes no more ranks than these, and refuses root.
    for (const char *argument : {"--bind-to", "none", "--oversubscribe"})
      arguments[count++] = argument;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  arguments[count] = nullptr;
  return true;
}

const CommTable kMpiComm = {"mpi",     "MPI",     /*isForDevice=*/false, absent,   version, join,    split,
                            allReduce, allGather, reduceScatter,         fromRank, nullptr, nullptr, exchange,
                            endOthers, leave};
} // namespace lispier::runtime
