//===- Accesses.h - what reads and writes memrefs --------------*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_SIM_ACCESSES_H
#define LISPIER_LIB_TARGET_SIM_ACCESSES_H

#include "lispier/Runtime/Sim/Sim.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace lispier {
/// One contiguous access, of a scalar or a vector.
struct Access {
  mlir::Value memref;
  mlir::ValueRange indices;
  mlir::Type type;
  LispierSimAccess kind;

  /// How many elements of the innermost dimension it covers: of a memref of vectors one, which is a whole vector.
  int64_t extent() const;
};

/// Nullopt for an op that accesses no memref, or not contiguously, such as a transfer that may leave its memref and is
/// masked.
std::optional<Access> accessOf(mlir::Operation *op);
} // namespace lispier
#endif
