/* Every mgpu* function, in the order in which lowered code would call them. The arguments choose a mistake. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mgpuModuleLoad(void *, size_t), *mgpuModuleLoadJIT(void *, int), *mgpuModuleGetFunction(void *, const char *);
void mgpuModuleUnload(void *), mgpuSetDefaultDevice(int32_t);
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, int32_t, void *, void **,
                      void **, size_t);
void mgpuLaunchClusterKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                             intptr_t, int32_t, void *, void **, void **);
void *mgpuStreamCreate(void), *mgpuEventCreate(void);
void mgpuStreamDestroy(void *), mgpuStreamSynchronize(void *), mgpuStreamWaitEvent(void *, void *);
void mgpuEventDestroy(void *), mgpuEventSynchronize(void *), mgpuEventRecord(void *, void *);
void *mgpuMemAlloc(uint64_t, void *, int8_t);
void mgpuMemFree(void *, void *), mgpuMemcpy(void *, void *, size_t, void *);
void mgpuMemset32(void *, uint32_t, size_t, void *), mgpuMemset16(void *, uint16_t, size_t, void *);
void mgpuMemHostRegister(void *, uint64_t), mgpuMemHostUnregister(void *);
void mgpuMemHostRegisterMemRef(int64_t, void *, int64_t), mgpuMemHostUnregisterMemRef(int64_t, void *, int64_t);
void *mgpuTensorMapEncodeTiledMemref(int64_t, void *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t *);

static char ptx[] = ".visible .entry places .visible .entry nothing";
static char hsaco[64] = {0x7f, 'E', 'L', 'F', [18] = (char)224};

static void print(const int32_t *values) { printf("%d %d %d\n", values[0], values[3], values[7]); }

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int hip = strcmp(what, "hip") == 0;
  int32_t host[8] = {0}, scale = 3;
  mgpuMemHostRegister(host, sizeof(host)); /* Nobody has kernels yet: nothing happens. */
  void *module =
      hip ? mgpuModuleLoad(hsaco, sizeof(hsaco)) : mgpuModuleLoadJIT(strcmp(what, "bad") ? ptx : "rubbish", 2);
  void *kernel = mgpuModuleGetFunction(module, strcmp(what, "missing") ? "places" : "missing");
  if (strcmp(what, "device") == 0)
    mgpuSetDefaultDevice(7);
  void *stream = mgpuStreamCreate(), *memory = mgpuMemAlloc(sizeof(host), stream, 0);
  void *arguments[] = {&memory, &scale};
  mgpuLaunchKernel(kernel, 2, 1, 1, 4, 1, 1, 0, stream, arguments, 0, 2);
  void *event = mgpuEventCreate(), *other = mgpuStreamCreate();
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(other, event);
  mgpuMemcpy(host, memory, sizeof(host), other);
  mgpuEventRecord(event, other);
  mgpuEventSynchronize(event);
  mgpuEventRecord(event, other);
  mgpuEventDestroy(event);
  print(host);
  mgpuMemset32(memory, 5, 8, stream);
  mgpuMemset16(memory, 1, 2, stream);
  mgpuMemcpy(host, memory, sizeof(host), stream);
  mgpuStreamSynchronize(stream);
  print(host);

  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } view = {host, host, 2, {2, 3}, {4, 1}};
  mgpuMemHostRegisterMemRef(2, &view, 4);
  mgpuMemHostUnregisterMemRef(2, &view, 4);
  mgpuMemHostRegister(host, sizeof(host));
  mgpuMemHostUnregister(host);

  if (!hip) {
    scale = 7;
    mgpuLaunchClusterKernel(kernel, 2, 1, 1, 4, 1, 1, 2, 1, 1, 0, stream, arguments, 0);
    mgpuMemcpy(host, memory, sizeof(host), stream);
    mgpuStreamSynchronize(stream);
    print(host);
    int64_t box[] = {1, 3};
    mgpuMemFree(mgpuTensorMapEncodeTiledMemref(2, &view, 7, 0, 3, 2, 0, box), stream);
  }

  mgpuSetDefaultDevice(1); /* The module is loaded there too. */
  void *there = mgpuStreamCreate(), *shared = mgpuMemAlloc(sizeof(host), there, 1);
  arguments[0] = &shared;
  mgpuLaunchKernel(kernel, 1, 1, 1, 8, 1, 1, 0, there, arguments, 0, 2);
  mgpuLaunchKernel(kernel, 1, 1, 1, 8, 1, 1, 0, there, arguments, 0, 2);
  mgpuStreamSynchronize(there);
  print(shared);
  mgpuMemFree(shared, stream); /* Whose it is, is known. */
  mgpuMemFree(memory, there);
  mgpuMemFree(0, 0);
  mgpuStreamDestroy(there);
  mgpuStreamDestroy(other);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
  return 0;
}
