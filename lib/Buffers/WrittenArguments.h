//===- WrittenArguments.h - memory of the caller that is written *- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_WRITTENARGUMENTS_H
#define LISPIER_LIB_BUFFERS_WRITTENARGUMENTS_H

#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
/// The arguments whose memory the function writes, in the order of its last results, which are their last values.
inline llvm::SmallVector<unsigned> writtenArguments(mlir::func::FuncOp function) {
  llvm::SmallVector<unsigned> written;
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (function.getArgAttr(i, kInoutAttr) || function.getArgAttr(i, kOutAttr))
      written.push_back(i);
  return written;
}
} // namespace lispier
#endif
