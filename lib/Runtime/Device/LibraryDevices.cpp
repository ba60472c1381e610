//===- LibraryDevices.cpp - device work of a library's functions ----------===//
//
// A call of a library's function enters the device that its tensors are on, with the
// caller's stream, and leaves it when its work is enqueued. One call at a time is
// inside, since DeviceProgram.cpp, to which the function's code talks, has one device
// in use.
//
//===----------------------------------------------------------------------===//
#include "Core/Guard.h"
#include "ProgramDevice.h"
#include "lispier/Runtime/Core/EntryCall.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Device/ChooseTarget.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include <utility>

using namespace lispier::runtime;

namespace {
enum Vendor { Cuda, Hip, kVendors };

/// What is known of a library: for each device the target for it, counted from 1, and the open device.
struct LibraryState {
  int32_t targets[kVendors][kMostDevices];
  Opened *opened[kVendors][kMostDevices];
  bool isRegistered[]; ///< By target: whether its kernels are.
};

pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
thread_local bool isInside; ///< Whether this thread has locked it.
Opened *outer;              ///< The device in use before the call that is inside.
pid_t opener;               ///< The process that has opened devices; 0: none yet.

const char *kindOf(Vendor vendor) {
  return vendor == Cuda ? lispier::kCudaName.deviceKind : lispier::kRocmName.deviceKind;
}
bool isVendor(DLDevice device, Vendor &vendor) {
  vendor = device.device_type == kDLCUDA ? Cuda : Hip;
  return device.device_type == kDLCUDA || device.device_type == kDLROCM;
}

/// Made by the first call of the library. Null without memory on the host.
LibraryState *stateOf(lispier_rt_library &library) {
  if (void *known = __atomic_load_n(&library.state, __ATOMIC_ACQUIRE))
    return static_cast<LibraryState *>(known);
  void *made = calloc(1, sizeof(LibraryState) + library.targets), *known = nullptr;
  if (made &&
      __atomic_compare_exchange_n(&library.state, &known, made, /*weak=*/false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return static_cast<LibraryState *>(made);
  free(made);
  return static_cast<LibraryState *>(known);
}

int32_t search(const lispier_rt_library &library, Vendor vendor, int32_t ordinal, char *why, size_t size) {
  int32_t best = -1;
  auto rowOf = [&](int32_t i) -> Target {
    const lispier_rt_target &target = library.all[i];
    return {target.name, target.kind, target.architecture, target.format};
  };
  for (int32_t i = 0; i < library.targets; ++i) {
    Target row = rowOf(i);
    bool isUsable = !strcmp(row.kind, kindOf(vendor)) &&
                    findDeviceFor(row.kind, row.architecture, row.format, ordinal, row.name, why, size);
    if (isUsable && (best < 0 || isNewer(row, rowOf(best))))
      best = i;
  }
  return best;
}

int32_t choose(lispier_rt_library *library, DLDevice device, char *why, size_t size) {
  Vendor vendor;
  LibraryState *state = stateOf(*library);
  if (!isVendor(device, vendor) || device.device_id < 0 || device.device_id >= kMostDevices || !state)
    return -1;
  int32_t &known = state->targets[vendor][device.device_id];
  if (int32_t target = __atomic_load_n(&known, __ATOMIC_RELAXED))
    return target - 1;
  pthread_mutex_lock(&inside); // Drivers are opened by one thread.
  int32_t target = search(*library, vendor, device.device_id, why, size);
  pthread_mutex_unlock(&inside);
  __atomic_store_n(&known, target + 1, __ATOMIC_RELAXED);
  return target;
}

void check(const lispier_rt_target &target, const Status &status) {
  if (!status.ok())
    fail({}, "%s: %s: %s", target.name, status.call, status.reason);
}

/// Threads and locks are not what they were, and drivers have nothing for the new process.
void checkProcess() {
  pid_t own = getpid(), known = 0;
  if (!__atomic_compare_exchange_n(&opener, &known, own, /*weak=*/false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
      known != own)
    fail({}, "this process is a fork of one that has used the device, which drivers do not allow; fork before the "
             "first call, or start a new process");
}

void enter(lispier_rt_library *library, int32_t number, DLDevice device, void *stream) {
  checkProcess();
  pthread_mutex_lock(&inside);
  isInside = true;
  outer = current;
  releaseNotedBy(releaseAny);
  Vendor vendor;
  (void)isVendor(device, vendor);
  const lispier_rt_target &target = library->all[number];
  auto &state = *static_cast<LibraryState *>(library->state);
  if (!std::exchange(state.isRegistered[number], true) && target.register_kernels) {
    imageOwner = &target;
    target.register_kernels();
    imageOwner = nullptr;
  }
  Opened *&opened = state.opened[vendor][device.device_id];
  if (!opened)
    check(target, openForProgram(*findDeviceTable(target.kind), device.device_id, opened));
  current = opened;
  current->image = firstImage(&target);
  current->pending = false;
  current->lastKernel = nullptr;
  isInCallersQueue = true;
  check(target, current->table->useQueue(current->device, &stream));
}

void wait() { lispier_rt_device_wait("the end of the call"); }

void leave(int32_t failed) {
  if (!std::exchange(isInside, false))
    return;
  if (isInCallersQueue) {
    if (failed)
      current->replay.abandon(*current->table, current->device);
    current->pending = false;
    (void)current->table->useQueue(current->device, nullptr); // The next call reports what lasts.
  }
  isInCallersQueue = false;
  imageOwner = nullptr;
  current = outer;
  pthread_mutex_unlock(&inside);
}

void take(void *to, void *allocated, const void *from, int64_t bytes) {
  if (bytes)
    lispier_rt_device_copy(to, from, bytes, "a result");
  lispier_rt_device_free(allocated, "a result");
}
} // namespace

extern "C" {
extern const lispier_rt_devices lispier_rt_library_devices;
const lispier_rt_devices lispier_rt_library_devices = {choose, enter, wait, leave, take};
}
