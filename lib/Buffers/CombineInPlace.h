//===- CombineInPlace.h - collectives in the memory of their operand -*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_COMBINEINPLACE_H
#define LISPIER_LIB_BUFFERS_COMBINEINPLACE_H

#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Lets collectives that make each number of that at its place write where they read, if nothing needs that any more.
/// With one rank there is nothing left to do then. A collective whose result is an argument's last value makes it
/// there.
void combineInPlace(mlir::ModuleOp module);
} // namespace lispier
#endif
