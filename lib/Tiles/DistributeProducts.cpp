//===- DistributeProducts.cpp - products of tiles -------------------------===//
//
// A thread has, in the layouts of ProductLayouts, all that its sums need. If tiles
// consist of the fragments of a matrix instruction, a product is one instruction for
// each fragment of sums and step; else the sums of each thread are fused multiply-adds
// in the order of k.
//
//===----------------------------------------------------------------------===//
#include "Distribution.h"
#include "ProductLayouts.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
/// The layout of an operand as a batch, of one matrix if need be, that is not transposed.
Layout canonical(const Layout &layout, const ProductShape &shape, bool transposed) {
  Layout all = shape.batch ? layout : layout.withUnitDimension(0);
  return transposed ? all.transposed({0, 2, 1}) : all;
}

/// An operand of a product, by its canonical coordinates.
struct Operand {
  Operand(Distribution &d, Value tile, const ProductShape &shape, bool transposed)
      : layout(canonical(d.layoutOf(tile), shape, transposed)), table(layout), elements(d.elements(d.get(tile))) {}

  Layout layout;
  RegisterTable table;
  SmallVector<Value> elements;

  Value at(int32_t matrix, int32_t row, int32_t column) {
    std::optional<unsigned> number = table.find({matrix, row, column});
    return number ? elements[*number] : Value();
  }
};

Value widen(Distribution &d, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return isa<FloatType>(type) ? arith::ExtFOp::create(d.b, type, value).getResult()
                              : arith::ExtSIOp::create(d.b, type, value).getResult();
}

Value multiplyAdd(Distribution &d, Value a, Value c, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(d.b, a, c, sum);
  return arith::AddIOp::create(d.b, sum, arith::MulIOp::create(d.b, a, c));
}

/// k outside: the factors of a step are read once, and all sums advance.
LogicalResult multiplyByElements(Distribution &d, vector::ContractionOp product, Operand &lhs, Operand &rhs,
                                 Operand &sums) {
  Type type = getElementTypeOrSelf(product.getAcc().getType());
  for (Operand *operand : {&lhs, &rhs})
    for (Value &element : operand->elements)
      element = widen(d, element, type);
  for (int32_t k = 0, end = lhs.layout.shape[2]; k < end; ++k)
    for (unsigned number = 0; number < sums.elements.size(); ++number) {
      tile::Coordinates at = sums.layout.ofRegister(number);
      Value a = lhs.at(at[0], at[1], k), c = rhs.at(at[0], k, at[2]);
      if (!a || !c)
        return product.emitOpError("has operands in layouts that do not fit its result's");
      sums.elements[number] = multiplyAdd(d, a, c, sums.elements[number]);
    }
  return success();
}

LogicalResult multiplyByFragments(Distribution &d, vector::ContractionOp product, const MatrixInstruction &instruction,
                                  Operand &lhs, Operand &rhs, Operand &sums) {
  unsigned count = 1u << instruction.c.registers.size();
  llvm::DenseMap<std::pair<Operand *, unsigned>, Value> made;
  auto fragment = [&](Operand &factor, const MatrixFragment &of, const tile::Coordinates &place) -> Value {
    std::optional<unsigned> first = factor.table.find(place);
    if (!first)
      return nullptr;
    Value &known = made[{&factor, *first}];
    if (!known)
      known = d.vectorOf(ArrayRef(factor.elements).slice(*first, size_t(1) << of.registers.size()));
    return known;
  };
  for (int32_t k = 0, end = lhs.layout.shape[2]; k < end; k += instruction.k)
    for (unsigned number = 0; number < sums.elements.size(); number += count) {
      tile::Coordinates at = sums.layout.ofRegister(number);
      Value a = fragment(lhs, instruction.a, {at[0], at[1], k}), c = fragment(rhs, instruction.b, {at[0], k, at[2]});
      if (!a || !c)
        return product.emitOpError("has operands in layouts that do not fit its result's");
      auto own = MutableArrayRef(sums.elements).slice(number, count);
      Value next = tile::MmaOp::create(d.b, VectorType::get({count}, own.front().getType()), a, c, d.vectorOf(own),
                                       instruction.m, instruction.n, instruction.k,
                                       /*tf32=*/instruction.rounds);
      llvm::copy(d.elements(next), own.begin());
    }
  return success();
}
} // namespace

LogicalResult distributeProduct(Distribution &d, vector::ContractionOp product) {
  std::optional<ProductShape> shape = productShape(product);
  if (!shape)
    return product.emitOpError("is no product of two matrices");
  if (product->hasAttr(tile::kWarpgroup))
    return distributeWarpgroupProduct(d, product);
  Operand lhs(d, product.getLhs(), *shape, shape->lhsTransposed),
      rhs(d, product.getRhs(), *shape, shape->rhsTransposed);
  Operand sums(d, product.getAcc(), *shape, shape->resultTransposed);
  const MatrixInstruction *instruction =
      instructionFor(product, d.target, lhs.layout.without(0), rhs.layout.without(0), sums.layout.without(0));
  if (failed(instruction ? multiplyByFragments(d, product, *instruction, lhs, rhs, sums)
                         : multiplyByElements(d, product, lhs, rhs, sums)))
    return failure();
  d.set(product.getResult(), d.vectorOf(sums.elements));
  return success();
}
} // namespace lispier
