//===- SimWarpgroup.cpp - asynchronous products of four warps -------------===//
//
// A product is computed when its lanes have begun it, from what is in shared memory:
// that must not change before the wait, which is checked. Its sums are kept apart
// until the wait; the lanes receive NaNs whose payloads name them, so that what uses
// sums too early does not get numbers. Where elements lie in shared memory is written
// here from the PTX ISA, "Strides" and "Swizzling modes" of wgmma, independently of
// the compiler's tables.
//
//===----------------------------------------------------------------------===//

#include "SimBlock.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace lispier::sim {
namespace {
constexpr int kRows = 64, kStepBytes = 32, kWarpRows = 16, kColumns = 8, kRowBytes = 128, kEightRows = 1024,
              kChunk = 16, kHalfBytes = 2;
constexpr uint32_t kIgnored = 0x1fff; ///< Bits of F32 that products of TF32 ignore.

/// A negative quiet NaN, with 15 bits for the ticket, from 1 on, and 7 for the number of the sum in the lane.
constexpr uint32_t kInFlight = 0xffc00000, kTicketShift = 7, kMostTickets = (1u << 15) - 1;

struct Name {
  uint32_t ticket, index;
};

std::optional<Name> nameIn(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), payload = bits & ~kInFlight;
  if ((bits & kInFlight) != kInFlight || !(payload >> kTicketShift))
    return std::nullopt;
  return Name{payload >> kTicketShift, payload & ((1u << kTicketShift) - 1)};
}

/// The offset of an element in a matrix whose rows of 128 bytes hold 64 elements: the chunks of a row change places by
/// its number.
int64_t swizzled(int64_t start, int64_t row, int64_t byteInRow) {
  int64_t offset = start + row / 8 * kEightRows + row % 8 * kRowBytes + byteInRow;
  return offset ^ (offset / kRowBytes % 8 * kChunk);
}

class Product {
public:
  Product(Block &block, std::vector<SimThread *> &group)
      : block(block), group(group), of(group[0]->warpgroup),
        shared(reinterpret_cast<int64_t>(static_cast<char *>(group[0]->shared))),
        elementBytes(of.type == kSimF32 ? int(sizeof(float)) : kHalfBytes), step(kStepBytes / elementBytes) {}

  int64_t offsetInA(int row, int k) const {
    return of.aTransposed ? swizzled(of.a - shared, k, row * elementBytes)
                          : swizzled(of.a - shared, row, k * elementBytes);
  }
  int64_t offsetInB(int k, int column) const {
    return of.transposed ? swizzled(of.b - shared + column / 64 * of.apart, k, column % 64 * elementBytes)
                         : swizzled(of.b - shared, column, k * elementBytes);
  }

  /// Checks what each warp reads, and keeps it from being written; false after reporting an error.
  bool begin() {
    if (!(block.launch.flags & kSimChecked))
      return true;
    for (size_t warp = 0; warp < group.size(); warp += group[0]->warpSize) {
      SimThread &first = *group[warp];
      ReadsInFlight reads{first.products.groups, {}};
      int together = kChunk / elementBytes;
      for (int row = 0; !of.registers && row < kWarpRows; row += of.aTransposed ? together : 1)
        for (int k = 0; k < step; k += of.aTransposed ? 1 : together)
          reads.offsets.push_back(offsetInA(int(warp / group[0]->warpSize) * kWarpRows + row, k));
      for (int k = 0; k < step; k += of.transposed ? 1 : together)
        for (int column = 0; column < of.n; column += of.transposed ? together : 1)
          reads.offsets.push_back(offsetInB(k, column));
      for (int64_t offset : reads.offsets)
        if (!checkRead(first, offset))
          return false;
      first.products.reads.push_back(std::move(reads));
    }
    return true;
  }

  void compute() {
    std::vector<float> a(kRows * step), b(step * of.n);
    for (int k = 0; k < step; ++k)
      for (int column = 0; column < of.n; ++column)
        b[k * of.n + column] = at(offsetInB(k, column));
    for (int row = 0; !of.registers && row < kRows; ++row)
      for (int k = 0; k < step; ++k)
        a[row * step + k] = at(offsetInA(row, k));
    for (size_t i = 0; of.registers && i < group.size(); ++i)
      for (int element = 0; element < kWarpRows * step / 32; ++element) {
        auto [row, k] = placeInA(group[i]->lane, element);
        uint16_t bits;
        std::memcpy(&bits, static_cast<const char *>(group[i]->warpgroup.registers) + kHalfBytes * element, 2);
        a[(int(i / 32) * kWarpRows + row) * step + k] = halfToFloat(bits, of.type);
      }
    for (size_t i = 0; i < group.size(); ++i)
      computeLane(*group[i], int(i / 32) * kWarpRows, a, b);
  }

private:
  bool checkRead(SimThread &thread, int64_t offset) {
    if (!block.checkShared(thread, thread.site, offset, kChunk, kSimRead))
      return false;
    for (int64_t i = offset; i < offset + kChunk; ++i) {
      Shadow &byte = block.shadow[i];
      const SimThread &writer = *block.threads[byte.writer];
      if (!byte.fill && writer.proxyFences == byte.proxyFences) {
        block.report(thread, thread.site, "race",
                     "a product of a warpgroup reads shared memory at byte " + std::to_string(i) + " that thread " +
                         triple(writer.threadId) + " wrote without a fence (fence.proxy.async) since",
                     std::string(block.writeSites[i]) + ": note: written here\n");
        return false;
      }
      ++byte.products;
    }
    return true;
  }

  float at(int64_t offset) const {
    const char *place = reinterpret_cast<const char *>(shared + offset);
    if (of.type == kSimF32) {
      uint32_t word;
      std::memcpy(&word, place, sizeof(word));
      return std::bit_cast<float>(word & ~kIgnored);
    }
    uint16_t bits;
    std::memcpy(&bits, place, kHalfBytes);
    return halfToFloat(bits, of.type);
  }

  void computeLane(SimThread &thread, int firstRow, const std::vector<float> &a, const std::vector<float> &b) {
    int count = of.n / 2;
    std::vector<float> sums(count);
    std::memcpy(sums.data(), thread.matrix.c, count * sizeof(float));
    WarpgroupState &products = thread.products;
    uint32_t before = 0;
    for (float &sum : sums)
      if (std::optional<Name> name = nameIn(sum)) {
        auto known = products.sums.find(name->ticket);
        if (known == products.sums.end() || name->index >= known->second.sums.size())
          continue;
        sum = known->second.sums[name->index];
        before = name->ticket;
      }
    products.sums.erase(before);
    for (int i = 0; i < count; ++i) {
      auto [row, column] = placeInC(thread.lane, i % 4);
      for (int k = 0; k < step; ++k)
        sums[i] = std::fma(a[(firstRow + row) * step + k], b[k * of.n + i / 4 * kColumns + column], sums[i]);
    }
    uint32_t ticket = products.tickets++ % kMostTickets + 1;
    for (int i = 0; i < count; ++i) {
      uint32_t name = kInFlight | ticket << kTicketShift | uint32_t(i);
      std::memcpy(static_cast<char *>(thread.matrix.c) + i * sizeof(float), &name, sizeof(float));
    }
    products.sums[ticket] = {products.groups, std::move(sums)};
  }

  Block &block;
  std::vector<SimThread *> &group;
  const WarpgroupOperands &of;
  int64_t shared;
  int elementBytes, step;
};
} // namespace

bool Block::beginProduct(std::vector<SimThread *> &group) {
  constexpr size_t kLanes = 128;
  const WarpgroupOperands &of = group[0]->warpgroup;
  auto reject = [&](const SimThread &thread, const std::string &text) {
    report(thread, thread.site, "matrix", text);
    return false;
  };
  if (group.size() != kLanes || launch.warpSize() != 32)
    return reject(*group[0], "a product of 128 lanes in a warpgroup of " + std::to_string(group.size()) + " threads");
  if (of.n % 8 || of.n < 8 || of.n > 256)
    return reject(*group[0], "a product of a warpgroup with " + std::to_string(of.n) +
                                 " columns; they are a multiple of 8 up to 256");
  for (SimThread *thread : group)
    if (!thread->products.fenced)
      return reject(*thread,
                    "a product of a warpgroup without a fence (wgmma.fence) since its last group, which orders "
                    "what the thread did with its registers before it");
  Product product(*this, group);
  if (!product.begin())
    return false;
  product.compute();
  return true;
}

void Block::checkProductsEnded(const SimThread &thread) {
  if ((launch.flags & kSimChecked) && !thread.products.sums.empty() && !launch.failed)
    report(thread, thread.site, "unwritten",
           "the thread ends without having waited for the sums of " + std::to_string(thread.products.sums.size()) +
               " products of its warpgroup");
}
} // namespace lispier::sim

//===-- C ABI -------------------------------------------------------------===//

using namespace lispier::sim;

void lispier_sim_warpgroup_multiply(LispierSimThread *thread, const char *site, int32_t n, int32_t type,
                                    int32_t aTransposed, int32_t transposed, int64_t apart, const void *registers,
                                    int64_t a, int64_t b, void *c) {
  SimThread &me = self(thread);
  me.warpgroup = {n, type, aTransposed, transposed, apart, registers, a, b};
  me.matrix.c = c;
  waitAt(me, Waiting::Warpgroup, site);
}

void lispier_sim_warpgroup_fence(LispierSimThread *thread) { self(thread).products.fenced = true; }

void lispier_sim_warpgroup_commit(LispierSimThread *thread) {
  WarpgroupState &products = self(thread).products;
  ++products.groups;
  products.fenced = false;
}

void lispier_sim_warpgroup_wait(LispierSimThread *thread, int64_t pending, float *sums, int64_t count) {
  SimThread &me = self(thread);
  WarpgroupState &products = me.products;
  int64_t complete = products.groups - pending; // Groups before this one.
  auto landed = products.reads.begin();
  for (; landed != products.reads.end() && landed->group < complete; ++landed)
    for (int64_t offset : landed->offsets)
      for (int64_t i = offset; i < offset + 16; ++i)
        --me.block->shadow[i].products;
  products.reads.erase(products.reads.begin(), landed);
  std::vector<uint32_t> returned;
  for (int64_t i = 0; i < count; ++i)
    if (std::optional<Name> name = nameIn(sums[i])) {
      auto known = products.sums.find(name->ticket);
      if (known == products.sums.end() || known->second.group >= complete || name->index >= known->second.sums.size())
        continue;
      sums[i] = known->second.sums[name->index];
      returned.push_back(name->ticket);
    }
  for (uint32_t ticket : returned)
    products.sums.erase(ticket);
}

void lispier_sim_proxy_fence(LispierSimThread *thread) { ++self(thread).proxyFences; }
