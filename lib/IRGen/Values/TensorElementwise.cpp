//===- TensorElementwise.cpp - element by element, with broadcasting ------===//
#include "Arithmetic.h"
#include "Core/FunctionScope.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/NumberTypes.h"
#include "Core/OpenTypes.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace lispier {
mlir::Value TensorForms::empty(const Form *form, ArrayRef<Size> sizes, mlir::Type element) {
  gen.sizes.checkBytes(form, sizes, element);
  return make<tensor::EmptyOp>(form, sizes, element);
}

mlir::Value TensorForms::filled(const Form *form, ArrayRef<Size> sizes, mlir::Value value) {
  mlir::Value init = empty(form, sizes, value.getType());
  return make<linalg::FillOp>(form, value, init).getResult(0);
}

/// The shape of a tensor with %ld where only the run knows a size, which is added to `numbers`.
std::string TensorForms::runShape(const Form *form, mlir::Value tensor, SmallVectorImpl<Size> &numbers) {
  std::string text;
  for (Size size : gen.sizes.sizes(form, tensor)) {
    std::optional<int64_t> known = TensorSizes::known(size);
    text += (text.empty() ? "" : " ") + (known ? std::to_string(*known) : "%ld");
    if (!known)
      numbers.push_back(size);
  }
  return "[" + text + "]";
}

void TensorForms::cannotBroadcast(const Form *form, const Form *a, mlir::Value left, const Form *b, mlir::Value right) {
  error("tensor-shape", b,
        "`" + form->head() + "`: the shapes of " + gen.sizes.text(left) + " and " + gen.sizes.text(right) +
            " do not broadcast")
      .note(a->range(), "this operand is " + gen.sizes.text(left))
      .note(b->range(), "this operand is " + gen.sizes.text(right))
      .withHint("sizes are compared from the last one; they are equal, or one of them is 1: "
                "(reshape x [n 1]) and :keep true make a dimension of 1");
}

void TensorForms::checkBroadcast(const Form *form, const Form *a, mlir::Value left, Size leftSize, const Form *b,
                                 mlir::Value right, Size rightSize) {
  if (gen.sizes.areEqual(leftSize, rightSize))
    return;
  SmallVector<Size> numbers;
  std::string first = runShape(a, left, numbers), second = runShape(b, right, numbers);
  std::string message = "`" + form->head().str() + "`: the shapes " + first + " and " + second +
                        " do not broadcast, since only sizes that are 1 in the program's text are repeated\n" +
                        gen.sizes.site(a) + ": note: this operand has shape " + first + "\n" + gen.sizes.site(b) +
                        ": note: this operand has shape " + second;
  SmallVector<Size> all(numbers);
  append_range(all, numbers);
  gen.sizes.check(form, leftSize, rightSize, "tensor-shape", message, all);
}

std::optional<Sizes> TensorForms::broadcastSizes(const Form *form, Places places, ArrayRef<mlir::Value> values) {
  SmallVector<Sizes> all;
  size_t rank = 0;
  for (auto [place, value] : zip(places, values)) {
    all.push_back(isTensor(value) ? gen.sizes.sizes(place, value) : Sizes());
    rank = std::max(rank, all.back().size());
  }
  Sizes joint(rank, builder.getIndexAttr(1));
  SmallVector<std::optional<size_t>> sources(rank); // The operand that gave each size.
  for (size_t i = 0; i < values.size(); ++i)
    for (auto [k, size] : enumerate(all[i])) {
      size_t dimension = k + rank - all[i].size();
      std::optional<size_t> &source = sources[dimension];
      Size &known = joint[dimension];
      std::optional<int64_t> mine = TensorSizes::known(size), other = TensorSizes::known(known);
      if (mine == 1)
        continue;
      if (!source) {
        source = i;
        known = size;
        continue;
      }
      if (mine && other && *mine != *other) {
        cannotBroadcast(form, places[*source], values[*source], places[i], values[i]);
        return std::nullopt;
      }
      checkBroadcast(form, places[*source], values[*source], known, places[i], values[i], size);
      if (mine)
        known = size;
    }
  return joint;
}

mlir::Value TensorForms::withoutUnits(const Form *form, mlir::Value value, const SmallBitVector &dropped) {
  SmallVector<mlir::ReassociationIndices> groups;
  mlir::ReassociationIndices group;
  for (unsigned i = 0; i < dropped.size(); ++i) {
    group.push_back(i);
    if (!dropped.test(i)) {
      groups.push_back(group);
      group.clear();
    }
  }
  if (!groups.empty())
    append_range(groups.back(), group);
  return make<tensor::CollapseShapeOp>(form, value, groups);
}

/// Inserts dimensions of size 1 at `axes` of the result, which has `rank` dimensions.
mlir::Value TensorForms::withUnits(const Form *form, mlir::Value value, ArrayRef<int64_t> axes, int64_t rank) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  Sizes sizes = gen.sizes.sizes(form, value), shape;
  SmallVector<mlir::ReassociationIndices> groups;
  mlir::ReassociationIndices group;
  SmallVector<int64_t> fixed;
  size_t next = 0;
  for (int64_t i : seq(rank)) {
    group.push_back(i);
    if (is_contained(axes, i)) {
      shape.push_back(builder.getIndexAttr(1));
      fixed.push_back(1);
      continue;
    }
    fixed.push_back(type.getDimSize(next));
    shape.push_back(sizes[next++]);
    groups.push_back(group);
    group.clear();
  }
  if (!groups.empty())
    append_range(groups.back(), group);
  for (auto [size, number] : zip(shape, fixed)) // The type decides which sizes are values.
    if (mlir::ShapedType::isDynamic(number))
      size = gen.sizes.value(form, size);
  auto result = mlir::RankedTensorType::get(fixed, type.getElementType());
  return make<tensor::ExpandShapeOp>(form, result, value, groups, shape);
}

/// Adds a tensor that is broadcast to `shape`.
void TensorForms::addInput(const Form *place, mlir::Value value, ArrayRef<Size> shape, Inputs &inputs) {
  Sizes own = gen.sizes.sizes(place, value);
  size_t missing = shape.size() - own.size();
  SmallBitVector dropped(own.size());
  SmallVector<mlir::AffineExpr> results;
  for (auto [i, size] : enumerate(own)) {
    Size joint = shape[i + missing];
    if (TensorSizes::known(size) == 1 && TensorSizes::known(joint) != 1)
      dropped.set(i);
    else {
      results.push_back(builder.getAffineDimExpr(i + missing));
      own[i] = joint;
    }
  }
  value = gen.sizes.refined(place, value, own);
  inputs.tensors.push_back(dropped.any() ? withoutUnits(place, value, dropped) : value);
  inputs.maps.push_back(mlir::AffineMap::get(shape.size(), 0, results, &context));
}

mlir::ValueRange TensorForms::generic(const Form *form, const Inputs &inputs, mlir::ValueRange inits,
                                      ArrayRef<mlir::AffineMap> outputs, ArrayRef<mlir::utils::IteratorType> iterators,
                                      function_ref<Values(mlir::ValueRange)> body) {
  SmallVector<mlir::AffineMap> maps(inputs.maps);
  append_range(maps, outputs);
  bool isGood = true;
  auto op = make<linalg::GenericOp>(form, inits.getTypes(), inputs.tensors, inits, maps, iterators,
                                    [&](mlir::OpBuilder &inner, mlir::Location place, mlir::ValueRange arguments) {
                                      mlir::OpBuilder::InsertionGuard guard(builder);
                                      builder.restoreInsertionPoint(inner.saveInsertionPoint());
                                      Values yielded = body(arguments);
                                      isGood = all_of(yielded, [](mlir::Value value) { return bool(value); });
                                      if (isGood)
                                        linalg::YieldOp::create(builder, place, yielded);
                                    });
  if (isGood)
    return op->getResults();
  op->erase();
  return {};
}

namespace {
/// The widest float type among the elements of the values; null if there is none.
mlir::FloatType widestFloat(ArrayRef<mlir::Value> values) {
  mlir::FloatType widest;
  for (mlir::Value value : values)
    if (auto type = value ? dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType())) : mlir::FloatType())
      if (!widest || type.getWidth() > widest.getWidth())
        widest = type;
  return widest;
}
} // namespace

mlir::Value TensorForms::elementwise(const Form *form, Places places, ArrayRef<mlir::Value> values, Width width,
                                     Body body) {
  std::optional<Sizes> shape = broadcastSizes(form, places, values);
  if (!shape)
    return {};
  Inputs inputs;
  for (auto [place, value] : zip(places, values))
    if (isTensor(value))
      addInput(place, value, *shape, inputs);
  SmallVector<mlir::Value> given; // Values made of bare numbers take the type of the others, if there are such.
  copy_if(values, std::back_inserter(given), [&](mlir::Value value) {
    return value && !gen.literalValues.isLiteral(value) && !mlir::getElementTypeOrSelf(value.getType()).isInteger(1);
  });
  mlir::FloatType wanted = widestFloat(given.empty() ? values : ArrayRef<mlir::Value>(given)), computed = wanted;
  if (wanted && width != Width::AsIs)
    computed = cast<mlir::FloatType>(typeBesideTensor(wanted));
  mlir::Type literals = computed ? mlir::Type(computed) : mlir::Type();
  for (mlir::Value value : values)
    if (mlir::Type element = value ? mlir::getElementTypeOrSelf(value.getType()) : mlir::Type();
        element && !literals && !element.isInteger(1))
      literals = element;
  // The body comes first: it determines the type of the result.
  auto block = std::make_unique<mlir::Block>();
  mlir::Value result;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    SmallVector<mlir::Value> numbers;
    for (auto [place, value] : zip(places, values)) {
      mlir::Value number = !value ? gen.literalValues.constant(place, literals ? literals : builder.getI1Type())
                           : isTensor(value)
                               ? block->addArgument(mlir::getElementTypeOrSelf(value.getType()), location(place))
                               : value;
      if (!number)
        return {};
      if (computed && isa<mlir::FloatType>(number.getType()) && number.getType() != computed)
        number = width == Width::AtF32Rounded ? make<arith::ExtFOp>(place, computed, number).getResult()
                                              : widened(place, number, computed);
      numbers.push_back(number);
    }
    result = body(numbers);
    if (!result)
      return {};
    if (computed != wanted && result.getType() == computed)
      result = rounded(form, result, wanted);
    block->addArgument(result.getType(), location(form));
    make<linalg::YieldOp>(form, result);
  }
  mlir::Value init = empty(form, *shape, result.getType());
  inputs.maps.push_back(builder.getMultiDimIdentityMap(shape->size()));
  SmallVector<mlir::utils::IteratorType> iterators(shape->size(), mlir::utils::IteratorType::parallel);
  auto op = make<linalg::GenericOp>(form, mlir::TypeRange(init.getType()), inputs.tensors, mlir::ValueRange(init),
                                    inputs.maps, iterators);
  op.getRegion().getBlocks().clear();
  op.getRegion().push_back(block.release());
  return op.getResult(0);
}

/// `op` with the flag by which MLIR folds a widened rounded number to the number.
template <typename Op> static mlir::Value foldable(Op op) {
  op.setFastmath(arith::FastMathFlags::contract);
  return op;
}

mlir::Value TensorForms::widened(const Form *form, mlir::Value number, mlir::Type type) {
  return foldable(make<arith::ExtFOp>(form, type, number));
}

mlir::Value TensorForms::rounded(const Form *form, mlir::Value number, mlir::Type type) {
  auto op = make<arith::TruncFOp>(form, type, number);
  return type.getIntOrFloatBitWidth() < 32 ? foldable(op) : op.getResult();
}

mlir::Value TensorForms::converted(const Form *form, mlir::Value tensor, mlir::Type element) {
  if (mlir::getElementTypeOrSelf(tensor.getType()) == element)
    return tensor;
  return elementwise(form, form, tensor, Width::AsIs, [&](mlir::ValueRange numbers) {
    auto from = dyn_cast<mlir::FloatType>(numbers[0].getType()), to = dyn_cast<mlir::FloatType>(element);
    if (!from || !to || from.getWidth() == to.getWidth())
      return gen.arithmetic.convert(numbers[0], element, form);
    return from.getWidth() < to.getWidth() ? widened(form, numbers[0], to) : rounded(form, numbers[0], to);
  });
}

mlir::Value TensorForms::castElements(const Form *form, mlir::Value tensor, mlir::Type element) {
  mlir::Value result = converted(form, tensor, element), source = result;
  // The value of a form that has this type already is rounded there.
  while (source && isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(source.getDefiningOp()))
    source = source.getDefiningOp()->getOperand(0);
  if (auto op = source ? source.getDefiningOp<linalg::GenericOp>() : linalg::GenericOp())
    if (auto rounding = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>())
      rounding.removeFastmathAttr();
  return result;
}
} // namespace lispier
