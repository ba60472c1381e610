//===- ExpandAtomics.cpp - atomic updates by compare-and-exchange ---------===//
//
// Before: memref.atomic_rmw by a product, memref.generic_atomic_rmw of floats.
// After: a loop around a compare-and-exchange of the bits. Upstream lowers
// neither: atomicrmw has no product, and its loop exchanges integers only.
//
//===----------------------------------------------------------------------===//

#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDATOMICS
#include "lispier/Math/Passes.h.inc"

namespace {
using Update = llvm::function_ref<Value(ImplicitLocOpBuilder &, Value)>;

/// The address of an element in the generic address space.
Value addressOf(ImplicitLocOpBuilder &b, Value memref, ValueRange indices, unsigned bytes) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getMemorySpace()) {
    auto anywhere = MemRefType::get(type.getShape(), type.getElementType(), type.getLayout());
    memref = memref::MemorySpaceCastOp::create(b, anywhere, memref);
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value elements = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    elements = arith::AddIOp::create(b, elements, arith::MulIOp::create(b, index, stride));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  Value offset = arith::MulIOp::create(b, elements, arith::ConstantIndexOp::create(b, bytes));
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), arith::AddIOp::create(b, start, offset));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), integer);
}

/// Repeats the exchange until no other thread has changed the element in between. Returns the previous value.
void expandAtomic(Operation *op, Value memref, ValueRange indices, Update update) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto toBits = [&](Value value) {
    return type == bits ? value : arith::BitcastOp::create(b, bits, value).getResult();
  };
  auto fromBits = [&](Value value) {
    return type == bits ? value : arith::BitcastOp::create(b, type, value).getResult();
  };
  Value address = addressOf(b, memref, indices, type.getIntOrFloatBitWidth() / 8);
  Value first = LLVM::LoadOp::create(b, bits, address);
  auto loop = scf::WhileOp::create(b, TypeRange(bits), ValueRange(first));
  {
    OpBuilder::InsertionGuard guard(b);
    Value old = b.createBlock(&loop.getBefore(), {}, TypeRange(bits), {b.getLoc()})->getArgument(0);
    Value next = toBits(update(b, fromBits(old)));
    Value exchange = LLVM::AtomicCmpXchgOp::create(b, address, old, next, LLVM::AtomicOrdering::acq_rel,
                                                   LLVM::AtomicOrdering::monotonic);
    Value found = LLVM::ExtractValueOp::create(b, exchange, 0);
    Value stored = LLVM::ExtractValueOp::create(b, exchange, 1);
    Value again = arith::XOrIOp::create(b, stored, arith::ConstantIntOp::create(b, 1, 1));
    scf::ConditionOp::create(b, again, found);
    Value other = b.createBlock(&loop.getAfter(), {}, TypeRange(bits), {b.getLoc()})->getArgument(0);
    scf::YieldOp::create(b, other);
  }
  op->getResult(0).replaceAllUsesWith(fromBits(loop.getResult(0)));
  op->erase();
}

struct ExpandAtomics : impl::ExpandAtomicsBase<ExpandAtomics> {
  void runOnOperation() override {
    SmallVector<Operation *> updates;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
        updates.push_back(op);
    });
    for (Operation *op : updates) {
      if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op))
        expandProduct(rmw);
      else if (auto generic = cast<memref::GenericAtomicRMWOp>(op); isa<FloatType>(generic.getResult().getType()))
        expandOwn(generic);
    }
  }

  static void expandProduct(memref::AtomicRMWOp op) {
    Value by = op.getValue();
    if (op.getKind() == arith::AtomicRMWKind::mulf)
      expandAtomic(op, op.getMemref(), op.getIndices(),
                   [&](ImplicitLocOpBuilder &b, Value old) { return arith::MulFOp::create(b, old, by).getResult(); });
    else if (op.getKind() == arith::AtomicRMWKind::muli)
      expandAtomic(op, op.getMemref(), op.getIndices(),
                   [&](ImplicitLocOpBuilder &b, Value old) { return arith::MulIOp::create(b, old, by).getResult(); });
  }

  static void expandOwn(memref::GenericAtomicRMWOp op) {
    expandAtomic(op, op.getMemref(), op.getIndices(), [&](ImplicitLocOpBuilder &b, Value old) {
      IRMapping mapping;
      mapping.map(op.getCurrentValue(), old);
      for (Operation &inner : op.getBody()->without_terminator())
        b.clone(inner, mapping);
      return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    });
  }
};
} // namespace
} // namespace lispier
