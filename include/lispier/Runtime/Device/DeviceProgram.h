/*===- DeviceProgram.h - what programs with kernels call ---------*- C -*-===*\
|*                                                                          *|
|* The C interface between the host part of a program and the device        *|
|* that runs its kernels. The device is opened, and the code loaded, when   *|
|* something is first asked of it. Work is put into one queue and happens   *|
|* in order; the host goes on meanwhile and waits before it touches memory  *|
|* that the queue may use: that is the compiler's to arrange.               *|
|*                                                                          *|
|* Nothing here returns an error: it is printed with `site`, the place in   *|
|* the source ("file:line:column"), and the process exits with status 1.    *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_DEVICEPROGRAM_H
#define LISPIER_RUNTIME_DEVICEPROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program's kernels for one architecture: kind "cuda" or "hip", architecture "sm_80" or "gfx942", format "ptx",
 * "cubin", "fatbin" or "hsaco". The first that fits the machine is taken, with all others that say the same of
 * themselves: they hold other kernels, those in `names`, a line each: code is loaded when one of its kernels is first
 * launched, since a driver takes a while to compile PTX. All pointers must stay valid. */
void lispier_rt_device_image(const char *kind, const char *architecture, const char *format, const char *names,
                             const void *bytes, int64_t size);

/* From here on the device of this number is meant, counted from 0; until then that of LISPIER_DEVICE, else the first.
 * What the one before it was doing is done then. */
void lispier_rt_device_choose(int32_t device, const char *site);

/* Memory of the device alone, and memory that the host may touch too when it has waited. */
void *lispier_rt_device_alloc(int64_t bytes, const char *site);
void *lispier_rt_device_alloc_shared(int64_t bytes, const char *site);
/* Of either; memory of lispier_rt_alloc is released as such. */
void lispier_rt_device_free(void *memory, const char *site);
/* Shared memory that stands for a global of the program: the first call copies its contents there. */
void *lispier_rt_device_global(const void *global, int64_t bytes, const char *site);

/* Between host and device in any direction. */
void lispier_rt_device_copy(void *to, const void *from, int64_t bytes, const char *site);
/* The same of `rank` dimensions whose elements lie apart; sizes and strides in elements. Rows at one distance are
 * one copy. */
void lispier_rt_device_copy_strided(void *to, const void *from, int64_t elementBytes, int64_t rank,
                                    const int64_t *sizes, const int64_t *toStrides, const int64_t *fromStrides,
                                    const char *site);
/* `count` times the lowest `width` bytes of `pattern`, 1, 2, 4 or 8. */
void lispier_rt_device_fill(void *to, uint64_t pattern, int32_t width, int64_t count, const char *site);

/* `arguments[i]` points to the i-th of `count` arguments, which lie in `bytes` bytes from arguments[0] on; bytes
 * between them are zeros. `kernel` is the caller's place to keep the kernel, null at first. */
void lispier_rt_device_launch(void **kernel, const char *name, int64_t gridX, int64_t gridY, int64_t gridZ,
                              int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                              int32_t count, int32_t bytes, int32_t flags, const char *site);
/* Of a launch: the kernel may begin before the work before it is done, because it waits for that itself. */
enum { LISPIER_LAUNCH_EARLY = 1 };
/* The same in clusters of blocks. */
void lispier_rt_device_launch_clusters(void **kernel, const char *name, int64_t clusterX, int64_t clusterY,
                                       int64_t clusterZ, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t blockX,
                                       int64_t blockY, int64_t blockZ, int64_t sharedBytes, void **arguments,
                                       int32_t count, int32_t bytes, int32_t flags, const char *site);

/* What kernels copy tiles of a tensor by, in the device's memory: `rank` sizes, strides and sizes of the tile, all in
 * elements, from the outermost dimension; the other numbers are those of CUDA's CUtensorMap enums. */
void *lispier_rt_device_tensor_map(void *data, int64_t rank, const int64_t *sizes, const int64_t *strides,
                                   const int64_t *box, int32_t type, int32_t interleave, int32_t swizzle,
                                   int32_t promotion, int32_t outside, const char *site);

/* Around a step that is launched again and again: work between them may be put into the queue as one piece, at the end.
 */
void lispier_rt_device_step_begin(const char *site);
void lispier_rt_device_step_end(const char *site);

/* Until the queue is empty; costs next to nothing when it is known to be. */
void lispier_rt_device_wait(const char *site);

/* Makes host memory from elsewhere usable by kernels, and ends that. */
void lispier_rt_device_register(void *memory, int64_t bytes, const char *site);
/* Where kernels of the present device find what the host has at an address; another one inside memory that was
 * registered, on whichever device. */
void *lispier_rt_device_address(void *memory, const char *site);
void lispier_rt_device_unregister(void *memory, const char *site);

#ifdef __cplusplus
}
#endif
#endif
