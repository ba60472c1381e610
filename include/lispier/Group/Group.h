//===- Group.h - the group dialect ------------------------------*- C++ -*-===//
//
// Groups of tensor ops, each computed by one kernel. dialects/Group/GroupOps.td is
// the reference.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GROUP_GROUP_H
#define LISPIER_GROUP_GROUP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lispier/Group/GroupDialect.h.inc"
#include "lispier/Group/GroupEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Group/GroupAttributes.h.inc"

#define GET_OP_CLASSES
#include "lispier/Group/GroupOps.h.inc"

namespace lispier::group {
/// Exempts the ops in the bodies of kernels from bufferization, which applies to the kernels as units.
void keepBodies(mlir::bufferization::BufferizationOptions &options);
} // namespace lispier::group
#endif
