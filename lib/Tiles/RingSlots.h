//===- RingSlots.h - what a slot of a ring can hold ------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_RINGSLOTS_H
#define LISPIER_LIB_TILES_RINGSLOTS_H

#include <cstdint>

namespace lispier {
/// Of a slot's row, the period of its swizzle, and so the alignment of a slot.
inline constexpr int64_t kSlotRowBytes = 128, kSlotAlignment = 1024;
inline constexpr int64_t kMostBoxRows = 256; ///< Of a copy by a tensor map.
/// Rows of a product of four warps, and columns of a row of a slot.
inline constexpr int64_t kSlotPart = 64;
inline constexpr int64_t kSlotElementBytes = 2;
} // namespace lispier
#endif
