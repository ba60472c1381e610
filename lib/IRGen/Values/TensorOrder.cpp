//===- TensorOrder.cpp - the places of a tensor's elements in order -------===//
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "lispier/NN/NN.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
/// The type in which numbers are sorted, which has all of theirs: one that kernels have.
static mlir::Type sortedType(mlir::OpBuilder &builder, mlir::Type type) {
  if (type.isIndex())
    return builder.getI64Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<mlir::FloatType>(type))
    return width < 16 ? mlir::Type(builder.getF32Type()) : type;
  return width <= 8 ? builder.getI8Type() : width < 32 ? mlir::Type(builder.getI32Type()) : type;
}

/// (first-places tensor k :descending false)
mlir::FailureOr<Values> TensorForms::emitFirstPlaces(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"descending"}, 2, 2);
  mlir::Value x = call ? operand(form, call->operands[0]) : mlir::Value();
  if (!x)
    return mlir::failure();
  Sizes sizes = gen.sizes.sizes(form, x);
  if (sizes.empty()) {
    error("tensor-rank", call->operands[0], "a tensor of one number has no axis to sort");
    return mlir::failure();
  }
  const Form *given = call->operands[1], *order = call->get("descending");
  std::optional<int64_t> number = gen.literals.integerOf(given);
  mlir::Value index = number ? mlir::Value() : gen.sizes.index(given, "a number of elements");
  mlir::Value descending = order ? gen.evaluator->emitValue(order, builder.getI1Type())
                                 : gen.literals.constantInt(form, builder.getI1Type(), 0);
  if ((!number && !index) || !descending)
    return mlir::failure();
  if (!descending.getType().isInteger(1)) {
    error("type-mismatch", order, "`:descending` is true or false, not " + mlir::debugString(descending.getType()));
    return mlir::failure();
  }
  Size count = number ? Size(builder.getIndexAttr(*number)) : Size(index);
  if (!checkRange(given, form, x, sizes.size() - 1, builder.getIndexAttr(0), count))
    return mlir::failure();
  x = converted(form, x, sortedType(builder, mlir::getElementTypeOrSelf(x.getType())));
  if (!x)
    return mlir::failure();
  context.loadDialect<nn::NNDialect>(); // Few programs need it.
  Size elements = sizes.back(), rows = gen.sizes.product(form, ArrayRef(sizes).drop_back());
  Size share = sum(form, gen.sizes.product(form, {elements, builder.getIndexAttr(3)}), builder.getIndexAttr(256));
  mlir::Value scratch = empty(form, gen.sizes.product(form, {rows, share}), builder.getI64Type());
  mlir::Value places = empty(form, {rows, count}, builder.getI32Type());
  mlir::Value flip = make<arith::ExtSIOp>(form, builder.getI32Type(), descending);
  auto op = make<nn::ArgsortOp>(form, reshaped(form, x, {rows, elements}), scratch, flip, places);
  sizes.back() = count;
  return resultOf(reshaped(form, op->getResult(0), sizes));
}
} // namespace lispier
