//===- BodyAdjoint.cpp - the adjoint of a linalg.generic's body -----------===//
#include "BodyAdjoint.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
BodyAdjoint::BodyAdjoint(linalg::GenericOp op, Reverse &reverse) : op(op), reverse(reverse), b(reverse.b) {
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back({operand.get(), op.getMatchingIndexingMap(&operand)});
    BlockArgument own = op.getMatchingBlockArgument(&operand);
    copies.map(own, block.addArgument(own.getType(), own.getLoc()));
  }
}

/// Finds what is combined. False if a reduction is none that has a rule.
bool BodyAdjoint::findSummand() {
  summand = op.getBody()->getTerminator()->getOperand(0);
  if (op.getNumReductionLoops() == 0)
    return true;
  BlockArgument out = op.getBody()->getArguments().back();
  combiner = summand.getDefiningOp();
  if (!out.hasOneUse() || !combiner || *out.user_begin() != combiner ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
          combiner))
    return false;
  summand = combiner->getOperand(combiner->getOperand(0) == out ? 1 : 0);
  return true;
}

/// A tensor of the result's shape that begins with `start`, and into which the op's iterations combine each of its
/// elements once more. `whole` is a tensor of that shape, whose element `combine` takes, too.
Value BodyAdjoint::combinedAgain(double start, Value whole, Combine combine) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  Value first = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, start));
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, op.getResult(0)), element);
  Value filled = linalg::FillOp::create(b, loc, first, empty).getResult(0);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap outMap = maps.back();
  inputs.push_back(whole);
  maps.push_back(outMap);
  return linalg::GenericOp::create(b, loc, filled.getType(), inputs, filled, maps, op.getIteratorTypesArray(),
                                   [&](OpBuilder &inner, Location place, ValueRange arguments) {
                                     IRMapping mapping;
                                     mapping.map(op.getBody()->getArguments().drop_back(), arguments.drop_back(2));
                                     for (Operation &inside : op.getBody()->without_terminator())
                                       if (&inside != combiner)
                                         inner.clone(inside, mapping);
                                     ScalarBuilder s(inner, place, element);
                                     Value more = combine(s, mapping.lookupOrDefault(summand),
                                                          arguments[arguments.size() - 2], arguments.back());
                                     linalg::YieldOp::create(inner, place, more);
                                   })
      .getResult(0);
}

/// Tensors of the result's shape, element by element.
Value BodyAdjoint::perResult(ValueRange tensors, function_ref<Value(ScalarBuilder &, ValueRange)> body) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, op.getResult(0)), type.getElementType());
  SmallVector<AffineMap> same(tensors.size() + 1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, empty.getType(), tensors, empty, same, loops,
                                   [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                     ScalarBuilder s(inner, place, type.getElementType());
                                     linalg::YieldOp::create(inner, place, body(s, numbers));
                                   })
      .getResult(0);
}

/// Of a maximum: the result's cotangent over the number of elements that equal it, which share it.
Value BodyAdjoint::shareOf(Value cotangent) {
  Value count = combinedAgain(0, op.getResult(0), [](ScalarBuilder &s, Value number, Value result, Value sofar) {
    Value equal = s.compare(arith::CmpFPredicate::OEQ, number, result);
    return s.add(sofar, s.select(equal, s.number(1), s.number(0)));
  });
  return perResult({cotangent, count},
                   [](ScalarBuilder &s, ValueRange numbers) { return s.div(numbers[0], numbers[1]); });
}

/// Of a product: the cotangent of an element is the result's times the product of the other elements. That is the
/// product of all that are not 0, over the element itself if none is 0; where one element is 0 only that one has a
/// cotangent.
Value BodyAdjoint::seedOfProduct(OpBuilder &inner, Value cotangent) {
  Value result = op.getResult(0);
  Value zeros = combinedAgain(0, result, [](ScalarBuilder &s, Value number, Value, Value sofar) {
    return s.add(sofar, s.select(s.isZero(number), s.number(1), s.number(0)));
  });
  Value others = combinedAgain(1, result, [](ScalarBuilder &s, Value number, Value, Value sofar) {
    return s.mul(sofar, s.select(s.isZero(number), s.number(1), number));
  });
  AffineMap outMap = operands.back().map;
  Type element = getElementTypeOrSelf(cotangent.getType());
  SmallVector<Value> ifZeros;
  for (double count : {0.0, 1.0}) {
    Value seed = perResult({cotangent, zeros, others}, [&](ScalarBuilder &s, ValueRange numbers) {
      Value holds = s.compare(arith::CmpFPredicate::OEQ, numbers[1], s.number(count));
      return s.select(holds, s.mul(numbers[0], numbers[2]), s.number(0));
    });
    operands.push_back({seed, outMap});
    ifZeros.push_back(block.addArgument(element, op.getLoc()));
  }
  ScalarBuilder s(inner, op.getLoc(), element);
  Value number = copies.lookupOrDefault(summand);
  return s.select(s.isZero(number), ifZeros[1], s.div(ifZeros[0], number));
}

/// Finds what is active in the block, and the active values that it reads from outside.
void BodyAdjoint::findActive() {
  for (auto [argument, operand] : llvm::zip(block.getArguments(), operands))
    if (reverse.isActive(operand.tensor))
      activeInside.insert(argument);
  for (Operation *inside : forward) {
    bool depends = false;
    for (Value operand : inside->getOperands()) {
      if (reverse.isActive(operand) && !isa<RankedTensorType>(operand.getType())) {
        activeNumberSet.insert(operand);
        activeInside.insert(operand);
      }
      depends |= activeInside.contains(operand);
    }
    if (auto read = dyn_cast<tensor::ExtractOp>(inside); read && reverse.isActive(read.getTensor())) {
      activeReads.push_back(read);
      depends = true;
    }
    if (depends)
      for (Value result : inside->getResults())
        if (hasGradient(result.getType()))
          activeInside.insert(result);
  }
  activeNumbers = llvm::to_vector(activeNumberSet);
}

LogicalResult BodyAdjoint::walk(Value seed) {
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(&block);
  auto add = [&](Value value, Value cotangent) {
    if (!activeInside.contains(value))
      return;
    Value &all = cotangents[value];
    all = all ? arith::AddFOp::create(inner, cotangent.getLoc(), all, cotangent).getResult() : cotangent;
  };
  add(copies.lookupOrDefault(summand), seed);
  for (Operation *inside : llvm::reverse(forward)) {
    Value cotangent = inside->getNumResults() ? cotangents.lookup(inside->getResult(0)) : Value();
    if (!cotangent || llvm::is_contained(activeReads, inside))
      continue;
    if (!reverseScalar(inner, inside, cotangent, {[&](Value operand) { return activeInside.contains(operand); }, add}))
      return inside->emitError("`") << inside->getName() << "` has no gradient";
  }
  return success();
}

LogicalResult BodyAdjoint::differentiate(Value cotangent) {
  if (!findSummand())
    return reverse.refuse(op, "this reduction has no gradient", "sums, means, products, maxima and minima have one");
  if (op->getNumResults() != 1)
    return reverse.refuse(op, "this op of several results has no gradient", "");
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(&block);
  for (Operation &inside : op.getBody()->without_terminator())
    if (&inside != combiner)
      forward.push_back(inner.clone(inside, copies));
  findActive();
  AffineMap outMap = operands.back().map;
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(cotangent.getType());
  if (!combiner || isa<arith::AddFOp>(combiner)) {
    operands.push_back({cotangent, outMap});
    Value seed = block.addArgument(element, loc);
    if (combiner)
      reverse.add(op.getDpsInits()[0], cotangent);
    return walk(seed);
  }
  if (reverse.isActive(op.getDpsInits()[0]))
    return reverse.refuse(op, "this reduction has no gradient by its first value", "");
  if (isa<arith::MulFOp>(combiner))
    return walk(seedOfProduct(inner, cotangent));
  operands.push_back({shareOf(cotangent), outMap});
  operands.push_back({op.getResult(0), outMap});
  Value share = block.addArgument(element, loc), extreme = block.addArgument(element, loc);
  Value zero = arith::ConstantOp::create(inner, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  Value equal = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ, copies.lookupOrDefault(summand), extreme);
  return walk(arith::SelectOp::create(inner, loc, equal, share, zero));
}

/// The ops of the block that compute a value, in order.
llvm::SetVector<Operation *> BodyAdjoint::sliceOf(Value value) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *made = open.pop_back_val().getDefiningOp();
    if (made && made->getBlock() == &block && needed.insert(made).second)
      llvm::append_range(open, made->getOperands());
  }
  llvm::SetVector<Operation *> slice;
  for (Operation &inside : block)
    if (needed.contains(&inside))
      slice.insert(&inside);
  return slice;
}

SmallVector<unsigned> BodyAdjoint::loopsOf(Value value) {
  llvm::SmallBitVector loops(op.getNumLoops());
  auto use = [&](Value operand) {
    if (auto argument = dyn_cast<BlockArgument>(operand); argument && argument.getOwner() == &block)
      for (AffineExpr result : operands[argument.getArgNumber()].map.getResults())
        result.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part))
            loops.set(dim.getPosition());
        });
  };
  use(value);
  for (Operation *inside : sliceOf(value)) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      loops.set(index.getDim());
    llvm::for_each(inside->getOperands(), use);
  }
  return llvm::to_vector(llvm::map_range(loops.set_bits(), [](int bit) { return unsigned(bit); }));
}

std::optional<BodyAdjoint::Indexed> BodyAdjoint::read(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &block ? std::optional(operands[argument.getArgNumber()]) : std::nullopt;
}

BodyAdjoint::Indexed BodyAdjoint::emit(Value value, ArrayRef<unsigned> dims, ArrayRef<OpFoldResult> sizes,
                                       AffineMap map, bool always) {
  if (std::optional<Indexed> argument = read(value); argument && !always)
    return *argument;
  llvm::SetVector<Operation *> slice = sliceOf(value);
  llvm::SmallBitVector used(block.getNumArguments());
  auto use = [&](Value operand) {
    if (auto argument = dyn_cast<BlockArgument>(operand); argument && argument.getOwner() == &block)
      used.set(argument.getArgNumber());
  };
  use(value);
  for (Operation *inside : slice)
    llvm::for_each(inside->getOperands(), use);

  // The loops `dims`, by their numbers among these.
  SmallVector<AffineExpr> renumbered(op.getNumLoops(), b.getAffineConstantExpr(0));
  DenseMap<unsigned, unsigned> numberOf;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    renumbered[dim] = b.getAffineDimExpr(i);
    numberOf[dim] = i;
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> arguments;
  for (unsigned i : used.set_bits()) {
    inputs.push_back(operands[i].tensor);
    maps.push_back(operands[i].map.replaceDimsAndSymbols(renumbered, {}, dims.size(), 0));
    arguments.push_back(i);
  }
  maps.push_back(map);
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(b, loc, sizes, value.getType());
  SmallVector<utils::IteratorType> loops(dims.size(), utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(b, loc, empty.getType(), inputs, empty, maps, loops,
                                        [&](OpBuilder &inner, Location place, ValueRange values) {
                                          IRMapping mapping;
                                          for (auto [number, own] : llvm::zip(arguments, values))
                                            mapping.map(block.getArgument(number), own);
                                          for (Operation *inside : slice) {
                                            Operation *copy = inner.clone(*inside, mapping);
                                            if (auto index = dyn_cast<linalg::IndexOp>(copy))
                                              index.setDim(numberOf.lookup(index.getDim()));
                                          }
                                          linalg::YieldOp::create(inner, place, mapping.lookupOrDefault(value));
                                        });
  return {made.getResult(0), map};
}
} // namespace lispier
