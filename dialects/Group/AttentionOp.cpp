//===- AttentionOp.cpp - group.attention ----------------------------------===//
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace lispier::group {
void ScoreOp::build(OpBuilder &, OperationState &) {}

SmallVector<unsigned> AttentionOp::loopsOf(unsigned operand) {
  return llvm::map_to_vector(mapOf(operand).getResults(),
                             [](AffineExpr each) { return cast<AffineDimExpr>(each).getPosition(); });
}

std::optional<unsigned> AttentionOp::dimensionOf(unsigned operand, unsigned loop) {
  SmallVector<unsigned> loops = loopsOf(operand);
  auto *found = llvm::find(loops, loop);
  return found == loops.end() ? std::nullopt : std::optional<unsigned>(found - loops.begin());
}

int64_t AttentionOp::staticSize(unsigned loop) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (std::optional<unsigned> dimension = dimensionOf(operand.getOperandNumber(), loop))
      if (int64_t size = cast<RankedTensorType>(operand.get().getType()).getDimSize(*dimension);
          !ShapedType::isDynamic(size))
        return size;
  return ShapedType::kDynamic;
}

OpFoldResult AttentionOp::sizeOf(OpBuilder &b, unsigned loop) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (std::optional<unsigned> dimension = dimensionOf(operand.getOperandNumber(), loop))
      return tensor::getMixedSize(b, getLoc(), operand.get(), *dimension);
  llvm_unreachable("each loop is of an operand");
}

Value AttentionOp::changedScore() { return cast<ScoreOp>(getScore().front().getTerminator()).getChanged(); }

/// Without lse, if nothing needs it.
LogicalResult AttentionOp::canonicalize(AttentionOp op, PatternRewriter &rewriter) {
  if (op.getNumResults() < 2 || !op.getResult(1).use_empty())
    return rewriter.notifyMatchFailure(op, "has no result that is not used");
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue().drop_back());
  auto alone = AttentionOp::create(rewriter, op.getLoc(), TypeRange(op->getResultTypes()).drop_back(), op.getQuery(),
                                   op.getKey(), op.getValue(), op.getOthers(), op.getInits().drop_back(),
                                   rewriter.getArrayAttr(maps), op.getRoundedAttr());
  rewriter.inlineRegionBefore(op.getScore(), alone.getScore(), alone.getScore().end());
  rewriter.replaceAllUsesWith(op.getResult(0), alone.getResult(0));
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Which loops an operand must have, and may have.
struct AttentionLoops {
  llvm::SmallBitVector must, may;
};

/// The loops of an operand, by what it is.
AttentionLoops loopsAllowed(AttentionOp op, unsigned operand) {
  unsigned outer = op.outerLoops(), others = op.getOthers().size();
  AttentionLoops loops{llvm::SmallBitVector(outer + 4), llvm::SmallBitVector(outer + 4)};
  loops.may.set(0, outer);
  auto need = [&](bool isOuter, ArrayRef<unsigned> own) {
    if (isOuter)
      loops.must.set(0, outer);
    for (unsigned loop : own)
      loops.must.set(loop);
    loops.may |= loops.must;
  };
  if (operand == 0)
    need(true, {op.tokens(), op.headSize()});
  else if (operand == 1)
    need(false, {op.positions(), op.headSize()});
  else if (operand == 2)
    need(false, {op.positions(), op.valueSize()});
  else if (operand < 3 + others)
    loops.may.set(op.tokens()), loops.may.set(op.positions());
  else if (operand == 3 + others)
    need(true, {op.tokens(), op.valueSize()});
  else
    need(true, {op.tokens()});
  return loops;
}

LogicalResult verifyMap(AttentionOp op, unsigned operand, unsigned loops) {
  AffineMap map = op.mapOf(operand);
  auto tensor = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  if (map.getNumDims() != loops || map.getNumSymbols() || !map.isProjectedPermutation())
    return op.emitOpError("has the map ") << AffineMapAttr::get(map) << " of operand " << operand
                                          << ", expected one of " << loops << " loops, each at most once";
  if (map.getNumResults() != (tensor ? tensor.getRank() : 0))
    return op.emitOpError("has operand ") << operand << " of type " << op->getOperand(operand).getType()
                                          << ", whose map has " << map.getNumResults() << " results";
  AttentionLoops allowed = loopsAllowed(op, operand);
  llvm::SmallBitVector has(loops);
  for (unsigned loop : op.loopsOf(operand))
    has.set(loop);
  for (unsigned loop = 0; loop < loops; ++loop)
    if ((allowed.must.test(loop) && !has.test(loop)) || (has.test(loop) && !allowed.may.test(loop)))
      return op.emitOpError("has operand ") << operand << (has.test(loop) ? " along" : " without") << " loop " << loop
                                            << "; loops are " << loops - 4 << " outer ones, tokens, positions, head "
                                            << "size and value size";
  return success();
}
} // namespace

LogicalResult AttentionOp::verify() {
  if (getInits().empty() || getInits().size() > 2)
    return emitOpError("has ") << getInits().size() << " results, expected o, or o and lse";
  if (!llvm::equal(getInits().getTypes(), getResultTypes()))
    return emitOpError("has inits of types ") << getInits().getTypes() << " for results of types " << getResultTypes();
  if (getIndexingMaps().size() != getNumOperands())
    return emitOpError("has ") << getIndexingMaps().size() << " maps for " << getNumOperands() << " operands";
  unsigned loops = mapOf(0).getNumDims();
  if (loops < 4)
    return emitOpError("has ") << loops << " loops, expected at least 4: tokens, positions, head size and value size";
  for (unsigned operand = 0; operand < getNumOperands(); ++operand)
    if (failed(verifyMap(*this, operand, loops)))
      return failure();
  for (OpOperand &operand : getOperation()->getOpOperands())
    for (auto [dimension, loop] : llvm::enumerate(loopsOf(operand.getOperandNumber()))) {
      int64_t own = cast<RankedTensorType>(operand.get().getType()).getDimSize(dimension), size = staticSize(loop);
      if (!ShapedType::isDynamic(own) && own != size)
        return emitOpError("has loop ") << loop << " of size " << size << ", but operand " << operand.getOperandNumber()
                                        << " has " << own << " there";
    }
  for (Value each : {Value(getQuery()), Value(getKey()), Value(getValue()), getInits()[0]})
    if (!isa<FloatType>(getElementTypeOrSelf(each)))
      return emitOpError("is about floats, not ") << each.getType();
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  SmallVector<Type> expected(outerLoops() + 2, IndexType::get(getContext()));
  Block &block = getScore().front();
  unsigned at = expected.size();
  expected.push_back(at < block.getNumArguments() ? block.getArgument(at).getType() : Type());
  for (Type type : getOthers().getTypes())
    expected.push_back(getElementTypeOrSelf(type));
  if (!llvm::equal(block.getArgumentTypes(), expected) || !isa<FloatType>(expected[at]))
    return emitOpError("has a region with arguments of types ")
           << block.getArgumentTypes() << ", expected " << at << " indices, a float, and an element of each operand "
           << "of the scores";
  Type changed = changedScore().getType();
  if (getInits().size() == 2 && getElementTypeOrSelf(getInits()[1]) != changed)
    return emitOpError("has scores of ") << changed << ", and lse of " << getInits()[1].getType();
  return success();
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : getInits())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init));
  return success();
}
} // namespace lispier::group
