// Drivers for tests: libcuda.so.1 and libamdhip64.so.7 of a machine with two small devices whose memory is the host's.
//
// LISPIER_FAKE_LOG=FILE     each call, one a line, is appended there; what else a test may want to know is indented
// LISPIER_FAKE_FAIL=CALL:N  CALL answers N instead of doing its work
// LISPIER_FAKE_DEVICES=N    devices of the machine
// LISPIER_FAKE_KERNELS=1    modules have kernels of all names, texts those that occur in them, which do nothing
// LISPIER_FAKE_OLDER=1      device 1 is an sm_80
// LISPIER_FAKE_CAPTURED=1   the streams of others than the driver's caller are being captured
// LISPIER_FAKE_FAR=1        the driver maps 5 GB where the next mappings would have been
//
// Work in a stream happens at once, except while it is captured: then copies, fills and launches are noted. A module
// that is a text has each kernel whose name occurs in it and that is written below; another one has them all. Memory is
// limited to 1 GiB.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifdef FAKE_HIP
#define NAME(cuda, hip) hip
#define SYMBOL_TEXT(cuda, hip) #hip
#else
#define NAME(cuda, hip) cuda
#define SYMBOL_TEXT(cuda, hip) #cuda
#endif

enum {
  kMemory = 1 << 30,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kBadImage = 200,
  kNotFound = 500,
  kNotReady = 600,
  kLost = 700,
  kMaxThreads = 1024
};

static long held;    // bytes
static long pinned;  // of them on the host, which have no part in the device's
static long balance; // contexts, modules, streams, events, graphs made and not released
static int capturing;

static int say(const char *call) {
  const char *path = getenv("LISPIER_FAKE_LOG"), *fail = getenv("LISPIER_FAKE_FAIL");
  if (path) {
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\n", call);
    fclose(file);
  }
  size_t length = strlen(call);
  return fail && strncmp(fail, call, length) == 0 && fail[length] == ':' ? atoi(fail + length + 1) : 0;
}
static void note(const char *format, ...) {
  const char *path = getenv("LISPIER_FAKE_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}
#define ENTER(cuda, hip)                                                                                               \
  do {                                                                                                                 \
    int injected = say(SYMBOL_TEXT(cuda, hip));                                                                        \
    if (injected)                                                                                                      \
      return injected;                                                                                                 \
  } while (0)

static const char *nameOf(int code) {
  switch (code) {
  case kInvalidValue:
    return SYMBOL_TEXT(CUDA_ERROR_INVALID_VALUE, hipErrorInvalidValue);
  case kOutOfMemory:
    return SYMBOL_TEXT(CUDA_ERROR_OUT_OF_MEMORY, hipErrorOutOfMemory);
  case kNoDevice:
    return SYMBOL_TEXT(CUDA_ERROR_NO_DEVICE, hipErrorNoDevice);
  case kInvalidDevice:
    return SYMBOL_TEXT(CUDA_ERROR_INVALID_DEVICE, hipErrorInvalidDevice);
  case kBadImage:
    return SYMBOL_TEXT(CUDA_ERROR_INVALID_IMAGE, hipErrorInvalidImage);
  case kNotFound:
    return SYMBOL_TEXT(CUDA_ERROR_NOT_FOUND, hipErrorNotFound);
  case kLost:
    return SYMBOL_TEXT(CUDA_ERROR_ILLEGAL_ADDRESS, hipErrorIllegalAddress);
  default:
    return NULL;
  }
}

// Said at the end of the process: a test looks for what was not released.
__attribute__((destructor)) static void report(void) {
  const char *path = getenv("LISPIER_FAKE_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "at exit: %ld bytes held, %ld handles\n", held, balance);
    fclose(file);
  }
}

//===- Devices ------------------------------------------------------------===//

static int devices(void) {
  const char *text = getenv("LISPIER_FAKE_DEVICES");
  return text ? atoi(text) : 2;
}
int NAME(cuInit, hipInit)(unsigned flags) {
  ENTER(cuInit, hipInit);
  // In pieces, large ones and then small ones for the gaps, and of two kinds, since the kernel joins equal neighbours.
  for (int i = 0; getenv("LISPIER_FAKE_FAR") && i < 30000; ++i)
    mmap(NULL, i < 20000 ? 256 << 10 : 4 << 10, i % 2 ? PROT_READ : PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return devices() == 0 ? kNoDevice : 0;
}
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int *count) {
  ENTER(cuDeviceGetCount, hipGetDeviceCount);
  *count = devices();
  return 0;
}
int NAME(cuDeviceGet, hipDeviceGet)(int *device, int ordinal) {
  ENTER(cuDeviceGet, hipDeviceGet);
  *device = ordinal;
  return 0;
}
int NAME(cuDeviceGetName, hipDeviceGetName)(char *name, int bytes, int device) {
  ENTER(cuDeviceGetName, hipDeviceGetName);
  snprintf(name, bytes, "Fake GPU %d", device);
  return 0;
}
int NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device) {
  *bytes = kMemory;
  return 0;
}
int NAME(cuDeviceGetAttribute, hipDeviceGetAttribute)(int *value, int attribute, int device) {
  static const int values[][3] = {// CUDA's number, HIP's, the value
                                  {1, 56, kMaxThreads}, {8, 74, 48 << 10}, {97, 75, 64 << 10}, {10, 87, 32},
                                  {16, 63, 4},          {6, 30, 65535},    {89, 9, 1},         {75, 23, 9},
                                  {76, 61, 0},          {91, -1, 1},       {-1, 4, 0}};
  ENTER(cuDeviceGetAttribute, hipDeviceGetAttribute);
  for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); ++i)
    if (values[i][NAME(0, 1)] == attribute) {
      *value = values[i][2];
      if (attribute == 75 && device == 1 && getenv("LISPIER_FAKE_OLDER"))
        *value = 8;
      return 0;
    }
  return kInvalidValue;
}
static int current;
static void use(int device) {
  if (device != current)
    note("  device %d from here on\n", device);
  current = device;
}
#ifdef FAKE_HIP
int hipGetDevice(int *device) {
  *device = current;
  return 0;
}
int hipSetDevice(int device) {
  ENTER(, hipSetDevice);
  use(device);
  return device < devices() ? 0 : kInvalidDevice;
}
int hipGetDevicePropertiesR0600(char *properties, int device) {
  ENTER(, hipGetDevicePropertiesR0600);
  strcpy(properties, "Fake GPU");
  strcpy(properties + 1160, "gfx942:sramecc+:xnack-");
  return 0;
}
const char *hipGetErrorName(int code) { return nameOf(code); }
#else
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER(cuDevicePrimaryCtxRetain, );
  ++balance;
  *context = (void *)(intptr_t)(device + 1);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(cuDevicePrimaryCtxRelease_v2, );
  --balance;
  return 0;
}
static void *context;
int cuCtxGetCurrent(void **got) {
  *got = context;
  return 0;
}
int cuCtxSetCurrent(void *used) {
  ENTER(cuCtxSetCurrent, );
  context = used;
  if (used)
    use((int)(intptr_t)used - 1);
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER(cuFuncSetAttribute, );
  return attribute == 8 && value <= 64 << 10 ? 0 : kInvalidValue;
}
int cuGetErrorName(int code, const char **name) {
  *name = nameOf(code);
  return *name ? 0 : kInvalidValue;
}
#endif

//===- Memory -------------------------------------------------------------===//

struct Block {
  long bytes;
  struct Block *next;
  int isOfGraph; // Not there before the graph is replayed.
  char unused[488];
};
static struct Block *blocks;
static int allocate(void **memory, size_t bytes) {
  if (bytes == 0)
    return kInvalidValue;
  if (held - pinned + (long)bytes > kMemory)
    return kOutOfMemory;
  void *start = NULL;
  if (posix_memalign(&start, 512, bytes + sizeof(struct Block)) != 0)
    return kOutOfMemory;
  if (bytes < 32 << 20) // From there on it is new from the system. Kernels that do nothing leave zeros.
    memset(start, 0, bytes + sizeof(struct Block));
  ((struct Block *)start)->bytes = (long)bytes;
  ((struct Block *)start)->isOfGraph = 0;
  ((struct Block *)start)->next = blocks;
  blocks = start;
  held += (long)bytes;
  *memory = (char *)start + sizeof(struct Block);
  return 0;
}
static int release(void *memory) {
  struct Block *block = (struct Block *)((char *)memory - sizeof(struct Block));
  held -= block->bytes;
  for (struct Block **link = &blocks; *link; link = &(*link)->next)
    if (*link == block) {
      *link = block->next;
      break;
    }
  free(block);
  return 0;
}
int NAME(cuMemAlloc_v2, hipMalloc)(void **memory, size_t bytes) {
  ENTER(cuMemAlloc_v2, hipMalloc);
  return allocate(memory, bytes);
}
int NAME(cuMemAllocManaged, hipMallocManaged)(void **memory, size_t bytes, unsigned flags) {
  ENTER(cuMemAllocManaged, hipMallocManaged);
  return flags == 1 ? allocate(memory, bytes) : kInvalidValue;
}
int NAME(cuMemHostAlloc, hipHostMalloc)(void **memory, size_t bytes, unsigned flags) {
  ENTER(cuMemHostAlloc, hipHostMalloc);
  int code = allocate(memory, bytes);
  pinned += code ? 0 : (long)bytes;
  return code;
}
int NAME(cuMemFree_v2, hipFree)(void *memory) {
  ENTER(cuMemFree_v2, hipFree);
  return release(memory);
}
int NAME(cuMemFreeHost, hipHostFree)(void *memory) {
  ENTER(cuMemFreeHost, hipHostFree);
  pinned -= ((struct Block *)((char *)memory - sizeof(struct Block)))->bytes;
  return release(memory);
}
int NAME(cuMemGetInfo_v2, hipMemGetInfo)(size_t *free, size_t *total) {
  *free = kMemory - (held - pinned);
  *total = kMemory;
  return 0;
}
int NAME(cuPointerGetAttribute, hipPointerGetAttribute)(void *value, int attribute, void *pointer) {
  for (struct Block *block = blocks; block; block = block->next)
    if (!block->isOfGraph && (size_t)((char *)pointer - (char *)(block + 1)) < (size_t)block->bytes) {
      *(unsigned *)value = 2;
      return attribute == 2 ? 0 : kInvalidValue;
    }
  return kInvalidValue;
}
// As on most of AMD's cards a device has registered memory at another address, each at its own; CUDA has one for all.
static struct Registered {
  char *host;
  size_t bytes;
} registered[64];
static intptr_t apart(void) { return NAME(0, (intptr_t)(current + 1) << 50); }
static struct Registered *registeredAround(const char *address, intptr_t distance) {
  for (int i = 0; i < 64; ++i)
    if (registered[i].bytes && (size_t)(address - distance - registered[i].host) < registered[i].bytes)
      return &registered[i];
  return NULL;
}
// Where the host has what the device has at an address.
static void *hostOf(void *address) { return registeredAround(address, apart()) ? (char *)address - apart() : address; }
// What a kernel must not be given.
static int isForHostOnly(const void *address) { return apart() && registeredAround(address, 0); }
int NAME(cuMemHostRegister_v2, hipHostRegister)(void *memory, size_t bytes, unsigned flags) {
  ENTER(cuMemHostRegister_v2, hipHostRegister);
  for (int i = 0; i < 64; ++i)
    if (!registered[i].bytes) {
      registered[i] = (struct Registered){memory, bytes};
      ++balance;
      return 0;
    }
  return kOutOfMemory;
}
int NAME(cuMemHostUnregister, hipHostUnregister)(void *memory) {
  ENTER(cuMemHostUnregister, hipHostUnregister);
  struct Registered *known = registeredAround(memory, 0);
  if (!known || known->host != memory)
    return kInvalidValue;
  known->bytes = 0;
  --balance;
  return 0;
}
int NAME(cuMemHostGetDevicePointer_v2, hipHostGetDevicePointer)(void **address, void *memory, unsigned flags) {
  ENTER(cuMemHostGetDevicePointer_v2, hipHostGetDevicePointer);
  if (!registeredAround(memory, 0) || flags)
    return kInvalidValue;
  *address = (char *)memory + apart();
  return 0;
}

//===- The queue ----------------------------------------------------------===//

struct Work {
  void *to;
  const void *from;
  size_t count;
  unsigned pattern;
  int width;                       // of a fill; 0: a copy; -1: the kernel `places`; -2: `call`
  size_t rows, toPitch, fromPitch; // of a copy of more than one row, `count` bytes each
  unsigned grid[3], block[3];
  int scale;
  void (*call)(const void *); // of another library, with these bytes
  char bytes[64];
};
struct Graph {
  struct Work work[64];
  int count;
};
static struct Graph noted;

// Streams that callers have made have small numbers.
static int isCallers(void *stream) { return (uintptr_t)stream < 4096; }
static int inStream(void *stream) {
  if (isCallers(stream))
    note("  in the caller's stream %d\n", (int)(intptr_t)stream);
  return 0;
}
int NAME(cuStreamIsCapturing, hipStreamIsCapturing)(void *stream, int *status) {
  *status = getenv("LISPIER_FAKE_CAPTURED") && isCallers(stream);
  return 0;
}
int NAME(cuThreadExchangeStreamCaptureMode, hipThreadExchangeStreamCaptureMode)(int *mode) {
  static int current;
  int old = current;
  note("  capture mode %d\n", *mode);
  current = *mode;
  *mode = old;
  return 0;
}
int NAME(cuMemPoolCreate, hipMemPoolCreate)(void **pool, const int *properties) {
  ENTER(cuMemPoolCreate, hipMemPoolCreate);
  ++balance;
  *pool = calloc(1, 1);
  return properties[0] == 1 && properties[2] == 1 ? 0 : kInvalidValue;
}
int NAME(cuMemPoolSetAttribute, hipMemPoolSetAttribute)(void *pool, int attribute, void *value) {
  ENTER(cuMemPoolSetAttribute, hipMemPoolSetAttribute);
  return attribute == 4 ? 0 : kInvalidValue;
}
int NAME(cuMemPoolDestroy, hipMemPoolDestroy)(void *pool) {
  ENTER(cuMemPoolDestroy, hipMemPoolDestroy);
  --balance;
  free(pool);
  return 0;
}
int NAME(cuMemAllocFromPoolAsync, hipMallocFromPoolAsync)(void **memory, size_t bytes, void *pool, void *stream) {
  ENTER(cuMemAllocFromPoolAsync, hipMallocFromPoolAsync);
  inStream(stream);
  int code = allocate(memory, bytes);
  if (code == 0 && getenv("LISPIER_FAKE_CAPTURED"))
    ((struct Block *)((char *)*memory - sizeof(struct Block)))->isOfGraph = 1;
  return code;
}
int NAME(cuMemFreeAsync, hipFreeAsync)(void *memory, void *stream) {
  ENTER(cuMemFreeAsync, hipFreeAsync);
  inStream(stream);
  return release(memory);
}

struct Event {
  int timed;
  double milliseconds; // when it was recorded
};

static void perform(const struct Work *work) {
  if (work->width == -2)
    return work->call(work->bytes);
  if (work->width == 0 && work->rows)
    for (size_t row = 0; row < work->rows; ++row)
      memmove((char *)work->to + row * work->toPitch, (const char *)work->from + row * work->fromPitch, work->count);
  else if (work->width == 0)
    memmove(work->to, work->from, work->count);
  else if (work->width > 0)
    for (size_t i = 0; i < work->count; ++i)
      memcpy((char *)hostOf(work->to) + i * work->width, &work->pattern, work->width);
  else {
    size_t threads = 1;
    for (int i = 0; i < 3; ++i)
      threads *= (size_t)work->grid[i] * work->block[i];
    for (size_t i = 0; i < threads; ++i)
      ((int *)hostOf(work->to))[i] = work->scale * (int)i;
  }
}
static int put(struct Work work) {
  if (work.width && work.width != -2 && isForHostOnly(work.to)) // Not a copy.
    return kLost;
  if (capturing && noted.count < 64)
    noted.work[noted.count++] = work;
  else
    perform(&work);
  return 0;
}
static int fill(void *to, unsigned pattern, int width, size_t count) {
  struct Work work = {.to = to, .pattern = pattern, .width = width, .count = count};
  return put(work);
}
int NAME(cuMemsetD8Async, hipMemsetD8Async)(void *to, unsigned char pattern, size_t count, void *stream) {
  ENTER(cuMemsetD8Async, hipMemsetD8Async);
  inStream(stream);
  return fill(to, pattern, 1, count);
}
int NAME(cuMemsetD16Async, hipMemsetD16Async)(void *to, unsigned short pattern, size_t count, void *stream) {
  ENTER(cuMemsetD16Async, hipMemsetD16Async);
  inStream(stream);
  return fill(to, pattern, 2, count);
}
int NAME(cuMemsetD32Async, hipMemsetD32Async)(void *to, unsigned pattern, size_t count, void *stream) {
  ENTER(cuMemsetD32Async, hipMemsetD32Async);
  inStream(stream);
  return fill(to, pattern, 4, count);
}
#ifdef FAKE_HIP
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  ENTER(, hipMemcpyAsync);
  if (kind != 4)
    return kInvalidValue;
#else
int cuMemcpyAsync(void *to, const void *from, size_t bytes, void *stream) {
  ENTER(cuMemcpyAsync, );
#endif
  struct Work work = {.to = to, .from = from, .count = bytes};
  inStream(stream);
  return put(work);
}
static int copyRows(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t bytes, size_t rows) {
  note("  %zu rows of %zu bytes, %zu and %zu apart\n", rows, bytes, toPitch, fromPitch);
  if (toPitch < bytes || fromPitch < bytes)
    return kInvalidValue;
  struct Work work = {.to = to, .from = from, .count = bytes, .rows = rows, .toPitch = toPitch, .fromPitch = fromPitch};
  return put(work);
}
#ifdef FAKE_HIP
int hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t bytes, size_t rows, int kind,
                     void *stream) {
  ENTER(, hipMemcpy2DAsync);
  return kind == 4 ? copyRows(to, toPitch, from, fromPitch, bytes, rows) : kInvalidValue;
}
#else
struct Side {
  size_t x, y;
  int type;
  void *host, *device, *array;
  size_t pitch;
};
struct Rows {
  struct Side from, to;
  size_t bytes, rows;
};
int cuMemcpy2DAsync_v2(const struct Rows *c, void *stream) {
  ENTER(cuMemcpy2DAsync_v2, );
  if (c->from.type != 4 || c->to.type != 4 || c->from.x || c->from.y || c->to.x || c->to.y)
    return kInvalidValue;
  return copyRows(c->to.device, c->to.pitch, c->from.device, c->from.pitch, c->bytes, c->rows);
}
#endif
int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned flags) {
  ENTER(cuStreamCreate, hipStreamCreateWithFlags);
  ++balance;
  *stream = malloc(1);
  return 0;
}
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *stream) {
  ENTER(cuStreamDestroy_v2, hipStreamDestroy);
  --balance;
  free(stream);
  return 0;
}
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void *stream) {
  ENTER(cuStreamSynchronize, hipStreamSynchronize);
  inStream(stream);
  return 0;
}
int NAME(cuEventCreate, hipEventCreateWithFlags)(void **event, unsigned flags) {
  ENTER(cuEventCreate, hipEventCreateWithFlags);
  ++balance;
  *event = calloc(1, sizeof(struct Event));
  ((struct Event *)*event)->timed = flags == 0;
  return 0;
}
int NAME(cuEventDestroy_v2, hipEventDestroy)(void *event) {
  ENTER(cuEventDestroy_v2, hipEventDestroy);
  --balance;
  free(event);
  return 0;
}
int NAME(cuEventRecord, hipEventRecord)(void *event, void *stream) {
  ENTER(cuEventRecord, hipEventRecord);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  ((struct Event *)event)->milliseconds = 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
  return 0;
}
int NAME(cuEventElapsedTime, hipEventElapsedTime)(float *milliseconds, const struct Event *from,
                                                  const struct Event *to) {
  ENTER(cuEventElapsedTime, hipEventElapsedTime);
  *milliseconds = (float)(to->milliseconds - from->milliseconds);
  return from->timed && to->timed && from->milliseconds > 0 && to->milliseconds > 0 ? 0 : kInvalidValue;
}
int fakeIsStuck; // Set by nccl.c: what is in the queue never comes to an end.
// For nccl.c: calls `call` in the order of the stream, now or when what is captured is launched.
void fakeEnqueue(void (*call)(const void *), const void *bytes, size_t count) {
  struct Work work = {.width = -2, .call = call};
  memcpy(work.bytes, bytes, count);
  put(work);
}
int NAME(cuEventQuery, hipEventQuery)(void *event) {
  ENTER(cuEventQuery, hipEventQuery);
  return fakeIsStuck ? kNotReady : 0;
}
int NAME(cuEventSynchronize, hipEventSynchronize)(void *event) {
  ENTER(cuEventSynchronize, hipEventSynchronize);
  return 0;
}
int NAME(cuStreamBeginCapture_v2, hipStreamBeginCapture)(void *stream, int mode) {
  ENTER(cuStreamBeginCapture_v2, hipStreamBeginCapture);
  capturing = 1;
  noted.count = 0;
  return 0;
}
static void *copyOf(const void *graph) {
  ++balance;
  return memcpy(malloc(sizeof(struct Graph)), graph, sizeof(struct Graph));
}
static int drop(void *graph) {
  --balance;
  free(graph);
  return 0;
}
int NAME(cuStreamEndCapture, hipStreamEndCapture)(void *stream, void **graph) {
  capturing = 0;
  ENTER(cuStreamEndCapture, hipStreamEndCapture);
  *graph = copyOf(&noted);
  return 0;
}
int NAME(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags)(void **made, void *graph,
                                                                    unsigned long long flags) {
  ENTER(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags);
  *made = copyOf(graph);
  return 0;
}
int NAME(cuGraphLaunch, hipGraphLaunch)(void *executable, void *stream) {
  ENTER(cuGraphLaunch, hipGraphLaunch);
  inStream(stream);
  const struct Graph *graph = executable;
  for (int i = 0; i < graph->count; ++i)
    perform(&graph->work[i]);
  return 0;
}
int NAME(cuGraphDestroy, hipGraphDestroy)(void *graph) {
  ENTER(cuGraphDestroy, hipGraphDestroy);
  return drop(graph);
}
int NAME(cuGraphExecDestroy, hipGraphExecDestroy)(void *executable) {
  ENTER(cuGraphExecDestroy, hipGraphExecDestroy);
  return drop(executable);
}

//===- Kernels ------------------------------------------------------------===//

int NAME(cuModuleLoadDataEx, hipModuleLoadDataEx)(void **module, const char *image, unsigned options, int *keys,
                                                  void **values) {
  ENTER(cuModuleLoadDataEx, hipModuleLoadDataEx);
  const char *target = memcmp(image, "\177ELF", 4) ? strstr(image, ".target ") : NULL;
  if (target)
    note("  %.13s\n", target);
  if (strstr(image, ".entry") || memcmp(image, "\177ELF", 4) == 0) {
    ++balance;
    *module = (void *)image;
    return 0;
  }
  for (unsigned i = 0; i < options; ++i)
    if (keys[i] == 5)
      strcpy(values[i], "line 1: no kernel here");
  return kBadImage;
}
int NAME(cuModuleUnload, hipModuleUnload)(void *module) {
  ENTER(cuModuleUnload, hipModuleUnload);
  --balance;
  return 0;
}
int NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *module, const char *name) {
  ENTER(cuModuleGetFunction, hipModuleGetFunction);
  static const char *const known[] = {"places", "nothing", "follows", "copy_tile"};
  for (unsigned i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i], name) == 0 && (memcmp(module, "\177ELF", 4) == 0 || strstr(module, name))) {
      *function = (void *)known[i];
      return 0;
    }
  if (getenv("LISPIER_FAKE_KERNELS") && (memcmp(module, "\177ELF", 4) == 0 || strstr(module, name))) {
    *function = "nothing";
    return 0;
  }
  return kNotFound;
}
int NAME(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int attribute, void *function) {
  ENTER(cuFuncGetAttribute, hipFuncGetAttribute);
  *value = 0;
  return 0;
}
static int launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void **arguments) {
  if ((size_t)bx * by * bz == 0 || (size_t)bx * by * bz > kMaxThreads || shared > 64 << 10)
    return kInvalidValue;
  if (strcmp(function, "places") != 0) // The first argument is a pointer, or no address.
    return isForHostOnly(*(void **)arguments[0]) ? kLost : 0;
  struct Work work = {.to = *(void **)arguments[0],
                      .width = -1,
                      .grid = {gx, gy, gz},
                      .block = {bx, by, bz},
                      .scale = *(int *)arguments[1]};
  return put(work);
}
int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                                unsigned by, unsigned bz, unsigned shared, void *stream,
                                                void **arguments, void **extra) {
  ENTER(cuLaunchKernel, hipModuleLaunchKernel);
  inStream(stream);
  return launch(function, gx, gy, gz, bx, by, bz, shared, arguments);
}
#ifndef FAKE_HIP
struct Attribute {
  int id, padding;
  unsigned value[16];
};
struct Config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct Attribute *attributes;
  unsigned count;
};
int cuLaunchKernelEx(const struct Config *c, void *function, void **arguments, void **extra) {
  ENTER(cuLaunchKernelEx, );
  inStream(c->stream);
  for (unsigned i = 0; i < c->count; ++i)
    if (c->attributes[i].id == 4)
      note("  cluster %u x %u x %u\n", c->attributes[i].value[0], c->attributes[i].value[1], c->attributes[i].value[2]);
  return launch(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared,
                arguments);
}
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *data, const uint64_t *sizes,
                           const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,
                           int swizzle, int promotion, int outside) {
  ENTER(cuTensorMapEncodeTiled, );
  if ((uintptr_t)map % 64 || rank < 1 || rank > 5)
    return kInvalidValue;
  note("  type %d, interleave %d, swizzle %d, promotion %d, outside %d\n", type, interleave, swizzle, promotion,
       outside);
  for (unsigned i = 0; i < rank; ++i)
    note("  %u of %u, step %u, %u bytes apart\n", box[i], (unsigned)sizes[i], steps[i],
         i ? (unsigned)strides[i - 1] : 0);
  memset(map, 0x77, 128);
  return 0;
}
#endif
