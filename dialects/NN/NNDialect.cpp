//===- NNDialect.cpp - the nn dialect and its attributes ------------------===//
#include "lispier/NN/NN.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lispier/NN/NNDialect.cpp.inc"
#include "lispier/NN/NNEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/NN/NNAttributes.cpp.inc"

void lispier::nn::NNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/NN/NNAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/NN/NNOps.cpp.inc"
      >();
}
