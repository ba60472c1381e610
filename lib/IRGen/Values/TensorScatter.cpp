//===- TensorScatter.cpp - parts of tensors changed where numbers say -----===//
#include "Core/Literals.h"
#include "Core/Messages.h"
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

/// (add-at table indices rows)
mlir::FailureOr<Values> TensorForms::emitAddAt(const Form *form) {
  mlir::Value table = operand(form, (*form)[1]);
  mlir::Value indices = table ? indexOperand(form, (*form)[2]) : mlir::Value();
  mlir::Value rows = indices ? operand(form, (*form)[3]) : mlir::Value();
  if (!rows)
    return mlir::failure();
  Sizes sizes = gen.sizes.sizes(form, table);
  if (sizes.empty()) {
    error("tensor-rank", (*form)[1], "a tensor of one number has no rows to add to");
    return mlir::failure();
  }
  for (auto [place, value] : {std::pair((*form)[1], table), std::pair((*form)[3], rows)})
    if (!isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()))) {
      error("type-mismatch", place, "`add-at` adds floats, and this is " + gen.sizes.text(value))
          .withHint("(cast f32 " + place->str() + ") converts");
      return mlir::failure();
    }
  if (!checkConstantIndices(form, (*form)[2], indices, table, 0) || !checkRows(form, table, indices, rows))
    return mlir::failure();
  Size count = gen.sizes.product(form, gen.sizes.sizes(form, indices));
  Size width = gen.sizes.product(form, ArrayRef(sizes).drop_front());
  indices = asI32(form, indices, table);
  if (!indices)
    return mlir::failure();
  context.loadDialect<nn::NNDialect>();                                        // Few programs need it.
  Size lists = sum(form, sum(form, sizes[0], count), builder.getIndexAttr(1)); // As nn.add_at describes them.
  mlir::Value scratch = empty(form, gen.sizes.product(form, {lists, builder.getIndexAttr(2)}), builder.getI32Type());
  auto added = make<nn::AddAtOp>(form, reshaped(form, indices, count), reshaped(form, rows, {count, width}), scratch,
                                 reshaped(form, table, {sizes[0], width}));
  return resultOf(reshaped(form, added->getResult(0), sizes));
}
} // namespace lispier
