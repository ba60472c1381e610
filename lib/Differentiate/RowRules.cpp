//===- RowRules.cpp - adjoints of rows that are put into a table ----------===//
//
// What becomes of a row is read in the cotangent at the row's index: of added rows all,
// of rows that replace others that of the last one, and of extremes what is equal to
// the result, of which all have equal shares.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// Builds elementwise ops on [n c] and [v c].
class RowBuilder {
public:
  RowBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;
  /// A tensor of the sizes of `like`: of the elements of `inputs`, of which those of one dimension have the first.
  Value elementwise(Value like, Type element, ValueRange inputs, Body body) {
    return over(tensor::getMixedSizes(b, loc, like), element, inputs, body);
  }
  Value over(ArrayRef<OpFoldResult> sizes, Type element, ValueRange inputs, Body body) {
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 1
                         ? AffineMap::get(2, 0, b.getAffineDimExpr(0))
                         : b.getMultiDimIdentityMap(2));
    maps.push_back(b.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return linalg::GenericOp::create(b, loc, empty.getType(), inputs, empty, maps, loops,
                                     [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                       linalg::YieldOp::create(inner, place, body(inner, numbers));
                                     })
        .getResult(0);
  }
  /// In a body: the table's element in the row of that index, and the body's column or the first one.
  Value at(OpBuilder &inner, Value table, Value index, bool isColumn = false) {
    Value row = arith::IndexCastOp::create(inner, loc, inner.getIndexType(), index);
    Value column = isColumn ? arith::ConstantIndexOp::create(inner, loc, 0).getResult()
                            : linalg::IndexOp::create(inner, loc, 1).getResult();
    return tensor::ExtractOp::create(inner, loc, table, ValueRange{row, column});
  }
  /// Scratch memory as nn.add_at describes it.
  Value listsOf(Value rows, Value table) {
    auto sizeOf = [&](Value tensor) {
      return getValueOrCreateConstantIndexOp(b, loc, tensor::getMixedSize(b, loc, tensor, 0));
    };
    auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    Value lists = b.createOrFold<arith::AddIOp>(loc, sizeOf(table), sizeOf(rows));
    lists = b.createOrFold<arith::AddIOp>(loc, lists, number(1));
    OpFoldResult size = b.createOrFold<arith::MulIOp>(loc, lists, number(2));
    return tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>(size), b.getI32Type());
  }
  Value zero(OpBuilder &inner, Type type) {
    return arith::ConstantOp::create(inner, loc, cast<TypedAttr>(inner.getZeroAttr(type)));
  }
  Value where(OpBuilder &inner, Value holds, Value number) {
    return arith::SelectOp::create(inner, loc, holds, number, zero(inner, number.getType()));
  }

  OpBuilder &b;
  Location loc;
};
} // namespace

/// Of the rows those of the cotangent that their indices name.
LogicalResult reverseAddAt(Operation *op, Reverse &reverse) {
  auto sum = cast<nn::AddAtOp>(op);
  Value cotangent = reverse.take(op->getResult(0)), rows = sum.getRows();
  reverse.add(sum.getOut(), cotangent);
  if (!reverse.isActive(rows))
    return success();
  Type element = getElementTypeOrSelf(rows.getType()), own = getElementTypeOrSelf(cotangent.getType());
  RowBuilder build(reverse.b, op->getLoc());
  reverse.add(rows, build.elementwise(rows, element, sum.getIndices(), [&](OpBuilder &b, ValueRange numbers) -> Value {
    Value number = build.at(b, cotangent, numbers[0]);
    if (element.getIntOrFloatBitWidth() < own.getIntOrFloatBitWidth())
      return arith::TruncFOp::create(b, build.loc, element, number);
    return element == own ? number : arith::ExtFOp::create(b, build.loc, element, number).getResult();
  }));
  return success();
}

/// Of the last row of each index; of the table's rows without one.
LogicalResult reverseSetAt(Operation *op, Reverse &reverse) {
  auto set = cast<nn::SetAtOp>(op);
  OpBuilder &b = reverse.b;
  Location loc = op->getLoc();
  RowBuilder build(b, loc);
  Value cotangent = reverse.take(op->getResult(0)), rows = set.getRows(), indices = set.getIndices();
  Type element = getElementTypeOrSelf(rows.getType()), i32 = b.getI32Type();
  if (reverse.isActive(set.getOut())) {
    Value none =
        build.elementwise(rows, element, {}, [&](OpBuilder &inner, ValueRange) { return build.zero(inner, element); });
    Value scratch = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, set.getScratch()), i32);
    reverse.add(set.getOut(), nn::SetAtOp::create(b, loc, indices, none, scratch, cotangent)->getResult(0));
  }
  if (!reverse.isActive(rows))
    return success();
  auto numberOf = [&](OpBuilder &inner) -> Value {
    return arith::IndexCastOp::create(inner, loc, i32, linalg::IndexOp::create(inner, loc, 0));
  };
  SmallVector<OpFoldResult> count{tensor::getMixedSize(b, loc, rows, 0), b.getIndexAttr(1)};
  SmallVector<OpFoldResult> table{tensor::getMixedSize(b, loc, set.getOut(), 0), b.getIndexAttr(1)};
  Value numbers = build.over(count, i32, {}, [&](OpBuilder &inner, ValueRange) { return numberOf(inner); });
  Value none = build.over(table, i32, {}, [&](OpBuilder &inner, ValueRange) -> Value {
    return arith::ConstantOp::create(inner, loc, inner.getI32IntegerAttr(-1));
  });
  Value last = nn::ExtremeAtOp::create(b, loc, indices, numbers, none, /*least=*/false)->getResult(0);
  reverse.add(rows, build.elementwise(rows, element, indices, [&](OpBuilder &inner, ValueRange at) {
    Value winner = build.at(inner, last, at[0], /*isColumn=*/true);
    Value isLast = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, winner, numberOf(inner));
    return build.where(inner, isLast, build.at(inner, cotangent, at[0]));
  }));
  return success();
}

/// Of what is equal to the result: the cotangent by how many of an element are.
LogicalResult reverseExtremeAt(Operation *op, Reverse &reverse) {
  auto extreme = cast<nn::ExtremeAtOp>(op);
  OpBuilder &b = reverse.b;
  Location loc = op->getLoc();
  RowBuilder build(b, loc);
  Value result = op->getResult(0), cotangent = reverse.take(result);
  Value rows = extreme.getRows(), table = extreme.getOut(), indices = extreme.getIndices();
  Type element = getElementTypeOrSelf(rows.getType());
  auto isEqual = [&](OpBuilder &inner, Value x, Value y) -> Value {
    return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ, x, y);
  };
  auto one = [&](OpBuilder &inner) -> Value {
    return arith::ConstantOp::create(inner, loc, inner.getFloatAttr(element, 1));
  };
  Value ofTable = build.elementwise(table, element, {table, result}, [&](OpBuilder &inner, ValueRange numbers) {
    return build.where(inner, isEqual(inner, numbers[0], numbers[1]), one(inner));
  });
  Value ofRows = build.elementwise(rows, element, {rows, indices}, [&](OpBuilder &inner, ValueRange numbers) {
    return build.where(inner, isEqual(inner, numbers[0], build.at(inner, result, numbers[1])), one(inner));
  });
  Value counts = nn::AddAtOp::create(b, loc, indices, ofRows, build.listsOf(rows, table), ofTable)->getResult(0);
  Value shares =
      build.elementwise(table, element, {cotangent, counts}, [&](OpBuilder &inner, ValueRange numbers) -> Value {
        Value count = arith::MaximumFOp::create(inner, loc, numbers[1], one(inner)); // 0 where the result is NaN.
        return arith::DivFOp::create(inner, loc, numbers[0], count);
      });
  reverse.add(table,
              build.elementwise(table, element, {shares, table, result}, [&](OpBuilder &inner, ValueRange numbers) {
                return build.where(inner, isEqual(inner, numbers[1], numbers[2]), numbers[0]);
              }));
  reverse.add(rows, build.elementwise(rows, element, {rows, indices}, [&](OpBuilder &inner, ValueRange numbers) {
    Value holds = isEqual(inner, numbers[0], build.at(inner, result, numbers[1]));
    return build.where(inner, holds, build.at(inner, shares, numbers[1]));
  }));
  return success();
}
} // namespace lispier
