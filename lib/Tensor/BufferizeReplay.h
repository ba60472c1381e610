//===- BufferizeReplay.h - tensors that leave a step -----------*- C++ -*-===//
#ifndef LISPIER_TENSOR_BUFFERIZEREPLAY_H
#define LISPIER_TENSOR_BUFFERIZEREPLAY_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lispier {
/// Lets one-shot bufferization see through device.replay and its device.yield.
void registerReplayBufferization(mlir::DialectRegistry &registry);
} // namespace lispier
#endif
