//===- ProgramDevice.h - devices and kernels of programs -------*- C++ -*-===//
//
// What DeviceProgram.cpp, whose functions a program calls, and LibraryDevices.cpp,
// which lets a library's functions use the device of their arguments, share.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_PROGRAMDEVICE_H
#define LISPIER_LIB_RUNTIME_PROGRAMDEVICE_H

#include "OpenDevices.h"
#include "Replay.h"

namespace lispier::runtime {
/// A binary with kernels.
struct Image {
  const void *owner; ///< The target of a library that has it; null: the program.
  const char *kind, *architecture, *format, *names;
  const void *bytes;
  int64_t size;
  Image *next;
  Module *modules[kMostDevices]; ///< By ordinal; null until loaded.
};

/// A device opened for the program. One host thread at a time drives it.
struct Opened {
  const DeviceTable *table;
  Device *device;
  int ordinal;
  const Image *image; ///< First image of the program in use that fits the device; null if it has none.
  bool pending;
  const char *lastKernel, *lastSite;
  Replay replay;
};

/// The device in use; null until one is. All others are idle, but for work in streams of callers.
extern Opened *current;
/// Whose images lispier_rt_device_image registers.
extern const void *imageOwner;
/// Whether the work of the device in use goes to a stream of a caller.
extern bool isInCallersQueue;

/// The first image of an owner; null if there is none.
const Image *firstImage(const void *owner);
/// Opens a device, or finds it open; `found` becomes null where more are in use than the runtime keeps.
Status openForProgram(const DeviceTable &table, int ordinal, Opened *&found);
/// The device in use, opened now if need be; a failure is at `site`.
Opened &deviceOfProgram(const char *site);
/// Calls `issue` with the bytes, now or where the step that is recorded is issued, in the order of the other work.
Status enqueueCall(Replay::Issue issue, const void *work, int64_t bytes, const char *site);
/// Called before this thread blocks until the queue is empty; null at first. For work that depends on more than the
/// device.
extern void (*beforeWait)(const char *site);
/// Frees memory of any device, or of the host; whatever fails is lost.
void releaseAny(void *memory);
} // namespace lispier::runtime
#endif
