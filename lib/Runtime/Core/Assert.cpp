//===- Assert.cpp - report operations that fail ---------------------------===//
//
// Compiled code branches here when an operation cannot be executed.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cinttypes>
#include <cstdio>

using namespace lispier::runtime;

namespace {
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

void lispier_rt_assertion_failed(const char *message, const char *site) {
  fail({site}, "assertion failed: %s", message);
}

void lispier_rt_division_failed(const char *code, const char *site, const char *what, const char *function) {
  fail({site, code}, "%s, in function `%s`", what, function);
}

void lispier_rt_allocation_failed(const char *code, const char *site, int64_t rank, const int64_t *sizes,
                                  int64_t elementBytes) {
  bool negative = false;
  for (int64_t i = 0; i < rank; ++i)
    negative |= sizes[i] < 0;
  fail({site, code}, "memory of %s elements of %" PRId64 " bytes asked for; %s", Shape(rank, sizes).text, elementBytes,
       negative ? "sizes cannot be negative" : "that is more than an address reaches");
}

void lispier_rt_copy_failed(const char *code, const char *site, int64_t fromRank, const int64_t *from, int64_t toRank,
                            const int64_t *to) {
  fail({site, code}, "a copy from memory of shape %s to memory of shape %s; both must be the same",
       Shape(fromRank, from).text, Shape(toRank, to).text);
}

void lispier_rt_dimension_failed(const char *code, const char *site, int64_t dimension, int64_t rank) {
  fail({site, code}, "there is no dimension %" PRId64 " of memory that has rank %" PRId64, dimension, rank);
}

void lispier_rt_index_failed(const char *site, const char *callers, int64_t index, int64_t axis, int64_t size) {
  fail({site, "tensor-range"},
       "the index %" PRId64 " is outside of axis %" PRId64 ", which has %" PRId64 " element%s\n%s", index, axis, size,
       size == 1 ? "" : "s", callers);
}

void lispier_rt_grid_failed(const char *code, const char *site, const char *name, int64_t x, int64_t y, int64_t z) {
  fail({site, code},
       "grid (%" PRId64 ", %" PRId64 ", %" PRId64 "): sizes must be positive\nnote: in the launch of kernel `%s`", x, y,
       z, name);
}
