//===- Assert.cpp - what does not hold ------------------------------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdio>
#include <cstdlib>

void lispier_rt_assertion_failed(const char *message, const char *site) {
  fflush(stdout);
  fprintf(stderr, "%s: error: assertion failed: %s\n", site, message);
  exit(1);
}
