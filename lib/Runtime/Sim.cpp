//===- Sim.cpp - blocks of fibers, rendezvous and shadow memory -----------===//
//
// A block owns one fiber for each thread. The scheduler runs every fiber until
// it waits or ends; then whoever waits must form complete groups (all threads
// of the block for a barrier, all lanes of a warp for a shuffle), at one place
// in the source. A group that cannot become complete is the kernel's mistake.
//
//===----------------------------------------------------------------------===//

#include "lispier/Runtime/Sim.h"
#include "Fiber.h"
#include "lispier/Runtime/Runtime.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {
enum class Waiting { No, Barrier, Shuffle, SubgroupReduce, AllReduce, Done };

const char *describe(Waiting what) {
  switch (what) {
  case Waiting::Barrier:
    return "barrier";
  case Waiting::Shuffle:
    return "shuffle";
  case Waiting::SubgroupReduce:
  case Waiting::AllReduce:
    return "reduction";
  case Waiting::No:
  case Waiting::Done:
    break;
  }
  return "";
}

bool isWarpWide(Waiting what) { return what == Waiting::Shuffle || what == Waiting::SubgroupReduce; }

struct Block;

/// A thread, the generated code's view of it first: the two are one address.
struct SimThread : LispierSimThread {
  Block *block = nullptr;
  Fiber fiber;
  Waiting waiting = Waiting::No;
  const char *site = nullptr;
  // What it brings to a meeting, and what it takes away.
  int64_t value = 0;
  int32_t operands[3] = {};
  int64_t result = 0;
  bool valid = false;
};

/// What is known of one byte of shared memory since the block began.
struct Shadow {
  uint32_t writeEpoch = 0, readEpoch = 0; ///< 0: never.
  uint16_t writer = 0, reader = 0;
  bool manyReaders = false, atomic = false;
};

struct Launch {
  LispierSimKernel kernel;
  void *arguments;
  int64_t grid[3], block[3];
  int64_t sharedBytes, dynamicSharedBytes;
  int32_t flags;
  const char *name;
  std::mutex lock;
  std::atomic<bool> failed{false};
  std::string message;

  int64_t threads() const { return block[0] * block[1] * block[2]; }
  int64_t warpSize() const { return flags & kSimWarp64 ? 64 : 32; }
  void fail(const std::string &text) {
    std::lock_guard<std::mutex> guard(lock);
    if (!failed.exchange(true))
      message = text;
  }
};

std::string triple(const int64_t *v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}

struct Block {
  explicit Block(Launch &launch);
  void run(int64_t index);
  void report(const SimThread &thread, const char *site, const char *code, const std::string &text,
              const std::string &note = "");
  bool meet();
  void complete(std::vector<SimThread *> &group);
  void checkShared(SimThread &thread, const char *site, int64_t offset, int64_t bytes, int32_t kind);

  Launch &launch;
  std::vector<std::unique_ptr<SimThread>> threads;
  std::vector<char> shared;
  std::vector<Shadow> shadow;
  std::vector<const char *> writeSites; ///< By byte, for the second half of a race report.
  uint32_t epoch = 1;                   ///< Barriers passed, plus one.
};

constexpr int64_t kSharedAlignment = 128;

Block::Block(Launch &launch) : launch(launch) {
  int64_t dynamicStart = (launch.sharedBytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  int64_t bytes = dynamicStart + launch.dynamicSharedBytes;
  shared.resize(bytes + kSharedAlignment);
  char *base = shared.data() + (kSharedAlignment - reinterpret_cast<uintptr_t>(shared.data()) % kSharedAlignment);
  if (launch.flags & kSimChecked) {
    shadow.resize(bytes);
    writeSites.resize(bytes);
  }
  for (int64_t i = 0, n = launch.threads(); i < n; ++i) {
    auto thread = std::make_unique<SimThread>();
    std::copy_n(launch.block, 3, thread->blockDim);
    std::copy_n(launch.grid, 3, thread->gridDim);
    thread->threadId[0] = i % launch.block[0];
    thread->threadId[1] = i / launch.block[0] % launch.block[1];
    thread->threadId[2] = i / launch.block[0] / launch.block[1];
    thread->warpSize = launch.warpSize();
    thread->lane = i % thread->warpSize;
    thread->warp = i / thread->warpSize;
    thread->warps = (n + thread->warpSize - 1) / thread->warpSize;
    thread->shared = base;
    thread->dynamicShared = base + dynamicStart;
    thread->dynamicSharedBytes = launch.dynamicSharedBytes;
    thread->block = this;
    threads.push_back(std::move(thread));
  }
}

void Block::report(const SimThread &thread, const char *site, const char *code, const std::string &text,
                   const std::string &note) {
  std::string message = std::string(site) + ": error[" + code + "]: " + text + "\n  in kernel `" + launch.name +
                        "`, block " + triple(thread.blockId) + ", thread " + triple(thread.threadId) + "\n";
  launch.fail(message + note);
}

/// Lets every group that is complete go on. False: nobody can go on, and it has been reported.
bool Block::meet() {
  bool progress = false;
  auto completeGroup = [&](size_t begin, size_t end) {
    const SimThread &first = *threads[begin];
    std::vector<SimThread *> group;
    for (size_t i = begin; i < end; ++i) {
      SimThread &thread = *threads[i];
      if (thread.waiting != first.waiting || thread.site != first.site)
        return false;
      group.push_back(&thread);
    }
    complete(group);
    return true;
  };
  auto waits = [&](size_t i) { return threads[i]->waiting != Waiting::Done; };
  size_t warpSize = launch.warpSize();
  for (size_t begin = 0; begin < threads.size(); begin += warpSize) {
    size_t end = std::min(begin + warpSize, threads.size());
    if (isWarpWide(threads[begin]->waiting))
      progress |= completeGroup(begin, end);
  }
  if (progress)
    return true;
  if (!isWarpWide(threads[0]->waiting) && waits(0) && completeGroup(0, threads.size()))
    return true;
  // Nobody moves: name a thread that waits, and one of its group that is elsewhere.
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!waits(i))
      continue;
    SimThread &stuck = *threads[i];
    bool warpWide = isWarpWide(stuck.waiting);
    size_t begin = warpWide ? i / warpSize * warpSize : 0;
    size_t end = warpWide ? std::min(begin + warpSize, threads.size()) : threads.size();
    for (size_t j = begin; j < end; ++j) {
      SimThread &other = *threads[j];
      if (other.waiting == stuck.waiting && other.site == stuck.site)
        continue;
      std::string what = describe(stuck.waiting);
      std::string elsewhere = waits(j) ? std::string(other.site) + ": note: thread " + triple(other.threadId) +
                                             " waits at this " + describe(other.waiting) + "\n"
                                       : "  thread " + triple(other.threadId) + " has ended\n";
      report(stuck, stuck.site, stuck.waiting == Waiting::Barrier ? "sim-barrier" : "sim-divergence",
             what + " reached by only some threads of the " + (warpWide ? "warp" : "block"), elsewhere);
      return false;
    }
  }
  return false;
}

void Block::run(int64_t index) {
  std::fill(shadow.begin(), shadow.end(), Shadow());
  epoch = 1;
  for (auto &thread : threads) {
    thread->blockId[0] = index % launch.grid[0];
    thread->blockId[1] = index / launch.grid[0] % launch.grid[1];
    thread->blockId[2] = index / launch.grid[0] / launch.grid[1];
    thread->waiting = Waiting::No;
    thread->site = nullptr;
  }
  if (!(launch.flags & (kSimChecked | kSimRendezvous))) {
    // Nothing can wait or fail: the threads run on this stack, one after the other.
    for (auto &thread : threads)
      launch.kernel(thread.get(), launch.arguments);
    return;
  }
  auto body = [](void *argument) {
    auto *thread = static_cast<SimThread *>(argument);
    thread->block->launch.kernel(thread, thread->block->launch.arguments);
    thread->waiting = Waiting::Done;
  };
  for (auto &thread : threads)
    if (!thread->fiber.start(body, thread.get()))
      return launch.fail(std::string(launch.name) + ": error[sim-launch]: no memory for the stacks of " +
                         std::to_string(threads.size()) + " threads\n");
  while (true) {
    for (auto &thread : threads)
      if (thread->waiting == Waiting::No) {
        thread->fiber.resume();
        if (launch.failed)
          return;
      }
    if (std::all_of(threads.begin(), threads.end(), [](auto &t) { return t->waiting == Waiting::Done; }))
      return;
    if (!meet())
      return;
  }
}

SimThread &self(LispierSimThread *thread) { return *static_cast<SimThread *>(thread); }

/// Waits at a meeting; comes back when the group was complete.
void waitAt(SimThread &thread, Waiting what, const char *site) {
  thread.waiting = what;
  thread.site = site;
  thread.fiber.suspend();
}

/// Reports and never returns: the launch is over.
void fail(SimThread &thread, const char *site, const char *code, const std::string &text, const std::string &note = "") {
  thread.block->report(thread, site, code, text, note);
  while (true)
    thread.fiber.suspend();
}

//===-- Values at meetings ------------------------------------------------===//

float halfToFloat(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
  uint32_t bits;
  if (exponent == 31)
    bits = sign | 0x7f800000 | mantissa << 13;
  else if (exponent)
    bits = sign | (exponent + 112) << 23 | mantissa << 13;
  else {
    float value = std::ldexp(static_cast<float>(mantissa), -24);
    std::memcpy(&bits, &value, 4);
    bits |= sign;
  }
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

extern "C" uint16_t __truncsfhf2(float);
extern "C" uint16_t __truncsfbf2(float);

double toFloat(int64_t bits, int32_t type) {
  switch (type) {
  case kSimF16:
    return halfToFloat(static_cast<uint16_t>(bits));
  case kSimBF16:
  case kSimF32: {
    uint32_t word = type == kSimBF16 ? static_cast<uint32_t>(bits) << 16 : static_cast<uint32_t>(bits);
    float f;
    std::memcpy(&f, &word, 4);
    return f;
  }
  default: {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  }
}

int64_t fromFloat(double value, int32_t type) {
  if (type == kSimF64) {
    int64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  float f = static_cast<float>(value);
  if (type == kSimF16)
    return __truncsfhf2(f);
  if (type == kSimBF16)
    return __truncsfbf2(f);
  uint32_t word;
  std::memcpy(&word, &f, 4);
  return word;
}

int64_t signExtend(int64_t bits, int32_t type) {
  switch (type) {
  case kSimInt8:
    return static_cast<int8_t>(bits);
  case kSimInt16:
    return static_cast<int16_t>(bits);
  case kSimInt32:
    return static_cast<int32_t>(bits);
  default:
    return bits;
  }
}

int64_t zeroExtend(int64_t bits, int32_t type) {
  switch (type) {
  case kSimInt8:
    return static_cast<uint8_t>(bits);
  case kSimInt16:
    return static_cast<uint16_t>(bits);
  case kSimInt32:
    return static_cast<uint32_t>(bits);
  default:
    return bits;
  }
}

double combineFloats(double a, double b, int32_t reduction) {
  switch (reduction) {
  case kSimAdd:
    return a + b;
  case kSimMul:
    return a * b;
  case kSimMinNumF:
    return std::fmin(a, b);
  case kSimMaxNumF:
    return std::fmax(a, b);
  case kSimMinimumF:
    return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
  default:
    return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
  }
}

int64_t combineIntegers(int64_t a, int64_t b, int32_t reduction, int32_t type) {
  int64_t sa = signExtend(a, type), sb = signExtend(b, type);
  uint64_t ua = zeroExtend(a, type), ub = zeroExtend(b, type);
  switch (reduction) {
  case kSimAdd:
    return static_cast<int64_t>(ua + ub);
  case kSimMul:
    return static_cast<int64_t>(ua * ub);
  case kSimMinUI:
    return static_cast<int64_t>(std::min(ua, ub));
  case kSimMaxUI:
    return static_cast<int64_t>(std::max(ua, ub));
  case kSimMinSI:
    return std::min(sa, sb);
  case kSimMaxSI:
    return std::max(sa, sb);
  case kSimAnd:
    return a & b;
  case kSimOr:
    return a | b;
  default:
    return a ^ b;
  }
}

int64_t combine(int64_t a, int64_t b, int32_t reduction, int32_t type) {
  // Rounded to the type after each step, as hardware does.
  if (type >= kSimF16)
    return fromFloat(combineFloats(toFloat(a, type), toFloat(b, type), reduction), type);
  return zeroExtend(combineIntegers(a, b, reduction, type), type);
}

void shuffle(std::vector<SimThread *> &warp) {
  for (size_t i = 0; i < warp.size(); ++i) {
    SimThread &thread = *warp[i];
    auto [mode, offset, width] = std::tie(thread.operands[0], thread.operands[1], thread.operands[2]);
    int64_t lane = static_cast<int64_t>(i), first = lane / width * width, from;
    switch (mode) {
    case 0:
      from = first + ((lane - first) ^ offset);
      break;
    case 1:
      from = lane - offset;
      break;
    case 2:
      from = lane + offset;
      break;
    default:
      from = first + offset;
    }
    thread.valid = from >= first && from < first + width && from < static_cast<int64_t>(warp.size());
    thread.result = thread.valid ? warp[from]->value : thread.value;
  }
}

void subgroupReduce(std::vector<SimThread *> &warp) {
  int32_t size = warp[0]->operands[2] & 0xffff, stride = warp[0]->operands[2] >> 16;
  if (!size)
    size = static_cast<int32_t>(warp.size()), stride = 1;
  for (size_t i = 0; i < warp.size(); ++i) {
    // Lanes of one cluster are `stride` apart; clusters of one stride group interleave.
    size_t span = static_cast<size_t>(size) * stride, first = i / span * span + i % stride;
    int64_t total = warp[first]->value;
    for (int32_t k = 1; k < size && first + k * stride < warp.size(); ++k)
      total = combine(total, warp[first + k * stride]->value, warp[0]->operands[0], warp[0]->operands[1]);
    warp[i]->result = total;
  }
}
} // namespace

void Block::complete(std::vector<SimThread *> &group) {
  switch (group[0]->waiting) {
  case Waiting::Barrier:
    ++epoch;
    break;
  case Waiting::Shuffle:
    shuffle(group);
    break;
  case Waiting::SubgroupReduce:
    subgroupReduce(group);
    break;
  case Waiting::AllReduce: {
    ++epoch; // it is built on barriers, so it orders memory too
    int64_t total = group[0]->value;
    for (size_t i = 1; i < group.size(); ++i)
      total = combine(total, group[i]->value, group[0]->operands[0], group[0]->operands[1]);
    for (SimThread *thread : group)
      thread->result = total;
    break;
  }
  case Waiting::No:
  case Waiting::Done:
    break;
  }
  for (SimThread *thread : group)
    thread->waiting = Waiting::No;
}

void Block::checkShared(SimThread &thread, const char *site, int64_t offset, int64_t bytes, int32_t kind) {
  if (offset + bytes > static_cast<int64_t>(shadow.size()))
    return fail(thread, site, "sim-bounds",
                "shared memory access at byte " + std::to_string(offset) + ", past the end of the block's " +
                    std::to_string(shadow.size()) + " bytes");
  auto me = static_cast<uint16_t>(thread.warp * thread.warpSize + thread.lane);
  auto name = [&](uint16_t index) { return "thread " + triple(threads[index]->threadId); };
  for (int64_t i = offset; i < offset + bytes; ++i) {
    Shadow &byte = shadow[i];
    bool wroteNow = byte.writeEpoch == epoch && byte.writer != me && !(kind == kSimAtomic && byte.atomic);
    if (wroteNow)
      return fail(thread, site, "sim-race",
                  std::string(kind == kSimRead ? "shared memory is read" : "shared memory is written") + " at byte " +
                      std::to_string(i) + " without a barrier since " + name(byte.writer) + " wrote it",
                  std::string(writeSites[i]) + ": note: written here\n");
    if (kind == kSimRead) {
      if (!byte.writeEpoch)
        return fail(thread, site, "sim-unwritten", "shared memory is read at byte " + std::to_string(i) + " before anyone wrote it");
      byte.manyReaders = byte.readEpoch == epoch && (byte.manyReaders || byte.reader != me);
      byte.readEpoch = epoch;
      byte.reader = me;
      continue;
    }
    if (byte.readEpoch == epoch && (byte.manyReaders || byte.reader != me))
      return fail(thread, site, "sim-race",
                  "shared memory is written at byte " + std::to_string(i) + " without a barrier since " +
                      (byte.reader != me ? name(byte.reader) : std::string("another thread")) + " read it");
    byte.writeEpoch = epoch;
    byte.writer = me;
    byte.atomic = kind == kSimAtomic;
    writeSites[i] = site;
  }
}

//===-- The C ABI ---------------------------------------------------------===//

namespace {
void runBlocks(Launch &launch, int64_t begin, int64_t end) {
  Block block(launch);
  for (int64_t index = begin; index < end && !launch.failed; ++index)
    block.run(index);
}
} // namespace

const char *lispier_sim_launch(LispierSimKernel kernel, void *arguments, int64_t gridX, int64_t gridY, int64_t gridZ,
                               int64_t blockX, int64_t blockY, int64_t blockZ, int64_t sharedBytes,
                               int64_t dynamicSharedBytes, int32_t flags, const char *name, const char *site) {
  thread_local std::string message;
  Launch launch{kernel, arguments, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, dynamicSharedBytes, flags, name, {}, {}, {}};
  auto reject = [&](const std::string &text) {
    message = std::string(site) + ": error[sim-launch]: " + text + "\n  in the launch of kernel `" + name + "`\n";
    return message.c_str();
  };
  for (int i = 0; i < 3; ++i)
    if (launch.block[i] < 1 || launch.grid[i] < 0)
      return reject("grid " + triple(launch.grid) + " of blocks " + triple(launch.block) + ": sizes must be positive");
  if (launch.threads() > kSimMaxThreadsPerBlock)
    return reject("a block of " + std::to_string(launch.threads()) + " threads; at most " + std::to_string(kSimMaxThreadsPerBlock) + " are allowed");
  if (sharedBytes + dynamicSharedBytes > kSimMaxSharedBytes)
    return reject(std::to_string(sharedBytes + dynamicSharedBytes) + " bytes of shared memory; at most " +
                  std::to_string(kSimMaxSharedBytes) + " are allowed");
  int64_t blocks = gridX * gridY * gridZ;
  if (flags & kSimChecked)
    runBlocks(launch, 0, blocks);
  else
    lispier_rt_parallel_for(
        [](void *context, int64_t begin, int64_t end) { runBlocks(*static_cast<Launch *>(context), begin, end); },
        &launch, blocks, 1);
  if (!launch.failed)
    return nullptr;
  message = launch.message;
  return message.c_str();
}

void lispier_sim_check(const char *message) {
  if (!message)
    return;
  std::fflush(stdout);
  std::fputs(message, stderr);
  std::exit(1);
}

void lispier_sim_barrier(LispierSimThread *thread, const char *site) { waitAt(self(thread), Waiting::Barrier, site); }

int64_t lispier_sim_shuffle(LispierSimThread *thread, const char *site, int32_t mode, int64_t bits, int32_t offset,
                            int32_t width, int8_t *valid) {
  SimThread &me = self(thread);
  if (width < 1 || width > me.warpSize || (width & (width - 1)))
    fail(me, site, "sim-divergence", "shuffle over " + std::to_string(width) + " lanes; the width is a power of two up to " +
                                         std::to_string(me.warpSize));
  me.value = bits;
  me.operands[0] = mode;
  me.operands[1] = offset;
  me.operands[2] = width;
  waitAt(me, Waiting::Shuffle, site);
  *valid = me.valid;
  return me.result;
}

int64_t lispier_sim_subgroup_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                                    int64_t bits, int32_t clusterSize, int32_t clusterStride) {
  SimThread &me = self(thread);
  me.value = bits;
  me.operands[0] = reduction;
  me.operands[1] = type;
  me.operands[2] = clusterSize | std::max(clusterStride, 1) << 16;
  waitAt(me, Waiting::SubgroupReduce, site);
  return me.result;
}

int64_t lispier_sim_all_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type, int64_t bits) {
  SimThread &me = self(thread);
  me.value = bits;
  me.operands[0] = reduction;
  me.operands[1] = type;
  waitAt(me, Waiting::AllReduce, site);
  return me.result;
}

void lispier_sim_access(LispierSimThread *thread, const char *site, int64_t address, int64_t bytes, int64_t alignment,
                        int32_t kind) {
  SimThread &me = self(thread);
  constexpr int64_t kNullPage = 4096;
  if (address >= 0 && address < kNullPage)
    fail(me, site, "sim-bounds", "access through a null pointer");
  if (alignment > 1 && address % alignment) {
    char text[128];
    std::snprintf(text, sizeof text, "access of %lld bytes at address 0x%llx, which is not a multiple of %lld",
                  static_cast<long long>(bytes), static_cast<unsigned long long>(address), static_cast<long long>(alignment));
    fail(me, site, "sim-alignment", text);
  }
  Block &block = *me.block;
  int64_t offset = address - reinterpret_cast<int64_t>(me.shared);
  if (offset >= 0 && offset < static_cast<int64_t>(block.shared.size()))
    block.checkShared(me, site, offset, bytes, kind);
}

void lispier_sim_index(LispierSimThread *thread, const char *site, int64_t index, int64_t extent, int64_t size,
                       int32_t dimension) {
  if (index >= 0 && index + extent <= size)
    return;
  std::string what = extent == 1 ? "index " + std::to_string(index)
                                 : "elements " + std::to_string(index) + " to " + std::to_string(index + extent - 1);
  fail(self(thread), site, "sim-bounds",
       what + " of dimension " + std::to_string(dimension) + (extent == 1 ? " is" : " are") + " outside its size " + std::to_string(size));
}

void lispier_sim_divisor(LispierSimThread *thread, const char *site, int64_t divisor) {
  if (divisor == 0)
    fail(self(thread), site, "sim-division", "integer division by zero");
}
