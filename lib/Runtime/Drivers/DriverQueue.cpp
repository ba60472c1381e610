//===- DriverQueue.cpp - the queue, its events and graphs -----------------===//
#include "DriverDevice.h"
#include <utility>

namespace lispier::runtime {
Status waitForQueue(DriverDevice &device) {
  if (device.isCallerCapturing)
    return refuseInCapture(LISPIER_DRIVER_SYMBOL(*device.driver, waitStream), "waits for results of the device");
  CALL(device, waitStream, device.stream);
  if (device.isCallers) // Work in the own queue is another matter.
    return Status();
  device.idle = true;
  device.staging.queueIsEmpty();
  return Status();
}

namespace drivers {
Status event(Device *handle, Event *&event) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  constexpr unsigned kWithoutTime = 2;
  DriverEvent *made = nullptr;
  if (Status status = addTo(device.events, made); !status.ok())
    return status;
  auto record = [&]() -> Status {
    CALL(device, createEvent, &made->handle, kWithoutTime);
    CALL(device, recordEvent, made->handle, device.stream);
    return Status();
  };
  if (Status status = record(); !status.ok()) {
    if (made->handle)
      device.driver->calls.destroyEvent(made->handle);
    dropFirst(device.events);
    return status;
  }
  event = reinterpret_cast<Event *>(made);
  return Status();
}

namespace {
/// Removes the event from the device's list and returns its driver handle, which the caller destroys; null if absent.
void *take(DriverDevice &device, Event *event) {
  DriverEvent **link = &device.events;
  while (*link && *link != reinterpret_cast<DriverEvent *>(event))
    link = &(*link)->next;
  void *known = *link ? (*link)->handle : nullptr;
  if (known)
    dropFirst(*link);
  return known;
}
} // namespace

Status wait(Device *handle, Event *event) {
  DriverDevice &device = own(handle);
  if (!event && device.idle) // For example after a download, which waits.
    return Status();
  if (Status status = enter(device); !status.ok())
    return status;
  if (!event) {
    Status status = waitForQueue(device);
    if (status.ok() && !device.isCallers)
      device.trace.write(*device.driver);
    return status;
  }
  void *known = take(device, event);
  if (!known)
    return Status("wait", 0, "no such event on this device");
  int code = device.driver->calls.waitEvent(known);
  device.driver->calls.destroyEvent(known);
  return code ? driverError(*device.driver, LISPIER_DRIVER_SYMBOL(*device.driver, waitEvent), code) : Status();
}

Status isDone(Device *handle, Event *event, bool &done) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  constexpr int kNotReady = 600; // Of both drivers.
  int code = device.driver->calls.queryEvent(reinterpret_cast<DriverEvent *>(event)->handle);
  done = code == 0;
  return code == 0 || code == kNotReady
             ? Status()
             : driverError(*device.driver, LISPIER_DRIVER_SYMBOL(*device.driver, queryEvent), code);
}

void *queue(Device *handle) {
  DriverDevice &device = own(handle);
  if (!enter(device).ok())
    return nullptr;
  device.idle = false; // The caller is about to enqueue work.
  return device.stream;
}

Status drop(Device *handle, Event *event) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok() || !event)
    return status;
  void *known = take(device, event);
  if (!known)
    return Status("drop", 0, "no such event on this device");
  CALL(device, destroyEvent, known);
  return Status();
}

Status beginCapture(Device *handle) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  constexpr int kThisThreadOnly = 1;
  CALL(device, beginCapture, device.ownStream, kThisThreadOnly);
  device.capturing = true;
  device.replayStream = std::exchange(device.stream, device.ownStream);
  return Status();
}

Status endCapture(Device *handle, Graph *&graph) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  device.capturing = false;
  device.stream = device.replayStream;
  void *captured = nullptr, *executable = nullptr;
  CALL(device, endCapture, device.ownStream, &captured);
  int code = device.driver->calls.instantiate(&executable, captured, 0);
  device.driver->calls.destroyGraph(captured);
  if (code)
    return driverError(*device.driver, LISPIER_DRIVER_SYMBOL(*device.driver, instantiate), code);
  DriverGraph *made = nullptr;
  if (Status status = addTo(device.graphs, made); !status.ok()) {
    device.driver->calls.destroyExecutable(executable);
    return status;
  }
  made->executable = executable;
  graph = reinterpret_cast<Graph *>(made);
  return Status();
}

Status replay(Device *handle, Graph *graph) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  Traced traced(device, "graph", "graph");
  CALL(device, replay, reinterpret_cast<DriverGraph *>(graph)->executable, device.stream);
  return Status();
}

Status forget(Device *handle, Graph *graph) {
  if (!graph)
    return Status();
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  DriverGraph **link = &device.graphs;
  while (*link && *link != reinterpret_cast<DriverGraph *>(graph))
    link = &(*link)->next;
  if (!*link)
    return Status("forget", 0, "no such graph on this device");
  void *executable = (*link)->executable;
  dropFirst(*link);
  CALL(device, destroyExecutable, executable);
  return Status();
}
} // namespace drivers
} // namespace lispier::runtime
