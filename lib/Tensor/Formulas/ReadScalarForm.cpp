//===- ReadScalarForm.cpp - formulas of linalg ops ------------------------===//
#include "ScalarForm.h"
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

namespace {
/// The attributes that change what the op computes; a predicate alone as itself.
Attribute meaningOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compare.getPredicateAttr();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicateAttr();
  NamedAttrList kept;
  for (NamedAttribute each : op->getAttrDictionary())
    if (!isa<arith::FastMathFlagsAttr, arith::IntegerOverflowFlagsAttr>(each.getValue()))
      kept.append(each);
  return kept.empty() ? Attribute() : kept.getDictionary(op->getContext());
}
} // namespace

bool mayBeLeftOut(arith::TruncFOp op) {
  return op.getFastmath() && bitEnumContainsAll(*op.getFastmath(), arith::FastMathFlags::contract);
}

std::optional<SmallVector<int>> placesOfUnitReshape(Operation *op) {
  auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op);
  auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op);
  if (!expand && !collapse)
    return std::nullopt;
  RankedTensorType wide = expand ? expand.getResultType() : collapse.getSrcType();
  SmallVector<ReassociationIndices> parts =
      expand ? expand.getReassociationIndices() : collapse.getReassociationIndices();
  SmallVector<int> places(cast<RankedTensorType>(op->getResult(0).getType()).getRank(), -1);
  for (auto [narrow, part] : llvm::enumerate(parts)) {
    SmallVector<int64_t> proper =
        llvm::filter_to_vector(part, [&](int64_t each) { return wide.getDimSize(each) != 1; });
    if (proper.size() > 1)
      return std::nullopt;
    int64_t own = proper.empty() ? part.front() : proper[0];
    if (expand)
      places[own] = narrow;
    else
      places[narrow] = own;
  }
  return places;
}

Ref ScalarForms::element(Value tensor) {
  return element(tensor, places(cast<RankedTensorType>(tensor.getType()).getRank()));
}

Ref ScalarForms::element(Value tensor, ArrayRef<Ref> place) {
  auto key = std::pair(tensor.getAsOpaquePointer(), std::vector<Ref>(place.begin(), place.end()));
  if (auto known = elements.find(key); known != elements.end())
    return known->second;
  auto found = [&]() -> Ref {
    Operation *op = tensor.getDefiningOp();
    if (op && !(isLeaf && isLeaf(tensor))) {
      if (auto cast = dyn_cast<tensor::CastOp>(op))
        return element(cast.getSource(), place);
      if (std::optional<SmallVector<int>> reshaped = placesOfUnitReshape(op)) {
        SmallVector<Ref> source(cast<RankedTensorType>(op->getOperand(0).getType()).getRank(), index(0));
        for (auto [at, from] : llvm::zip(place, *reshaped))
          if (from >= 0)
            source[from] = at;
        return element(op->getOperand(0), source);
      }
      DenseElementsAttr splat;
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (splat)
        return this->constant(splat.getSplatValue<TypedAttr>());
      auto maker = dyn_cast<linalg::LinalgOp>(op);
      if (maker && maker.hasPureTensorSemantics() && maker->getNumRegions() == 1)
        if (Ref form = made(maker, cast<OpResult>(tensor).getResultNumber(), place))
          return form;
    }
    ScalarForm node;
    node.kind = ScalarForm::Kind::Element, node.type = getElementTypeOrSelf(tensor), node.value = tensor;
    node.operands = place;
    return unique(node);
  }();
  elements[key] = found;
  return found;
}

/// Null if the op has no rule.
Ref ScalarForms::made(linalg::LinalgOp op, unsigned result, ArrayRef<Ref> place) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return number(fill.getInputs()[0]);
  std::optional<SmallVector<unsigned>> own = loopDimsOf(op, *op.getDpsInitOperand(result));
  if (!own)
    return nullptr;
  Iteration iteration{op, op.getBlock(), SmallVector<Ref>(op.getNumLoops(), nullptr), Numbers()};
  for (auto [loop, at] : llvm::zip(*own, place))
    iteration.loops[loop] = at;
  SmallVector<Ref> indices;
  for (auto [loop, at] : llvm::enumerate(iteration.loops))
    if (!at) {
      ScalarForm node;
      node.kind = ScalarForm::Kind::Reduced, node.type = IndexType::get(context), node.owner = op, node.number = loop;
      at = unique(node);
      indices.push_back(at);
    }
  if (indices.empty())
    return valueIn(iteration, op.getBlock()->getTerminator()->getOperand(result));
  return reduced(op, result, iteration, indices);
}

/// A reduction by an associative op; null for others.
Ref ScalarForms::reduced(linalg::LinalgOp op, unsigned result, Iteration &iteration, ArrayRef<Ref> indices) {
  SmallVector<Ref> sums;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    BlockArgument sum = op.getMatchingBlockArgument(&init);
    sums.push_back(unknown(sum.getType()));
    iteration.known[sum] = sums.back();
  }
  OpOperand *init = op.getDpsInitOperand(result);
  Value sum = op.getMatchingBlockArgument(init);
  Operation *combine = op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                       arith::MinNumFOp, arith::AddIOp, arith::MaxSIOp, arith::MinSIOp>(combine) ||
      combine->getBlock() != op.getBlock() || (combine->getOperand(0) != sum && combine->getOperand(1) != sum))
    return nullptr;
  Ref of = valueIn(iteration, combine->getOperand(combine->getOperand(0) == sum ? 1 : 0));
  if (contains(of, [&](Ref node) { return llvm::is_contained(sums, node); }))
    return nullptr;
  SmallVector<Ref> first;
  for (AffineExpr expression : op.getMatchingIndexingMap(init).getResults())
    first.push_back(iteration.loops[cast<AffineDimExpr>(expression).getPosition()]);
  ScalarForm node;
  node.kind = ScalarForm::Kind::Reduce, node.type = sum.getType();
  node.name = combine->getName().getStringRef();
  SmallVector<Ref> operands{of, element(init->get(), first)};
  llvm::append_range(operands, indices);
  node.operands = operands;
  return unique(node);
}

Ref ScalarForms::inRegion(linalg::LinalgOp op, ArrayRef<Ref> loops, Value value) {
  Iteration iteration{op, op.getBlock(), SmallVector<Ref>(loops), Numbers()};
  return valueIn(iteration, value);
}

Ref ScalarForms::changedScore(group::AttentionOp op, Ref score) {
  SmallVector<Ref> loops = places(op.outerLoops() + 2);
  Iteration iteration{nullptr, &op.getScore().front(), loops, Numbers()};
  for (auto [loop, index] : llvm::enumerate(loops))
    iteration.known[op.indexArgument(loop)] = index;
  iteration.known[op.scoreArgument()] = score;
  for (auto [i, other] : llvm::enumerate(op.getOthers())) {
    SmallVector<Ref> place = llvm::map_to_vector(op.loopsOf(3 + i), [&](unsigned loop) { return loops[loop]; });
    iteration.known[op.otherArgument(i)] = isa<TensorType>(other.getType()) ? element(other, place) : number(other);
  }
  return valueIn(iteration, op.changedScore());
}

Ref ScalarForms::indexBy(AffineExpr expression, ArrayRef<Ref> dims) {
  Type type = IndexType::get(context);
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return index(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  auto both = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!both || (both.getKind() != AffineExprKind::Add && both.getKind() != AffineExprKind::Mul))
    return unknown(type);
  Ref left = indexBy(both.getLHS(), dims), right = indexBy(both.getRHS(), dims);
  return both.getKind() == AffineExprKind::Add ? apply<arith::AddIOp>(type, {left, right})
                                               : apply<arith::MulIOp>(type, {left, right});
}

Ref ScalarForms::argumentIn(Iteration &iteration, BlockArgument argument) {
  OpOperand *operand = iteration.op.getMatchingOpOperand(argument);
  if (!isa<TensorType>(operand->get().getType()))
    return number(operand->get());
  auto place = llvm::map_to_vector(iteration.op.getMatchingIndexingMap(operand).getResults(),
                                   [&](AffineExpr each) { return indexBy(each, iteration.loops); });
  return element(operand->get(), place);
}

Ref ScalarForms::applied(Operation *op, ArrayRef<Ref> operands) {
  if (auto rounding = dyn_cast<arith::TruncFOp>(op); rounding && mayBeLeftOut(rounding))
    return operands[0];
  return apply(op->getName().getStringRef(), op->getResult(0).getType(), operands, meaningOf(op));
}

Ref ScalarForms::valueIn(Iteration &iteration, Value value) {
  if (Ref known = iteration.known.lookup(value))
    return known;
  if (value.getParentBlock() != iteration.block)
    return number(value);
  auto found = [&]() -> Ref {
    if (auto own = dyn_cast<BlockArgument>(value))
      return argumentIn(iteration, own);
    Operation *op = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return iteration.loops[index.getDim()];
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return this->constant(constant.getValue());
    if (op->getNumRegions() || op->getNumResults() != 1 || op->getNumOperands() == 0)
      return unknown(value.getType());
    auto gather = dyn_cast<tensor::ExtractOp>(op);
    SmallVector<Ref> operands;
    for (Value operand : gather ? ValueRange(gather.getIndices()) : ValueRange(op->getOperands())) {
      if (isa<ShapedType>(operand.getType()))
        return unknown(value.getType());
      operands.push_back(valueIn(iteration, operand));
    }
    if (gather)
      return element(gather.getTensor(), operands);
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      AffineMap map = apply.getAffineMap();
      return map.getNumSymbols() ? unknown(value.getType()) : indexBy(map.getResult(0), operands);
    }
    return applied(op, operands);
  }();
  iteration.known[value] = found;
  return found;
}

Ref ScalarForms::number(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<group::KernelOp>(argument.getOwner()->getParentOp()))
      return number(kernel->getOperand(argument.getArgNumber()));
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return this->constant(constant.getValue());
  // A cast of an integer names another number only if it narrows it; other integers, such as positions, are what
  // callers ask for as values.
  bool isFollowed = isa_and_nonnull<arith::ArithDialect>(op ? op->getDialect() : nullptr) ||
                    (op && op->getName().getDialectNamespace() == "math");
  bool isInteger = value.getType().isIntOrIndex();
  if (isInteger)
    isFollowed =
        isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
  if (isFollowed && !(isLeaf && isLeaf(value)) && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
      llvm::none_of(op->getOperandTypes(), [](Type type) { return isa<ShapedType>(type); }))
    return applied(op, llvm::map_to_vector(op->getOperands(), [&](Value each) { return number(each); }));
  ScalarForm node;
  node.kind = ScalarForm::Kind::Number, node.type = value.getType(), node.value = value;
  return unique(node);
}
} // namespace lispier
