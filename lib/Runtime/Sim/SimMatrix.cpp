//===- SimMatrix.cpp - matrix instructions of simulated warps -------------===//
//
// The warp's lanes bring their elements together, the matrices are multiplied in
// plain loops, and each lane takes its sums back. Which elements a lane holds is
// written here from the manuals, independently of the tables by which the compiler
// distributes tiles, so that a wrong row there gives a wrong product here.
//
//===----------------------------------------------------------------------===//

#include "SimBlock.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lispier::sim {
namespace {
struct Place {
  int row, column;
};

/// Where the elements of each lane are, for one instruction.
class Placement {
public:
  explicit Placement(const MatrixOperands &of) : of(of) {}

  bool isKnown() const;
  int lanes() const { return of.family == kSimMfma ? 64 : 32; }
  /// Elements that a lane holds of a (m x k), b (k x n) and c (m x n).
  int countA() const { return of.family == kSimWmma ? of.k : of.m * of.k / lanes(); }
  int countB() const { return of.family == kSimWmma ? of.k : of.n * of.k / lanes(); }
  int countC() const { return of.m * of.n / lanes(); }
  Place inA(int lane, int i) const;
  Place inB(int lane, int i) const; ///< In its transpose, n x k.
  Place inC(int lane, int i) const;

private:
  int perWord() const { return of.type == kSimF32 ? 1 : of.type == kSimInt8 ? 4 : 2; }

  const MatrixOperands &of;
};

bool Placement::isKnown() const {
  bool halves = of.type == kSimBF16 || of.type == kSimF16;
  bool floats = halves && of.sums == kSimF32, bytes = of.type == kSimInt8 && of.sums == kSimInt32;
  switch (of.family) {
  case kSimMma:
    return of.m == 16 && of.n == 8 &&
           ((floats && (of.k == 8 || of.k == 16)) || (bytes && (of.k == 16 || of.k == 32)) ||
            (of.type == kSimF32 && of.tf32 && of.sums == kSimF32 && (of.k == 4 || of.k == 8)));
  case kSimMfma:
    if (of.m != of.n || (of.m != 16 && of.m != 32))
      return false;
    return (floats && (of.k == 256 / of.m || of.k == 512 / of.m)) || (bytes && of.k == 512 / of.m) ||
           (of.type == kSimF32 && of.sums == kSimF32 && of.k == 64 / of.m);
  default:
    return of.m == 16 && of.n == 16 && of.k == 16 && (floats || bytes);
  }
}

Place Placement::inA(int lane, int i) const {
  if (of.family == kSimMfma)
    return {lane % of.m, lane / of.m * countA() + i};
  if (of.family == kSimWmma)
    return {lane % 16, i};
  // PTX: lanes in groups of four; words of the lower and upper eight rows in turn, then of the upper half of k.
  int group = lane / 4, inGroup = lane % 4, word = i / perWord();
  return {group + 8 * (word & 1), (word >> 1) * 4 * perWord() + inGroup * perWord() + i % perWord()};
}

Place Placement::inB(int lane, int i) const {
  if (of.family == kSimMfma)
    return {lane % of.n, lane / of.n * countB() + i};
  if (of.family == kSimWmma)
    return {lane % 16, i};
  return {lane / 4, i / perWord() * 4 * perWord() + lane % 4 * perWord() + i % perWord()};
}

Place Placement::inC(int lane, int i) const {
  if (of.family == kSimMfma) // Four rows a lane, then the same of the other lanes with its column.
    return {i / 4 * (4 * 64 / of.n) + lane / of.n * 4 + i % 4, lane % of.n};
  if (of.family == kSimWmma)
    return {2 * i + lane / 16, lane % 16};
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

float floatAt(const void *elements, int i, const MatrixOperands &of) {
  if (of.type == kSimF32) {
    uint32_t bits;
    std::memcpy(&bits, static_cast<const char *>(elements) + 4 * i, 4);
    return std::bit_cast<float>(of.tf32 ? bits & ~0x1fffu : bits);
  }
  uint16_t bits;
  std::memcpy(&bits, static_cast<const char *>(elements) + 2 * i, 2);
  return halfToFloat(bits, of.type);
}

/// The warp's product, with elements of type `T` and sums of type `Sum`.
template <typename T, typename Sum, typename Read>
void product(std::vector<SimThread *> &warp, const MatrixOperands &of, const Placement &at, Read read) {
  std::vector<T> a(of.m * of.k), b(of.n * of.k);
  for (int lane = 0; lane < at.lanes(); ++lane) {
    const MatrixOperands &own = warp[lane]->matrix;
    for (int i = 0; i < at.countA(); ++i) {
      Place p = at.inA(lane, i);
      a[p.row * of.k + p.column] = read(own.a, i);
    }
    for (int i = 0; i < at.countB(); ++i) {
      Place p = at.inB(lane, i);
      b[p.row * of.k + p.column] = read(own.b, i);
    }
  }
  for (int lane = 0; lane < at.lanes(); ++lane)
    for (int i = 0; i < at.countC(); ++i) {
      Place p = at.inC(lane, i);
      Sum sum;
      char *place = static_cast<char *>(warp[lane]->matrix.c) + i * sizeof(Sum);
      std::memcpy(&sum, place, sizeof(Sum));
      for (int k = 0; k < of.k; ++k) {
        if constexpr (std::is_same_v<Sum, float>)
          sum = std::fma(a[p.row * of.k + k], b[p.column * of.k + k], sum);
        else
          sum = static_cast<Sum>(static_cast<uint32_t>(sum) +
                                 static_cast<uint32_t>(a[p.row * of.k + k] * b[p.column * of.k + k]));
      }
      std::memcpy(place, &sum, sizeof(Sum));
    }
}
} // namespace

float halfToFloat(uint16_t bits, int32_t type) {
  return type == kSimBF16 ? std::bit_cast<float>(uint32_t(bits) << 16)
                          : static_cast<float>(std::bit_cast<_Float16>(bits));
}

namespace {
const MatrixOperands kHalves{kSimMma, 16, 8, 16, kSimBF16, 0, kSimF32};
}

std::pair<int, int> placeInA(int lane, int i) {
  Place place = Placement(kHalves).inA(lane, i);
  return {place.row, place.column};
}

std::pair<int, int> placeInC(int lane, int i) {
  Place place = Placement(kHalves).inC(lane, i);
  return {place.row, place.column};
}

bool Block::multiply(std::vector<SimThread *> &warp) {
  const MatrixOperands &of = warp[0]->matrix;
  Placement at(of);
  auto reject = [&](const SimThread &thread, const std::string &text) {
    report(thread, thread.site, "matrix", text);
    return false;
  };
  if (!at.isKnown())
    return reject(*warp[0], "the simulator has no matrix instruction of " + std::to_string(of.m) + " x " +
                                std::to_string(of.n) + " x " + std::to_string(of.k) + " with these types");
  if (int(warp.size()) != at.lanes())
    return reject(*warp[0], "a matrix instruction of " + std::to_string(at.lanes()) + " lanes in a warp of " +
                                std::to_string(warp.size()) + " threads");
  int bytes = of.type == kSimInt8 ? 1 : of.type == kSimF32 ? 4 : 2;
  if (of.family == kSimWmma)
    for (int lane = 16; lane < 32; ++lane)
      if (std::memcmp(warp[lane]->matrix.a, warp[lane - 16]->matrix.a, size_t(at.countA() * bytes)) ||
          std::memcmp(warp[lane]->matrix.b, warp[lane - 16]->matrix.b, size_t(at.countB() * bytes)))
        return reject(*warp[lane],
                      "the upper half of the warp holds other operands than the lower, whose copies they are");
  if (of.type == kSimInt8)
    product<int32_t, int32_t>(warp, of, at, [](const void *p, int i) { return static_cast<const int8_t *>(p)[i]; });
  else
    product<float, float>(warp, of, at, [&](const void *p, int i) { return floatAt(p, i, of); });
  return true;
}

bool Block::loadMatrices(std::vector<SimThread *> &warp) {
  if (warp.size() != 32) {
    report(*warp[0], warp[0]->site, "matrix",
           "ldmatrix of 32 lanes in a warp of " + std::to_string(warp.size()) + " threads");
    return false;
  }
  int matrices = warp[0]->operands[0];
  bool transposed = warp[0]->operands[1];
  for (size_t lane = 0; lane < warp.size(); ++lane)
    for (int t = 0; t < matrices; ++t) {
      uint16_t pair[2];
      for (int j = 0; j < 2; ++j) {
        int row = int(lane) / 4, column = int(lane) % 4 * 2 + j;
        if (transposed)
          std::swap(row, column);
        std::memcpy(&pair[j], reinterpret_cast<const char *>(warp[8 * t + row]->value) + 2 * column, 2);
      }
      std::memcpy(static_cast<char *>(warp[lane]->matrix.c) + 4 * t, pair, 4);
    }
  return true;
}

bool Block::storeMatrices(std::vector<SimThread *> &warp) {
  if (warp.size() != 32) {
    report(*warp[0], warp[0]->site, "matrix",
           "stmatrix of 32 lanes in a warp of " + std::to_string(warp.size()) + " threads");
    return false;
  }
  for (size_t lane = 0; lane < warp.size(); ++lane)
    for (int t = 0; t < warp[0]->operands[0]; ++t)
      std::memcpy(reinterpret_cast<char *>(warp[8 * t + lane / 4]->value) + lane % 4 * 4,
                  static_cast<const char *>(warp[lane]->matrix.a) + 4 * t, 4);
  return true;
}

void Block::setPending(SimThread &thread, int64_t address, int64_t bytes, bool pending) {
  int64_t offset = address - reinterpret_cast<int64_t>(thread.shared);
  for (int64_t i = std::max<int64_t>(offset, 0); i < std::min<int64_t>(offset + bytes, shadow.size()); ++i) {
    shadow[i].pending = pending;
    shadow[i].writeEpoch = epoch;
    shadow[i].writer = static_cast<uint16_t>(thread.warp * thread.warpSize + thread.lane);
    shadow[i].proxyFences = thread.proxyFences;
  }
}
} // namespace lispier::sim

//===-- C ABI -------------------------------------------------------------===//

using namespace lispier::sim;

void lispier_sim_matrix(LispierSimThread *thread, const char *site, int32_t family, int32_t m, int32_t n, int32_t k,
                        int32_t operands, int32_t tf32, int32_t sums, const void *a, const void *b, void *c) {
  SimThread &me = self(thread);
  me.matrix = {family, m, n, k, operands, tf32, sums, a, b, c};
  waitAt(me, Waiting::Matrix, site);
}

void lispier_sim_load_matrix(LispierSimThread *thread, const char *site, int64_t address, int32_t matrices,
                             int32_t transposed, void *words) {
  SimThread &me = self(thread);
  constexpr int64_t kRowBytes = 16;
  if ((me.block->launch.flags & kSimChecked) && me.lane < 8 * matrices)
    lispier_sim_access(thread, site, address, kRowBytes, kRowBytes, kSimRead);
  me.value = address;
  me.operands[0] = matrices;
  me.operands[1] = transposed;
  me.matrix.c = words;
  waitAt(me, Waiting::LoadMatrix, site);
}

void lispier_sim_store_matrix(LispierSimThread *thread, const char *site, int64_t address, int32_t matrices,
                              const void *words) {
  SimThread &me = self(thread);
  constexpr int64_t kRowBytes = 16;
  if ((me.block->launch.flags & kSimChecked) && me.lane < 8 * matrices)
    lispier_sim_access(thread, site, address, kRowBytes, kRowBytes, kSimWrite);
  me.value = address;
  me.operands[0] = matrices;
  me.matrix.a = words;
  waitAt(me, Waiting::StoreMatrix, site);
}

void lispier_sim_copy_async(LispierSimThread *thread, const char *site, int64_t destination, int64_t source,
                            int64_t bytes, int64_t read) {
  SimThread &me = self(thread);
  bool checked = me.block->launch.flags & kSimChecked;
  if (checked) {
    if (bytes != 4 && bytes != 8 && bytes != 16)
      fail(me, site, "async", "an asynchronous copy of " + std::to_string(bytes) + " bytes; it has 4, 8 or 16");
    if (read < 0 || read > bytes)
      fail(me, site, "async",
           "an asynchronous copy of " + std::to_string(bytes) + " bytes of which " + std::to_string(read) +
               " are read");
    if (read)
      lispier_sim_access(thread, site, source, read, bytes, kSimRead);
    lispier_sim_access(thread, site, destination, bytes, bytes, kSimWrite);
    me.block->setPending(me, destination, bytes, true);
  }
  me.copies.push_back({destination, source, bytes, read, me.copyGroups});
}

void lispier_sim_copy_commit(LispierSimThread *thread) { ++self(thread).copyGroups; }

void lispier_sim_copy_wait(LispierSimThread *thread, int64_t pending) {
  SimThread &me = self(thread);
  auto landed = me.copies.begin();
  for (; landed != me.copies.end() && landed->group < me.copyGroups - pending; ++landed) {
    auto *to = reinterpret_cast<char *>(landed->destination);
    std::memcpy(to, reinterpret_cast<const char *>(landed->source), size_t(landed->read));
    std::memset(to + landed->read, 0, size_t(landed->bytes - landed->read));
    if (me.block->launch.flags & kSimChecked)
      me.block->setPending(me, landed->destination, landed->bytes, false);
  }
  me.copies.erase(me.copies.begin(), landed);
}
