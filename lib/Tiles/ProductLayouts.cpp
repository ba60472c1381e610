//===- ProductLayouts.cpp - layouts of the operands of products -----------===//
#include "ProductLayouts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using lispier::tile::Bases;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::LayoutBuilder;

namespace lispier {
namespace {
enum { kRows, kColumns };
using Layouts = ProductLayouts;

/// Sums in a grid of threads: four neighbours of a row in a thread, then lanes along rows and columns.
Layout gridLayout(int64_t m, int64_t n, BlockShape block) {
  LayoutBuilder builder({m, n});
  for (int bit = 0; bit < 2 && builder.hasBits(kColumns); ++bit)
    builder.layout.registers.push_back(builder.take(kColumns));
  unsigned bits = llvm::Log2_32(block.lanes);
  for (unsigned bit = 0; bit < bits; ++bit)
    builder.layout.lanes.push_back(bit < (bits + 1) / 2 ? builder.takeFirst({kColumns, kRows})
                                                        : builder.takeFirst({kRows, kColumns}));
  for (unsigned warp = 1; warp < block.warps; warp *= 2)
    builder.layout.warps.push_back(builder.takeFirst({kRows, kColumns}));
  return builder.finish();
}

/// Of a factor whose dimension `kept` is dimension `from` of the sums: each thread has all that its sums need, so all
/// of the summed dimension.
Layout factorLayout(const Layout &sums, unsigned from, int64_t k, unsigned kept) {
  SmallVector<int64_t> shape(2, k);
  shape[kept] = sums.shape[from];
  LayoutBuilder builder(shape);
  auto along = [&](const Bases &bases, bool copies) {
    Bases result;
    for (const Coordinates &basis : bases)
      if (copies || basis[from])
        result.push_back(builder.basis(kept, basis[from]));
    return result;
  };
  auto takeSummed = [&] {
    while (builder.hasBits(1 - kept))
      builder.layout.registers.push_back(builder.take(1 - kept));
  };
  if (kept == kRows)
    takeSummed();
  builder.layout.registers.append(along(sums.registers, false));
  if (kept == kColumns)
    takeSummed();
  builder.layout.lanes = along(sums.lanes, true);
  builder.layout.warps = along(sums.warps, true);
  return builder.layout;
}
} // namespace

std::optional<ProductShape> productShape(vector::ContractionOp product) {
  SmallVector<AffineMap, 4> maps = product.getIndexingMapsArray();
  if (llvm::any_of(maps, [](AffineMap map) { return map.getNumDims() != 3 || map.getNumResults() != 2; }))
    return std::nullopt;
  auto has = [](AffineMap map, unsigned dimension) { return map.isFunctionOfDim(dimension); };
  int64_t m = -1, n = -1, k = -1;
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    bool a = has(maps[0], dimension), b = has(maps[1], dimension), c = has(maps[2], dimension);
    (a && c && !b ? m : b && c && !a ? n : k) = dimension;
  }
  if (m < 0 || n < 0 || k < 0)
    return std::nullopt;
  auto first = [](AffineMap map) { return cast<AffineDimExpr>(map.getResult(0)).getPosition(); };
  auto size = [](VectorType type, bool transposed, unsigned i) { return type.getDimSize(transposed ? 1 - i : i); };
  ProductShape shape{};
  shape.lhsTransposed = first(maps[0]) != m;
  shape.rhsTransposed = first(maps[1]) == n;
  shape.resultTransposed = first(maps[2]) != m;
  shape.m = size(product.getLhsType(), shape.lhsTransposed, 0);
  shape.k = size(product.getLhsType(), shape.lhsTransposed, 1);
  shape.n = size(product.getRhsType(), shape.rhsTransposed, 1);
  return shape;
}

ProductLayouts productLayouts(vector::ContractionOp product, const TargetInfo &, BlockShape block) {
  std::optional<ProductShape> shape = productShape(product);
  assert(shape && "checked before");
  Layout sums = gridLayout(shape->m, shape->n, block);
  Layouts layouts{factorLayout(sums, kRows, shape->k, kRows), factorLayout(sums, kColumns, shape->k, kColumns), sums};
  auto turn = [](Layout &layout, bool transposed) {
    if (transposed)
      layout = layout.transposed({1, 0});
  };
  turn(layouts.lhs, shape->lhsTransposed);
  turn(layouts.rhs, shape->rhsTransposed);
  turn(layouts.result, shape->resultTransposed);
  return layouts;
}

Layout scanLayout(ArrayRef<int64_t> shape, unsigned dimension, BlockShape block) {
  LayoutBuilder builder(shape);
  while (builder.hasBits(dimension))
    builder.layout.registers.push_back(builder.take(dimension));
  SmallVector<unsigned> others;
  for (unsigned each = shape.size(); each-- > 0;)
    if (each != dimension)
      others.push_back(each);
  for (unsigned lane = 1; lane < block.lanes; lane *= 2)
    builder.layout.lanes.push_back(builder.takeFirst(others));
  for (unsigned warp = 1; warp < block.warps; warp *= 2)
    builder.layout.warps.push_back(builder.takeFirst(others));
  return builder.finish();
}
} // namespace lispier
