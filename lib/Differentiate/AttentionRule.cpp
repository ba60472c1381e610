//===- AttentionRule.cpp - the adjoint of attention ------------------------===//
//
// With s = f(q k^T), p = exp(s - lse), o = p v and the cotangents do and dlse:
//
//     dv = p^T do,   ds = p (do v^T - sum(do o) + dlse),   and of q k^T what the rules make of f and ds.
//
// Of the forward pass only o and lse are read: p is computed again, since it is larger than all the rest.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "lispier/Group/AttentionParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using Loop = utils::IteratorType;

namespace lispier {
namespace {
class AttentionAdjoint {
public:
  AttentionAdjoint(group::AttentionOp op, Reverse &reverse)
      : op(op), reverse(reverse), b(reverse.b), loc(op.getLoc()), type(op.changedScore().getType()),
        all(b.getMultiDimIdentityMap(op.mapOf(0).getNumDims())), ofScores(all.getMajorSubMap(op.outerLoops() + 2)),
        ofRows(all.getMajorSubMap(op.outerLoops() + 1)) {}

  LogicalResult run(Value ofResult, Value ofLogSums);

private:
  /// A tensor, and which of the op's loops its dimensions are.
  struct Placed {
    Value tensor;
    AffineMap map;
  };
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  Placed operand(unsigned number) { return {op->getOperand(number), op.mapOf(number)}; }
  SmallVector<OpFoldResult> sizesOf(AffineMap map);
  Placed generic(ArrayRef<Placed> inputs, AffineMap made, Type element, Body body);
  Placed product(Placed left, Placed right, AffineMap made);
  Placed changedScores(Placed scores);
  Value whereSeen(OpBuilder &inner, Value logSum, Value number);
  Placed correction(Placed cotangent, Value ofLogSums);
  void addProduct(Placed left, Placed right, unsigned number);
  Placed rounded(Placed wide, Value factor);

  group::AttentionOp op;
  Reverse &reverse;
  OpBuilder &b;
  Location loc;
  Type type; ///< Of scores, sums and weights.
  AffineMap all, ofScores, ofRows;
};

SmallVector<OpFoldResult> AttentionAdjoint::sizesOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr loop) { return op.sizeOf(b, cast<AffineDimExpr>(loop).getPosition()); });
}

/// An elementwise op on the loops of the result; with loops that it lacks a sum.
AttentionAdjoint::Placed AttentionAdjoint::generic(ArrayRef<Placed> inputs, AffineMap made, Type element, Body body) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Placed &each : inputs) {
    tensors.push_back(each.tensor);
    maps.push_back(each.map);
  }
  maps.push_back(made);
  maps = compressUnusedDims(maps);
  SmallVector<Loop> loops(maps.back().getNumDims(), Loop::reduction);
  for (AffineExpr loop : maps.back().getResults())
    loops[cast<AffineDimExpr>(loop).getPosition()] = Loop::parallel;
  bool reduces = llvm::is_contained(loops, Loop::reduction);
  Value init = tensor::EmptyOp::create(b, loc, sizesOf(made), element);
  if (reduces) {
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
  }
  auto result = linalg::GenericOp::create(b, loc, init.getType(), tensors, init, maps, loops,
                                          [&](OpBuilder &inner, Location place, ValueRange elements) {
                                            Value value = body(inner, elements.drop_back());
                                            if (reduces)
                                              value = arith::AddFOp::create(inner, place, value, elements.back());
                                            linalg::YieldOp::create(inner, place, value);
                                          });
  return {result.getResult(0), made};
}

/// The product of the two, summed along the loops that the result lacks, in the type of the scores.
AttentionAdjoint::Placed AttentionAdjoint::product(Placed left, Placed right, AffineMap made) {
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value empty = tensor::EmptyOp::create(b, loc, sizesOf(made), type);
  Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  SmallVector<AffineMap> maps = compressUnusedDims(ArrayRef<AffineMap>{left.map, right.map, made});
  auto product = linalg::ContractOp::create(b, loc, TypeRange(zeros.getType()), ValueRange{left.tensor, right.tensor},
                                            ValueRange(zeros), b.getAffineMapArrayAttr(maps));
  return {product->getResult(0), made};
}

/// The scores as the op's region changes them; the scores themselves if it does not.
AttentionAdjoint::Placed AttentionAdjoint::changedScores(Placed scores) {
  if (op.changedScore() == op.scoreArgument())
    return scores;
  SmallVector<Placed> inputs{scores};
  for (auto [i, other] : llvm::enumerate(op.getOthers()))
    if (isa<TensorType>(other.getType()))
      inputs.push_back(operand(3 + i));
  return generic(inputs, ofScores, type, [&](OpBuilder &inner, ValueRange elements) {
    SmallVector<Value> arguments;
    for (unsigned loop = 0; loop < ofScores.getNumResults(); ++loop)
      arguments.push_back(op.indexArgument(loop).use_empty() ? Value()
                                                             : linalg::IndexOp::create(inner, loc, loop).getResult());
    arguments.push_back(elements.front());
    elements = elements.drop_front();
    for (Value other : op.getOthers())
      if (isa<TensorType>(other.getType())) {
        arguments.push_back(elements.front());
        elements = elements.drop_front();
      } else {
        arguments.push_back(other);
      }
    return group::cloneScore(inner, op, arguments);
  });
}

/// The number, or 0 of a row that sees nothing, whose log-sum-exp is -inf.
Value AttentionAdjoint::whereSeen(OpBuilder &inner, Value logSum, Value number) {
  Value least =
      arith::ConstantOp::create(inner, loc, inner.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  Value isUnseen = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ, logSum, least);
  Value zero = arith::ConstantOp::create(inner, loc, cast<TypedAttr>(inner.getZeroAttr(type)));
  return arith::SelectOp::create(inner, loc, isUnseen, zero, number);
}

/// Of each row sum(do o) - dlse, what is subtracted from the cotangents of its weights.
AttentionAdjoint::Placed AttentionAdjoint::correction(Placed cotangent, Value ofLogSums) {
  auto widened = [&](OpBuilder &inner, Value number) {
    return convertScalarToDtype(inner, loc, number, type, /*isUnsignedCast=*/false);
  };
  Placed sums =
      generic({cotangent, {op.getResult(0), op.resultMap(0)}}, ofRows, type,
              [&](OpBuilder &inner, ValueRange elements) -> Value {
                return arith::MulFOp::create(inner, loc, widened(inner, elements[0]), widened(inner, elements[1]));
              });
  SmallVector<Placed> inputs{sums, {op.getResult(1), op.resultMap(1)}};
  if (ofLogSums)
    inputs.push_back({ofLogSums, op.resultMap(1)});
  return generic(inputs, ofRows, type, [&](OpBuilder &inner, ValueRange elements) -> Value {
    Value sum = whereSeen(inner, elements[1], elements[0]);
    return ofLogSums ? arith::SubFOp::create(inner, loc, sum, elements[2]).getResult() : sum;
  });
}

/// The tensor in the type of the other factor of a product, if that is narrower: kernels multiply equal types.
AttentionAdjoint::Placed AttentionAdjoint::rounded(Placed wide, Value factor) {
  Type element = getElementTypeOrSelf(factor.getType());
  bool isNarrow = element.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  return isNarrow ? Placed{reverse.withElements(loc, wide.tensor, element), wide.map} : wide;
}

/// Adds a product to an operand's cotangent.
void AttentionAdjoint::addProduct(Placed left, Placed right, unsigned number) {
  Value own = op->getOperand(number);
  if (reverse.isActive(own))
    reverse.add(own, reverse.withElements(loc, product(rounded(left, right.tensor), right, op.mapOf(number)).tensor,
                                          getElementTypeOrSelf(own.getType())));
}

LogicalResult AttentionAdjoint::run(Value ofResult, Value ofLogSums) {
  Placed cotangent{ofResult ? ofResult : reverse.zerosLike(loc, op.getResult(0)), op.resultMap(0)};
  Placed scores = product(operand(0), operand(1), ofScores), changed = changedScores(scores);
  Placed logSums{op.getResult(1), op.resultMap(1)};
  Placed weights = generic({changed, logSums}, ofScores, type, [&](OpBuilder &inner, ValueRange elements) -> Value {
    Value shift = whereSeen(inner, elements[1], elements[1]); // Of scores that are all -inf.
    return math::ExpOp::create(inner, loc, arith::SubFOp::create(inner, loc, elements[0], shift));
  });
  Placed ofWeights = product(cotangent, operand(2), ofScores), subtracted = correction(cotangent, ofLogSums);
  Placed ofChanged =
      generic({weights, ofWeights, subtracted}, ofScores, type, [&](OpBuilder &inner, ValueRange elements) -> Value {
        Value difference = arith::SubFOp::create(inner, loc, elements[1], elements[2]);
        return arith::MulFOp::create(inner, loc, elements[0], difference);
      });
  Placed ofScore = ofChanged;
  if (changed.tensor != scores.tensor) {
    reverse.active.insert(scores.tensor);
    reverse.active.insert(changed.tensor);
    reverse.add(changed.tensor, ofChanged.tensor);
    if (failed(reverseGeneric(changed.tensor.getDefiningOp(), reverse)))
      return failure();
    ofScore.tensor = reverse.take(scores.tensor);
  }
  if (ofScore.tensor) { // A region may forget the score.
    addProduct(ofScore, operand(1), 0);
    addProduct(ofScore, operand(0), 1);
  }
  addProduct(weights, cotangent, 2); // Beside that of keys, with which it is one kernel.
  return success();
}
} // namespace

LogicalResult reverseAttention(Operation *op, Reverse &reverse) {
  auto attention = cast<group::AttentionOp>(op);
  Value ofResult = reverse.take(op->getResult(0)), ofLogSums = reverse.take(op->getResult(1));
  return AttentionAdjoint(attention, reverse).run(ofResult, ofLogSums);
}
} // namespace lispier
