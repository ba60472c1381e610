//===- RotatedAttention.cpp - rotary embedding in attention ---------------===//
#include "RotatedAttention.h"
#include "Formulas/Spellings.h"
#include "GroupNorm.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// How a kernel rotates heads, whose pairs are the two halves of a head: the arguments of its body.
struct RotationFormula {
  Value first, second;  ///< The halves [tokens, heads, pairs].
  Value cosines, sines; ///< [tokens, pairs]
};

/// The formula if element [t, n, 0, i] of the result is `first * cosine - second * sine`, and that of [t, n, 1, i]
/// `second * cosine + first * sine`, of the elements [t, n, i] and [t, i].
std::optional<RotationFormula> rotationFormulaOf(Value result) {
  ScalarForms forms(result.getContext());
  ScalarForm::Ref token = forms.place(0), head = forms.place(1), pair = forms.place(3);
  auto half = [&](int64_t which) {
    return beforeRounding(forms.element(result, {token, head, forms.index(which), pair}));
  };
  Variables variables;
  auto element = [&] { return variables.addElement(forms, {token, head, pair}); };
  auto entry = [&] { return variables.addElement(forms, {token, pair}); };
  Term first = element(), second = element(), cosine = entry(), sine = entry();
  if (!variables.isSpelledAs(half(0), first * cosine - second * sine) ||
      !variables.isSpelledAs(half(1), second * cosine + first * sine))
    return std::nullopt;
  return RotationFormula{variables.valueOf(first), variables.valueOf(second), variables.valueOf(cosine),
                         variables.valueOf(sine)};
}

/// Whether nothing but which half of a head it is depends on an index: both halves are evaluated.
bool usesHalfOnly(linalg::LinalgOp op) {
  return op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity() &&
         llvm::all_of(op->getRegion(0).getOps<linalg::IndexOp>(),
                      [](linalg::IndexOp index) { return index.getDim() == 2; });
}

/// Heads that a kernel rotates.
struct RotatedHeads {
  group::KernelOp kernel;
  memref::CollapseShapeOp rotated; ///< [tokens, heads, size]
  Value heads;                     ///< As before the rotation.
  Value cosines, sines;
};

bool isHeads(memref::SubViewOp view) {
  return view && view.hasUnitStride() && view.getType().getRank() == 3 && view.getSourceType().getRank() == 3 &&
         isConstantIntValue(view.getMixedOffsets()[0], 0);
}

/// The heads of which these are the first and the second half; null if they are none.
Value headsOf(memref::SubViewOp first, memref::SubViewOp second) {
  if (!isHeads(first) || !isHeads(second) || first.getSource() != second.getSource())
    return {};
  SmallVector<OpFoldResult> begin = first.getMixedOffsets(), next = second.getMixedOffsets();
  bool areHalves = first.getMixedSizes() == second.getMixedSizes() && isConstantIntValue(begin[1], 0) &&
                   isConstantIntValue(begin[2], 0) && isConstantIntValue(next[1], 0) &&
                   next[2] == first.getMixedSizes()[2];
  return areHalves ? first.getSource() : Value();
}

/// What makes `rotated`, if a kernel in the block of `attention` does that for nothing else.
std::optional<RotatedHeads> rotatedHeadsOf(Value rotated, nn::AttentionOp attention) {
  RotatedHeads found;
  found.rotated = rotated.getDefiningOp<memref::CollapseShapeOp>();
  auto [kernel, alloc] = producerOf(rotated, attention.getOperation());
  if (!kernel || kernel.getKind() != group::Kind::Elementwise || kernel->getNumResults() != 0 || !found.rotated ||
      found.rotated.getSrc() != alloc || alloc.getType().getRank() != 4 || alloc.getType().getDimSize(2) != 2 ||
      found.rotated.getType().getRank() != 3 || found.rotated.getReassociationIndices().back().size() != 2)
    return std::nullopt;
  found.kernel = kernel;
  auto rotation = kernel.yieldOp().getResults()[0].getDefiningOp<linalg::LinalgOp>();
  auto ops = kernel.getBody().front().getOps<linalg::LinalgOp>();
  if (!rotation || !llvm::hasSingleElement(ops) || !usesHalfOnly(rotation))
    return std::nullopt;
  std::optional<RotationFormula> formula = rotationFormulaOf(rotation->getResult(0));
  if (!formula)
    return std::nullopt;
  auto viewOf = [&](Value half) { return memrefOf(kernel, half).getDefiningOp<memref::SubViewOp>(); };
  found.heads = headsOf(viewOf(formula->first), viewOf(formula->second));
  found.cosines = memrefOf(kernel, formula->cosines), found.sines = memrefOf(kernel, formula->sines);
  bool isAlike = found.heads && getElementTypeOrSelf(found.heads) == alloc.getType().getElementType();
  return isAlike ? std::optional(found) : std::nullopt;
}

/// The memref of which this one is a reshape back to its own shape.
Value withoutReshapes(Value memref) {
  auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>();
  auto expand = collapse ? collapse.getSrc().getDefiningOp<memref::ExpandShapeOp>() : memref::ExpandShapeOp();
  return expand && expand.getSrc().getType() == collapse.getType() &&
                 expand.getReassociationIndices() == collapse.getReassociationIndices()
             ? expand.getSrc()
             : memref;
}

/// What attends to heads of queries and keys that kernels rotate.
struct Rotation {
  SmallVector<RotatedHeads, 2> heads; ///< Of both, or of queries and of keys.
  memref::SubViewOp q, k;             ///< Of both; null if they are rotated apart.
  bool areApart() const { return heads.size() == 2; }
};

std::optional<Rotation> rotationOf(nn::AttentionOp attention) {
  Rotation found;
  Value q = withoutReshapes(attention.getQ()), k = withoutReshapes(attention.getK());
  found.q = q.getDefiningOp<memref::SubViewOp>(), found.k = k.getDefiningOp<memref::SubViewOp>();
  bool areParts = isHeads(found.q) && isHeads(found.k) && found.q.getSource() == found.k.getSource() &&
                  isConstantIntValue(found.q.getMixedOffsets()[2], 0) &&
                  isConstantIntValue(found.k.getMixedOffsets()[2], 0);
  SmallVector<Value, 2> memories{q, k};
  if (areParts)
    memories = {found.q.getSource()};
  for (Value memory : memories)
    if (std::optional<RotatedHeads> heads = rotatedHeadsOf(memory, attention))
      found.heads.push_back(*heads);
    else
      return std::nullopt;
  if (found.areApart() && (found.heads[0].kernel == found.heads[1].kernel ||
                           !isSameMemory(found.heads[0].cosines, found.heads[1].cosines) ||
                           !isSameMemory(found.heads[0].sines, found.heads[1].sines)))
    return std::nullopt;
  return found;
}

/// Of one token, the part of `heads` [tokens, heads, size] that has these offsets and sizes.
Value ofOneToken(OpBuilder &b, Value heads, SmallVector<OpFoldResult> offsets, SmallVector<OpFoldResult> sizes) {
  sizes[0] = b.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(3, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, heads.getLoc(), heads, offsets, sizes, strides);
}
/// Of one token, as many heads as `like` has.
Value ofOneToken(OpBuilder &b, Value heads, Value like) {
  SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0));
  return ofOneToken(b, heads, offsets, memref::getMixedSizes(b, heads.getLoc(), like));
}

/// Memory for the rotated heads of queries and of keys, of one token.
memref::AllocOp scratchFor(OpBuilder &b, const Rotation &rotation) {
  Location loc = rotation.heads[0].heads.getLoc();
  // The sizes of allocations, which may be from outside of a loop, so that the plan of memory has this one, too.
  auto sizeOf = [&](RotatedHeads of, unsigned dimension) {
    return getValueOrCreateConstantIndexOp(
        b, loc, of.rotated.getSrc().getDefiningOp<memref::AllocOp>().getMixedSizes()[dimension]);
  };
  RotatedHeads q = rotation.heads[0], k = rotation.heads[1];
  Value heads = b.createOrFold<arith::AddIOp>(loc, sizeOf(q, 1), sizeOf(k, 1));
  Value size = b.createOrFold<arith::MulIOp>(loc, sizeOf(q, 3), arith::ConstantIndexOp::create(b, loc, 2));
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(1), getAsOpFoldResult(heads), getAsOpFoldResult(size)};
  auto [shape, values] = decomposeMixedValues(sizes);
  auto type = MemRefType::get(shape, q.rotated.getType().getElementType());
  auto alloc = memref::AllocOp::create(b, loc, type, values, b.getI64IntegerAttr(64));
  alloc->setAttr(kIntermediateAttr, b.getUnitAttr());
  return alloc;
}
} // namespace

void rotateInAttention(nn::AttentionOp attention, KernelChoice &choice) {
  bool mayBeOne = cast<MemRefType>(attention.getQ().getType()).isDynamicDim(0);
  std::optional<Rotation> rotation = mayBeOne ? rotationOf(attention) : std::nullopt;
  if (!rotation)
    return;
  // The heads and the tables are read later than before.
  llvm::SmallSetVector<Operation *, 4> ends;
  for (const RotatedHeads &heads : rotation->heads)
    for (Operation &op : llvm::make_range(std::next(heads.kernel->getIterator()), attention->getIterator()))
      for (Value input : {heads.heads, heads.cosines, heads.sines})
        if (isa<memref::DeallocOp>(op) && op.getOperand(0) == rootOf(input))
          ends.insert(&op);
        else if (mayWrite(op, input))
          return;
  OpBuilder b(attention);
  Location loc = attention.getLoc();
  RotatedHeads &first = rotation->heads.front(), &last = rotation->heads.back();
  bool areApart = rotation->areApart();
  // Heads that are rotated apart do not lie one behind the other, as those of the op do.
  memref::AllocOp scratch = areApart ? scratchFor(b, *rotation) : memref::AllocOp();
  scf::IfOp branch = ifOneRow(b, attention.getQ());
  b.setInsertionPointToStart(branch.thenBlock());
  // The part of the heads before the rotation that is rotated.
  auto rotated = [&](RotatedHeads of, memref::SubViewOp part) {
    return areApart ? ofOneToken(b, of.heads, of.rotated.getResult())
                    : ofOneToken(b, of.heads, part.getMixedOffsets(), part.getMixedSizes());
  };
  Value q = rotated(first, rotation->q), k = rotated(last, rotation->k);
  Value heads = scratch ? scratch.getResult() : ofOneToken(b, first.rotated.getResult(), first.rotated.getResult());
  auto fused = nn::RotatedAttentionOp::create(
      b, loc, q, k, ofOneToken(b, attention.getV(), attention.getV()), firstRow(b, first.cosines),
      firstRow(b, first.sines), heads, attention.getKeyCache(), attention.getValueCache(), attention.getPosition(),
      attention.getWindowSize(), ofOneToken(b, attention.getOut(), attention.getOut()), attention.getWindowAttr(),
      attention.getScaleAttr());
  if (!choice.has(nn::GroupKind::RotatedAttention, fused, attention)) {
    branch.erase();
    if (scratch)
      scratch.erase();
    return;
  }
  fused->setDiscardableAttrs(attention->getDiscardableAttrDictionary());
  if (scratch) {
    b.setInsertionPointAfter(branch);
    memref::DeallocOp::create(b, loc, scratch);
  }
  for (Operation *end : ends)
    end->moveAfter(branch);
  for (const RotatedHeads &heads : rotation->heads)
    heads.kernel->moveBefore(branch.elseYield());
  attention->moveBefore(branch.elseYield());
}
} // namespace lispier
