//===- ConstantIntegers.cpp - integers known while compiling --------------===//
#include "ConstantIntegers.h"
#include "CoreParts.h"
#include "FormEvaluator.h"
#include "Literals.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;

namespace lispier {
namespace {
/// The attribute of a constant, or of an op that folds once its operands are constants.
mlir::Attribute foldedValue(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  mlir::Attribute constant;
  if (!op || mlir::matchPattern(op, mlir::m_Constant(&constant)))
    return constant;
  if (op->getNumRegions() || op->getNumResults() != 1)
    return {};
  SmallVector<mlir::Attribute> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(foldedValue(operand)); // Expressions are short: nothing is worth remembering.
  SmallVector<mlir::OpFoldResult, 1> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  if (auto attribute = dyn_cast<mlir::Attribute>(results[0]))
    return attribute;
  auto same = cast<mlir::Value>(results[0]);
  return same == value ? mlir::Attribute() : foldedValue(same);
}
} // namespace

std::optional<int64_t> ConstantIntegers::known(mlir::Value value) {
  auto integer = dyn_cast_if_present<mlir::IntegerAttr>(foldedValue(value));
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
}

std::optional<int64_t> ConstantIntegers::evaluate(const Form *form, bool &failed) {
  failed = false;
  if (form->isNumber())
    if (std::optional<int64_t> number = gen.literals.integerOf(form))
      return number;
  mlir::Block *block = builder.getInsertionBlock();
  auto end = builder.getInsertionPoint();
  mlir::Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  mlir::Value value = gen.evaluator->emitValue(form, builder.getIndexType());
  failed = !value;
  std::optional<int64_t> number = value ? known(value) : std::nullopt;
  // Newest first, so that the operands of a dead op are dead in turn.
  for (auto it = end; it != block->begin();) {
    mlir::Operation *op = &*std::prev(it);
    if (op == before)
      break;
    if (mlir::isOpTriviallyDead(op))
      op->erase();
    else
      it = op->getIterator();
  }
  return number;
}
} // namespace lispier
