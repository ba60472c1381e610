//===- Passes.td - the passes of the room Loops ------------*- tablegen -*-===//
#ifndef LISPIER_LOOPS_PASSES
#define LISPIER_LOOPS_PASSES

include "mlir/Pass/PassBase.td"

#endif
