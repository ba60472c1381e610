//===- TargetWish.cpp - validate LISPIER_TARGET ----------------------------===//
//
// A program for several targets chooses by it (Device/ChooseTarget.cpp). One for a
// single target takes any target's name, since the variable may be meant for
// other programs, but not what is no target at all.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

extern "C" void lispier_rt_check_target_wish() {
  const char *wish = getenv("LISPIER_TARGET");
  if (!wish || !*wish)
    return;
  size_t length = strcspn(wish, ":");
  for (const auto &[name, kind] : lispier::kTargetNames)
    if (strlen(name) == length && strncmp(wish, name, length) == 0)
      return;
  char names[200] = "";
  constexpr size_t kCount = std::size(lispier::kTargetNames);
  for (size_t i = 0, used = 0; i < kCount && used < sizeof(names); ++i)
    used += snprintf(names + used, sizeof(names) - used, "%s%s",
                     i == 0            ? ""
                     : i + 1 == kCount ? " and "
                                       : ", ",
                     lispier::kTargetNames[i].name);
  lispier::runtime::fail({}, "error: LISPIER_TARGET is `%s`, which is no target; there are %s", wish, names);
}
