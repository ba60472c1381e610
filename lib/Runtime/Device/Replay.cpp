//===- Replay.cpp - captured graphs of repeated steps ---------------------===//
#include "Replay.h"
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lispier::runtime {
namespace {
enum class Kind : int64_t { Launch, Copy, Fill, Call };

/// Precedes a launch's argument offsets and bytes. Steps are compared bytewise, so headers are zeroed first to give
/// equal padding.
struct Header {
  Kind kind;
  Kernel *kernel;
  LaunchShape shape;
  int32_t count, bytes;
};
/// A copy of one row is one of consecutive bytes.
struct Copy {
  Kind kind;
  void *to;
  const void *from;
  int64_t toPitch, fromPitch, rowBytes, rows;
};
struct Fill {
  Kind kind;
  void *to;
  uint64_t pattern;
  int64_t width, count;
};
/// Precedes the bytes of what is called.
struct Call {
  Kind kind;
  Replay::Issue issue;
  int64_t bytes;
};
static_assert(sizeof(Copy) == 7 * 8 && sizeof(Fill) == 5 * 8 && sizeof(Call) == 3 * 8, "without padding");

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

void Replay::begin(const DeviceTable &table, Device *device, bool records) {
  if (depth++ > 0 || !records)
    return;
  isRecording = true;
  recorded.size = 0;
  table.defer(device, true);
}

void Replay::stopRecording(const DeviceTable &table, Device *device) {
  isRecording = false;
  table.defer(device, false);
}

template <typename Work> Status Replay::record(const Work &work) {
  return recorded.append(&work, sizeof(work)) ? Status() : Status("malloc", 0, "no memory on the host");
}

Status Replay::copy(void *to, const void *from, int64_t bytes) { return copyRows(to, 0, from, 0, bytes, 1); }

Status Replay::copyRows(void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                        int64_t rows) {
  return record(Copy{Kind::Copy, to, from, toPitch, fromPitch, rowBytes, rows});
}

Status Replay::fill(void *to, uint64_t pattern, int width, int64_t count) {
  return record(Fill{Kind::Fill, to, pattern, width, count});
}

Status Replay::call(Issue issue, const void *work, int64_t bytes) {
  Status status = record(Call{Kind::Call, issue, bytes});
  return !status.ok() || recorded.append(work, bytes) ? status : Status("malloc", 0, "no memory on the host");
}

Status Replay::launch(Kernel *kernel, const LaunchShape &shape, void **arguments, int32_t count, int32_t bytes) {
  if (count > kMostArguments)
    return Status("launch", 0, "a kernel with %d arguments; at most %d can be replayed", count, kMostArguments);
  Header header;
  memset(static_cast<void *>(&header), 0, sizeof(header));
  header.kind = Kind::Launch;
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

Status Replay::issueLaunch(const DeviceTable &table, Device *device, int64_t &at) {
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
  return table.launch(device, header.kernel, header.shape, arguments);
}

Status Replay::issue(const DeviceTable &table, Device *device) {
  for (int64_t at = 0; at < recorded.size;) {
    Kind kind;
    memcpy(&kind, recorded.data + at, sizeof(kind));
    Status status;
    if (kind == Kind::Launch) {
      status = issueLaunch(table, device, at);
    } else if (kind == Kind::Copy) {
      Copy c;
      memcpy(&c, recorded.data + at, sizeof(c));
      at += padded(sizeof(c));
      status = c.rows == 1 ? table.copy(device, c.to, c.from, c.rowBytes)
                           : table.copyRows(device, c.to, c.toPitch, c.from, c.fromPitch, c.rowBytes, c.rows);
    } else if (kind == Kind::Call) {
      Call c;
      memcpy(&c, recorded.data + at, sizeof(c));
      at += padded(sizeof(c));
      status = c.issue(recorded.data + at);
      at += padded(c.bytes);
    } else {
      Fill f;
      memcpy(&f, recorded.data + at, sizeof(f));
      at += padded(sizeof(f));
      status = table.fill(device, f.to, f.pattern, int(f.width), f.count);
    }
    if (!status.ok())
      return status;
  }
  return Status();
}

Status Replay::flush(const DeviceTable &table, Device *device) {
  stopRecording(table, device);
  Status status = issue(table, device);
  recorded.size = 0;
  return status;
}

void Replay::abandon(const DeviceTable &table, Device *device) {
  if (isRecording)
    stopRecording(table, device);
  recorded.size = freed.size = 0; // A guard frees what the program has not.
  depth = 0;
}

Status Replay::forget(const DeviceTable &table, Device *device, Step &step) {
  Graph *graph = std::exchange(step.graph, nullptr);
  step.work.size = 0;
  return table.forget(device, graph);
}

Status Replay::end(const DeviceTable &table, Device *device, const char *&how) {
  how = "step: enqueued";
  if (--depth > 0 || !isRecording)
    return Status();
  stopRecording(table, device);
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
    how = step.graph ? "step: one graph" : "step: captured as a graph";
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
