//===- Assert.cpp - report operations that fail ---------------------------===//
//
// Compiled code branches here when an operation cannot be executed. Messages have
// the form that lispier_rt_fail describes, so that a host with the sources can
// show the line.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace {
struct Explainer {
  LispierExplain explain;
  void *context;
} explainer{};

/// A shape as text: "4 x 8", or "no dimensions" for rank 0.
struct Shape {
  char text[200];
  Shape(int64_t rank, const int64_t *sizes) {
    int used = rank ? 0 : snprintf(text, sizeof(text), "1");
    for (int64_t i = 0; i < rank && used < int(sizeof(text)); ++i)
      used += snprintf(text + used, sizeof(text) - used, "%s%" PRId64, i ? " x " : "", sizes[i]);
  }
};
} // namespace

void lispier_rt_explain_with(LispierExplain explain, void *context) { explainer = {explain, context}; }

void lispier_rt_fail(const char *message) {
  fflush(stdout);
  fputs(explainer.explain ? explainer.explain(explainer.context, message) : message, stderr);
  exit(1);
}

void lispier_rt_assertion_failed(const char *message, const char *site) {
  fflush(stdout);
  fprintf(stderr, "%s: error: assertion failed: %s\n", site, message);
  exit(1);
}

void lispier_rt_division_failed(const char *code, const char *site, const char *what, const char *function) {
  char message[1000];
  snprintf(message, sizeof(message), "%s: error[%s]: %s, in function `%s`\n", site, code, what, function);
  lispier_rt_fail(message);
}

void lispier_rt_allocation_failed(const char *code, const char *site, int64_t rank, const int64_t *sizes,
                                  int64_t elementBytes) {
  bool negative = false;
  for (int64_t i = 0; i < rank; ++i)
    negative |= sizes[i] < 0;
  char message[1000];
  snprintf(message, sizeof(message), "%s: error[%s]: memory of %s elements of %" PRId64 " bytes asked for; %s\n", site,
           code, Shape(rank, sizes).text, elementBytes,
           negative ? "sizes cannot be negative" : "that is more than an address reaches");
  lispier_rt_fail(message);
}

void lispier_rt_copy_failed(const char *code, const char *site, int64_t fromRank, const int64_t *from, int64_t toRank,
                            const int64_t *to) {
  char message[1000];
  snprintf(message, sizeof(message),
           "%s: error[%s]: a copy from memory of shape %s to memory of shape %s; both must be the same\n", site, code,
           Shape(fromRank, from).text, Shape(toRank, to).text);
  lispier_rt_fail(message);
}

void lispier_rt_dimension_failed(const char *code, const char *site, int64_t dimension, int64_t rank) {
  char message[1000];
  snprintf(message, sizeof(message),
           "%s: error[%s]: there is no dimension %" PRId64 " of memory that has rank %" PRId64 "\n", site, code,
           dimension, rank);
  lispier_rt_fail(message);
}

void lispier_rt_index_failed(const char *site, const char *callers, int64_t index, int64_t axis, int64_t size) {
  char message[2000];
  snprintf(message, sizeof(message),
           "%s: error[tensor-range]: `gather`: the index %" PRId64 " is outside of axis %" PRId64 ", which has %" PRId64
           " element%s\n%s",
           site, index, axis, size, size == 1 ? "" : "s", callers);
  lispier_rt_fail(message);
}

void lispier_rt_grid_failed(const char *code, const char *site, const char *name, int64_t x, int64_t y, int64_t z) {
  char message[1000];
  snprintf(message, sizeof(message),
           "%s: error[%s]: grid (%" PRId64 ", %" PRId64 ", %" PRId64 "): sizes must be positive\n"
           "note: in the launch of kernel `%s`\n",
           site, code, x, y, z, name);
  lispier_rt_fail(message);
}
