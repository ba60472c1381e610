//===- OpenTypes.cpp - numbers whose type comes later ---------------------===//
//
// If a loop is initialized by a bare number, its body determines the type of the
// carried value. Until then the number, the block argument and the loop's result
// have an open type (a type variable): MLIR's `none` and an entry in a table. The
// first use with a known type settles it, as it would for the bare number itself.
//
//===----------------------------------------------------------------------===//
#include "OpenTypes.h"
#include "CoreParts.h"
#include "FunctionScope.h"
#include "LiteralValues.h"
#include "Literals.h"
#include "NumberTypes.h"
#include "Types.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace llvm;

namespace lispier {
OpenTypes::OpenTypes(OpenTypeTable &table) : table(table), first(table.values.size()) {}

OpenTypes::~OpenTypes() {
  auto mine = ArrayRef(table.values).drop_front(first);
  for (mlir::Value value : mine)
    table.settle(value);
  for (mlir::Value value : mine) {
    table.types.erase(value);
    if (table.numbers.erase(value) && value.use_empty())
      value.getDefiningOp()->erase(); // A constant has replaced it.
  }
  table.values.truncate(first);
}

bool OpenTypeTable::isOpen(mlir::Value value) const {
  return value && isa<mlir::NoneType>(value.getType()) && types.contains(value);
}

mlir::Value OpenTypeTable::openValue(const Form *number, mlir::Value literal, mlir::Type hint) {
  auto type = std::make_shared<OpenType>();
  type->isFraction = literal ? isa<mlir::FloatType>(literal.getType()) : isFraction(number);
  type->otherwise = canHold(hint, type->isFraction) ? hint : defaultType(type->isFraction, builder);
  mlir::Value value =
      make<mlir::UnrealizedConversionCastOp>(number, mlir::TypeRange(builder.getNoneType()), mlir::ValueRange())
          .getResult(0);
  numbers[value] = {number, literal};
  types[value] = type;
  values.push_back(value);
  type->values.push_back(value);
  return value;
}

mlir::Type OpenTypeTable::evidentType(const Form *form) {
  if (form->isSymbol() && gen.scope.scopes.count(form->text())) {
    Binding binding = gen.scope.scopes.lookup(form->text());
    return binding.values.empty() || isOpen(binding.values[0]) ? mlir::Type() : binding.values[0].getType();
  }
  if (form->isCall(":") && form->size() == 3 && !(*form)[2]->text().empty()) {
    mlir::Type type; // Generating the form reports what is wrong with it.
    type = gen.types.readType((*form)[2]->text());
    return type;
  }
  if (form->head() == mlir::memref::LoadOp::getOperationName() && form->size() > 1) {
    auto memref = dyn_cast_if_present<mlir::MemRefType>(evidentType((*form)[1]));
    return memref ? memref.getElementType() : mlir::Type();
  }
  if (is_contained({"+", "-", "*", "/", "%", "min", "max"}, form->head()))
    for (const Form *item : form->items().drop_front())
      if (mlir::Type type = evidentType(item))
        return type;
  return {};
}

void OpenTypeTable::unify(mlir::Value a, mlir::Value b) {
  if (!isOpen(a))
    std::swap(a, b);
  if (!isOpen(a))
    return;
  if (!isOpen(b) && !isa<mlir::NoneType>(b.getType()))
    return settle(a, b.getType());
  std::shared_ptr<OpenType> type = types[a], other = types.lookup(b);
  if (type == other)
    return;
  SmallVector<mlir::Value> joining = other ? other->values : SmallVector<mlir::Value>{b};
  type->isFraction |= other && other->isFraction;
  if (other && !canHold(type->otherwise, type->isFraction))
    type->otherwise = other->otherwise;
  for (mlir::Value value : joining) {
    if (!types.contains(value))
      values.push_back(value);
    types[value] = type;
    type->values.push_back(value);
  }
}

void OpenTypeTable::settle(mlir::Value value, mlir::Type type) {
  if (!isOpen(value))
    return;
  std::shared_ptr<OpenType> open = types[value];
  for (mlir::Value member : open->values)
    member.setType(canHold(type, open->isFraction) ? type : open->otherwise);
}

bool OpenTypeTable::settleStarts(mlir::Operation *loop) {
  bool ok = true;
  for (mlir::OpOperand &operand : loop->getOpOperands()) {
    mlir::Value start = operand.get();
    Number number = numbers.lookup(start);
    if (!number.form)
      continue;
    settle(start);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(start.getDefiningOp());
    mlir::Value known = number.literal ? gen.literalValues.as(number.literal, start.getType())
                                       : gen.literals.constant(number.form, start.getType());
    ok &= bool(known);
    if (known)
      operand.set(known);
  }
  return ok;
}

void OpenTypeTable::forgetOpen(mlir::Operation *op) {
  llvm::erase_if(values, [&](mlir::Value value) {
    mlir::Operation *owner = value.getDefiningOp();
    if (!op->isAncestor(owner ? owner : cast<mlir::BlockArgument>(value).getOwner()->getParentOp()))
      return false;
    settle(value);
    types.erase(value);
    numbers.erase(value);
    return true;
  });
}
} // namespace lispier
