//===- OwnedResults.h - whose memory the results of functions are -*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_OWNEDRESULTS_H
#define LISPIER_LIB_BUFFERS_OWNEDRESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lispier {
/// Writes down, before bufferization, which results of a function are tensors: their memory is the caller's to free. A
/// result that is a memref in the program is the program's, which passes it on and frees it itself.
void markOwnedResults(mlir::func::FuncOp function);
void unmarkOwnedResults(mlir::func::FuncOp function);

/// Lets ownership-based deallocation follow what markOwnedResults wrote, in func.call and func.return. Upstream takes
/// each memref that a call returns for the caller's, and copies a memref that a function returns but did not allocate.
void registerOwnedResults(mlir::DialectRegistry &registry);
} // namespace lispier
#endif
