//===- WeightBlock.cpp - selected tensors in one memory block -------------===//
#include "lispier/Checkpoint/WeightBlock.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace lispier;

namespace {
constexpr size_t kHugePage = size_t(2) << 20;
constexpr int64_t kAlignBytes = 64;

float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 31) // infinity and NaN
    return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent == 0) { // zero and subnormals: fraction * 2^-24
    float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t roundToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return uint16_t((bits >> 16) | 0x40); // Keeps a NaN whose payload is only in the low half.
  return uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
}

/// Element `i` of a file's tensor, copied bytewise because files give no alignment.
template <FloatType stored> float loadFloat(const uint8_t *data, int64_t i) {
  if constexpr (stored == FloatType::F32) {
    float value;
    std::memcpy(&value, data + 4 * i, 4);
    return value;
  }
  uint16_t value;
  std::memcpy(&value, data + 2 * i, 2);
  return stored == FloatType::BF16 ? std::bit_cast<float>(uint32_t(value) << 16) : halfToFloat(value);
}

template <typename To, FloatType stored> To element(const uint8_t *data, int64_t i) {
  if constexpr (sizeof(To) == 4) {
    return loadFloat<stored>(data, i);
  } else if constexpr (stored == FloatType::BF16) { // Unchanged, including NaNs.
    uint16_t value;
    std::memcpy(&value, data + 2 * i, 2);
    return value;
  } else {
    return roundToBf16(loadFloat<stored>(data, i));
  }
}

template <typename To, FloatType stored> void copy(To *to, const uint8_t *from, const Excerpt &excerpt, int64_t rank) {
  auto [rows, columns, isTransposed, stride, step, ofFirst] = excerpt;
  from += rank * step * (stored == FloatType::F32 ? 4 : 2);
  if (!isTransposed) {
    bool isRun = stride == columns;
    int64_t runs = isRun ? 1 : rows, length = isRun ? rows * columns : columns;
    for (int64_t run = 0; run < runs; ++run)
      for (int64_t i = 0; i < length; ++i)
        to[run * length + i] = element<To, stored>(from, run * stride + i);
    return;
  }
  constexpr int64_t kTile = 64; // Source and destination of a tile fit into the L1 cache.
  for (int64_t row0 = 0; row0 < rows; row0 += kTile)
    for (int64_t column0 = 0; column0 < columns; column0 += kTile)
      for (int64_t row = row0; row < std::min(row0 + kTile, rows); ++row)
        for (int64_t column = column0; column < std::min(column0 + kTile, columns); ++column)
          to[row * columns + column] = element<To, stored>(from, column * stride + row);
}

template <typename To>
void copyAs(FloatType stored, To *to, const uint8_t *from, const Excerpt &excerpt, int64_t rank) {
  switch (stored) {
  case FloatType::F32:
    return copy<To, FloatType::F32>(to, from, excerpt, rank);
  case FloatType::F16:
    return copy<To, FloatType::F16>(to, from, excerpt, rank);
  case FloatType::BF16:
    return copy<To, FloatType::BF16>(to, from, excerpt, rank);
  }
}
} // namespace

std::optional<FloatType> lispier::parseFloatType(std::string_view name) {
  if (name == "F32")
    return FloatType::F32;
  if (name == "F16")
    return FloatType::F16;
  if (name == "BF16")
    return FloatType::BF16;
  return std::nullopt;
}

void WeightBlock::Release::operator()(void *memory) const { std::free(memory); }

int64_t WeightBlock::roundUp(int64_t elements) const {
  int64_t align = kAlignBytes / (type == FloatType::F32 ? 4 : 2);
  return (elements + align - 1) / align * align;
}

Result<int64_t> WeightBlock::append(const std::string &name, const Excerpt &excerpt, bool aligned) {
  const TensorEntry *entry = checkpoint.find(name);
  if (!entry)
    return checkpoint.fail("has no tensor '" + name + "'");
  auto stored = parseFloatType(entry->dtype);
  if (!stored)
    return checkpoint.fail("tensor '" + name + "' is stored as " + shown(entry->dtype) +
                           "; F32, F16 and BF16 can be read");
  int64_t offset = aligned ? roundUp(total) : total;
  places.push_back({entry, *stored, offset, excerpt});
  total = offset + excerpt.rows * excerpt.columns;
  return offset;
}

int64_t WeightBlock::appendZeros(int64_t count) {
  int64_t offset = roundUp(total);
  places.push_back({nullptr, type, offset, {1, count, false, count}});
  total = offset + count;
  return offset;
}

Result<int64_t> WeightBlock::add(const std::string &name, int64_t rows, int64_t columns, bool transposed) {
  std::vector<uint64_t> expected = {uint64_t(transposed ? columns : rows), uint64_t(transposed ? rows : columns)};
  if (rows == 0)
    expected = {uint64_t(columns)};
  // No overflow: the file's shape was checked against its length, and this one is equal to it.
  if (const TensorEntry *entry = checkpoint.find(name);
      entry && parseFloatType(entry->dtype) && (entry->shape != expected || columns < 0 || rows < 0))
    return checkpoint.fail("tensor '" + name + "' has shape " + shapeText(entry->shape) + ", expected " +
                           shapeText(expected));
  rows = std::max<int64_t>(rows, 1);
  Result<int64_t> offset = append(name, {rows, columns, transposed, transposed ? rows : columns}, /*aligned=*/true);
  total = roundUp(total);
  return offset;
}

Result<Done> WeightBlock::read(int64_t rank) {
  size_t width = type == FloatType::F32 ? 4 : 2;
  size_t wanted = std::max<size_t>(total, 1) * width;
  size_t bytes = (wanted + kHugePage - 1) / kHugePage * kHugePage;
  memory.reset(std::aligned_alloc(kHugePage, bytes));
  if (!memory)
    return checkpoint.fail("needs " + std::to_string(bytes) + " bytes of memory for its weights, which cannot be had");
  madvise(memory.get(), bytes, MADV_HUGEPAGE); // Failure costs only speed.
  for (const Place &place : places) {
    const Excerpt &excerpt = place.excerpt;
    if (!place.entry || (excerpt.ofFirst && rank > 0))
      std::memset(static_cast<char *>(memory.get()) + place.offset * width, 0, excerpt.rows * excerpt.columns * width);
    else if (type == FloatType::F32)
      copyAs(place.stored, static_cast<float *>(memory.get()) + place.offset, place.entry->data, excerpt, rank);
    else
      copyAs(place.stored, static_cast<uint16_t *>(memory.get()) + place.offset, place.entry->data, place.excerpt,
             rank);
  }
  return Done();
}
