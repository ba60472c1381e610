//===- DistributeProducts.cpp - products of tiles -------------------------===//
//
// A thread has, in the layouts of ProductLayouts, all that its sums need. If tiles
// consist of the fragments of a matrix instruction, a product is one instruction for
// each fragment of sums and step; else the sums of each thread are fused multiply-adds
// in the order of k. Products that only add to each other's sums advance together.
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
/// The layout of an operand as a batch, of one matrix if need be.
Layout batchOf(const Layout &layout, const ProductShape &shape) {
  return shape.batch ? layout : layout.withUnitDimension(0);
}

/// The same of a matrix that is not transposed.
Layout canonical(const Layout &layout, const ProductShape &shape, bool transposed) {
  Layout all = batchOf(layout, shape);
  return transposed ? all.transposed({0, 2, 1}) : all;
}

/// An operand of a product, by its coordinates as a batch that is not transposed. Registers have the numbers of the
/// tile as it is: where units are repeated along both dimensions, they would have others in its transpose.
struct Operand {
  Operand(Distribution &d, Value tile, const ProductShape &shape, bool transposed)
      : transposed(transposed), layout(batchOf(d.layoutOf(tile), shape)), table(layout),
        elements(d.elements(d.get(tile))) {}

  bool transposed;
  Layout layout;
  RegisterTable table;
  SmallVector<Value> elements;

  tile::Coordinates turned(tile::Coordinates at) const {
    if (transposed)
      std::swap(at[1], at[2]);
    return at;
  }
  tile::Coordinates place(unsigned number) const { return turned(layout.ofRegister(number)); }
  std::optional<unsigned> find(tile::Coordinates at) const { return table.find(turned(std::move(at))); }

  Value at(int32_t matrix, int32_t row, int32_t column) const {
    std::optional<unsigned> number = find({matrix, row, column});
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
  for (int32_t k = 0, end = lhs.layout.shape[lhs.transposed ? 1 : 2]; k < end; ++k)
    for (unsigned number = 0; number < sums.elements.size(); ++number) {
      tile::Coordinates at = sums.place(number);
      Value a = lhs.at(at[0], at[1], k), c = rhs.at(at[0], k, at[2]);
      if (!a || !c)
        return product.emitOpError("has operands in layouts that do not fit its result's");
      sums.elements[number] = multiplyAdd(d, a, c, sums.elements[number]);
    }
  return success();
}

/// A product's factors and the fragments that were made of them.
struct Factors {
  Operand lhs, rhs;
  llvm::DenseMap<std::pair<const Operand *, unsigned>, Value> made;

  Factors(Distribution &d, vector::ContractionOp product, const ProductShape &shape)
      : lhs(d, product.getLhs(), shape, shape.lhsTransposed), rhs(d, product.getRhs(), shape, shape.rhsTransposed) {}

  /// What step `step` of `steps` of an instruction takes of a fragment; null if that is not in a thread's registers one
  /// after the other.
  Value fragment(Distribution &d, const Operand &factor, const MatrixFragment &of, const tile::Coordinates &place,
                 unsigned step, unsigned steps) {
    std::optional<unsigned> first = factor.find(place);
    if (!first)
      return nullptr;
    size_t count = (size_t(1) << of.registers.size()) / steps, begin = *first + step * count;
    Value &known = made[{&factor, begin}];
    if (!known)
      known = d.vectorOf(ArrayRef(factor.elements).slice(begin, count));
    return known;
  }
};

/// The sums of several products of one shape. A step of k of all of them comes before the next step: fewer fragments
/// are in registers at a time than if each product were made by itself.
LogicalResult multiplyByFragments(Distribution &d, ArrayRef<vector::ContractionOp> products, const ProductShape &shape,
                                  const MatrixInstruction &instruction, Operand &sums) {
  unsigned count = 1u << instruction.c.registers.size();
  std::vector<Factors> factors;
  for (vector::ContractionOp product : products)
    factors.emplace_back(d, product, shape);
  unsigned steps = instruction.steps;
  auto multiply = [&](Factors &of, unsigned number, int32_t k, unsigned step) {
    tile::Coordinates at = sums.place(number);
    Value a = of.fragment(d, of.lhs, instruction.a, {at[0], at[1], k}, step, steps),
          c = of.fragment(d, of.rhs, instruction.b, {at[0], k, at[2]}, step, steps);
    if (!a || !c)
      return failure();
    auto own = MutableArrayRef(sums.elements).slice(number, count);
    Value next = tile::MmaOp::create(d.b, VectorType::get({count}, own.front().getType()), a, c, d.vectorOf(own),
                                     instruction.m, instruction.n, instruction.k / steps, /*tf32=*/instruction.rounds);
    llvm::copy(d.elements(next), own.begin());
    return success();
  };
  for (int32_t k = 0; k < shape.k; k += instruction.k)
    for (Factors &of : factors)
      for (unsigned i = 0, each = sums.elements.size() / count; i < steps * each; ++i)
        if (failed(multiply(of, i % each * count, k, i / each)))
          return products.back()->emitOpError("has operands in layouts that do not fit its result's");
  return success();
}

const MatrixInstruction *instructionOf(Distribution &d, vector::ContractionOp product, const ProductShape &shape) {
  auto matrix = [&](Value tile, bool transposed) { return canonical(d.layoutOf(tile), shape, transposed).without(0); };
  return instructionFor(product, d.target, matrix(product.getLhs(), shape.lhsTransposed),
                        matrix(product.getRhs(), shape.rhsTransposed),
                        matrix(product.getAcc(), shape.resultTransposed));
}

/// The product that adds to the sums of this one, and to nothing else, by the same instructions; null if there is none.
vector::ContractionOp nextOfChain(Distribution &d, vector::ContractionOp product) {
  auto next = product->hasOneUse() ? dyn_cast<vector::ContractionOp>(*product->user_begin()) : vector::ContractionOp();
  if (!next || product->hasAttr(tile::kWarpgroup) || next.getAcc() != product.getResult() ||
      next->getBlock() != product->getBlock() || next->hasAttr(tile::kWarpgroup) ||
      next.getLhsType() != product.getLhsType() || next.getRhsType() != product.getRhsType() ||
      next.getIndexingMaps() != product.getIndexingMaps() || tile::precisionOf(next) != tile::precisionOf(product))
    return {};
  return instructionOf(d, product, *productShape(product)) ? next : vector::ContractionOp();
}
} // namespace

LogicalResult distributeProduct(Distribution &d, vector::ContractionOp product) {
  std::optional<ProductShape> shape = productShape(product);
  if (!shape)
    return product.emitOpError("is no product of two matrices");
  if (product->hasAttr(tile::kWarpgroup))
    return distributeWarpgroupProduct(d, product);
  if (nextOfChain(d, product)) // Made with the last product of the chain.
    return success();
  SmallVector<vector::ContractionOp> chain{product};
  for (auto before = product.getAcc().getDefiningOp<vector::ContractionOp>();
       before && nextOfChain(d, before) == chain.front();
       before = before.getAcc().getDefiningOp<vector::ContractionOp>())
    chain.insert(chain.begin(), before);
  Operand sums(d, chain.front().getAcc(), *shape, shape->resultTransposed);
  if (const MatrixInstruction *instruction = instructionOf(d, product, *shape)) {
    if (failed(multiplyByFragments(d, chain, *shape, *instruction, sums)))
      return failure();
  } else {
    Factors factors(d, product, *shape);
    if (failed(multiplyByElements(d, product, factors.lhs, factors.rhs, sums)))
      return failure();
  }
  d.set(product.getResult(), d.vectorOf(sums.elements));
  return success();
}
} // namespace lispier
