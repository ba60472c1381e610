/*===- LaunchTimes.h - times of launches, for `lispier tune` -----*- C -*-===*\
|*                                                                          *|
|* Called around a launch of a program that `lispier tune` has built. The   *|
|* file that LISPIER_TUNE names gets a line for each launch:                *|
|*   program TAB sizes TAB setting TAB nanoseconds                          *|
|* Sizes are separated by spaces. The time is that of the kernels on the    *|
|* device or, if no device ran one, the time until the launch has ended.    *|
|* Without LISPIER_TUNE nothing is measured.                                *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_LAUNCHTIMES_H
#define LISPIER_RUNTIME_LAUNCHTIMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a size of a memref of the launch that the next lispier_rt_tune_begin begins. */
void lispier_rt_tune_size(int64_t size);
/* Waits for the device, and begins to measure. `setting` is the text of the launch's constants; the strings must stay
 * until lispier_rt_tune_end. `site` is the source location. */
void lispier_rt_tune_begin(const char *program, const char *setting, const char *site);
/* Waits for the device, and writes the line; on failure the process ends with a message. */
void lispier_rt_tune_end(const char *site);

#ifdef __cplusplus
}
#endif
#endif
