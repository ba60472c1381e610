//===- DistributeControl.cpp - loops and branches with tiles --------------===//
#include "DistributeControl.h"
#include "CarriedValues.h"
#include "LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
SmallVector<Value> valuesOf(Distribution &d, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return d.get(value); });
}

SmallVector<Type> typesOf(Distribution &d, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return isTile(value) ? d.typeOf(value) : value.getType(); });
}

void setAll(Distribution &d, ValueRange values, ValueRange ofThread) {
  for (auto [value, own] : llvm::zip(values, ofThread))
    d.set(value, own);
}

/// Layouts of all targets, from the op's attribute.
LogicalResult setLayouts(Distribution &d, Operation *op) {
  auto layouts = op->getAttrOfType<ArrayAttr>(tile::kLayout);
  for (auto [i, value] : llvm::enumerate(carriedValues(op)))
    for (Value target : value.targets)
      if (isTile(target) && failed(d.setLayout(target, layouts && i < layouts.size() ? layouts[i] : Attribute())))
        return failure();
  return success();
}

/// Makes `from` at the end of `to`, and then `end` with the values of its terminator's `operands`.
LogicalResult fill(Distribution &d, Block &from, Block &to, DistributeBlock body, ValueRange operands,
                   llvm::function_ref<void(ValueRange)> end) {
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPointToEnd(&to);
  if (failed(body(from)))
    return failure();
  d.b.setInsertionPointToEnd(&to);
  end(valuesOf(d, operands));
  return success();
}

LogicalResult fillAndYield(Distribution &d, Block &from, Block &to, DistributeBlock body) {
  if (to.mightHaveTerminator())
    to.getTerminator()->erase();
  return fill(d, from, to, body, from.getTerminator()->getOperands(),
              [&](ValueRange values) { scf::YieldOp::create(d.b, values); });
}

FailureOr<scf::ForOp> makeLoop(Distribution &d, scf::ForOp op, DistributeBlock body) {
  auto made = scf::ForOp::create(d.b, d.get(op.getLowerBound()), d.get(op.getUpperBound()), d.get(op.getStep()),
                                 valuesOf(d, op.getInits()));
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made->removeAttr(tile::kLayout);
  d.set(op.getInductionVar(), made.getInductionVar());
  setAll(d, op.getRegionIterArgs(), made.getRegionIterArgs());
  Distribution::Thread outside = d.thread();
  LogicalResult filled = fillAndYield(d, *op.getBody(), *made.getBody(), body);
  d.setThread(outside);
  return failed(filled) ? FailureOr<scf::ForOp>(failure()) : made;
}

bool isInFlight(Value yielded) {
  Operation *product = yielded.getDefiningOp();
  return product && product->hasAttr(tile::kInFlight);
}

/// A loop whose last products are complete only behind it. These are waited for where nothing but the loop leads to:
/// sums that come from elsewhere too would make ptxas put the products in sequence.
LogicalResult loopWithProductsInFlight(Distribution &d, scf::ForOp op, DistributeBlock body) {
  Value steps =
      arith::CmpIOp::create(d.b, arith::CmpIPredicate::slt, d.get(op.getLowerBound()), d.get(op.getUpperBound()));
  auto branch = scf::IfOp::create(d.b, typesOf(d, op.getResults()), steps, /*withElseRegion=*/true);
  branch->setAttr(tile::kUniform, d.b.getUnitAttr());
  d.b.setInsertionPointToStart(branch.thenBlock());
  FailureOr<scf::ForOp> made = makeLoop(d, op, body);
  if (failed(made))
    return failure();
  SmallVector<Value> results((*made).getResults());
  for (auto [result, yielded] : llvm::zip(results, op.getYieldedValues()))
    if (isInFlight(yielded))
      result = tile::WarpgroupWaitOp::create(d.b, result.getType(), result, 0, ValueRange());
  scf::YieldOp::create(d.b, results);
  d.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(d.b, valuesOf(d, op.getInits()));
  setAll(d, op.getResults(), branch.getResults());
  d.b.setInsertionPointAfter(branch);
  if (op->getParentOfType<tile::RolesOp>()) // In the loop, registers are full of sums.
    d.computeAgain();
  return success();
}

LogicalResult loop(Distribution &d, scf::ForOp op, DistributeBlock body) {
  if (llvm::any_of(op.getYieldedValues(), isInFlight))
    return loopWithProductsInFlight(d, op, body);
  FailureOr<scf::ForOp> made = makeLoop(d, op, body);
  if (succeeded(made))
    setAll(d, op.getResults(), (*made).getResults());
  return made;
}

LogicalResult loop(Distribution &d, scf::WhileOp op, DistributeBlock body) {
  auto made = scf::WhileOp::create(d.b, typesOf(d, op.getResults()), valuesOf(d, op.getInits()));
  auto addBlock = [&](Region &region, ValueRange arguments) -> Block & {
    Block &block = region.emplaceBlock();
    for (auto [type, argument] : llvm::zip(typesOf(d, arguments), arguments))
      d.set(argument, block.addArgument(type, argument.getLoc()));
    return block;
  };
  Block &before = addBlock(made.getBefore(), op.getBeforeArguments());
  Block &after = addBlock(made.getAfter(), op.getAfterArguments());
  setAll(d, op.getResults(), made.getResults());
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(fill(d, *op.getBeforeBody(), before, body, condition.getArgs(),
                  [&](ValueRange values) { scf::ConditionOp::create(d.b, d.get(condition.getCondition()), values); })))
    return failure();
  return fillAndYield(d, *op.getAfterBody(), after, body);
}

LogicalResult branch(Distribution &d, scf::IfOp op, DistributeBlock body) {
  bool hasElse = !op.getElseRegion().empty();
  auto made = scf::IfOp::create(d.b, typesOf(d, op.getResults()), d.get(op.getCondition()), hasElse);
  made->setAttr(tile::kUniform, d.b.getUnitAttr());
  setAll(d, op.getResults(), made.getResults());
  if (failed(fillAndYield(d, *op.thenBlock(), *made.thenBlock(), body)))
    return failure();
  return hasElse ? fillAndYield(d, *op.elseBlock(), *made.elseBlock(), body) : success();
}

LogicalResult branch(Distribution &d, scf::IndexSwitchOp op, DistributeBlock body) {
  auto made =
      scf::IndexSwitchOp::create(d.b, typesOf(d, op.getResults()), d.get(op.getArg()), op.getCases(), op.getNumCases());
  setAll(d, op.getResults(), made.getResults());
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    if (failed(fillAndYield(d, from.front(), to.emplaceBlock(), body)))
      return failure();
  return success();
}
} // namespace

LogicalResult distributeControl(Distribution &d, Operation *op, DistributeBlock body) {
  if (failed(setLayouts(d, op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::ForOp, scf::WhileOp>([&](auto op) { return loop(d, op, body); })
      .Case<scf::IfOp, scf::IndexSwitchOp>([&](auto op) { return branch(d, op, body); });
}
} // namespace lispier
