//===- CountWork.td - an option that counts work -----------*- tablegen -*-===//
#ifndef LISPIER_BUFFERS_COUNTWORK
#define LISPIER_BUFFERS_COUNTWORK

include "mlir/Pass/PassBase.td"

/// Of passes whose time depends on what they compare: tests see by it that this grows in proportion to the program.
/// Not a pass statistic, which LLVM's releases are built without.
class CountWork<string counted>
    : Option<"countWork", "count-work", "bool", "false", "Remark on how many " # counted # " there were">;

#endif
