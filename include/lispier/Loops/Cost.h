//===- Cost.h - how much work is in a piece of a loop ----------*- C++ -*-===//
//
// A rough count, good to a factor of a few: enough to tell a loop that is worth
// waking threads for from one that is not. Nothing depends on it for meaning.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LOOPS_COST_H
#define LISPIER_LOOPS_COST_H

#include <cstdint>

namespace mlir {
class Region;
}

namespace lispier {
/// The work of one pass through `region`, in units of one simple instruction on a machine register (about a quarter
/// of a nanosecond). A loop inside counts its body times its trip count, a call the body of its callee; a trip count
/// that is not a constant is taken to be 64, a function of elsewhere to be 100 units. Saturates instead of
/// overflowing; at least 1.
int64_t estimateCost(mlir::Region &region);
} // namespace lispier
#endif
