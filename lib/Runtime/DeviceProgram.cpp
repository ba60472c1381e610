//===- DeviceProgram.cpp - the device of a compiled program ---------------===//
#include "lispier/Runtime/DeviceProgram.h"
#include "Replay.h"
#include "StartTimes.h"
#include "lispier/Runtime/ChooseTarget.h"
#include "lispier/Runtime/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
struct Image {
  const char *kind, *architecture, *format;
  const void *bytes;
  int64_t size;
};
struct Global {
  const void *original;
  void *shared;
};

constexpr int kMaxImages = 32;
Image images[kMaxImages];
int imageCount;

/// What was opened for the program; one device a process, and one thread that drives it.
struct Opened {
  const DeviceTable *table;
  Device *device;
  Module *modules[kMaxImages];
  int moduleCount;
  bool pending, launched;
  int64_t uploaded; ///< Bytes that were copied before the first launch.
  const char *lastKernel, *lastSite;
  Global *globals;
  int64_t globalCount;
  Replay replay;
} opened;
pthread_once_t once = PTHREAD_ONCE_INIT;
const char *openingSite;

[[noreturn]] void die(const char *site, const char *message) {
  opened.pending = false; // One message: what went wrong would only be found again on the way out.
  fflush(stdout);
  fprintf(stderr, "%s: error: %s\n", site, message);
  exit(1);
}

void check(const Status &status, const char *site) {
  if (status.ok())
    return;
  char message[900];
  snprintf(message, sizeof(message), "%s: %s", status.call, status.reason);
  die(site, message);
}

/// What kernels did wrong shows when the host waits; the last of them says where to look.
void checkWait(const Status &status, const char *site) {
  if (status.ok())
    return;
  char message[900];
  if (opened.lastKernel)
    snprintf(message, sizeof(message), "%s: %s, found while waiting for the device; the last launch before was `%s` at %s",
             status.call, status.reason, opened.lastKernel, opened.lastSite);
  else
    snprintf(message, sizeof(message), "%s: %s, found while waiting for the device", status.call, status.reason);
  die(site, message);
}

/// Opens a device that can run the image; otherwise adds to `why` what is in the way.
bool tryImage(const Image &image, char *why, size_t size) {
  char name[80];
  snprintf(name, sizeof(name), "%s %s", image.kind, image.architecture);
  const DeviceTable *table = findDeviceFor(image.kind, image.architecture, image.format, name, why, size);
  if (!table)
    return false;
  Device *device = nullptr;
  check(table->open(wantedOrdinal(), device), openingSite);
  opened.table = table;
  opened.device = device;
  return true;
}

/// Kernels for one architecture may come in several images.
bool belongTogether(const Image &a, const Image &b) {
  return strcmp(a.kind, b.kind) == 0 && strcmp(a.architecture, b.architecture) == 0 && strcmp(a.format, b.format) == 0;
}

Status findKernel(const char *name, Kernel *&kernel) {
  Status status;
  for (int i = 0; i < opened.moduleCount; ++i)
    if (status = opened.table->kernel(opened.modules[i], name, kernel); status.ok())
      break;
  return status;
}

void waitAtExit() {
  if (opened.pending) {
    opened.pending = false;
    if (Status status = opened.table->wait(opened.device, nullptr); !status.ok()) {
      fflush(stdout);
      lispier_rt_trace_close();
      fprintf(stderr, "%s: error: %s: %s, found when the program ended; the last launch was `%s`\n",
              opened.lastSite ? opened.lastSite : "exit", status.call, status.reason,
              opened.lastKernel ? opened.lastKernel : "none");
      _exit(1);
    }
  }
}

void openOnce() {
  char why[2000] = "this machine cannot run the program's kernels:";
  if (imageCount == 0)
    die(openingSite, "the program has no kernels for any device");
  for (int i = 0; i < imageCount; ++i) {
    if (!tryImage(images[i], why, sizeof(why)))
      continue;
    for (int j = i; j < imageCount; ++j)
      if (belongTogether(images[i], images[j]))
        check(opened.table->load(opened.device, images[j].bytes, images[j].size, opened.modules[opened.moduleCount++]),
              openingSite);
    atexit(waitAtExit);
    return;
  }
  die(openingSite, why);
}

Opened &program(const char *site) {
  openingSite = site;
  pthread_once(&once, openOnce);
  return opened;
}

/// For work that a step cannot note: what was noted comes first.
Opened &programNow(const char *site) {
  Opened &p = program(site);
  if (p.replay.noting())
    check(p.replay.flush(*p.table, p.device), site);
  return p;
}
} // namespace
} // namespace lispier::runtime

using namespace lispier::runtime;

void lispier_rt_device_image(const char *kind, const char *architecture, const char *format, const void *bytes,
                             int64_t size) {
  if (imageCount < kMaxImages)
    images[imageCount++] = {kind, architecture, format, bytes, size};
}

void *lispier_rt_device_alloc(int64_t bytes, const char *site) {
  Opened &p = program(site);
  void *memory = nullptr;
  check(p.table->alloc(p.device, bytes, memory), site);
  return memory;
}

void *lispier_rt_device_alloc_shared(int64_t bytes, const char *site) {
  Opened &p = program(site);
  void *memory = nullptr;
  check(p.table->allocShared(p.device, bytes, memory), site);
  return memory;
}

void lispier_rt_device_free(void *memory, const char *site) {
  Opened &p = programNow(site);
  if (p.table->owns(p.device, memory))
    check(p.table->free(p.device, memory), site);
  else
    lispier_rt_free(memory);
}

void *lispier_rt_device_global(const void *global, int64_t bytes, const char *site) {
  Opened &p = program(site);
  for (int64_t i = 0; i < p.globalCount; ++i)
    if (p.globals[i].original == global)
      return p.globals[i].shared;
  auto *grown = static_cast<Global *>(realloc(p.globals, (p.globalCount + 1) * sizeof(Global)));
  if (!grown)
    die(site, "no memory on the host");
  p.globals = grown;
  void *shared = lispier_rt_device_alloc_shared(bytes, site);
  memcpy(shared, global, bytes);
  p.globals[p.globalCount++] = {global, shared};
  return shared;
}

void lispier_rt_device_copy(void *to, const void *from, int64_t bytes, const char *site) {
  Opened &p = programNow(site);
  TraceSpan span("copy", "copy", site, bytes);
  p.pending = true;
  if (p.launched)
    return check(p.table->copy(p.device, to, from, bytes), site);
  StartTimer timer(StartPart::Upload);
  p.uploaded += bytes;
  check(p.table->copy(p.device, to, from, bytes), site);
  if (startTimesWanted())
    lispier_rt_device_wait(site);
}

void lispier_rt_device_fill(void *to, uint32_t pattern, int32_t width, int64_t count, const char *site) {
  Opened &p = programNow(site);
  TraceSpan span("fill", "fill", site, width * count);
  p.pending = true;
  check(p.table->fill(p.device, to, pattern, width, count), site);
}

void lispier_rt_device_launch(void **kernel, const char *name, int64_t gridX, int64_t gridY, int64_t gridZ,
                              int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                              int32_t count, int32_t bytes, int32_t flags, const char *site) {
  Opened &p = program(site);
  TraceSpan span("launch", name, site);
  if (!p.launched && startTimesWanted())
    printStartTimes(p.uploaded);
  p.launched = true;
  if (!*kernel) {
    Kernel *found = nullptr;
    check(findKernel(name, found), site);
    *kernel = found;
  }
  p.pending = true;
  p.lastKernel = name;
  p.lastSite = site;
  LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, (flags & LISPIER_LAUNCH_EARLY) != 0};
  auto *known = static_cast<Kernel *>(*kernel);
  if (p.replay.noting())
    return check(p.replay.launch(known, shape, arguments, count, bytes), site);
  check(p.table->launch(p.device, known, shape, arguments), site);
}

void lispier_rt_device_step_begin(const char *site) { program(site).replay.begin(); }

void lispier_rt_device_step_end(const char *site) {
  Opened &p = program(site);
  TraceSpan span("launch", "step", site);
  check(p.replay.end(*p.table, p.device), site);
}

void lispier_rt_device_wait(const char *site) {
  if (!opened.pending)
    return;
  programNow(site);
  TraceSpan span("wait", "wait", site);
  checkWait(opened.table->wait(opened.device, nullptr), site);
  opened.pending = false;
}

void lispier_rt_device_register(void *memory, int64_t bytes, const char *site) {
  Opened &p = program(site);
  check(p.table->registerHost(p.device, memory, bytes), site);
}

void lispier_rt_device_unregister(void *memory, const char *site) {
  Opened &p = programNow(site);
  p.pending = false; // It waits.
  check(p.table->unregisterHost(p.device, memory), site);
}
