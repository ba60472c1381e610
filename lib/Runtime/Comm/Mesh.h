//===- Mesh.h - ranks along axes --------------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_MESH_H
#define LISPIER_LIB_RUNTIME_MESH_H

#include "lispier/Runtime/Core/Status.h"
#include <cstddef>
#include <cstdint>

namespace lispier::runtime {
/// The axes along which ranks are numbered: the rank is the row-major place, so that neighbours along the last axis are
/// neighbours on a host.
struct Mesh {
  static constexpr int kMostAxes = 8;
  struct Axis {
    char name[32];
    int64_t size; ///< 0: what is left, until `fit`.
  };
  Axis axes[kMostAxes] = {};
  int count = 0;

  /// Reads "dp,tp=2", as the program has it.
  Status read(const char *text);
  /// Takes sizes from "dp=4,tp=2", of the command line.
  Status change(const char *text);
  /// Sets open sizes, so that there are `ranks` places.
  Status fit(int64_t ranks);

  /// Along the axes of `mask`, whose bit i is axis i: the number of places; that of the rank; and which of the groups
  /// of ranks that differ along these axes only it belongs to.
  int64_t size(uint32_t mask) const;
  int64_t place(uint32_t mask, int64_t rank) const;
  int64_t group(uint32_t mask, int64_t rank) const { return place(all() & ~mask, rank); }
  uint32_t all() const { return (1u << count) - 1; }
  /// "dp=4,tp=2", cut off to `bytes`.
  void print(char *text, size_t bytes) const;
  /// "tp", "dp and tp".
  void printAxes(uint32_t mask, char *text, size_t bytes) const;
};
} // namespace lispier::runtime
#endif
