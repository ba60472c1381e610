//===- OpTraits.h - what an op's traits say about its shape ----*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_OPTRAITS_H
#define LISPIER_LIB_IRGEN_OPTRAITS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OperationSupport.h"
#include <optional>

namespace lispier {
/// The number of results, when the op fixes it.
inline std::optional<unsigned> resultCount(mlir::RegisteredOperationName op) {
  if (op.hasTrait<mlir::OpTrait::ZeroResults>())
    return 0;
  if (op.hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  if (op.hasTrait<mlir::OpTrait::NResults<2>::Impl>())
    return 2;
  if (op.hasTrait<mlir::OpTrait::NResults<3>::Impl>())
    return 3;
  if (op.hasTrait<mlir::OpTrait::NResults<4>::Impl>())
    return 4;
  return std::nullopt;
}

/// The number of regions, of which the program writes `given`.
inline unsigned regionCount(mlir::RegisteredOperationName op, size_t given) {
  if (op.hasTrait<mlir::OpTrait::ZeroRegions>())
    return 0;
  if (op.hasTrait<mlir::OpTrait::OneRegion>())
    return 1;
  if (op.hasTrait<mlir::OpTrait::NRegions<2>::Impl>())
    return 2;
  if (op.hasTrait<mlir::OpTrait::NRegions<3>::Impl>())
    return 3;
  if (op.hasTrait<mlir::OpTrait::AtLeastNRegions<1>::Impl>())
    return given ? given : 1;
  return given;
}
} // namespace lispier
#endif
