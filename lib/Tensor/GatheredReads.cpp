//===- GatheredReads.cpp - reads at numbers that are data -----------------===//
//
// A GPU's tile programs read 0 outside of a tensor. A CPU would read other memory, or
// end the program by a signal.
//
//===----------------------------------------------------------------------===//
#include "GatheredReads.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace lispier {
void requireElement(OpBuilder &b, memref::LoadOp load, unsigned dimension, Value number) {
  Location loc = load.getLoc();
  Value size = memref::DimOp::create(b, loc, load.getMemRef(), dimension);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, size);
  cf::AssertOp::create(b, loc, exists, "an index of `gather` is outside of the tensor");
}

/// Whether a value in the body of `op` follows from an element. What follows from the place alone, as where a slice is
/// read, is inside by construction.
static bool isData(Value value, linalg::GenericOp op) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBody();
  Operation *made = value.getDefiningOp();
  return op->isProperAncestor(made) &&
         (isa<memref::LoadOp>(made) || llvm::any_of(made->getOperands(), [&](Value each) { return isData(each, op); }));
}

void requireElements(linalg::GenericOp op) {
  op.getBody()->walk([&](memref::LoadOp load) {
    OpBuilder b(load);
    for (auto [dimension, index] : llvm::enumerate(load.getIndices()))
      if (isData(index, op))
        requireElement(b, load, dimension, index);
  });
}
} // namespace lispier
