//===- CallConstants.h - numbers that each call gives ----------*- C++ -*-===//
//
// Before: a function that stays a call has a size, such as the number of heads, as an
// argument. After: where each call gives it the same constant, if that may be a size,
// the body has it, and shapes that depend on it are known.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_CALLCONSTANTS_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_CALLCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Of private functions with tensors; their arguments remain.
void takeConstantsOfCalls(mlir::ModuleOp module);
} // namespace lispier
#endif
