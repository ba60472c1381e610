//===- NN.h - the nn dialect -----------------------------------*- C++ -*-===//
//
// Neural network ops that passes match as units. dialects/NN/NNOps.td is the
// reference of the ops: a formula for each, with shapes.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_NN_H
#define LISPIER_NN_NN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/NN/NNDialect.h.inc"
#include "lispier/NN/NNEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/NN/NNAttributes.h.inc"

#define GET_OP_CLASSES
#include "lispier/NN/NNOps.h.inc"

#endif
