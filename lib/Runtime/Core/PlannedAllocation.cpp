//===- PlannedAllocation.cpp - what an allocation is for ------------------===//
#include "PlannedAllocation.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>

namespace {
struct Planned {
  const char *code, *site, *plan; ///< All null if the program has not said.
};
thread_local Planned planned{};
} // namespace

void lispier_rt_plan_allocation(const char *code, const char *site, const char *plan) { planned = {code, site, plan}; }

namespace lispier::runtime {
void allocationSucceeded() { planned = {}; }

void reportPlannedAllocation(int64_t bytes, const char *reason) {
  if (planned.plan)
    fail({planned.site, planned.code}, "out of memory: %" PRId64 " bytes asked for%s, %s", bytes, reason, planned.plan);
}
} // namespace lispier::runtime
