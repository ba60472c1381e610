//===- SimCollectives.cpp - barriers, shuffles and reductions -------------===//
//
// At a collective each thread stores its operand as bits and waits; when its group
// is complete, every thread receives its result. Reductions combine in the order
// of lanes or threads, so results are deterministic.
//
//===----------------------------------------------------------------------===//

#include "SimBlock.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <tuple>

namespace lispier::sim {
namespace {
double toFloat(int64_t bits, int32_t type) {
  switch (type) {
  case kSimF16:
    return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  case kSimBF16:
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  case kSimF32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

int64_t fromFloat(double value, int32_t type) {
  switch (type) {
  case kSimF16:
    return std::bit_cast<uint16_t>(static_cast<_Float16>(static_cast<float>(value)));
  case kSimBF16:
    return std::bit_cast<uint16_t>(static_cast<__bf16>(static_cast<float>(value)));
  case kSimF32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return std::bit_cast<int64_t>(value);
  }
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
  // Rounded to the type after each step, as on hardware.
  if (type >= kSimF16)
    return fromFloat(combineFloats(toFloat(a, type), toFloat(b, type), reduction), type);
  return zeroExtend(combineIntegers(a, b, reduction, type), type);
}

/// Executes a shuffle; `group` holds the existing lanes of one group. Returns false, after reporting it, if a thread
/// reads from a lane that does not exist.
bool shuffle(Block &block, std::vector<SimThread *> &group) {
  int64_t first = group[0]->lane, lanes = first + static_cast<int64_t>(group.size());
  for (SimThread *each : group) {
    SimThread &thread = *each;
    auto [mode, offset, width] = std::tie(thread.operands[0], thread.operands[1], thread.operands[2]);
    int64_t lane = thread.lane, from;
    switch (mode) {
    case kSimShuffleXor:
      from = first + ((lane - first) ^ offset);
      break;
    case kSimShuffleDown:
      from = lane + offset;
      break;
    case kSimShuffleUp:
      from = lane - offset;
      break;
    default:
      from = first + offset;
    }
    bool named = from >= first && from < first + width;
    if (named && from >= lanes && (block.launch.flags & kSimChecked)) {
      block.report(thread, thread.site, "shuffle",
                   "shuffle from lane " + std::to_string(from) + " of a warp of " + std::to_string(lanes) + " threads");
      return false;
    }
    thread.valid = named && from < lanes;
    thread.result = thread.valid ? group[from - first]->value : thread.value;
  }
  return true;
}

void subgroupReduce(std::vector<SimThread *> &warp) {
  int32_t size = warp[0]->operands[2] & 0xffff, stride = warp[0]->operands[2] >> 16;
  if (!size)
    size = static_cast<int32_t>(warp.size()), stride = 1;
  for (size_t i = 0; i < warp.size(); ++i) {
    // Lanes of one cluster are `stride` apart, so clusters interleave.
    size_t span = static_cast<size_t>(size) * stride, first = i / span * span + i % stride;
    int64_t total = warp[first]->value;
    for (int32_t k = 1; k < size && first + k * stride < warp.size(); ++k)
      total = combine(total, warp[first + k * stride]->value, warp[0]->operands[0], warp[0]->operands[1]);
    warp[i]->result = total;
  }
}
} // namespace

bool Block::complete(std::vector<SimThread *> &group) {
  switch (group[0]->waiting) {
  case Waiting::Barrier:
    ++epoch;
    break;
  case Waiting::Shuffle:
    if (!shuffle(*this, group))
      return false;
    break;
  case Waiting::SubgroupReduce:
    subgroupReduce(group);
    break;
  case Waiting::AllReduce: {
    ++epoch; // It is implemented with barriers, so it orders memory accesses too.
    int64_t total = group[0]->value;
    for (size_t i = 1; i < group.size(); ++i)
      total = combine(total, group[i]->value, group[0]->operands[0], group[0]->operands[1]);
    for (SimThread *thread : group)
      thread->result = total;
    break;
  }
  case Waiting::Gather:
    ++epoch;
    gathered.resize(group.size());
    for (size_t i = 0; i < group.size(); ++i)
      gathered[i] = group[i]->value;
    break;
  case Waiting::Matrix:
    if (!multiply(group))
      return false;
    break;
  case Waiting::LoadMatrix:
    if (!loadMatrices(group))
      return false;
    break;
  case Waiting::StoreMatrix:
    if (!storeMatrices(group))
      return false;
    break;
  case Waiting::Warpgroup:
    if (!beginProduct(group))
      return false;
    break;
  case Waiting::Ring:
  case Waiting::Join:
  case Waiting::No:
  case Waiting::Done:
    break;
  }
  for (SimThread *thread : group)
    thread->waiting = Waiting::No;
  return true;
}
} // namespace lispier::sim

//===-- C ABI -------------------------------------------------------------===//

using namespace lispier::sim;

namespace {
/// Reports an offset that hardware treats differently (some uses its low bits, some keeps the thread's own value). For
/// up and down, steps shorter than a warp are valid even if they leave the group, as they do in every scan.
void checkOffset(SimThread &thread, const char *site, int32_t mode, int32_t offset, int32_t width) {
  bool steps = mode == kSimShuffleDown || mode == kSimShuffleUp;
  if (offset >= 0 && offset < (steps ? thread.warpSize : width))
    return;
  std::string number = std::to_string(offset);
  if (steps)
    fail(thread, site, "shuffle",
         "shuffle by " + number + " lanes; the step is from 0 to " + std::to_string(thread.warpSize - 1));
  fail(thread, site, "shuffle",
       (mode == kSimShuffleXor ? "shuffle with the lane whose number differs by the bits of " : "shuffle from lane ") +
           number + ", which a group of " + std::to_string(width) + " lanes does not have");
}
} // namespace

void lispier_sim_barrier(LispierSimThread *thread, const char *site) { waitAt(self(thread), Waiting::Barrier, site); }

int64_t lispier_sim_shuffle(LispierSimThread *thread, const char *site, int32_t mode, int64_t bits, int32_t offset,
                            int32_t width, int8_t *valid) {
  SimThread &me = self(thread);
  if (width < 1 || width > me.warpSize || (width & (width - 1)))
    fail(me, site, "shuffle",
         "shuffle over " + std::to_string(width) + " lanes; the width is a power of two up to " +
             std::to_string(me.warpSize));
  if (me.block->launch.flags & kSimChecked)
    checkOffset(me, site, mode, offset, width);
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

int64_t lispier_sim_all_reduce(LispierSimThread *thread, const char *site, int32_t reduction, int32_t type,
                               int64_t bits) {
  SimThread &me = self(thread);
  me.value = bits;
  me.operands[0] = reduction;
  me.operands[1] = type;
  waitAt(me, Waiting::AllReduce, site);
  return me.result;
}

void lispier_sim_gather(LispierSimThread *thread, const char *site, int64_t bits) {
  SimThread &me = self(thread);
  me.value = bits;
  waitAt(me, Waiting::Gather, site);
}

int64_t lispier_sim_gathered(LispierSimThread *thread, int64_t index) { return self(thread).block->gathered[index]; }

int lispier_sim_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = std::vprintf(format, arguments);
  va_end(arguments);
  return written;
}
