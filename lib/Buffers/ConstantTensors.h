//===- ConstantTensors.h - tensors of one number ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_CONSTANTTENSORS_H
#define LISPIER_LIB_BUFFERS_CONSTANTTENSORS_H

#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Before bufferization: fills each place that a tensor of constants is written to by a kernel of its own, there.
/// Otherwise zeros from which several loops start, or a step that is repeated, are a tensor that is kept and copied.
void fillWhereWritten(mlir::ModuleOp module);
} // namespace lispier
#endif
