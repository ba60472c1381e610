//===- SharedHeads.cpp - heads of keys that heads of queries share --------===//
#include "SharedHeads.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// What [.., heads x count, ..] copies, and how many copies of each head it has, which are neighbours.
struct CopiedHeads {
  Value source;
  OpFoldResult count;
};

/// The heads of which those along dimension `at` are copies.
std::optional<CopiedHeads> copiedHeadsOf(Value heads, std::optional<unsigned> at) {
  auto collapse = heads.getDefiningOp<tensor::CollapseShapeOp>();
  auto copy = collapse ? collapse.getSrc().getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  auto made = copy ? copy.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
  if (!at || !made || copy.getNumDpsInputs() != 1 || collapse.getReassociationIndices()[*at].size() != 2 ||
      collapse.getSrcType().getRank() != collapse.getResultType().getRank() + 1)
    return std::nullopt;
  AffineMap all = AffineMap::getMultiDimIdentityMap(copy.getNumLoops(), copy.getContext());
  bool isCopy = copy.getBody()->getTerminator()->getOperand(0) == copy.getBody()->getArgument(0) &&
                copy.getIndexingMapsArray() == ArrayRef{all.dropResult(*at + 1), all};
  return isCopy ? std::optional(CopiedHeads{copy.getDpsInputs()[0], made.getMixedSizes()[*at + 1]}) : std::nullopt;
}

Value withType(OpBuilder &b, Value tensor, Type type) {
  return tensor.getType() == type ? tensor : tensor::CastOp::create(b, tensor.getLoc(), type, tensor).getResult();
}

/// Which dimensions each one is when there are two in place of dimension `at`.
SmallVector<ReassociationIndices> dividedParts(int64_t rank, int64_t at) {
  return llvm::map_to_vector(llvm::seq(rank), [&](int64_t own) {
    return own == at ? ReassociationIndices{own, own + 1} : ReassociationIndices{own + (own > at)};
  });
}

/// The tensor with dimensions of these sizes in place of dimension `at`; of an init, whose elements nothing reads, one
/// like it.
Value divided(OpBuilder &b, Value tensor, unsigned at, ArrayRef<OpFoldResult> parts, bool isInit) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  sizes[at] = parts[0];
  sizes.insert(sizes.begin() + at + 1, parts[1]);
  if (isInit)
    return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  std::optional<int64_t> first = getConstantIntValue(parts[0]), second = getConstantIntValue(parts[1]);
  SmallVector<int64_t> shape(type.getShape());
  shape[at] = first && second ? *first * *second : ShapedType::kDynamic;
  return tensor::ExpandShapeOp::create(b, loc, type.clone(decomposeMixedValues(sizes).first),
                                       withType(b, tensor, type.clone(shape)), dividedParts(type.getRank(), at), sizes);
}

void divideLoop(group::AttentionOp op, unsigned loop, const CopiedHeads &keys, const CopiedHeads &values) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  OpFoldResult sizes[] = {tensor::getMixedSize(b, loc, keys.source, *op.dimensionOf(1, loop)), keys.count};
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    std::optional<unsigned> at = op.dimensionOf(number, loop);
    Value source = number == 1 ? keys.source : number == 2 ? values.source : Value();
    operands.push_back(source ? source
                       : at   ? divided(b, operand.get(), *at, sizes, op.isDpsInit(&operand))
                              : operand.get());
    SmallVector<AffineExpr> places;
    for (unsigned own : op.loopsOf(number)) {
      places.push_back(b.getAffineDimExpr(own + (own > loop)));
      if (own == loop && !source)
        places.push_back(b.getAffineDimExpr(loop + 1));
    }
    maps.push_back(AffineMap::get(op.mapOf(number).getNumDims() + 1, 0, places, b.getContext()));
  }
  ArrayRef<Value> others = ArrayRef(operands).slice(3, op.getOthers().size()),
                  inits = ArrayRef(operands).take_back(op.getInits().size());
  auto made = group::AttentionOp::create(b, loc, ValueRange(inits).getTypes(), operands[0], operands[1], operands[2],
                                         others, inits, b.getAffineMapArrayAttr(maps), op.getRoundedAttr());
  made.getScore().takeBody(op.getScore());
  made.getScore().insertArgument(loop + 1, b.getIndexType(), loc);
  for (auto [i, before] : llvm::enumerate(op.getResults())) {
    unsigned at = *op.dimensionOf(op->getNumOperands() - inits.size() + i, loop);
    int64_t rank = cast<RankedTensorType>(before.getType()).getRank();
    Value joined = tensor::CollapseShapeOp::create(b, loc, made.getResult(i), dividedParts(rank, at));
    before.replaceAllUsesWith(withType(b, joined, before.getType()));
  }
  op.erase();
}
} // namespace

void shareHeads(group::AttentionOp op) {
  for (unsigned loop = 0; loop < op.outerLoops(); ++loop) {
    std::optional<CopiedHeads> keys = copiedHeadsOf(op.getKey(), op.dimensionOf(1, loop)),
                               values = copiedHeadsOf(op.getValue(), op.dimensionOf(2, loop));
    // What the region computes of a head's number would need both numbers, and the count.
    if (keys && values && keys->count == values->count && op.indexArgument(loop).use_empty())
      return divideLoop(op, loop, *keys, *values);
  }
}
} // namespace lispier
