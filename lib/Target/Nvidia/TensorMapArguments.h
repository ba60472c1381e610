//===- TensorMapArguments.h - descriptors of tensors are pointers -*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_NVIDIA_TENSORMAPARGUMENTS_H
#define LISPIER_LIB_TARGET_NVIDIA_TENSORMAPARGUMENTS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace lispier {
/// Kernel parameters of nvgpu's descriptor type become pointers; runs before nvgpu's own conversion, which has them as
/// pointers too but leaves signatures alone.
std::unique_ptr<mlir::Pass> createTensorMapArguments();
} // namespace lispier
#endif
