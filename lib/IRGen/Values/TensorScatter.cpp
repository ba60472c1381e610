//===- TensorScatter.cpp - parts of tensors changed where numbers say -----===//
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "lispier/NN/NN.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
/// Whether the rows have the shape of the indices, and then that of a row of the table; reports where they do not, and
/// generates comparisons of what only the run knows.
bool TensorForms::checkRows(const Form *form, mlir::Value table, mlir::Value indices, mlir::Value rows) {
  const Form *place = (*form)[3];
  Sizes wanted = gen.sizes.sizes(form, indices), given = gen.sizes.sizes(form, rows);
  append_range(wanted, drop_begin(gen.sizes.sizes(form, table)));
  auto differ = [](auto pair) {
    std::optional<int64_t> a = TensorSizes::known(std::get<0>(pair)), b = TensorSizes::known(std::get<1>(pair));
    return a && b && *a != *b;
  };
  if (wanted.size() != given.size() || any_of(zip(wanted, given), differ)) {
    error("tensor-shape", place,
          "`add-at` takes a row of the table for each index, and these are " + gen.sizes.text(rows))
        .note((*form)[1]->range(), "the table is " + gen.sizes.text(table))
        .note((*form)[2]->range(), "the indices are " + gen.sizes.text(indices))
        .withHint("the shape is that of (gather table indices)");
    return false;
  }
  for (auto [d, sizes] : enumerate(zip(wanted, given))) {
    auto [a, b] = sizes;
    gen.sizes.check(form, a, b, "tensor-shape",
                    "`add-at`: dimension " + Twine(d) + " of the rows has the size %ld instead of %ld", {b, a});
  }
  return true;
}

/// Indices of another type that i32 cannot hold are -1, which is outside of every table.
mlir::Value TensorForms::asI32(const Form *form, mlir::Value indices, mlir::Value table) {
  mlir::Type type = mlir::getElementTypeOrSelf(indices.getType()), i32 = builder.getI32Type();
  if (type.isIndex() || type.getIntOrFloatBitWidth() > 32) {
    mlir::Value size = gen.sizes.value(form, gen.sizes.size(form, table, 0));
    indices = elementwise(form, form, indices, Width::AsIs, [&](mlir::ValueRange numbers) -> mlir::Value {
      auto wide = [&](mlir::Value index) -> mlir::Value {
        return index.getType().isIndex() ? index : make<arith::IndexCastOp>(form, builder.getIndexType(), index);
      };
      mlir::Value inside = make<arith::CmpIOp>(form, arith::CmpIPredicate::ult, wide(numbers[0]), size);
      mlir::Value outside = gen.literals.constantInt(form, type, -1);
      return make<arith::SelectOp>(form, inside, numbers[0], outside);
    });
  }
  return indices ? converted(form, indices, i32) : indices;
}

/// How rows and the table's become one, the value of :with.
std::optional<TensorForms::AddAtKind> TensorForms::addAtKind(const KeywordOperands &call) {
  const Form *given = call.get("with");
  if (!given || given->isSymbol("+"))
    return AddAtKind::Add;
  for (auto [name, kind] :
       {std::pair("set", AddAtKind::Set), std::pair("max", AddAtKind::Max), std::pair("min", AddAtKind::Min)})
    if (given->isSymbol(name))
      return kind;
  error("macro-shape", given, "`:with` is +, set, max or min, not " + given->str());
  return std::nullopt;
}

bool TensorForms::checkRowTypes(const Form *form, AddAtKind kind, mlir::Value table, mlir::Value rows) {
  mlir::Type type = mlir::getElementTypeOrSelf(table.getType()), own = mlir::getElementTypeOrSelf(rows.getType());
  for (auto [place, value, element] : {std::tuple((*form)[1], table, type), std::tuple((*form)[3], rows, own)}) {
    if (kind == AddAtKind::Add && !isa<mlir::FloatType>(element)) {
      error("type-mismatch", place, "`add-at` adds floats, and this is " + gen.sizes.text(value))
          .withHint("(cast f32 " + place->str() + ") converts");
      return false;
    }
    if (kind != AddAtKind::Add && kind != AddAtKind::Set && element.isInteger(1)) {
      error("type-mismatch", place, "`add-at` compares numbers, and this is " + gen.sizes.text(value))
          .withHint("(cast i32 " + place->str() + ") converts");
      return false;
    }
  }
  if (kind == AddAtKind::Add || type == own)
    return true;
  error("type-mismatch", (*form)[3],
        "`add-at` puts rows into a table of their type, and these are " + gen.sizes.text(rows))
      .note((*form)[1]->range(), "the table is " + gen.sizes.text(table))
      .withHint("(cast " + typeText(type) + " " + (*form)[3]->str() + ") converts");
  return false;
}

/// Of types that nn.extreme_at does not have, in one that has all of their numbers. The tensors are [n], [n c], [v c].
mlir::Value TensorForms::extremeAt(const Form *form, AddAtKind kind, mlir::Value indices, mlir::Value rows,
                                   mlir::Value table) {
  mlir::Type own = mlir::getElementTypeOrSelf(table.getType()), type = own;
  if (own.isIndex())
    type = builder.getI64Type();
  else if (own.getIntOrFloatBitWidth() < 32)
    type = isa<mlir::FloatType>(own) ? mlir::Type(builder.getF32Type()) : builder.getI32Type();
  auto op = make<nn::ExtremeAtOp>(form, indices, converted(form, rows, type), converted(form, table, type),
                                  kind == AddAtKind::Min);
  return converted(form, op->getResult(0), own);
}

/// (add-at table indices rows :with max)
mlir::FailureOr<Values> TensorForms::emitAddAt(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"with"}, 3, 3);
  std::optional<AddAtKind> kind = call ? addAtKind(*call) : std::nullopt;
  mlir::Value table = kind ? operand(form, (*form)[1]) : mlir::Value();
  mlir::Value indices = table ? indexOperand(form, (*form)[2]) : mlir::Value();
  mlir::Value rows = indices ? operand(form, (*form)[3]) : mlir::Value();
  if (!rows)
    return mlir::failure();
  Sizes sizes = gen.sizes.sizes(form, table);
  if (sizes.empty()) {
    error("tensor-rank", (*form)[1],
          "a tensor of one number has no rows to " + Twine(*kind == AddAtKind::Add ? "add to" : "change"));
    return mlir::failure();
  }
  if (!checkRowTypes(form, *kind, table, rows) || !checkConstantIndices(form, (*form)[2], indices, table, 0) ||
      !checkRows(form, table, indices, rows))
    return mlir::failure();
  Size count = gen.sizes.product(form, gen.sizes.sizes(form, indices));
  Size width = gen.sizes.product(form, ArrayRef(sizes).drop_front());
  indices = asI32(form, indices, table);
  if (!indices)
    return mlir::failure();
  context.loadDialect<nn::NNDialect>(); // Few programs need it.
  indices = reshaped(form, indices, count);
  rows = reshaped(form, rows, {count, width});
  table = reshaped(form, table, {sizes[0], width});
  if (*kind == AddAtKind::Max || *kind == AddAtKind::Min)
    return resultOf(reshaped(form, extremeAt(form, *kind, indices, rows, table), sizes));
  Size lists = sizes[0];
  if (*kind == AddAtKind::Add) { // As nn.add_at describes them.
    lists = sum(form, sum(form, sizes[0], count), builder.getIndexAttr(1));
    lists = gen.sizes.product(form, {lists, builder.getIndexAttr(2)});
  }
  mlir::Value scratch = empty(form, lists, builder.getI32Type());
  mlir::Operation *op = *kind == AddAtKind::Add ? make<nn::AddAtOp>(form, indices, rows, scratch, table).getOperation()
                                                : make<nn::SetAtOp>(form, indices, rows, scratch, table).getOperation();
  return resultOf(reshaped(form, op->getResult(0), sizes));
}
} // namespace lispier
