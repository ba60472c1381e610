//===- Replay.cpp - captured graphs of repeated steps ---------------------===//
#include "Replay.h"
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lispier::runtime {
namespace {
/// Precedes a launch's argument offsets and bytes. Steps are compared bytewise, so headers are zeroed first to give
/// equal padding.
struct Header {
  Kernel *kernel;
  LaunchShape shape;
  int32_t count, bytes;
};
constexpr int kMostArguments = 256;

int64_t padded(int64_t bytes) { return (bytes + 15) & ~int64_t(15); }
} // namespace

bool Replay::Bytes::append(const void *from, int64_t count) {
  if (count == 0)
    return true;
  int64_t after = size + padded(count);
  if (after > capacity) {
    int64_t grown = after > 2 * capacity ? after + 4096 : 2 * capacity;
    auto *more = static_cast<char *>(realloc(data, grown));
    if (!more)
      return false;
    data = more;
    capacity = grown;
  }
  memset(data + after - 16, 0, 16);
  memcpy(data + size, from, count);
  size = after;
  return true;
}

void Replay::begin() {
  if (depth++ > 0)
    return;
  isRecording = true;
  recorded.size = 0;
}

Status Replay::launch(Kernel *kernel, const LaunchShape &shape, void **arguments, int32_t count, int32_t bytes) {
  if (count > kMostArguments)
    return Status("launch", 0, "a kernel with %d arguments; at most %d can be replayed", count, kMostArguments);
  Header header;
  memset(static_cast<void *>(&header), 0, sizeof(header));
  header.kernel = kernel;
  for (int i = 0; i < 3; ++i) {
    header.shape.grid[i] = shape.grid[i];
    header.shape.block[i] = shape.block[i];
    header.shape.cluster[i] = shape.cluster[i];
  }
  header.shape.sharedBytes = shape.sharedBytes;
  header.shape.dependentLaunch = shape.dependentLaunch;
  header.count = count;
  header.bytes = bytes;
  int32_t offsets[kMostArguments + 4];
  for (int i = 0; i < count; ++i)
    offsets[i] = int32_t(static_cast<char *>(arguments[i]) - static_cast<char *>(arguments[0]));
  bool fits = recorded.append(&header, sizeof(header)) &&
              recorded.append(offsets, count * int64_t(sizeof(offsets[0]))) &&
              recorded.append(count ? arguments[0] : offsets, bytes);
  return fits ? Status() : Status("malloc", 0, "no memory on the host");
}

Status Replay::free(void *memory) {
  return freed.append(&memory, sizeof(memory)) ? Status() : Status("malloc", 0, "no memory on the host");
}

void *Replay::nextFreed() {
  if (isRecording || freed.size == 0)
    return nullptr;
  void *memory;
  freed.size -= padded(sizeof(memory));
  memcpy(&memory, freed.data + freed.size, sizeof(memory));
  return memory;
}

Status Replay::issue(const DeviceTable &table, Device *device) {
  for (int64_t at = 0; at < recorded.size;) {
    Header header;
    memcpy(static_cast<void *>(&header), recorded.data + at, sizeof(header));
    at += padded(sizeof(header));
    const char *offsets = recorded.data + at;
    at += padded(header.count * int64_t(sizeof(int32_t)));
    void *arguments[kMostArguments];
    for (int i = 0; i < header.count; ++i) {
      int32_t offset;
      memcpy(&offset, offsets + i * sizeof(offset), sizeof(offset));
      arguments[i] = recorded.data + at + offset;
    }
    at += padded(header.bytes);
    if (Status status = table.launch(device, header.kernel, header.shape, arguments); !status.ok())
      return status;
  }
  return Status();
}

Status Replay::flush(const DeviceTable &table, Device *device) {
  isRecording = false;
  Status status = issue(table, device);
  recorded.size = 0;
  return status;
}

Status Replay::forget(const DeviceTable &table, Device *device, Step &step) {
  Graph *graph = std::exchange(step.graph, nullptr);
  step.work.size = 0;
  return table.forget(device, graph);
}

Status Replay::end(const DeviceTable &table, Device *device) {
  if (--depth > 0 || !isRecording)
    return Status();
  isRecording = false;
  if (recorded.size == 0)
    return Status();
  ++clock;
  Step *oldest = &steps[0];
  for (Step &step : steps) {
    if (step.lastUse < oldest->lastUse)
      oldest = &step;
    if (step.work.size != recorded.size || memcmp(step.work.data, recorded.data, recorded.size) != 0)
      continue;
    step.lastUse = clock;
    if (!step.graph) {
      if (Status status = table.beginCapture(device); !status.ok())
        return status;
      Status issued = issue(table, device);
      Status ended = table.endCapture(device, step.graph);
      if (!issued.ok() || !ended.ok())
        return issued.ok() ? ended : issued;
    }
    return table.replay(device, step.graph);
  }
  if (Status status = forget(table, device, *oldest); !status.ok())
    return status;
  if (oldest->work.append(recorded.data, recorded.size))
    oldest->lastUse = clock;
  return issue(table, device);
}
} // namespace lispier::runtime
