//===- TargetWish.cpp - validate LISPIER_TARGET ----------------------------===//
//
// A program for several targets chooses by it (Device/ChooseTarget.cpp). One for a
// single target takes any target's name, since the variable may be meant for
// other programs, but not what is no target at all.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr const char *kKinds[] = {"cpu", "sim", "cuda", "rocm"};

extern "C" void lispier_rt_check_target_wish() {
  const char *wish = getenv("LISPIER_TARGET");
  if (!wish || !*wish)
    return;
  size_t length = strcspn(wish, ":");
  for (const char *kind : kKinds)
    if (strlen(kind) == length && strncmp(wish, kind, length) == 0)
      return;
  fprintf(stderr, "error: LISPIER_TARGET is `%s`, which is no target; there are cpu, sim, cuda and rocm\n", wish);
  exit(1);
}
