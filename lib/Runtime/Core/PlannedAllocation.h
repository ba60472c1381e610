//===- PlannedAllocation.h - what an allocation is for ----------*- C++ -*-===//
//
// A compiled program says so before it allocates memory for its tensors
// (lispier_rt_plan_allocation), for the message if there is not enough.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_CORE_PLANNEDALLOCATION_H
#define LISPIER_LIB_RUNTIME_CORE_PLANNEDALLOCATION_H

#include <cstdint>

namespace lispier::runtime {
/// Forgets what this thread's next allocation is for: it has succeeded.
void allocationSucceeded();
/// Reports the failed allocation and ends the program, if the program has said what it is for. `reason` continues the
/// number of bytes, such as ", 5 held".
void reportPlannedAllocation(int64_t bytes, const char *reason);
} // namespace lispier::runtime
#endif
