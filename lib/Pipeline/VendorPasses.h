//===- VendorPasses.h - what differs between vendors' kernels --*- C++ -*-===//
//
// One row for each GPU backend, in Pipeline.cpp.
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
struct GpuChip;

/// The passes by which a program's own pipeline, written for upstream, names a vendor. They have counterparts in every
/// row, so that such a pipeline can be retargeted.
struct UpstreamPasses {
  llvm::StringRef attach;         ///< Attaches the chip.
  llvm::StringRef convert;        ///< Lowers the gpu dialect.
  llvm::StringRef vendorOps;      ///< Lowers the vendor's own dialect.
  llvm::StringRef beforeConvert;  ///< A pass that `convert` relies on; empty: none.
  llvm::StringRef convertOptions; ///< What `convert` needs besides the options that all have; $ is the chip.
};

/// The passes of a vendor's kernels: in the gpu dialect, from there to the LLVM dialect, and in it. The first and the
/// last are also for kernels that the source's own pipeline has lowered.
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
} // namespace lispier
#endif
