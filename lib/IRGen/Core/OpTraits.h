//===- OpTraits.h - how many results and regions an op has ------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPTRAITS_H
#define LISPIER_LIB_IRGEN_CORE_OPTRAITS_H

#include "lispier/IRGen/OdsTables.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace lispier {
/// The number of results, if the op's traits fix it.
inline std::optional<unsigned> resultCount(mlir::RegisteredOperationName op) {
  if (std::optional<ods::Op> row = ods::Op::find(op.getStringRef())) {
    bool isFixed = llvm::all_of(row->results(), [](const ods::ValueRow &r) { return r.arity == ods::Arity::One; });
    return isFixed ? std::optional<unsigned>(row->results().size()) : std::nullopt;
  }
  if (op.hasTrait<mlir::OpTrait::ZeroResults>())
    return 0;
  if (op.hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  return std::nullopt;
}

/// The number of regions: what the op's traits fix, else `given`, the number that the program writes.
inline unsigned regionCount(mlir::RegisteredOperationName op, size_t given) {
  std::optional<ods::Op> row = ods::Op::find(op.getStringRef());
  if (!row)
    return given;
  llvm::ArrayRef<ods::RegionRow> rows = row->regions();
  unsigned fixed = llvm::count_if(rows, [](const ods::RegionRow &region) { return !region.isVariadic; });
  return fixed == rows.size() ? fixed : std::max<size_t>(fixed, given);
}
} // namespace lispier
#endif
