//===- CopiedResults.cpp - kernels that write where their result is copied ===//
//
// Before: the memory of a tensor, which a kernel writes, and a copy of it, or of a
// reshape of it, that bufferization has made because the place has another shape.
// After: the tensor is a view of the place, and the copy is gone.
//
//   a = alloc                     p = subview d[...]
//   kernel outs(a)                kernel outs(expand_shape p)
//   copy (collapse_shape a), subview d[...]
//
//===----------------------------------------------------------------------===//
#include "CopiedResults.h"
#include "lispier/Buffers/MemoryOrigins.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
bool isReshape(Operation *op) { return isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(op); }

/// Whether the op only names memory, or reads its sizes.
bool isName(Operation *op) { return isa<ViewLikeOpInterface, memref::DimOp>(op) && op->getNumRegions() == 0; }

class CopiedResult {
public:
  CopiedResult(memref::CopyOp copy, MemoryOrigins &origins, DominanceInfo &dominance, RewriterBase &rewriter,
               llvm::function_ref<bool(Operation *)> isOwn)
      : copy(copy), origins(origins), dominance(dominance), rewriter(rewriter), isOwn(isOwn) {}

  void run() {
    if (!findMemory() || !findUses() || !isUndisturbed())
      return;
    replaceSizes();
    if (isMadeOfMemory(copy.getTarget()) || !canHoist(copy.getTarget()) || !typesFit())
      return;
    hoist(copy.getTarget());
    rewriter.setInsertionPoint(first);
    Value place = copy.getTarget();
    rewriter.eraseOp(copy);
    for (auto [name, type] : llvm::zip(names, types)) {
      if (Operation *reshape = name == names.front() ? nullptr : reshapeTo(name))
        place = inverse(reshape, place, type);
      name.replaceUsesWithIf(place, [](OpOperand &use) { return !isReshape(use.getOwner()); });
    }
    for (Value name : names)
      rewriter.eraseOp(name.getDefiningOp());
  }

private:
  /// From the copied memref back to the allocation.
  bool findMemory() {
    Value name = copy.getSource();
    for (; isReshape(name.getDefiningOp()); name = name.getDefiningOp()->getOperand(0))
      names.push_back(name);
    names.push_back(name);
    alloc = name.getDefiningOp<memref::AllocOp>();
    return alloc && isOwn(alloc) && alloc->getBlock() == copy->getBlock() && alloc.getType().getLayout().isIdentity() &&
           isa<MemRefType>(copy.getTarget().getType()) && !origins.mayOverlap(copy.getTarget(), alloc);
  }

  /// The reshape of `name` into the one before it, nearer to the copy.
  Operation *reshapeTo(Value name) {
    auto *found = llvm::find(names, name);
    return std::prev(found)->getDefiningOp();
  }

  /// The first and last ops that use the memory: kernels and copies from it alone.
  bool findUses() {
    Block *block = copy->getBlock();
    for (Value name : names)
      for (OpOperand &use : name.getUses()) {
        Operation *user = use.getOwner();
        if (isa<memref::DimOp>(user) || user == copy)
          continue;
        if (isReshape(user) && llvm::is_contained(names, user->getResult(0)))
          continue;
        bool isRead = isa<memref::CopyOp>(user) && use.getOperandNumber() == 0;
        Operation *here = block->findAncestorOpInBlock(*user);
        if (!here || !(isRead || isa<group::KernelOp>(user)))
          return false;
        if (!first || here->isBeforeInBlock(first))
          first = here;
        if (!last || last->isBeforeInBlock(here))
          last = here;
      }
    return first && first->isBeforeInBlock(copy);
  }

  bool isName(Value value) const { return llvm::is_contained(names, value); }

  bool mayAccess(Operation *op) {
    return op
        ->walk([&](Operation *inside) {
          if (lispier::isName(inside) || isPure(inside) || isa<memref::AllocOp, memref::DeallocOp>(inside))
            return WalkResult::advance();
          if (auto call = dyn_cast<LLVM::CallOp>(inside))
            if (call.getCallee() == "lispier_rt_check_failed")
              return WalkResult::advance();
          if (isa<CallOpInterface>(inside))
            return WalkResult::interrupt();
          for (Value operand : inside->getOperands())
            if (isa<BaseMemRefType, LLVM::LLVMPointerType>(operand.getType()) && !isName(operand) &&
                origins.mayOverlap(operand, copy.getTarget()))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool isUndisturbed() {
    for (Operation *op = first; op != copy; op = op->getNextNode())
      if (mayAccess(op))
        return false;
    for (Operation *op = copy; last != op && op->isBeforeInBlock(last);) {
      op = op->getNextNode();
      if (origins.mayWrite(*op, copy.getTarget()))
        return false;
    }
    return true;
  }

  /// Sizes of the memory become those that it was made with: the place may have been made with them.
  void replaceSizes() {
    for (Value name : names) {
      SmallVector<OpFoldResult> sizes;
      if (auto expand = name.getDefiningOp<memref::ExpandShapeOp>())
        sizes = expand.getMixedOutputShape();
      else if (name == alloc)
        sizes = alloc.getMixedSizes();
      else
        continue;
      for (Operation *user : llvm::make_early_inc_range(name.getUsers()))
        if (auto dim = dyn_cast<memref::DimOp>(user))
          if (std::optional<int64_t> number = dim.getConstantIndex())
            if (auto size = dyn_cast<Value>(sizes[*number]))
              rewriter.replaceOp(dim, size);
    }
  }

  /// Whether the value depends on the memory that is to become a view of the place.
  bool isMadeOfMemory(Value value) {
    if (isName(value))
      return true;
    Operation *made = value.getDefiningOp();
    return made && made->getBlock() == copy->getBlock() && seen.insert(made).second &&
           llvm::any_of(made->getOperands(), [&](Value operand) { return isMadeOfMemory(operand); });
  }

  /// Whether the value is there before the first use of the memory, or can be.
  bool canHoist(Value value) {
    if (dominance.properlyDominates(value, first))
      return true;
    Operation *made = value.getDefiningOp();
    bool isAlloc = isa_and_nonnull<memref::AllocOp>(made) && isOwn(made);
    return made && made->getBlock() == copy->getBlock() && (isAlloc || isPure(made)) && made->getNumRegions() == 0 &&
           llvm::all_of(made->getOperands(), [&](Value operand) { return canHoist(operand); });
  }

  void hoist(Value value) {
    if (dominance.properlyDominates(value, first))
      return;
    Operation *made = value.getDefiningOp();
    for (Value operand : made->getOperands())
      hoist(operand);
    rewriter.moveOpBefore(made, first);
  }

  /// Whether each name's view of the place has its shape, and is a view.
  bool typesFit() {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    for (Value name : names) {
      auto own = cast<MemRefType>(name.getType());
      if (name != names.front()) {
        Operation *reshape = reshapeTo(name);
        if (auto collapse = dyn_cast<memref::CollapseShapeOp>(reshape)) {
          FailureOr<MemRefType> expanded =
              memref::ExpandShapeOp::computeExpandedType(type, own.getShape(), collapse.getReassociationIndices());
          if (failed(expanded) || !sizesOf(name))
            return false;
          type = *expanded;
        } else {
          SmallVector<ReassociationIndices> groups = cast<memref::ExpandShapeOp>(reshape).getReassociationIndices();
          if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
            return false;
          type = memref::CollapseShapeOp::computeCollapsedType(type, groups);
        }
      }
      if (type.getShape() != own.getShape())
        return false;
      types.push_back(type);
    }
    return true;
  }

  /// The sizes of a memref, if they are there before its first use.
  std::optional<SmallVector<OpFoldResult>> sizesOf(Value name) {
    SmallVector<OpFoldResult> sizes;
    auto type = cast<MemRefType>(name.getType());
    if (auto expand = name.getDefiningOp<memref::ExpandShapeOp>())
      sizes = expand.getMixedOutputShape();
    else if (name == alloc)
      sizes = alloc.getMixedSizes();
    else if (type.hasStaticShape())
      for (int64_t size : type.getShape())
        sizes.push_back(rewriter.getIndexAttr(size));
    else
      return std::nullopt;
    bool areKnown = llvm::all_of(sizes, [&](OpFoldResult size) {
      return isa<Attribute>(size) || dominance.properlyDominates(cast<Value>(size), first);
    });
    return areKnown ? std::optional(sizes) : std::nullopt;
  }

  Value inverse(Operation *reshape, Value place, MemRefType type) {
    Location loc = reshape->getLoc();
    if (auto collapse = dyn_cast<memref::CollapseShapeOp>(reshape))
      return memref::ExpandShapeOp::create(rewriter, loc, type, place, collapse.getReassociationIndices(),
                                           *sizesOf(collapse.getSrc()));
    return memref::CollapseShapeOp::create(rewriter, loc, type, place,
                                           cast<memref::ExpandShapeOp>(reshape).getReassociationIndices());
  }

  memref::CopyOp copy;
  MemoryOrigins &origins;
  DominanceInfo &dominance;
  RewriterBase &rewriter;
  llvm::function_ref<bool(Operation *)> isOwn;
  SmallVector<Value> names;      ///< What is copied, what that is a reshape of ..., the allocation.
  SmallVector<MemRefType> types; ///< Of the place, in the shape of each name.
  memref::AllocOp alloc;
  Operation *first = nullptr, *last = nullptr; ///< In the block, that use the memory.
  llvm::SmallPtrSet<Operation *, 8> seen;      ///< By isMadeOfMemory.
};
} // namespace

void makeWhereCopied(func::FuncOp function, RewriterBase &rewriter, llvm::function_ref<bool(Operation *)> isOwn) {
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  if (copies.empty())
    return;
  DominanceInfo dominance(function);
  for (memref::CopyOp copy : copies) {
    MemoryOrigins origins(function->getParentOfType<ModuleOp>()); // Which caches what views are of.
    CopiedResult(copy, origins, dominance, rewriter, isOwn).run();
  }
}
} // namespace lispier
