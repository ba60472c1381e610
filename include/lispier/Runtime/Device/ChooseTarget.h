//===- ChooseTarget.h - select among a program's targets -------*- C++ -*-===//
//
// An executable may contain its program several times, each compiled for another
// target. `main` first selects the one to run on this machine.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_CHOOSETARGET_H
#define LISPIER_RUNTIME_CHOOSETARGET_H

#include "lispier/Runtime/Device/Device.h"
#include <cstddef>

namespace lispier::runtime {
struct Target {
  const char *name;                  ///< As in --target=: "cuda:sm_90a", "cpu".
  const char *kind;                  ///< Device kind: "cuda", "hip", or "cpu", which every machine can run.
  const char *architecture, *format; ///< Of the kernel binary: "sm_90a", "ptx"; empty for the CPU.
};

/// Returns the index of the target to run: the first one that this machine supports, except that the newest
/// architecture is preferred among several for NVIDIA. The compiler puts targets that every machine can run last.
/// LISPIER_TARGET, a name or its part before the colon, restricts the choice. Returns -1 if none can run, with the
/// reason for each target in `why`, which is cut at `size` bytes.
int chooseTarget(const Target *targets, int count, char *why, size_t size);

/// Whether `a` is preferred to `b` where both can run: a newer architecture of the same kind.
bool isNewer(const Target &a, const Target &b);

/// Returns the table of `kind` if device `ordinal` can run code of this architecture and format. Otherwise returns null
/// and appends a line that begins with `name` to the string in `why`, which is cut at `size` bytes.
const DeviceTable *findDeviceFor(const char *kind, const char *architecture, const char *format, int ordinal,
                                 const char *name, char *why, size_t size);
} // namespace lispier::runtime

/// For executables: as chooseTarget, but if no target can run, prints the reasons and exits with status 1.
extern "C" int32_t lispier_rt_choose_target(const lispier::runtime::Target *targets, int32_t count);
#endif
