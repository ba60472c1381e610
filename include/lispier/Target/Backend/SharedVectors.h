//===- SharedVectors.h - vectors in the memory of a block ------*- C++ -*-===//
#ifndef LISPIER_TARGET_BACKEND_SHAREDVECTORS_H
#define LISPIER_TARGET_BACKEND_SHAREDVECTORS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace lispier {
/// Vector loads and stores of shared memory, to the LLVM dialect; runs before upstream's vector conversion.
std::unique_ptr<mlir::Pass> createSharedVectors();
} // namespace lispier
#endif
