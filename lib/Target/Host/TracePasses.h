//===- TracePasses.h - passes on kernels, in a trace -----------*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_GPU_TRACEPASSES_H
#define LISPIER_LIB_TARGET_GPU_TRACEPASSES_H

namespace mlir {
class PassManager;
} // namespace mlir

namespace lispier {
/// While this process traces, each pass becomes a bar: of pass managers that run inside a pass, where --time-passes
/// does not look.
void tracePasses(mlir::PassManager &passes);
} // namespace lispier
#endif
