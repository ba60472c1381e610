//===- DeviceProgram.cpp - device use of a compiled program ---------------===//
#include "lispier/Runtime/Device/DeviceProgram.h"
#include "Core/Guard.h"
#include "Core/PlannedAllocation.h"
#include "Core/StartTimes.h"
#include "ProgramDevice.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/KernelTimes.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Device/ChooseTarget.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <utility>

namespace lispier::runtime {
Opened *current;
const void *imageOwner;
bool isInCallersQueue;
void (*beforeWait)(const char *site);

namespace {
struct Global {
  const void *original;
  void *shared;
};

Image *images, **lastImage = &images;
constexpr int kMostOpened = 2 * kMostDevices;
Opened devices[kMostOpened]; ///< Those with a null table were never used.
bool launched;
int64_t uploaded; ///< Bytes copied before the first launch.
Global *globals;
int64_t globalCount;

/// What lispier_rt_device_upload_once has copied.
struct Upload {
  const void *host;
  int64_t bytes;
  Opened *device;
  void *copy;
};
Upload *uploads;
int64_t uploadCount, uploadCapacity;

pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/// A kernel, with its handle on each device that has launched it.
struct KnownKernel {
  Kernel *on[kMostDevices];
};

[[noreturn]] void die(const char *site, const char *message) {
  if (current)
    current->pending = false; // A wait at exit would only report the same error again.
  fail({site}, "%s", message);
}

void check(const Status &status, const char *site) {
  if (status.ok())
    return;
  char message[900];
  snprintf(message, sizeof(message), "%s: %s", status.call, status.reason);
  die(site, message);
}

/// Reports errors of kernels, which appear when the host waits. The last launch is named as the likely cause.
void checkWait(const Status &status, const char *site) {
  if (status.ok())
    return;
  char message[900];
  if (current->lastKernel)
    snprintf(message, sizeof(message),
             "%s: %s, found while waiting for the device; the last launch before was `%s` at %s", status.call,
             status.reason, current->lastKernel, current->lastSite);
  else
    snprintf(message, sizeof(message), "%s: %s, found while waiting for the device", status.call, status.reason);
  die(site, message);
}

/// As checkWait for a copy, which may wait and so find an error of earlier work.
void checkCopy(Opened &p, const Status &status, const char *site) {
  if (!status.ok() && !p.table->wait(p.device, nullptr).ok())
    checkWait(status, site);
  check(status, site);
}

void waitAtExit() {
  if (launched && startTimesWanted())
    printStartTimes(uploaded); // At exit, since modules are loaded on demand.
  if (!current->pending)
    return;
  current->pending = false;
  if (Status status = current->table->wait(current->device, nullptr); !status.ok())
    fail({current->lastSite ? current->lastSite : "exit", /*code=*/nullptr, Ending::AtOnce},
         "%s: %s, found when the program ended; the last launch was `%s`", status.call, status.reason,
         current->lastKernel ? current->lastKernel : "none");
}

Status use(const DeviceTable &table, int ordinal) {
  Opened *opened = nullptr;
  if (Status status = openForProgram(table, ordinal, opened); !status.ok())
    return status;
  if (!current)
    atexit(waitAtExit);
  current = opened;
  return Status();
}

/// The device that can run the image; if there is none, appends to `why` what is missing.
const DeviceTable *deviceFor(const Image &image, int ordinal, char *why, size_t size) {
  char name[80];
  snprintf(name, sizeof(name), "%s %s", image.kind, image.architecture);
  return findDeviceFor(image.kind, image.architecture, image.format, ordinal, name, why, size);
}

/// Whether two images are parts of one program's code for one architecture.
bool belongTogether(const Image &a, const Image &b) {
  return a.owner == b.owner && strcmp(a.kind, b.kind) == 0 && strcmp(a.architecture, b.architecture) == 0 &&
         strcmp(a.format, b.format) == 0;
}

bool holds(const Image &image, const char *name) {
  size_t length = strlen(name);
  for (const char *line = image.names; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : nullptr)
    if (strncmp(line, name, length) == 0 && (line[length] == '\n' || !line[length]))
      return true;
  return false;
}

/// Finds the module that contains the kernel, loading its image if necessary.
Status findModule(Opened &p, const char *name, Module *&module) {
  for (Image *image = p.image ? images : nullptr; image; image = image->next) {
    if (!belongTogether(*p.image, *image) || !holds(*image, name))
      continue;
    module = image->modules[p.ordinal];
    if (module)
      return Status();
    Status status = p.table->load(p.device, image->bytes, image->size, module);
    image->modules[p.ordinal] = module;
    return status;
  }
  return Status("launch", 0, "no kernel `%s` in the program's code", name);
}

/// Looks up a kernel on the current device; `place` is the launch's cache and points to a KnownKernel.
Status findKernel(Opened &p, void *&place, const char *name, Kernel *&kernel) {
  if (!place)
    place = calloc(1, sizeof(KnownKernel));
  if (!place)
    return Status("malloc", 0, "no memory on the host");
  Kernel *&known = static_cast<KnownKernel *>(place)->on[p.ordinal];
  if (!known) {
    Module *module = nullptr;
    if (Status status = findModule(p, name, module); !status.ok())
      return status;
    if (Status status = p.table->kernel(module, name, known); !status.ok())
      return status;
  }
  kernel = known;
  return Status();
}

/// Why no device could be opened.
struct OpenError {
  char text[2000] = "";
  bool fail(const Status &status) {
    snprintf(text, sizeof(text), "%s: %s", status.call, status.reason);
    return false;
  }
};

/// Makes the device current if it can run the program's kernels.
bool open(int ordinal, OpenError &error) {
  const DeviceTable *found = nullptr;
  const Image *image = nullptr;
  snprintf(error.text, sizeof(error.text), "this machine cannot run the program's kernels:");
  for (const DeviceTable *const *table = deviceTables(); !images && !found && *table; ++table)
    if ((*table)->count() > 0) // The program uses memory only: any device will do.
      found = *table;
  for (const Image *each = images; each && !found; each = each->next) {
    if (each->owner)
      continue;
    image = each;
    found = deviceFor(*image, ordinal, error.text, sizeof(error.text));
  }
  if (!found)
    return false;
  if (Status status = use(*found, ordinal); !status.ok())
    return error.fail(status);
  current->image = image;
  return true;
}

bool openFirst(OpenError &error) {
  int ordinal = 0;
  Status status = firstDevice(ordinal);
  return status.ok() ? open(ordinal, error) : error.fail(status);
}

Opened &program(const char *site) {
  OpenError error;
  pthread_mutex_lock(&opening);
  bool isOpen = current || openFirst(error);
  pthread_mutex_unlock(&opening);
  if (!isOpen)
    die(site, error.text);
  return *current;
}

void freeNow(void *memory, const char *site) {
  for (Opened &each : devices)
    if (each.table && each.table->owns(each.device, memory))
      return check(each.table->free(each.device, memory), site);
  lispier_rt_free(memory);
}

/// Frees what the program freed in a step that is no longer recorded.
void freeRecorded(Opened &p, const char *site) {
  while (void *memory = p.replay.nextFreed())
    freeNow(memory, site);
}

/// Returns the current device for work that cannot be recorded in a step, after issuing what has been recorded.
Opened &programNow(const char *site) {
  Opened &p = program(site);
  if (p.replay.recording()) {
    KernelRunPause pause; // Which does not include what was recorded before it.
    check(p.replay.flush(*p.table, p.device), site);
    freeRecorded(p, site);
  }
  return p;
}
void launch(void **place, const char *name, const LaunchShape &shape, void **arguments, int32_t count, int32_t bytes,
            const char *site) {
  Opened &p = openKernelRun() ? programNow(site) : program(site); // A captured graph has no times of what is in it.
  TraceSpan span(p.replay.recording() ? "record" : "launch", name, site);
  if (!launched && startTimesWanted())
    endStart();
  launched = true;
  Kernel *kernel = nullptr;
  check(findKernel(p, *place, name, kernel), site);
  p.pending = true;
  p.lastKernel = name;
  p.lastSite = site;
  if (p.replay.recording())
    return check(p.replay.launch(kernel, shape, arguments, count, bytes), site);
  check(p.table->launch(p.device, kernel, shape, arguments), site);
}
} // namespace

Opened &deviceOfProgram(const char *site) { return program(site); }

Status enqueueCall(Replay::Issue issue, const void *work, int64_t bytes, const char *site) {
  Opened &p = openKernelRun() ? programNow(site) : program(site);
  p.pending = true;
  return p.replay.recording() ? p.replay.call(issue, work, bytes) : issue(work);
}

const Image *firstImage(const void *owner) {
  const Image *image = images;
  while (image && image->owner != owner)
    image = image->next;
  return image;
}

Status openForProgram(const DeviceTable &table, int ordinal, Opened *&found) {
  found = devices;
  while (found != devices + kMostOpened && found->table && (found->table != &table || found->ordinal != ordinal))
    ++found;
  if (found == devices + kMostOpened)
    return Status("open", 0, "more than %d devices are in use", kMostOpened);
  Device *device = nullptr;
  if (Status status = openDevice(table, ordinal, device); !status.ok())
    return status;
  found->table = &table;
  found->device = device;
  found->ordinal = ordinal;
  return Status();
}

void releaseAny(void *memory) {
  for (Opened &each : devices)
    if (each.table && each.table->owns(each.device, memory)) {
      (void)each.table->free(each.device, memory);
      return;
    }
  lispier_rt_free(memory);
}

bool registerForProgram(void *memory, int64_t bytes) {
  if (!images)
    return false;
  if (bytes < 0)
    lispier_rt_device_unregister(memory, "mgpuMemHostUnregister");
  else
    lispier_rt_device_register(memory, bytes, "mgpuMemHostRegister");
  return true;
}
} // namespace lispier::runtime

using namespace lispier::runtime;

void lispier_rt_device_choose(int32_t device, const char *site) {
  if (current && current->replay.inside())
    die(site, "the device cannot be another one inside `replayable`");
  lispier_rt_device_wait(site);
  OpenError error;
  for (Opened &each : devices)
    if (current && each.table == current->table && each.ordinal == device) {
      current = &each;
      return;
    }
  if (!open(device, error))
    die(site, error.text);
}

void lispier_rt_device_image(const char *kind, const char *architecture, const char *format, const char *names,
                             const void *bytes, int64_t size) {
  auto *image = static_cast<Image *>(calloc(1, sizeof(Image)));
  if (!image)
    die("kernels", "no memory on the host");
  image->owner = imageOwner;
  image->kind = kind;
  image->architecture = architecture;
  image->format = format;
  image->names = names;
  image->bytes = bytes;
  image->size = size;
  *lastImage = image;
  lastImage = &image->next;
}

namespace {
void *allocated(decltype(DeviceTable::alloc) alloc, int64_t bytes, const char *site) {
  Opened &p = program(site);
  void *memory = nullptr;
  Status status = alloc(p.device, bytes, memory);
  if (!status.ok() && p.replay.recording()) // A step frees its memory at its end.
    status = alloc(programNow(site).device, bytes, memory);
  if (!status.ok()) {
    current->pending = false; // A wait at exit would only report the same error again.
    char reason[900];
    snprintf(reason, sizeof(reason), " (%s: %s)", status.call, status.reason);
    reportPlannedAllocation(bytes, reason);
  }
  check(status, site);
  allocationSucceeded();
  return memory;
}
} // namespace

void *lispier_rt_device_alloc(int64_t bytes, const char *site) {
  void *memory = allocated(program(site).table->alloc, bytes, site);
  noteAllocated(memory);
  return memory;
}

void *lispier_rt_device_alloc_shared(int64_t bytes, const char *site) {
  void *memory = allocated(program(site).table->allocShared, bytes, site);
  noteAllocated(memory);
  return memory;
}

void lispier_rt_device_free(void *memory, const char *site) {
  Opened &p = program(site);
  noteFreed(memory);
  // Memory of the device may be used again: the queue orders what is recorded, too.
  if (memory && p.replay.recording() && !p.table->owns(p.device, memory))
    return check(p.replay.free(memory), site);
  freeNow(memory, site);
}

void *lispier_rt_device_global(const void *global, int64_t bytes, const char *site) {
  for (int64_t i = 0; i < globalCount; ++i)
    if (globals[i].original == global)
      return globals[i].shared;
  auto *grown = static_cast<Global *>(realloc(globals, (globalCount + 1) * sizeof(Global)));
  if (!grown)
    die(site, "no memory on the host");
  globals = grown;
  void *shared = allocated(program(site).table->allocShared, bytes, site);
  memcpy(shared, global, bytes);
  globals[globalCount++] = {global, shared};
  return shared;
}

namespace {
/// Whether work that uses this memory alone is recorded in a step. The host's may change before the step ends.
bool isRecorded(const Opened &p, const void *to, const void *from) {
  return p.replay.recording() && !openKernelRun() && p.table->holds(p.device, to) && p.table->holds(p.device, from);
}

/// Copies `bytes` bytes; `put` enqueues the copy, or records it.
template <typename Put> void copyOf(const void *to, const void *from, int64_t bytes, const char *site, const Put &put) {
  bool isPart = isRecorded(program(site), to, from);
  Opened &p = isPart ? program(site) : programNow(site);
  TraceSpan span(isPart ? "record" : "copy", "copy", site, bytes);
  p.pending = true;
  if (isPart)
    return check(put(p), site);
  if (beforeWait)
    beforeWait(site);
  if (launched)
    return checkCopy(p, put(p), site);
  StartTimer timer(StartPart::Upload);
  uploaded += bytes;
  checkCopy(p, put(p), site);
  if (startTimesWanted())
    lispier_rt_device_wait(site);
}

struct CopyDimension {
  int64_t size, toStep, fromStep; ///< Size in elements, steps in bytes.
};
/// The last dimension is the rows of one copy; the ones before it are loops.
Status copyRows(Opened &p, char *to, const char *from, int64_t rowBytes, const CopyDimension *dims, int count) {
  if (count == 1 && p.replay.recording())
    return p.replay.copyRows(to, dims->toStep, from, dims->fromStep, rowBytes, dims->size);
  if (count == 1)
    return p.table->copyRows(p.device, to, dims->toStep, from, dims->fromStep, rowBytes, dims->size);
  for (int64_t i = 0; i < dims->size; ++i)
    if (Status status = copyRows(p, to + i * dims->toStep, from + i * dims->fromStep, rowBytes, dims + 1, count - 1);
        !status.ok())
      return status;
  return Status();
}
} // namespace

void lispier_rt_device_copy(void *to, const void *from, int64_t bytes, const char *site) {
  copyOf(to, from, bytes, site, [&](Opened &p) {
    return p.replay.recording() ? p.replay.copy(to, from, bytes) : p.table->copy(p.device, to, from, bytes);
  });
}

void *lispier_rt_device_upload_once(const void *host, int64_t bytes, const char *site) {
  Opened &p = program(site);
  for (int64_t i = 0; i < uploadCount; ++i)
    if (uploads[i].host == host && uploads[i].bytes == bytes && uploads[i].device == &p)
      return uploads[i].copy;
  if (uploadCount == uploadCapacity) {
    int64_t capacity = uploadCapacity ? 2 * uploadCapacity : 64;
    auto *grown = static_cast<Upload *>(realloc(uploads, capacity * sizeof(Upload)));
    if (!grown)
      die(site, "no memory on the host");
    uploads = grown;
    uploadCapacity = capacity;
  }
  void *copy = nullptr;
  if (isInCallersQueue) { // Later calls read the copy in other queues, so that it is there before this one goes on.
    check(p.table->upload(p.device, host, bytes, copy), site);
  } else {
    copy = allocated(p.table->alloc, bytes, site);
    lispier_rt_device_copy(copy, host, bytes, site);
  }
  uploads[uploadCount++] = {host, bytes, &p, copy};
  return copy;
}

void lispier_rt_device_copy_strided(void *to, const void *from, int64_t elementBytes, int64_t rank,
                                    const int64_t *sizes, const int64_t *toStrides, const int64_t *fromStrides,
                                    const char *site) {
  constexpr int kMostDimensions = 16;
  CopyDimension dims[kMostDimensions];
  int count = 0;
  int64_t elements = 1;
  // Outermost first. Merge a dimension with the next one if its steps are exactly the extent of that one.
  for (int64_t i = 0; i < rank; ++i) {
    CopyDimension dim{sizes[i], toStrides[i] * elementBytes, fromStrides[i] * elementBytes};
    elements *= dim.size;
    if (dim.size == 1)
      continue;
    CopyDimension *outer = count ? &dims[count - 1] : nullptr;
    if (outer && outer->toStep == dim.size * dim.toStep && outer->fromStep == dim.size * dim.fromStep)
      *outer = {outer->size * dim.size, dim.toStep, dim.fromStep};
    else if (count < kMostDimensions)
      dims[count++] = dim;
    else
      die(site, "a copy of memory in more than 16 dimensions");
  }
  int64_t rowBytes = elementBytes;
  if (count && dims[count - 1].toStep == elementBytes && dims[count - 1].fromStep == elementBytes)
    rowBytes *= dims[--count].size;
  if (count == 0 || elements == 0)
    return lispier_rt_device_copy(to, from, elements * elementBytes, site);
  for (int i = 0; i + 1 < count; ++i) // Put the longest dimension last, so that one copy has the most rows.
    if (dims[i].size > dims[count - 1].size)
      std::swap(dims[i], dims[count - 1]);
  copyOf(to, from, elements * elementBytes, site, [&](Opened &p) {
    return copyRows(p, static_cast<char *>(to), static_cast<const char *>(from), rowBytes, dims, count);
  });
}

void lispier_rt_device_fill(void *to, uint64_t pattern, int32_t width, int64_t count, const char *site) {
  bool isPart = isRecorded(program(site), to, to);
  Opened &p = isPart ? program(site) : programNow(site);
  TraceSpan span(isPart ? "record" : "fill", "fill", site, width * count);
  p.pending = true;
  check(isPart ? p.replay.fill(to, pattern, width, count) : p.table->fill(p.device, to, pattern, width, count), site);
}

void lispier_rt_device_launch(void **kernel, const char *name, int64_t gridX, int64_t gridY, int64_t gridZ,
                              int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                              int32_t count, int32_t bytes, int32_t flags, const char *site) {
  bool dependentLaunch = (flags & LISPIER_LAUNCH_DEPENDENT) != 0;
  launch(kernel, name, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, dependentLaunch}, arguments,
         count, bytes, site);
}

void lispier_rt_device_launch_clusters(void **kernel, const char *name, int64_t clusterX, int64_t clusterY,
                                       int64_t clusterZ, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t blockX,
                                       int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                                       int32_t count, int32_t bytes, int32_t flags, const char *site) {
  bool dependentLaunch = (flags & LISPIER_LAUNCH_DEPENDENT) != 0;
  LaunchShape shape{
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, dependentLaunch, {clusterX, clusterY, clusterZ}};
  launch(kernel, name, shape, arguments, count, bytes, site);
}

void lispier_rt_device_tensor_map(void *made, void *data, int64_t rank, const int64_t *sizes, const int64_t *strides,
                                  const int64_t *box, int32_t type, int32_t interleave, int32_t swizzle,
                                  int32_t promotion, int32_t outside, const char *site) {
  Opened &p = program(site);
  TensorMap map{data, int(rank), {}, {}, {}, type, interleave, swizzle, promotion, outside};
  for (int64_t i = 0; i < rank && i < TensorMap::kMostDimensions; ++i) {
    map.sizes[i] = sizes[i];
    map.strides[i] = strides[i];
    map.box[i] = box[i];
  }
  bool isEmpty = false; // Nothing is copied then, and drivers know no such map.
  for (int64_t i = 0; i < rank && i < TensorMap::kMostDimensions; ++i)
    isEmpty |= sizes[i] == 0;
  if (isEmpty)
    memset(made, 0, TensorMap::kBytes);
  else
    check(p.table->tensorMap(p.device, map, made), site);
}

void lispier_rt_device_step_begin(const char *site) {
  Opened &p = program(site);
  p.replay.begin(*p.table, p.device, /*records=*/!p.table->isCaptured(p.device)); // A graph has no other one in it.
}

void lispier_rt_device_step_end(const char *site) {
  Opened &p = program(site);
  lispier_rt_bar bar{"launch", "step", site, -1, lispier_rt_trace_clock(), 0, 0, nullptr, nullptr, 0};
  check(p.replay.end(*p.table, p.device, bar.name), site);
  bar.end = lispier_rt_trace_clock();
  if (lispier_rt_tracing() && !p.replay.inside())
    lispier_rt_trace_bar(&bar, /*on_device=*/0);
  freeRecorded(p, site);
}

void lispier_rt_device_wait(const char *site) {
  if (!current || !current->pending)
    return;
  Opened &p = programNow(site);
  TraceSpan span("wait", "wait", site);
  if (beforeWait)
    beforeWait(site);
  checkWait(p.table->wait(p.device, nullptr), site);
  p.pending = false;
}

void lispier_rt_device_register(void *memory, int64_t bytes, const char *site) {
  Opened &p = program(site);
  check(p.table->registerHost(p.device, memory, bytes), site);
}

void *lispier_rt_device_address(void *memory, const char *site) {
  if (current)
    check(current->table->addressOf(current->device, memory, /*readsPointers=*/false, memory), site);
  return memory;
}

void *lispier_rt_device_address_of_pointers(void *memory, const char *site) {
  if (current)
    check(current->table->addressOf(current->device, memory, /*readsPointers=*/true, memory), site);
  return memory;
}

void lispier_rt_device_unregister(void *memory, const char *site) {
  Opened &p = programNow(site);
  p.pending = false; // The copy waits.
  check(p.table->unregisterHost(p.device, memory), site);
}
