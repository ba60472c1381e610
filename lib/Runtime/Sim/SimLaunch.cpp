//===- SimLaunch.cpp - scheduling of blocks and launches ------------------===//
//
// A block has one fiber per thread. The scheduler runs each fiber until it waits
// at a collective or ends. Then the waiting threads must form complete groups (all
// threads of the block for a barrier, all lanes of a warp or group for a shuffle)
// at one source location. If no group is complete, the kernel is in error.
//
//===----------------------------------------------------------------------===//

#include "SimBlock.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Core/Trace.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace lispier::sim {
namespace {
const char *describe(Waiting what) {
  switch (what) {
  case Waiting::Barrier:
    return "barrier";
  case Waiting::Shuffle:
    return "shuffle";
  case Waiting::SubgroupReduce:
  case Waiting::AllReduce:
  case Waiting::Gather:
    return "reduction";
  case Waiting::Matrix:
    return "matrix instruction";
  case Waiting::LoadMatrix:
    return "ldmatrix";
  case Waiting::StoreMatrix:
    return "stmatrix";
  case Waiting::Warpgroup:
    return "matrix instruction of a warpgroup";
  case Waiting::Ring:
    return "wait for a slot";
  case Waiting::Join:
    return "barrier of some warps";
  case Waiting::No:
  case Waiting::Done:
    break;
  }
  return "";
}

bool isWarpWide(Waiting what) {
  return what == Waiting::Shuffle || what == Waiting::SubgroupReduce || what == Waiting::Matrix ||
         what == Waiting::LoadMatrix || what == Waiting::StoreMatrix || what == Waiting::Warpgroup;
}
} // namespace

constexpr int64_t kSharedAlignment = 1024; // The largest that an instruction needs: wgmma's swizzled matrices.

Block::Block(Launch &launch) : launch(launch) {
  int64_t dynamicStart = (launch.sharedBytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  int64_t bytes = dynamicStart + launch.dynamicSharedBytes;
  sharedSpan = bytes + kSharedAlignment; // Padding, so that addresses just past the end are recognised.
  shared.resize(sharedSpan + kSharedAlignment);
  char *base = shared.data() + (kSharedAlignment - reinterpret_cast<uintptr_t>(shared.data()) % kSharedAlignment);
  if (launch.flags & kSimChecked) {
    shadow.resize(bytes);
    writeSites.resize(bytes);
    readSites.resize(bytes);
    otherReadSites.resize(bytes);
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
  std::string message = std::string(site) + ": error[" + launch.code(code) + "]: " + text + "\nnote: in kernel `" +
                        launch.name + "`, block " + triple(thread.blockId) + ", thread " + triple(thread.threadId) +
                        "\n" + launch.site + ": note: launched here\n";
  launch.fail(message + note);
}

std::pair<size_t, size_t> Block::groupOf(size_t index) const {
  const SimThread &thread = *threads[index];
  if (!isWarpWide(thread.waiting))
    return {0, threads.size()};
  constexpr size_t kWarpsOfGroup = 4;
  if (thread.waiting == Waiting::Warpgroup) {
    size_t lanes = kWarpsOfGroup * launch.warpSize(), begin = index / lanes * lanes;
    return {begin, std::min(begin + lanes, threads.size())};
  }
  size_t lanes = thread.waiting == Waiting::Shuffle ? shuffleWidth(thread) : launch.warpSize();
  size_t begin = index - thread.lane % lanes;
  return {begin, std::min(begin + lanes, threads.size())};
}

bool Block::releaseComplete() {
  bool progress = releaseRingsAndJoins();
  if (launch.failed)
    return false;
  auto sameCollective = [](const SimThread &a, const SimThread &b) {
    return a.waiting == b.waiting && a.site == b.site &&
           (a.waiting != Waiting::Shuffle || shuffleWidth(a) == shuffleWidth(b));
  };
  auto completeGroup = [&](size_t begin, size_t end) {
    const SimThread &first = *threads[begin];
    std::vector<SimThread *> group;
    for (size_t i = begin; i < end; ++i) {
      SimThread &thread = *threads[i];
      if (!sameCollective(thread, first))
        return false;
      group.push_back(&thread);
    }
    return complete(group);
  };
  auto waits = [&](size_t i) { return threads[i]->waiting != Waiting::Done; };
  for (size_t i = 0; i < threads.size();) {
    auto [begin, end] = groupOf(i);
    bool released = isWarpWide(threads[i]->waiting) && begin == i && completeGroup(begin, end);
    progress |= released;
    i = released ? end : i + 1;
  }
  if (progress || launch.failed)
    return progress && !launch.failed;
  auto isOfBlock = [](const SimThread &thread) {
    return !isWarpWide(thread.waiting) && thread.waiting != Waiting::Ring && thread.waiting != Waiting::Join;
  };
  if (isOfBlock(*threads[0]) && waits(0) && completeGroup(0, threads.size()))
    return true;
  if (launch.failed)
    return false;
  if (reportRingDeadlock())
    return false;
  // Deadlock: report a waiting thread together with a thread of its group that waits elsewhere or has ended.
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!waits(i))
      continue;
    SimThread &stuck = *threads[i];
    auto [begin, end] = groupOf(i);
    for (size_t j = begin; j < end; ++j) {
      SimThread &other = *threads[j];
      if (sameCollective(other, stuck))
        continue;
      std::string what = describe(stuck.waiting), whole = isWarpWide(stuck.waiting) ? "warp" : "block";
      if (stuck.waiting == Waiting::Shuffle && shuffleWidth(stuck) < launch.warpSize())
        whole = "group of " + std::to_string(shuffleWidth(stuck)) + " lanes";
      std::string elsewhere = waits(j) ? std::string(other.site) + ": note: thread " + triple(other.threadId) +
                                             " waits at this " + describe(other.waiting) + "\n"
                                       : "note: thread " + triple(other.threadId) + " has ended\n";
      report(stuck, stuck.site, stuck.waiting == Waiting::Barrier ? "barrier" : "divergence",
             what + " reached by only some threads of the " + whole, elsewhere);
      return false;
    }
  }
  return false;
}

void Block::run(int64_t index) {
  std::fill(shadow.begin(), shadow.end(), Shadow());
  epoch = 1;
  rings.clear();
  passed.clear();
  fills.clear();
  for (auto &thread : threads) {
    thread->blockId[0] = index % launch.grid[0];
    thread->blockId[1] = index / launch.grid[0] % launch.grid[1];
    thread->blockId[2] = index / launch.grid[0] / launch.grid[1];
    thread->waiting = Waiting::No;
    thread->site = nullptr;
    thread->copies.clear();
    thread->products = {};
    thread->proxyFences = 0;
    thread->waitedFills.clear();
    thread->releasedFills.clear();
    thread->releases.clear();
    thread->drains.clear();
  }
  if (!(launch.flags & (kSimChecked | kSimCollective))) {
    // No thread can wait or fail, so all run on this stack, one after the other.
    for (auto &thread : threads)
      launch.kernel(thread.get(), launch.arguments);
    return;
  }
  auto body = [](void *argument) {
    auto *thread = static_cast<SimThread *>(argument);
    thread->block->launch.kernel(thread, thread->block->launch.arguments);
    thread->block->checkProductsEnded(*thread);
    thread->block->checkDrained(*thread);
    thread->waiting = Waiting::Done;
  };
  for (auto &thread : threads)
    if (!thread->fiber.start(body, thread.get()))
      return launch.fail(launch.site + (": error[" + launch.code("launch")) + "]: no memory for the stacks of " +
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
    if (!releaseComplete())
      return;
  }
}

void waitAt(SimThread &thread, Waiting what, const char *site) {
  thread.waiting = what;
  thread.site = site;
  thread.fiber.suspend();
}

void stop(SimThread &thread) {
  while (true)
    thread.fiber.suspend();
}

void fail(SimThread &thread, const char *site, const char *code, const std::string &text, const std::string &note) {
  thread.block->report(thread, site, code, text, note);
  stop(thread);
}
} // namespace lispier::sim

//===-- C ABI -------------------------------------------------------------===//

using namespace lispier::sim;

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
  Launch launch{kernel,
                arguments,
                {gridX, gridY, gridZ},
                {blockX, blockY, blockZ},
                sharedBytes,
                dynamicSharedBytes,
                flags,
                name,
                site,
                {},
                {},
                {}};
  auto reject = [&](const std::string &text) {
    message =
        site + (": error[" + launch.code("launch")) + "]: " + text + "\nnote: in the launch of kernel `" + name + "`\n";
    return message.c_str();
  };
  for (int i = 0; i < 3; ++i)
    if (launch.block[i] < 1 || launch.grid[i] < 0)
      return reject("grid " + triple(launch.grid) + " of blocks " + triple(launch.block) + ": sizes must be positive");
  for (int i = 0; i < 3; ++i) {
    std::string axis(1, "xyz"[i]);
    if (launch.block[i] > kSimMaxBlock[i])
      return reject("a block of " + std::to_string(launch.block[i]) + " threads in " + axis + "; at most " +
                    std::to_string(kSimMaxBlock[i]) + " are allowed");
    if (launch.grid[i] > kSimMaxGrid[i])
      return reject("a grid of " + std::to_string(launch.grid[i]) + " blocks in " + axis + "; at most " +
                    std::to_string(kSimMaxGrid[i]) + " are allowed");
  }
  if (launch.threads() > kSimMaxThreadsPerBlock)
    return reject("a block of " + std::to_string(launch.threads()) + " threads; at most " +
                  std::to_string(kSimMaxThreadsPerBlock) + " are allowed");
  if (dynamicSharedBytes < 0)
    return reject(std::to_string(dynamicSharedBytes) + " bytes of shared memory: sizes must be positive");
  if (sharedBytes + dynamicSharedBytes > kSimMaxSharedBytes)
    return reject(std::to_string(sharedBytes + dynamicSharedBytes) + " bytes of shared memory; at most " +
                  std::to_string(kSimMaxSharedBytes) + " are allowed");
  lispier::runtime::TraceSpan span("launch", name, site);
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
  if (message)
    lispier_rt_fail(message);
}
