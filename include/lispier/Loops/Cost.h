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
/// The cost of executing `region` once, in simple instructions (about a quarter of a nanosecond each). A vector op
/// counts one for each 64-byte register, a math function 20, a launch 200. A loop counts its body times its trip count,
/// 64 for each dimension whose bounds are not constant; both branches of an if count; a call counts the callee's body,
/// or 100 if that is external or recursive. At least 1; saturates at INT64_MAX / 2.
int64_t estimateCost(mlir::Region &region);
} // namespace lispier
#endif
