//===- Replay.cpp - steps that are launched again and again ---------------===//
#include "Replay.h"
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lispier::runtime {
namespace {
/// What stands before a launch's offsets and argument bytes. All of it counts when two steps are compared, so padding
/// must be the same: headers begin as zeros.
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
  isNoting = true;
  noted.size = 0;
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
  header.shape.early = shape.early;
  header.count = count;
  header.bytes = bytes;
  int32_t offsets[kMostArguments + 4];
  for (int i = 0; i < count; ++i)
    offsets[i] = int32_t(static_cast<char *>(arguments[i]) - static_cast<char *>(arguments[0]));
  bool fits = noted.append(&header, sizeof(header)) && noted.append(offsets, count * int64_t(sizeof(offsets[0]))) &&
              noted.append(count ? arguments[0] : offsets, bytes);
  return fits ? Status() : Status("malloc", 0, "no memory on the host");
}

Status Replay::issue(const DeviceTable &table, Device *device) {
  for (int64_t at = 0; at < noted.size;) {
    Header header;
    memcpy(static_cast<void *>(&header), noted.data + at, sizeof(header));
    at += padded(sizeof(header));
    const char *offsets = noted.data + at;
    at += padded(header.count * int64_t(sizeof(int32_t)));
    void *arguments[kMostArguments];
    for (int i = 0; i < header.count; ++i) {
      int32_t offset;
      memcpy(&offset, offsets + i * sizeof(offset), sizeof(offset));
      arguments[i] = noted.data + at + offset;
    }
    at += padded(header.bytes);
    if (Status status = table.launch(device, header.kernel, header.shape, arguments); !status.ok())
      return status;
  }
  return Status();
}

Status Replay::flush(const DeviceTable &table, Device *device) {
  isNoting = false;
  Status status = issue(table, device);
  noted.size = 0;
  return status;
}

Status Replay::forget(const DeviceTable &table, Device *device, Step &step) {
  Graph *graph = std::exchange(step.graph, nullptr);
  step.work.size = 0;
  return graph ? table.forget(device, graph) : Status();
}

Status Replay::end(const DeviceTable &table, Device *device) {
  if (--depth > 0 || !isNoting)
    return Status();
  isNoting = false;
  if (noted.size == 0)
    return Status();
  ++clock;
  Step *oldest = &steps[0];
  for (Step &step : steps) {
    if (step.lastUse < oldest->lastUse)
      oldest = &step;
    if (step.work.size != noted.size || memcmp(step.work.data, noted.data, noted.size) != 0)
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
  if (oldest->work.append(noted.data, noted.size))
    oldest->lastUse = clock;
  return issue(table, device);
}
} // namespace lispier::runtime
