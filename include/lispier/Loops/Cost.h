//===- Cost.h - cost model for loop bodies ---------------------*- C++ -*-===//
//
// An estimate, good to a factor of a few, that decides whether a loop is worth
// waking threads for. It affects only speed.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LOOPS_COST_H
#define LISPIER_LOOPS_COST_H

#include <cstdint>

namespace mlir {
class Region;
}

namespace lispier {
/// The cost of executing `region` once, in simple instructions (about a quarter of a nanosecond each). A loop counts
/// its body times its trip count, which is assumed to be 64 if it is not constant; a call counts the callee's body, or
/// 100 for an external function. Saturates on overflow; at least 1.
int64_t estimateCost(mlir::Region &region);
} // namespace lispier
#endif
