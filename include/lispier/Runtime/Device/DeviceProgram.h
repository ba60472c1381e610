/*===- DeviceProgram.h - C interface for programs with kernels ---*- C -*-===*\
|*                                                                          *|
|* Called by the host code of a program to use its device. The device is    *|
|* opened, and kernel binaries are loaded, on first use. Calls enqueue work *|
|* into one in-order queue and may return before it is done; the compiler   *|
|* inserts a wait before host code accesses memory that queued work uses.   *|
|*                                                                          *|
|* No function returns an error: each prints it with the source location    *|
|* `site` ("file:line:column") on stderr and exits with status 1.           *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_DEVICEPROGRAM_H
#define LISPIER_RUNTIME_DEVICEPROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For programs: the product name of the GPU that is in use, empty if kernels run on the CPU; valid until the next call.
 */
const char *lispier_device_name();

/* For programs: the most bytes that were allocated on the devices at once, or without a GPU the largest part of the
 * process that was in memory. */
int64_t lispier_memory_used();

/* Registers a binary with kernels of the program: kind "cuda" or "hip", architecture "sm_80" or "gfx942", format "ptx",
 * "cubin", "fatbin" or "hsaco". `names` lists its kernels, one per line. The first image that fits the device is used,
 * together with all images of the same kind, architecture and format; each is loaded when one of its kernels is first
 * launched, since drivers compile PTX slowly. All pointers must stay valid until the process ends. */
void lispier_rt_device_image(const char *kind, const char *architecture, const char *format, const char *names,
                             const void *bytes, int64_t size);

/* Makes `device` (counted from 0) the current device, after draining the queue of the previous one. Initially
 * LISPIER_DEVICE, or else device 0, is current. */
void lispier_rt_device_choose(int32_t device, const char *site);

/* Allocate device memory, and memory that the host may access too after a wait. */
void *lispier_rt_device_alloc(int64_t bytes, const char *site);
void *lispier_rt_device_alloc_shared(int64_t bytes, const char *site);
/* Frees memory of either function, which queued work may still use, or of lispier_rt_alloc. */
void lispier_rt_device_free(void *memory, const char *site);
/* Returns the shared allocation that replaces a global of the program; the first call copies the global's contents. */
void *lispier_rt_device_global(const void *global, int64_t bytes, const char *site);

/* Returns new memory of the current device with the contents of the host's; or that of an earlier call on this device
 * with the same memory and size. The program must free neither. */
void *lispier_rt_device_upload_once(const void *host, int64_t bytes, const char *site);

/* Copies between host and device memory, in any direction. */
void lispier_rt_device_copy(void *to, const void *from, int64_t bytes, const char *site);
/* As lispier_rt_device_copy, for strided memory of `rank` dimensions; sizes and strides count elements. Each set of
 * equally spaced rows is one copy of the device. */
void lispier_rt_device_copy_strided(void *to, const void *from, int64_t elementBytes, int64_t rank,
                                    const int64_t *sizes, const int64_t *toStrides, const int64_t *fromStrides,
                                    const char *site);
/* Writes `count` repetitions of the low `width` bytes of `pattern`; width is 1, 2, 4 or 8. */
void lispier_rt_device_fill(void *to, uint64_t pattern, int32_t width, int64_t count, const char *site);

/* Enqueues a launch of the kernel `name` with `sharedBytes` bytes of dynamic shared memory. `arguments[i]` points to
 * argument i of `count`; all lie in the `bytes` bytes that start at arguments[0], with zeros between them. `*kernel`
 * caches the kernel for this launch and is initially null. `flags` are the LISPIER_LAUNCH_*. */
void lispier_rt_device_launch(void **kernel, const char *name, int64_t gridX, int64_t gridY, int64_t gridZ,
                              int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                              int32_t count, int32_t bytes, int32_t flags, const char *site);
/* Programmatic dependent launch: the kernel may start before preceding work has finished, and waits for it itself. */
enum { LISPIER_LAUNCH_DEPENDENT = 1 };
/* As lispier_rt_device_launch, in clusters of blocks. */
void lispier_rt_device_launch_clusters(void **kernel, const char *name, int64_t clusterX, int64_t clusterY,
                                       int64_t clusterZ, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t blockX,
                                       int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                                       int32_t count, int32_t bytes, int32_t flags, const char *site);

/* Writes a tensor map descriptor of 128 bytes, an argument of kernels that copy tiles with TMA: `rank` sizes and
 * strides of the tensor and sizes of the box, in elements, outermost dimension first. The other numbers are values of
 * CUDA's CUtensorMap enums. */
void lispier_rt_device_tensor_map(void *made, void *data, int64_t rank, const int64_t *sizes, const int64_t *strides,
                                  const int64_t *box, int32_t type, int32_t interleave, int32_t swizzle,
                                  int32_t promotion, int32_t outside, const char *site);

/* Delimit a step that the program launches repeatedly. The launches in between may be recorded and enqueued at the end
 * as one captured graph. */
void lispier_rt_device_step_begin(const char *site);
void lispier_rt_device_step_end(const char *site);

/* Waits until the queue drains; costs almost nothing if it is known to be empty. */
void lispier_rt_device_wait(const char *site);

/* Makes host memory accessible to kernels until it is unregistered. */
void lispier_rt_device_register(void *memory, int64_t bytes, const char *site);
/* Returns the address at which kernels of the current device access the host address `memory`. It differs only within
 * registered memory, on whichever device that was registered. */
void *lispier_rt_device_address(void *memory, const char *site);
/* The same for a kernel that reads pointers from memory: an error if the registered memory from `memory` on holds host
 * addresses of registered memory that the device maps elsewhere. The runtime cannot translate those, since other
 * numbers in memory look like them. */
void *lispier_rt_device_address_of_pointers(void *memory, const char *site);
/* Undoes lispier_rt_device_register, after draining the queue. */
void lispier_rt_device_unregister(void *memory, const char *site);

#ifdef __cplusplus
}
#endif
#endif
