//===- ProgramMemory.h - where the numbers of collectives are ---*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_PROGRAMMEMORY_H
#define LISPIER_LIB_RUNTIME_PROGRAMMEMORY_H

#include "CommTable.h"

namespace lispier::runtime {
/// One collective, to be issued now or as part of a recorded step. Copied byte by byte: all of it is set.
struct CollectiveWork {
  /// The last two begin and end what is done at once.
  enum Kind : int32_t { AllReduce, AllGather, ReduceScatter, FromRank, Begin, End };
  const CommTable *table;
  Group *group;
  const void *from;
  void *to;
  int64_t count;
  Kind kind;
  int32_t element, by, root;
  Status issue() const;
};

/// What the program's memory is to the functions of CommProgram.h: that of the host or of a device. Each reports errors
/// at `site`.
struct ProgramMemory {
  void *(*alloc)(int64_t bytes, const char *site);
  void (*free)(void *memory, const char *site);
  void (*copyRows)(void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows,
                   const char *site);
  void (*clear)(void *memory, int64_t bytes, const char *site);
  /// Issues the work in the order of what else uses the memory.
  Status (*run)(const CollectiveWork &work, const char *site);
};

extern const ProgramMemory kHostMemory;
} // namespace lispier::runtime
#endif
