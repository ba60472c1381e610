//===- ChooseTarget.h - which of its targets a program runs on -*- C++ -*-===//
//
// An executable may hold its program several times, each lowered for another
// target. Its first act is to ask here which of them this machine can run.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_CHOOSETARGET_H
#define LISPIER_RUNTIME_CHOOSETARGET_H

#include "lispier/Runtime/Device/Device.h"
#include <cstddef>

namespace lispier::runtime {
struct Target {
  const char *name;                  ///< As --target= has it: "cuda:sm_90a", "cpu".
  const char *kind;                  ///< Of the device: "cuda", "hip"; "cpu" for what runs on any machine.
  const char *architecture, *format; ///< Of its kernels: "sm_90a", "ptx"; empty for the CPU.
};

/// The first target that this machine can run, or of several for NVIDIA the one for the newest architecture.
/// LISPIER_TARGET, a name or what stands before its colon, leaves only those to choose from. -1: `why` says what is in
/// the way, in lines.
int chooseTarget(const Target *targets, int count, char *why, size_t size);

/// The kind's table when the machine's device of that number runs such code; or null, and a line more in `why`, which
/// begins with `name`.
const DeviceTable *findDeviceFor(const char *kind, const char *architecture, const char *format, int ordinal,
                                 const char *name, char *why, size_t size);
} // namespace lispier::runtime

/// For executables: the index; without one it prints why, and the process exits with status 1.
extern "C" int32_t lispier_rt_choose_target(const lispier::runtime::Target *targets, int32_t count);
#endif
