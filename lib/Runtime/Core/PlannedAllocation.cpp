//===- PlannedAllocation.cpp - what an allocation is for ------------------===//
#include "PlannedAllocation.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>
#include <cstdio>

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
  if (!planned.plan)
    return;
  char message[4000];
  snprintf(message, sizeof(message), "%s: error[%s]: out of memory: %" PRId64 " bytes asked for%s, %s\n", planned.site,
           planned.code, bytes, reason, planned.plan);
  lispier_rt_fail(message);
}
} // namespace lispier::runtime
