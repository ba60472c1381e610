//===- AttentionParts.cpp - attention as linalg ops ------------------------===//
#include "lispier/Group/AttentionParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace lispier::group {
Value cloneScore(OpBuilder &b, AttentionOp op, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(op.getScore().getArguments(), arguments);
  for (Operation &inside : op.getScore().front().without_terminator())
    b.clone(inside, mapping);
  return mapping.lookupOrDefault(op.changedScore());
}

AttentionOp attentionIn(KernelOp kernel) {
  auto found = kernel.getBody().front().getOps<AttentionOp>();
  return found.empty() ? AttentionOp() : *found.begin();
}

AttentionOp withLogSums(OpBuilder &b, AttentionOp op) {
  if (op.getNumResults() == 2)
    return op;
  Location loc = op.getLoc();
  unsigned rows = op.outerLoops() + 1;
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop = 0; loop < rows; ++loop)
    sizes.push_back(op.sizeOf(b, loop));
  SmallVector<Value> inits(op.getInits());
  inits.push_back(tensor::EmptyOp::create(b, loc, sizes, op.changedScore().getType()));
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  AffineMap all = b.getMultiDimIdentityMap(op.mapOf(0).getNumDims());
  maps.push_back(AffineMapAttr::get(all.getMajorSubMap(rows)));
  auto both = AttentionOp::create(b, loc, ValueRange(inits).getTypes(), op.getQuery(), op.getKey(), op.getValue(),
                                  op.getOthers(), inits, b.getArrayAttr(maps), op.getRoundedAttr());
  both.getScore().takeBody(op.getScore());
  op.getResult(0).replaceAllUsesWith(both.getResult(0));
  op.erase();
  return both;
}

namespace {
class AttentionExpansion {
public:
  explicit AttentionExpansion(AttentionOp op)
      : op(op), b(op), loc(op.getLoc()), rows(op.outerLoops() + 1), type(cast<FloatType>(op.changedScore().getType())) {
  }

  AttentionParts run();

private:
  /// Of the loops, those of scores: the outer ones, tokens and positions.
  AffineMap ofScores(AffineMap map) { return AffineMap::get(rows + 1, 0, map.getResults(), b.getContext()); }
  AffineMap scoresMap() { return b.getMultiDimIdentityMap(rows + 1); }
  AffineMap rowsMap() { return AffineMap::getMultiDimIdentityMap(rows + 1, b.getContext()).dropResult(rows); }

  Value empty(ArrayRef<unsigned> loops, Type element);
  Value filled(Value init, double number);
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;
  linalg::LinalgOp generic(ValueRange inputs, ArrayRef<AffineMap> maps, Value init, bool reduces, Body body);
  Value multiplied();
  Value changedIn(OpBuilder &inside, ValueRange elements);
  void addChanged(SmallVectorImpl<Value> &inputs, SmallVectorImpl<AffineMap> &maps);
  Value emitProduct(Value weights);

  AttentionOp op;
  OpBuilder b;
  Location loc;
  unsigned rows; ///< Loops of a row's number: the outer ones and the tokens.
  FloatType type;
  AttentionParts parts;
  Value changedScores; ///< A tensor of them, if each is computed once.
};

Value AttentionExpansion::empty(ArrayRef<unsigned> loops, Type element) {
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(loops, [&](unsigned loop) { return op.sizeOf(b, loop); });
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value AttentionExpansion::filled(Value init, double number) {
  Type element = getElementTypeOrSelf(init);
  Value value = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, number));
  return linalg::FillOp::create(b, loc, value, init)->getResult(0);
}

linalg::LinalgOp AttentionExpansion::generic(ValueRange inputs, ArrayRef<AffineMap> maps, Value init, bool reduces,
                                             Body body) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  if (reduces)
    iterators.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, iterators,
                                   [&](OpBuilder &inside, Location at, ValueRange elements) {
                                     linalg::YieldOp::create(inside, at, body(inside, elements));
                                   });
}

/// q k^T.
Value AttentionExpansion::multiplied() {
  Value init = filled(empty(llvm::to_vector(llvm::seq(rows + 1)), op.scoreArgument().getType()), 0);
  auto ofLoops = [&](AffineMap map) { return AffineMap::get(rows + 2, 0, map.getResults(), b.getContext()); };
  AffineMap made = AffineMap::getMultiDimIdentityMap(rows + 2, b.getContext()).dropResult(rows + 1);
  auto product =
      linalg::ContractOp::create(b, loc, init.getType(), ValueRange{op.getQuery(), op.getKey()}, init,
                                 b.getAffineMapArrayAttr({ofLoops(op.mapOf(0)), ofLoops(op.mapOf(1)), made}));
  parts.scores = cast<linalg::LinalgOp>(product.getOperation());
  return product->getResult(0);
}

/// Operands of an op that has changed scores: these, or the scores and what changes them.
void AttentionExpansion::addChanged(SmallVectorImpl<Value> &inputs, SmallVectorImpl<AffineMap> &maps) {
  maps.push_back(scoresMap());
  inputs.push_back(changedScores ? changedScores : parts.scores->getResult(0));
  if (changedScores)
    return;
  for (auto [i, other] : llvm::enumerate(op.getOthers()))
    if (isa<TensorType>(other.getType())) {
      inputs.push_back(other);
      maps.push_back(ofScores(op.mapOf(3 + i)));
    }
}

/// The changed score of the iteration, from the elements of addChanged's operands.
Value AttentionExpansion::changedIn(OpBuilder &inside, ValueRange elements) {
  if (changedScores)
    return elements[0];
  SmallVector<Value> arguments;
  for (unsigned loop = 0; loop < rows + 1; ++loop)
    arguments.push_back(op.indexArgument(loop).use_empty() ? Value()
                                                           : linalg::IndexOp::create(inside, loc, loop).getResult());
  arguments.push_back(elements.front());
  elements = elements.drop_front();
  for (Value other : op.getOthers()) {
    arguments.push_back(isa<TensorType>(other.getType()) ? elements.front() : other);
    if (isa<TensorType>(other.getType()))
      elements = elements.drop_front();
  }
  return cloneScore(inside, op, arguments);
}

/// Weights times values, rounded to the result's type.
Value AttentionExpansion::emitProduct(Value weights) {
  SmallVector<unsigned> own = op.loopsOf(3 + op.getOthers().size());
  unsigned summed = own.size();
  parts.tokens = llvm::find(own, op.tokens()) - own.begin();
  parts.valueSize = llvm::find(own, op.valueSize()) - own.begin();
  // Loops of the product: the result's dimensions, then the positions.
  auto mapFor = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : loops)
      results.push_back(b.getAffineDimExpr(loop == op.positions() ? summed : llvm::find(own, loop) - own.begin()));
    return AffineMap::get(summed + 1, 0, results, b.getContext());
  };
  Value init = op.getInits()[0];
  bool isRounded = getElementTypeOrSelf(init) != type;
  Value sums = filled(isRounded ? empty(own, type) : init, 0);
  AffineMap ofWeights = mapFor(llvm::to_vector(llvm::seq(rows + 1)));
  auto product = linalg::ContractOp::create(b, loc, sums.getType(), ValueRange{weights, op.getValue()}, sums,
                                            b.getAffineMapArrayAttr({ofWeights, mapFor(op.loopsOf(2)), mapFor(own)}));
  parts.product = cast<linalg::LinalgOp>(product.getOperation());
  if (!isRounded)
    return product->getResult(0);
  AffineMap same = b.getMultiDimIdentityMap(own.size());
  return generic(product->getResult(0), {same, same}, init, /*reduces=*/false,
                 [&](OpBuilder &inside, ValueRange elements) {
                   return convertScalarToDtype(inside, loc, elements[0], getElementTypeOrSelf(init), false);
                 })
      ->getResult(0);
}

AttentionParts AttentionExpansion::run() {
  multiplied();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq(rows + 1)), kept(ArrayRef(all).drop_back());
  addChanged(inputs, maps);
  // What is as costly as an exponential is not computed again for it.
  bool isCostly = llvm::any_of(op.getScore().front(),
                               [](Operation &inside) { return isa<math::MathDialect>(inside.getDialect()); });
  if (isCostly) {
    maps.push_back(scoresMap());
    changedScores =
        generic(inputs, maps, empty(all, type), /*reduces=*/false, [&](OpBuilder &inside, ValueRange elements) {
          return changedIn(inside, elements);
        })->getResult(0);
    inputs.clear(), maps.clear();
    addChanged(inputs, maps);
  }
  maps.push_back(rowsMap());
  parts.maximum = generic(inputs, maps, filled(empty(kept, type), -std::numeric_limits<double>::infinity()),
                          /*reduces=*/true, [&](OpBuilder &inside, ValueRange elements) -> Value {
                            parts.changed = changedIn(inside, elements.drop_back());
                            return arith::MaximumFOp::create(inside, loc, parts.changed, elements.back());
                          });
  Value most = parts.maximum->getResult(0);
  inputs.push_back(most);
  maps.push_back(scoresMap());
  Value exponentials =
      generic(inputs, maps, empty(all, type), /*reduces=*/false, [&](OpBuilder &inside, ValueRange elements) -> Value {
        Value changed = changedIn(inside, elements.drop_back(2));
        Value shifted = arith::SubFOp::create(inside, loc, changed, elements.drop_back().back());
        return math::ExpOp::create(inside, loc, shifted);
      })->getResult(0);
  parts.sum = generic(exponentials, {scoresMap(), rowsMap()}, filled(empty(kept, type), 0), /*reduces=*/true,
                      [&](OpBuilder &inside, ValueRange elements) -> Value {
                        return arith::AddFOp::create(inside, loc, elements[0], elements[1]);
                      });
  Value total = parts.sum->getResult(0);
  Type rounded = op.getRounded().value_or(type);
  Value weights = generic({exponentials, total}, {scoresMap(), rowsMap(), scoresMap()}, empty(all, rounded),
                          /*reduces=*/false,
                          [&](OpBuilder &inside, ValueRange elements) -> Value {
                            Value weight = arith::DivFOp::create(inside, loc, elements[0], elements[1]);
                            return convertScalarToDtype(inside, loc, weight, rounded, false);
                          })
                      ->getResult(0);
  SmallVector<Value> results{emitProduct(weights)};
  if (op.getInits().size() == 2) {
    AffineMap made = AffineMap::get(rows, 0, op.resultMap(1).getResults(), b.getContext());
    AffineMap same = b.getMultiDimIdentityMap(rows);
    results.push_back(generic({most, total}, {same, same, made}, op.getInits()[1], /*reduces=*/false,
                              [&](OpBuilder &inside, ValueRange elements) -> Value {
                                // Of a row that sees nothing, exponentials are exp(-inf - -inf).
                                double none = -std::numeric_limits<double>::infinity();
                                Value least = arith::ConstantOp::create(inside, loc, inside.getFloatAttr(type, none));
                                Value isNone =
                                    arith::CmpFOp::create(inside, loc, arith::CmpFPredicate::OEQ, elements[0], least);
                                Value logarithm = math::LogOp::create(inside, loc, elements[1]);
                                Value both = arith::AddFOp::create(inside, loc, elements[0], logarithm);
                                return arith::SelectOp::create(inside, loc, isNone, least, both);
                              })
                          ->getResult(0));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return parts;
}
} // namespace

AttentionParts expandAttention(AttentionOp op) { return AttentionExpansion(op).run(); }
} // namespace lispier::group
