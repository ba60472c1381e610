//===- TensorRules.cpp - adjoints of slices, reshapes, elements, choices --===//
#include "JoinedPieces.h"
#include "Rules.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
LogicalResult applyRule(Operation *op, Reverse &reverse) {
#define RULE(Op, function)                                                                                             \
  if (isa<Op>(op))                                                                                                     \
    return function(op, reverse);
#define CONSTANT(Op)                                                                                                   \
  if (isa<Op>(op))                                                                                                     \
    return success();
#define REFUSED(Op, message, hint)                                                                                     \
  if (isa<Op>(op))                                                                                                     \
    return reverse.refuse(op, message, hint);
#include "Rules.def"
  for (Value result : op->getResults())
    if (Value cotangent = reverse.take(result))
      if (!reverseScalar(reverse.b, op, cotangent,
                         {[&](Value operand) { return reverse.isActive(operand); },
                          [&](Value operand, Value more) { reverse.add(operand, more); }}))
        return reverse.refuse(op, "`" + op->getName().getStringRef() + "` has no gradient",
                              "write (stop-gradient ...) around the value if it is to count as a constant");
  return success();
}

LogicalResult reverseTensorCast(Operation *op, Reverse &reverse) {
  reverse.add(op->getOperand(0), reverse.take(op->getResult(0)));
  return success();
}

LogicalResult reverseCollapse(Operation *op, Reverse &reverse) {
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  Value cotangent = reverse.take(op->getResult(0));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(reverse.b, op->getLoc(), collapse.getSrc());
  reverse.add(collapse.getSrc(), tensor::ExpandShapeOp::create(reverse.b, op->getLoc(), collapse.getSrcType(),
                                                               cotangent, collapse.getReassociationIndices(), sizes));
  return success();
}

LogicalResult reverseExpand(Operation *op, Reverse &reverse) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  reverse.add(expand.getSrc(),
              tensor::CollapseShapeOp::create(reverse.b, op->getLoc(), expand.getSrcType(),
                                              reverse.take(op->getResult(0)), expand.getReassociationIndices()));
  return success();
}

namespace {
/// The cotangent of one element.
Piece elementPiece(OpBuilder &b, Value number, ValueRange indices) {
  Location loc = number.getLoc();
  SmallVector<int64_t> ones(indices.size(), 1);
  Piece piece;
  piece.value = tensor::FromElementsOp::create(b, loc, RankedTensorType::get(ones, number.getType()), number);
  piece.offsets.assign(indices.begin(), indices.end());
  piece.sizes.assign(indices.size(), b.getIndexAttr(1));
  piece.strides = piece.sizes;
  return piece;
}
} // namespace

LogicalResult reverseExtract(Operation *op, Reverse &reverse) {
  auto extract = cast<tensor::ExtractOp>(op);
  Value cotangent = reverse.take(op->getResult(0));
  if (extract.getIndices().empty())
    reverse.add(extract.getTensor(),
                tensor::FromElementsOp::create(reverse.b, op->getLoc(), RankedTensorType::get({}, cotangent.getType()),
                                               cotangent));
  else
    reverse.addPiece(extract.getTensor(), elementPiece(reverse.b, cotangent, extract.getIndices()));
  return success();
}

LogicalResult reverseFromElements(Operation *op, Reverse &reverse) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value cotangent = reverse.take(op->getResult(0));
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!reverse.isActive(operand))
      continue;
    SmallVector<Value> at(type.getRank());
    int64_t rest = i;
    for (int64_t d = type.getRank() - 1; d >= 0; rest /= type.getDimSize(d), --d)
      at[d] = arith::ConstantIndexOp::create(reverse.b, op->getLoc(), rest % type.getDimSize(d));
    reverse.add(operand, tensor::ExtractOp::create(reverse.b, op->getLoc(), cotangent, at));
  }
  return success();
}

LogicalResult reverseInsert(Operation *op, Reverse &reverse) {
  auto insert = cast<tensor::InsertOp>(op);
  Location loc = op->getLoc();
  Value cotangent = reverse.take(op->getResult(0));
  if (reverse.isActive(insert.getScalar()))
    reverse.add(insert.getScalar(), tensor::ExtractOp::create(reverse.b, loc, cotangent, insert.getIndices()));
  if (!reverse.isActive(insert.getDest()))
    return success();
  Value zero = reverse.zerosLike(loc, insert.getScalar());
  reverse.add(insert.getDest(), tensor::InsertOp::create(reverse.b, loc, zero, cotangent, insert.getIndices()));
  return success();
}

LogicalResult reverseExtractSlice(Operation *op, Reverse &reverse) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  reverse.addPiece(slice.getSource(), {reverse.take(op->getResult(0)), slice.getMixedOffsets(), slice.getMixedSizes(),
                                       slice.getMixedStrides()});
  return success();
}

/// The slices that have been inserted where nothing was, up to `last`, if they follow each other: concat. Each has the
/// cotangent of its place in `cotangent`, and what was there before has none. False for others.
bool reverseJoin(tensor::InsertSliceOp last, Value cotangent, Reverse &reverse) {
  SmallVector<Piece> pieces;
  Value whole = last;
  while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert != last && !insert->hasOneUse())
      return false;
    pieces.push_back({insert.getSource(), insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides()});
    whole = insert.getDest();
  }
  if (reverse.isActive(whole) || !sortAlongOne(pieces))
    return false;
  for (const Piece &piece : pieces)
    if (reverse.isActive(piece.value))
      reverse.add(piece.value, tensor::ExtractSliceOp::create(reverse.b, last.getLoc(),
                                                              cast<RankedTensorType>(piece.value.getType()), cotangent,
                                                              piece.offsets, piece.sizes, piece.strides));
  return true;
}

LogicalResult reverseInsertSlice(Operation *op, Reverse &reverse) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  Location loc = op->getLoc();
  Value cotangent = reverse.take(op->getResult(0));
  if (reverseJoin(insert, cotangent, reverse))
    return success();
  auto offsets = insert.getMixedOffsets(), sizes = insert.getMixedSizes(), strides = insert.getMixedStrides();
  if (reverse.isActive(insert.getSource()))
    reverse.add(insert.getSource(), tensor::ExtractSliceOp::create(reverse.b, loc, insert.getSourceType(), cotangent,
                                                                   offsets, sizes, strides));
  if (reverse.isActive(insert.getDest())) {
    Value zeros = reverse.zerosLike(loc, insert.getSource());
    reverse.add(insert.getDest(),
                tensor::InsertSliceOp::create(reverse.b, loc, zeros, cotangent, offsets, sizes, strides));
  }
  return success();
}

/// A choice between tensors, of canonicalization, or between numbers.
LogicalResult reverseSelect(Operation *op, Reverse &reverse) {
  auto select = cast<arith::SelectOp>(op);
  Location loc = op->getLoc();
  Value cotangent = reverse.take(op->getResult(0));
  Value zero = reverse.zerosLike(loc, cotangent);
  auto chosen = [&](Value ifTrue, Value ifFalse) {
    return arith::SelectOp::create(reverse.b, loc, select.getCondition(), ifTrue, ifFalse).getResult();
  };
  if (reverse.isActive(select.getTrueValue()))
    reverse.add(select.getTrueValue(), chosen(cotangent, zero));
  if (reverse.isActive(select.getFalseValue()))
    reverse.add(select.getFalseValue(), chosen(zero, cotangent));
  return success();
}

LogicalResult reverseCopy(Operation *op, Reverse &reverse) {
  if (Value source = cast<bufferization::AllocTensorOp>(op).getCopy())
    reverse.add(source, reverse.take(op->getResult(0)));
  return success();
}

/// Of a tensor in other memory.
LogicalResult reverseTransfer(Operation *op, Reverse &reverse) {
  Value source = op->getOperand(0), cotangent = reverse.take(op->getResult(0));
  if (!isa<RankedTensorType>(source.getType()))
    return reverse.refuse(op, "memory has no gradient", "");
  reverse.add(source, cotangent);
  return success();
}

/// A call of a function with a rule of its own: a call of the rule.
LogicalResult reverseCall(Operation *op, Reverse &reverse) {
  auto call = cast<func::CallOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
  auto symbol = callee ? callee->getAttrOfType<FlatSymbolRefAttr>(grad::kRule) : FlatSymbolRefAttr();
  auto rule = symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol) : func::FuncOp();
  if (!rule)
    return reverse.refuse(op, "this function has no gradient: it calls itself, or is external",
                          "write (stop-gradient ...) around the call if the value is to count as a constant");
  SmallVector<Value> operands(call.getOperands());
  operands.push_back(reverse.take(op->getResult(0)));
  for (auto [operand, type] : llvm::zip(operands, rule.getArgumentTypes()))
    operand = reverse.asType(op->getLoc(), operand, type);
  ValueRange gradients = func::CallOp::create(reverse.b, op->getLoc(), rule, operands).getResults();
  for (Value operand : call.getOperands())
    if (hasGradient(operand.getType())) {
      reverse.add(operand, gradients.front());
      gradients = gradients.drop_front();
    }
  return success();
}

LogicalResult reverseStop(Operation *, Reverse &) { return success(); }
} // namespace lispier
