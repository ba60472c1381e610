//===- ScalarizeNarrowSums.h - sums of i16, element by element -*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_NVIDIA_SCALARIZENARROWSUMS_H
#define LISPIER_LIB_TARGET_NVIDIA_SCALARIZENARROWSUMS_H

namespace llvm {
class Module;
} // namespace llvm

namespace lispier {
/// Adds and subtracts the elements of i16 vectors one by one, so that no add.s16x2 is selected. Where a program uses
/// one half of an add.s16x2 with a constant, ptxas of CUDA 12.9 and 13.0, and the drivers that contain it, take the
/// constant for 0; the one of CUDA 13.5 does not. Run behind the optimisations, which form vectors again.
void scalarizeNarrowSums(llvm::Module &module);
} // namespace lispier
#endif
