//===- CompareToBits.cpp - conversions of floats to single bits -----------===//
//
// LLVM 22 lowers fptoui and fptosi to i1 for NVPTX as "the float's bits are 0", the
// opposite of what they mean. A conversion to one bit is a comparison: of what fits
// into it, 1.0 and more is 1 if it is unsigned, and -1.0 and less if it is signed.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_COMPARETOBITS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
void compare(Operation *op, double bound, LLVM::FCmpPredicate predicate) {
  OpBuilder b(op);
  Value x = op->getOperand(0);
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(x.getType()), bound);
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  Value limit = LLVM::ConstantOp::create(b, op->getLoc(), x.getType(), attribute);
  op->getResult(0).replaceAllUsesWith(LLVM::FCmpOp::create(b, op->getLoc(), predicate, x, limit));
  op->erase();
}

struct CompareToBits : impl::CompareToBitsBase<CompareToBits> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (!isa<LLVM::FPToUIOp, LLVM::FPToSIOp>(op) || !getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
        return;
      if (isa<LLVM::FPToUIOp>(op))
        compare(op, 1, LLVM::FCmpPredicate::oge);
      else
        compare(op, -1, LLVM::FCmpPredicate::ole);
    });
  }
};
} // namespace
} // namespace lispier
