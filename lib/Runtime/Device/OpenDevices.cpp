//===- OpenDevices.cpp - the devices that this process uses ---------------===//
#include "OpenDevices.h"
#include <pthread.h>

namespace lispier::runtime {
namespace {
struct Kind {
  const DeviceTable *table;
  Device *devices[kMostDevices];
};
constexpr int kMostKinds = 8;
Kind kinds[kMostKinds];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

Status openLocked(const DeviceTable &table, int ordinal, Device *&device) {
  Kind *kind = kinds;
  while (kind->table && kind->table != &table)
    ++kind;
  kind->table = &table;
  if (ordinal < 0 || ordinal >= table.count()) // open reports this.
    return table.open(ordinal, device);
  if (ordinal >= kMostDevices)
    return Status("open", 0, "device %d; at most %d of a kind can be used", ordinal, kMostDevices);
  Status status;
  if (!kind->devices[ordinal])
    status = table.open(ordinal, kind->devices[ordinal]);
  device = kind->devices[ordinal];
  return status;
}
} // namespace

Status openDevice(const DeviceTable &table, int ordinal, Device *&device) {
  pthread_mutex_lock(&lock);
  Status status = openLocked(table, ordinal, device);
  pthread_mutex_unlock(&lock);
  return status;
}

void forEachOpenDevice(bool (*body)(const DeviceTable &table, Device *device, void *context), void *context) {
  pthread_mutex_lock(&lock);
  bool isDone = false;
  for (Kind &kind : kinds)
    for (Device *device : kind.devices)
      isDone = isDone || (device && body(*kind.table, device, context));
  pthread_mutex_unlock(&lock);
}
} // namespace lispier::runtime
