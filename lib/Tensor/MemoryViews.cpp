//===- MemoryViews.cpp - memory of groups, and views of it ----------------===//
#include "MemoryViews.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
Value memrefOf(group::KernelOp kernel, Value tensor) {
  auto argument = dyn_cast_or_null<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return {};
  Value memory = kernel->getOperand(argument.getArgNumber());
  // Loops carry memrefs whose layout is known better before a cast to what they might have been.
  while (auto cast = memory.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    memory = cast.getSource();
  }
  return memory;
}

Value asHeads(OpBuilder &b, Location loc, Value memref, ArrayRef<unsigned> order) {
  if (order == ArrayRef<unsigned>{0, 1, 2})
    return memref;
  return memref::TransposeOp::create(b, loc, memref,
                                     AffineMapAttr::get(AffineMap::getPermutationMap(order, b.getContext())));
}

Value rootOf(Value memref) {
  while (Operation *made = memref.getDefiningOp()) {
    if (!isa<ViewLikeOpInterface, memref::TransposeOp>(made))
      break;
    memref = made->getOperand(0);
  }
  return memref;
}

bool mayWrite(Operation &op, Value memref) {
  auto writes = [&](Operation *inside) {
    if (isa<group::KernelOp>(inside->getParentOp()) || inside->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return false;
    auto effects = dyn_cast<MemoryEffectOpInterface>(inside);
    if (!effects) // Of a call that has no memory but the text of a message.
      return llvm::any_of(inside->getOperands(), [](Value operand) {
        return isa<BaseMemRefType>(operand.getType()) ||
               (isa<LLVM::LLVMPointerType>(operand.getType()) && !operand.getDefiningOp<LLVM::AddressOfOp>());
      });
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    return llvm::any_of(all, [&](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
             (!effect.getValue() || rootOf(effect.getValue()) == rootOf(memref));
    });
  };
  return op.walk([&](Operation *inside) { return writes(inside) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool mayChangeBetween(Operation *from, Operation *to, Value memref) {
  for (; to->getBlock() != from->getBlock(); to = to->getParentOp())
    if (!to->getParentOp() || isa<func::FuncOp>(to->getParentOp()) ||
        llvm::any_of(*to->getBlock(), [&](Operation &each) { return mayWrite(each, memref); }))
      return true;
  return !from->isBeforeInBlock(to) || llvm::any_of(llvm::make_range(std::next(from->getIterator()), to->getIterator()),
                                                    [&](Operation &each) { return mayWrite(each, memref); });
}
} // namespace lispier
