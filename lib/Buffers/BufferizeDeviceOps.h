//===- BufferizeDeviceOps.h - tensors of replay and download ----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_BUFFERIZEDEVICEOPS_H
#define LISPIER_LIB_BUFFERS_BUFFERIZEDEVICEOPS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lispier {
/// Lets one-shot bufferization see through device.replay and its device.yield, and give device.download memory.
void registerDeviceBufferization(mlir::DialectRegistry &registry);
} // namespace lispier
#endif
