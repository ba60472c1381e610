//===- VendorPasses.h - passes that differ between vendors -----*- C++ -*-===//
//
// One row for each GPU backend.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_PIPELINE_VENDORPASSES_H
#define LISPIER_LIB_PIPELINE_VENDORPASSES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
class GpuBackend;
struct GpuChip;

/// Upstream's vendor-specific passes in a program's compilation form. Each has a counterpart in every row, so that the
/// form can be retargeted.
struct UpstreamPasses {
  llvm::StringRef attach;         ///< Attaches the chip.
  llvm::StringRef convert;        ///< Lowers the gpu dialect.
  llvm::StringRef vendorOps;      ///< Lowers the vendor's own dialect.
  llvm::StringRef beforeConvert;  ///< A pass that `convert` requires before it; empty if none.
  llvm::StringRef convertOptions; ///< Options of `convert` that only this vendor's has; $ stands for the chip.
};

/// A vendor's passes on kernels: in the gpu dialect, from there to the LLVM dialect, and in the LLVM dialect. `before`
/// and `after` also run on kernels that a compilation form has lowered.
struct VendorPasses {
  llvm::StringRef backend; ///< GpuBackend::name.
  void (*before)(mlir::OpPassManager &kernels);
  void (*lower)(mlir::OpPassManager &kernels, const GpuChip &chip);
  void (*after)(mlir::OpPassManager &kernels);
  /// Thread-level ops of the tile dialect -> the vendor's, which the simulator runs too.
  void (*lowerTiles)(mlir::OpPassManager &kernels);
  UpstreamPasses upstream;
};

llvm::ArrayRef<VendorPasses> vendorPasses();
const VendorPasses &vendorPassesOf(const GpuBackend &backend);
} // namespace lispier
#endif
