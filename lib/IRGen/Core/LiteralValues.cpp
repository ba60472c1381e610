//===- LiteralValues.cpp - values made of bare numbers --------------------===//
//
// The constant of a bare number carries its spelling as an attribute while IR is
// generated. What is computed from such constants alone can be computed again in
// another element type, with each number read in that type: behind the op that made
// it, once for each use that asks. What then has no use is erased as dead code.
//
//===----------------------------------------------------------------------===//
#include "LiteralValues.h"
#include "CoreParts.h"
#include "FoldedNumbers.h"
#include "Literals.h"
#include "NumberTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace math = mlir::math;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;

namespace lispier {
namespace {
constexpr StringLiteral kSpelling = "lispier.literal";
/// The most ops of a literal: the bound on what one question looks at.
constexpr unsigned kMostOps = 64;

bool isFloat(mlir::Type type) { return isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)); }

mlir::Type withElementType(mlir::Type type, mlir::Type element) {
  auto shaped = dyn_cast<mlir::ShapedType>(type);
  return shaped ? mlir::Type(shaped.clone(element)) : element;
}

/// A quotient of integers, which is another number than that of floats.
bool isIntegerQuotient(mlir::Operation *op) { return isa<arith::DivSIOp, arith::RemSIOp>(op); }

/// Ops whose operands and result are numbers of one type.
bool isArithmeticOp(mlir::Operation *op) {
  return isIntegerQuotient(op) ||
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::MinimumFOp,
             arith::MaximumFOp, arith::NegFOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp,
             arith::MaxSIOp, math::ExpOp, math::LogOp, math::SqrtOp, math::RsqrtOp, math::SinOp, math::CosOp,
             math::TanhOp, math::ErfOp, math::FloorOp, math::CeilOp, math::AbsFOp, math::AbsIOp, math::PowFOp>(op);
}

/// Ops that only give a number or tensor another shape.
bool isReshape(mlir::Operation *op) {
  return isa<mlir::vector::BroadcastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op);
}

bool isNumber(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return isa<mlir::VectorType, mlir::RankedTensorType, mlir::FloatType, mlir::IntegerType, mlir::IndexType>(type) &&
         element.isIntOrIndexOrFloat() && !element.isInteger(1);
}

/// The branches' values of the result `value` of an `if`; empty if there is no such pair.
SmallVector<mlir::Value, 2> branchesOf(scf::IfOp branch, mlir::Value value) {
  if (isa<mlir::ShapedType>(value.getType()) || branch.getElseRegion().empty())
    return {};
  unsigned index = cast<mlir::OpResult>(value).getResultNumber();
  return {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)};
}

bool isElementwise(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getDpsInitOperand(0)->get().getDefiningOp<tensor::EmptyOp>() &&
         op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty();
}

/// A walk over the ops of a literal. `visit` is called for each constant of a bare number and each op of arithmetic.
class Walk {
public:
  using Visit = function_ref<bool(mlir::Operation *)>;
  explicit Walk(Visit visit) : visit(visit) {}

  /// Whether the value follows from bare numbers alone and `visit` agreed to all.
  bool numbers(mlir::Value value) {
    if (!value || !isNumber(value.getType()) || ++ops > kMostOps)
      return false;
    if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
      auto generic = dyn_cast_if_present<linalg::GenericOp>(argument.getOwner()->getParentOp());
      return generic && argument.getArgNumber() < unsigned(generic.getNumDpsInputs()) &&
             numbers(generic.getInputs()[argument.getArgNumber()]);
    }
    mlir::Operation *op = value.getDefiningOp();
    if (isa<arith::ConstantOp>(op))
      return op->hasAttr(kSpelling) && visit(op);
    if (isArithmeticOp(op))
      return all_of(op->getOperands(), [&](mlir::Value operand) { return numbers(operand); }) && visit(op);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return condition(select.getCondition()) && numbers(select.getTrueValue()) && numbers(select.getFalseValue());
    if (isReshape(op))
      return numbers(op->getOperand(0));
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return isElementwise(generic) && numbers(generic.getBody()->getTerminator()->getOperand(0));
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      SmallVector<mlir::Value, 2> values = branchesOf(branch, value);
      SaveAndRestore inside(outermost, outermost ? outermost : op);
      return !values.empty() && condition(branch.getCondition()) && numbers(values[0]) && numbers(values[1]);
    }
    return false;
  }

private:
  /// Whether the condition is computed outside of the outermost `if`, or can be.
  bool condition(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (!outermost || !outermost->isAncestor(op ? op : cast<mlir::BlockArgument>(value).getOwner()->getParentOp()))
      return true;
    return ++ops <= kMostOps && op && op->getNumRegions() == 0 && mlir::isPure(op) &&
           all_of(op->getOperands(), [&](mlir::Value operand) { return condition(operand); });
  }

  Visit visit;
  mlir::Operation *outermost = nullptr; ///< The `if` around what is looked at, behind which it will be computed.
  unsigned ops = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Literals in another type.
//===----------------------------------------------------------------------===//

/// Computes a literal again at the insertion point.
class LiteralValues::Rebuilder {
public:
  Rebuilder(CoreParts &gen, mlir::Type element) : gen(gen), builder(gen.builder), element(element) {}

  /// Null after an error.
  mlir::Value numbers(mlir::Value value) {
    mlir::Value &known = copies[value];
    if (known)
      return known;
    mlir::Value result = rebuilt(value);
    return copies[value] = result;
  }

private:
  mlir::Value rebuilt(mlir::Value value) {
    mlir::Type type = withElementType(value.getType(), element);
    mlir::Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return gen.literalValues.spelled(constant, type);
    if (isArithmeticOp(op))
      return arithmetic(op, type);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return chosen(op->getLoc(), condition(select.getCondition()), select.getTrueValue(), select.getFalseValue());
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return elementwise(generic);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      SmallVector<mlir::Value, 2> values = branchesOf(branch, value);
      SaveAndRestore inside(outermost, outermost ? outermost : op);
      return chosen(op->getLoc(), condition(branch.getCondition()), values[0], values[1]);
    }
    mlir::Value operand = numbers(op->getOperand(0));
    return operand ? copied(op, operand, type) : mlir::Value();
  }

  mlir::Value chosen(mlir::Location place, mlir::Value holds, mlir::Value a, mlir::Value b) {
    mlir::Value first = numbers(a), second = first ? numbers(b) : mlir::Value();
    return second ? arith::SelectOp::create(builder, place, holds, first, second).getResult() : mlir::Value();
  }

  mlir::Value condition(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (mlir::Value known = copies.lookup(value))
      return known;
    if (!outermost || !op || !outermost->isAncestor(op))
      return value;
    SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(condition(operand));
    mlir::Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    return copies[value] = copy->getResult(cast<mlir::OpResult>(value).getResultNumber());
  }

  mlir::Value copied(mlir::Operation *op, mlir::Value operand, mlir::Type type) {
    mlir::Operation *copy = builder.clone(*op);
    copy->setOperand(0, operand);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  mlir::Value arithmetic(mlir::Operation *op, mlir::Type type) {
    SmallVector<mlir::Value, 2> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(numbers(operand));
      if (!operands.back())
        return {};
    }
    if (isFloat(op->getResult(0).getType()) == isFloat(type)) {
      mlir::Operation *copy = builder.clone(*op);
      copy->setOperands(operands);
      copy->getResult(0).setType(type);
      return copy->getResult(0);
    }
    mlir::Location place = op->getLoc();
    return TypeSwitch<mlir::Operation *, mlir::Value>(op)
        .Case([&](arith::AddIOp) { return arith::AddFOp::create(builder, place, operands[0], operands[1]); })
        .Case([&](arith::SubIOp) { return arith::SubFOp::create(builder, place, operands[0], operands[1]); })
        .Case([&](arith::MulIOp) { return arith::MulFOp::create(builder, place, operands[0], operands[1]); })
        .Case([&](arith::MinSIOp) { return arith::MinimumFOp::create(builder, place, operands[0], operands[1]); })
        .Case([&](arith::MaxSIOp) { return arith::MaximumFOp::create(builder, place, operands[0], operands[1]); })
        .Case([&](math::AbsIOp) { return math::AbsFOp::create(builder, place, operands[0]); });
  }

  /// An elementwise op on tensors: its inputs that are numbers, and its body, anew.
  mlir::Value elementwise(linalg::GenericOp op) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    SmallVector<mlir::Value> inputs;
    for (mlir::Value input : op.getInputs()) {
      bool isNumbers = gen.literalValues.isLiteral(input);
      inputs.push_back(isNumbers ? numbers(input) : input);
      if (!inputs.back())
        return {};
    }
    mlir::Location place = op.getLoc();
    auto empty = op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
    mlir::Value init = tensor::EmptyOp::create(builder, place, empty.getMixedSizes(), element);
    bool isGood = true;
    auto copy = linalg::GenericOp::create(builder, place, mlir::TypeRange(init.getType()), inputs,
                                          mlir::ValueRange(init), op.getIndexingMapsArray(), op.getIteratorTypesArray(),
                                          [&](mlir::OpBuilder &inner, mlir::Location, mlir::ValueRange arguments) {
                                            mlir::OpBuilder::InsertionGuard inside(builder);
                                            builder.restoreInsertionPoint(inner.saveInsertionPoint());
                                            for (auto [before, now] : zip(op.getBody()->getArguments(), arguments))
                                              copies[before] = now;
                                            mlir::Value result = numbers(op.getBody()->getTerminator()->getOperand(0));
                                            isGood = bool(result);
                                            if (isGood)
                                              linalg::YieldOp::create(builder, place, result);
                                          });
    if (isGood)
      return copy.getResult(0);
    copy.erase();
    return {};
  }

  CoreParts &gen;
  mlir::OpBuilder &builder;
  mlir::Type element;
  mlir::Operation *outermost = nullptr; ///< As Walk's.
  DenseMap<mlir::Value, mlir::Value> copies;
};

//===----------------------------------------------------------------------===//
// What the forms ask.
//===----------------------------------------------------------------------===//

mlir::Value LiteralValues::constant(const Form *number, mlir::Type type) {
  mlir::Value value = gen.literals.constant(number, type);
  if (value && !number->isBool())
    value.getDefiningOp()->setAttr(kSpelling, builder.getStringAttr(number->text()));
  return value;
}

mlir::Value LiteralValues::constant(const Form *form, mlir::Type type, int64_t number) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr scalar = isFloat(element) ? mlir::TypedAttr(builder.getFloatAttr(element, double(number)))
                                            : mlir::TypedAttr(builder.getIntegerAttr(element, number));
  auto shaped = dyn_cast<mlir::ShapedType>(type);
  auto result = make<arith::ConstantOp>(
      form, shaped ? mlir::TypedAttr(mlir::DenseElementsAttr::get(shaped, mlir::Attribute(scalar))) : scalar);
  result->setAttr(kSpelling, builder.getStringAttr(std::to_string(number)));
  return result;
}

mlir::Value LiteralValues::spelled(arith::ConstantOp constant, mlir::Type type) {
  auto spelling = constant->getAttrOfType<mlir::StringAttr>(kSpelling);
  SMRange range = sourceRange(constant.getLoc(), diags.sourceMgr());
  bool isName = spelling.getValue().ends_with("inf") || spelling == "nan";
  const Form *form = isName ? arena.symbol(spelling.getValue(), range) : arena.number(spelling.getValue(), range);
  mlir::TypedAttr value = gen.literals.literal(form, type);
  if (!value)
    return {};
  auto result = arith::ConstantOp::create(builder, constant.getLoc(), value);
  result->setAttr(kSpelling, spelling);
  return result;
}

void LiteralValues::inherit(arith::ConstantOp copy, arith::ConstantOp constant) {
  if (mlir::Attribute spelling = constant->getAttr(kSpelling))
    copy->setAttr(kSpelling, spelling);
}

bool LiteralValues::isLiteral(mlir::Value value) const {
  return Walk([](mlir::Operation *) { return true; }).numbers(value);
}

bool LiteralValues::fits(mlir::Value value, mlir::Type element) const {
  if (!element.isIntOrIndexOrFloat() || element.isInteger(1))
    return false;
  bool toFloat = isa<mlir::FloatType>(element);
  if (!toFloat && isFloat(value.getType()))
    return Walk([](mlir::Operation *op) {
             auto spelling = op->getAttrOfType<mlir::StringAttr>(kSpelling);
             return spelling && spelling.getValue().find_first_not_of("-+0123456789_") == StringRef::npos;
           }).numbers(value) &&
           value.getDefiningOp<arith::ConstantOp>(); // 3, which was read as a float.
  return Walk([&](mlir::Operation *op) { return !toFloat || !isIntegerQuotient(op); }).numbers(value);
}

mlir::Value LiteralValues::as(mlir::Value value, mlir::Type element) {
  if (mlir::getElementTypeOrSelf(value.getType()) == element || !isLiteral(value) || !fits(value, element))
    return value;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  return Rebuilder(gen, element).numbers(value);
}

mlir::Value LiteralValues::asExpected(mlir::Value value, mlir::Type type) {
  bool isElements = isa_and_present<mlir::VectorType, mlir::RankedTensorType>(type);
  return type && (isElements || type.isIntOrIndexOrFloat()) ? as(value, mlir::getElementTypeOrSelf(type)) : value;
}

bool LiteralValues::agree(MutableArrayRef<mlir::Value> values) {
  SmallVector<mlir::Value> given, literals;
  for (mlir::Value value : values)
    if (value && isNumber(value.getType()))
      (isLiteral(value) ? literals : given).push_back(value);
  if (literals.empty())
    return true;
  mlir::Type wanted = joint(given.empty() ? literals : given, {});
  for (mlir::Value &value : values)
    if (is_contained(literals, value) && !(value = as(value, wanted)))
      return false;
  return true;
}

bool LiteralValues::agreeWith(MutableArrayRef<mlir::Value> operands, function_ref<mlir::Type(size_t)> typeOf) {
  SmallVector<mlir::Value> literals(operands.size());
  for (auto [operand, literal] : zip(operands, literals))
    if (isLiteral(operand))
      std::swap(operand, literal);
  for (auto [i, literal] : enumerate(literals))
    if (literal && !(operands[i] = asExpected(literal, typeOf(i))))
      return false;
  return true;
}

mlir::Type LiteralValues::joint(ArrayRef<mlir::Value> literals, mlir::Type hint) const {
  mlir::Type wanted = hint ? mlir::getElementTypeOrSelf(hint) : mlir::Type();
  if (wanted && all_of(literals, [&](mlir::Value value) { return fits(value, wanted); }))
    return wanted;
  return jointType(
      to_vector(map_range(literals, [](mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); })));
}

mlir::Value LiteralValues::resultOf(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock() ||
      !all_of(function.getArguments(), [](auto argument) { return argument.use_empty(); }))
    return {};
  mlir::Block &body = function.getBody().front();
  auto last =
      body.mightHaveTerminator() ? dyn_cast<mlir::func::ReturnOp>(body.getTerminator()) : mlir::func::ReturnOp();
  if (!last || last.getNumOperands() != 1 || !isLiteral(last.getOperand(0)) ||
      !all_of(body.without_terminator(), [](mlir::Operation &op) { return mlir::isPure(&op); }))
    return {};
  mlir::IRMapping here;
  for (mlir::Operation &op : body.without_terminator())
    builder.clone(op, here);
  return here.lookup(last.getOperand(0));
}

void LiteralValues::dropMarks() {
  module->walk([](arith::ConstantOp constant) { constant->removeAttr(kSpelling); });
}

//===----------------------------------------------------------------------===//
// Literals as constants.
//===----------------------------------------------------------------------===//

/// The form that the op is made by; "" if its result is no number of the operands alone.
static StringRef headOf(mlir::Operation *op) {
  return TypeSwitch<mlir::Operation *, StringRef>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "+"; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return "-"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "*"; })
      .Case<arith::DivFOp>([](auto) { return "/"; })
      .Case<arith::RemFOp>([](auto) { return "%"; })
      .Case<arith::MinimumFOp, arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::NegFOp>([](auto) { return "neg"; })
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::SqrtOp>([](auto) { return "sqrt"; })
      .Case<math::RsqrtOp>([](auto) { return "rsqrt"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::FloorOp>([](auto) { return "floor"; })
      .Case<math::CeilOp>([](auto) { return "ceil"; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return "abs"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Default([](mlir::Operation *) { return ""; });
}

std::optional<double> LiteralValues::number(mlir::Value value) const {
  if (isa<mlir::ShapedType>(value.getType()) || !isLiteral(value))
    return std::nullopt;
  mlir::Operation *op = value.getDefiningOp();
  if (auto spelling = op->getAttrOfType<mlir::StringAttr>(kSpelling))
    return gen.literals.realOf(spelling);
  SmallVector<double, 2> operands;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<double> real = headOf(op).empty() ? std::nullopt : number(operand);
    if (!real)
      return std::nullopt;
    operands.push_back(*real);
  }
  return foldedReals(headOf(op), operands);
}
} // namespace lispier
