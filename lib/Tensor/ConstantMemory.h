//===- ConstantMemory.h - memory that no kernel writes ---------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_CONSTANTMEMORY_H
#define LISPIER_LIB_TENSOR_CONSTANTMEMORY_H

#include "mlir/IR/Value.h"

namespace lispier {
/// Whether no kernel of the module writes the memory, so that a kernel may read it before the work ahead of it has
/// finished: an argument that neither its function nor what that calls writes and whose callers, if there are any in
/// the module, pass such memory; a constant global; an upload from the host. Memory of other origin is not: it may
/// have other names.
bool isNeverWritten(mlir::Value memref);
} // namespace lispier
#endif
