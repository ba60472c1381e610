//===- DeviceEngines.cpp - collectives on memory of a device --------------===//
#include "Device/ProgramDevice.h"
#include "Engines.h"
#include "NcclComm.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lispier::runtime {
namespace {
int rankOfProcess;
const char *lastCollective; ///< Where it is in the program; null once the queue has been waited for.

/// Waits for work in the queue that depends on other ranks, of which one may never come. Afterwards the device's own
/// wait does not block.
void watch(const char *site) {
  if (!lastCollective)
    return;
  Opened &opened = deviceOfProgram(site);
  Event *event = nullptr;
  Status status = opened.table->event(opened.device, event);
  Deadline deadline;
  bool isDone = false;
  for (int64_t tries = 0; status.ok() && !isDone; ++tries) {
    status = opened.table->isDone(opened.device, event, isDone);
    if (isDone || !status.ok() || tries % 256 != 255)
      continue;
    status = ncclFailed();
    if (status.ok() && deadline.hasPassed())
      status = timeout();
    if (tries > 100000)
      usleep(20);
  }
  const char *place = lastCollective;
  lastCollective = nullptr;
  if (status.ok())
    (void)opened.table->drop(opened.device, event);
  else
    fail({place, nullptr, Ending::AtOnce}, "rank %d: %s: %s; it is the last collective before the wait at %s",
         rankOfProcess, status.call, status.reason, site);
}

Status issueWork(const void *work) { return static_cast<const CollectiveWork *>(work)->issue(); }

const ProgramMemory kDeviceMemory = {
    lispier_rt_device_alloc, lispier_rt_device_free,
    [](void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows,
       const char *site) {
      int64_t sizes[] = {rows, rowBytes}, toStrides[] = {toPitch, 1}, fromStrides[] = {fromPitch, 1};
      lispier_rt_device_copy_strided(to, from, 1, 2, sizes, toStrides, fromStrides, site);
    },
    [](void *memory, int64_t bytes, const char *site) { lispier_rt_device_fill(memory, 0, 1, bytes, site); },
    [](const CollectiveWork &work, const char *site) {
      lastCollective = site;
      return enqueueCall(issueWork, &work, sizeof(work), site);
    }};

/// Gives each rank of a host a device of its own, unless LISPIER_DEVICE does, or the process sees one only.
Status chooseDevice(const Ranks &ranks) {
  rankOfProcess = ranks.rank;
  const DeviceTable *found = nullptr;
  for (const DeviceTable *const *table = deviceTables(); *table && !found; ++table)
    if ((*table)->count() > 0)
      found = *table;
  if (found && strcmp(found->kind, "hip") == 0)
    useRccl();
  int devices = found ? found->count() : 0;
  if (devices > 1 && !getenv("LISPIER_DEVICE")) {
    if (ranks.localRank >= devices)
      return Status("device", 0, "there is no device %d for this rank: the host has %d", ranks.localRank, devices);
    char number[16];
    snprintf(number, sizeof(number), "%d", ranks.localRank);
    setenv("LISPIER_DEVICE", number, /*overwrite=*/true);
  }
  beforeWait = watch;
  return Status();
}

const CommTable *chooseDeviceEngine(Status &why) {
  const char *wish = getenv("LISPIER_COMM");
  if (wish && strcmp(wish, "nccl") != 0) {
    why = Status("comm", 0, "LISPIER_COMM to be nccl on a GPU, and not %s", wish);
    return nullptr;
  }
  why = kNcclComm.absent();
  return why.ok() ? &kNcclComm : nullptr;
}
} // namespace
} // namespace lispier::runtime

using namespace lispier::runtime;

void lispier_rt_comm_device_mesh(const char *mesh, const char *first, const char *name, int64_t digest,
                                 const char *site) {
  startRanks(mesh, first, name, digest, site, kDeviceMemory, chooseDevice, chooseDeviceEngine);
}
