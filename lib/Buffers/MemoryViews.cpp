//===- MemoryViews.cpp - memory of groups, and views of it ----------------===//
#include "lispier/Buffers/MemoryViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

Value collapsed(OpBuilder &b, Location loc, Value memref, ArrayRef<ReassociationIndices> parts) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (const ReassociationIndices &part : parts)
    if (llvm::any_of(part, [&](int64_t dimension) { return type.isDynamicDim(dimension); }))
      for (int64_t dimension : part)
        if (shape[dimension] == 0)
          shape[dimension] = ShapedType::kDynamic;
  if (ArrayRef(shape) != type.getShape())
    memref = memref::CastOp::create(b, loc, MemRefType(MemRefType::Builder(type).setShape(shape)), memref);
  return memref::CollapseShapeOp::create(b, loc, memref, parts);
}

/// The memref with dimensions `at` and the next as one; null if they do not lie so.
static Value withJoined(OpBuilder &b, Location loc, Value memref, unsigned at) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<ReassociationIndices> parts;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (dimension != at + 1)
      parts.push_back({dimension});
  parts[at].push_back(at + 1);
  if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, parts))
    return collapsed(b, loc, memref, parts);
  // The layout of what was one dimension does not say so if it is not static.
  auto expand = memref.getDefiningOp<memref::ExpandShapeOp>();
  if (!expand)
    return {};
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  SmallVector<ReassociationIndices> expanded = expand.getReassociationIndices();
  for (ReassociationIndices &part : expanded) {
    if (llvm::is_contained(part, at) && !llvm::is_contained(part, at + 1))
      return {};
    llvm::erase(part, at + 1);
    for (int64_t &each : part)
      each -= each > at;
  }
  if (llvm::all_of(expanded, [](auto &part) { return part.size() == 1; }))
    return expand.getSrc();
  SmallVector<int64_t> shape(type.getShape());
  bool isStatic = !ShapedType::isDynamic(shape[at]) && !ShapedType::isDynamic(shape[at + 1]);
  shape[at] = isStatic ? shape[at] * shape[at + 1] : ShapedType::kDynamic;
  sizes[at] = isStatic
                  ? OpFoldResult(b.getIndexAttr(shape[at]))
                  : OpFoldResult(b.createOrFold<arith::MulIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, sizes[at]),
                                                               getValueOrCreateConstantIndexOp(b, loc, sizes[at + 1])));
  sizes.erase(sizes.begin() + at + 1);
  shape.erase(shape.begin() + at + 1);
  return memref::ExpandShapeOp::create(b, loc, shape, expand.getSrc(), expanded, sizes);
}

Value asHeads(OpBuilder &b, Location loc, Value memref, ArrayRef<unsigned> order) {
  SmallVector<unsigned> places(order);
  if (places.size() == 4) {
    unsigned shared = places[2];
    memref = withJoined(b, loc, memref, places[1]);
    if (!memref)
      return {};
    places.erase(places.begin() + 2);
    for (unsigned &place : places)
      place -= place > shared;
  }
  if (ArrayRef(places) == ArrayRef<unsigned>{0, 1, 2})
    return memref;
  return memref::TransposeOp::create(b, loc, memref,
                                     AffineMapAttr::get(AffineMap::getPermutationMap(places, b.getContext())));
}

OpFoldResult knownSize(Value memref, unsigned dimension) {
  if (auto type = cast<MemRefType>(memref.getType()); !type.isDynamicDim(dimension))
    return IntegerAttr::get(IndexType::get(type.getContext()), type.getDimSize(dimension));
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    return expand.getMixedOutputShape()[dimension];
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes()[dimension];
  if (auto part = memref.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = part.getDroppedDims();
    for (auto [at, size] : llvm::enumerate(part.getMixedSizes()))
      if (!dropped.test(at) && dimension-- == 0)
        return size;
  }
  if (auto transpose = memref.getDefiningOp<memref::TransposeOp>())
    return knownSize(transpose.getIn(), transpose.getPermutation().getDimPosition(dimension));
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    ReassociationIndices part = collapse.getReassociationIndices()[dimension];
    return part.size() == 1 ? knownSize(collapse.getSrc(), part[0]) : OpFoldResult();
  }
  for (Operation *user : memref.getUsers())
    if (auto dim = dyn_cast<memref::DimOp>(user); dim && dim.getConstantIndex() == dimension)
      return dim.getResult();
  return {};
}

Value rootOf(Value memref) {
  while (Operation *made = memref.getDefiningOp()) {
    if (!isa<ViewLikeOpInterface, memref::TransposeOp>(made))
      break;
    memref = made->getOperand(0);
  }
  return memref;
}

bool isErrorCheck(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch->getNumResults() == 0 && !branch.elseBlock() &&
         llvm::all_of(branch.thenBlock()->without_terminator(), [](Operation &inside) {
           auto call = dyn_cast<LLVM::CallOp>(inside);
           return call ? call.getCallee() == "lispier_rt_check_failed" : isMemoryEffectFree(&inside);
         });
}

bool isSameMemory(Value a, Value b) {
  if (a == b)
    return true;
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  return one && other && isa<ViewLikeOpInterface>(one) &&
         OperationEquivalence::isEquivalentTo(one, other, OperationEquivalence::IgnoreLocations);
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
