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

  /// Elements of the innermost dimension; a memref of vectors is indexed by whole vectors.
  int64_t extent() const;
};

/// Nullopt for an op that accesses no memref, or none in one piece: transfers that may leave their memref are masked.
std::optional<Access> accessOf(mlir::Operation *op);
} // namespace lispier
#endif
