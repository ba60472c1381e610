//===- ProductLayouts.cpp - layouts of the operands of products -----------===//
#include "ProductLayouts.h"
#include "LayoutRules.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
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

/// Sums in a grid of threads: lanes along columns and rows. Along the columns of a factor whose rows are contiguous,
/// and likewise along rows, a thread has four neighbours, which it reads together; of other factors it reads neighbours
/// along the summed dimension together, and neighbouring lanes have neighbouring rows, which are in different banks.
Layout gridLayout(const ProductShape &shape, BlockShape block) {
  LayoutBuilder builder({shape.m, shape.n});
  for (auto [dimension, isContiguous] : {std::pair(kColumns, !shape.rhsTransposed), {kRows, shape.lhsTransposed}})
    for (int bit = 0; bit < 2 && isContiguous && builder.hasBits(dimension); ++bit)
      builder.layout.registers.push_back(builder.take(dimension));
  unsigned bits = llvm::Log2_32(block.lanes);
  for (unsigned bit = 0; bit < bits; ++bit)
    builder.layout.lanes.push_back(bit < (bits + 1) / 2 ? builder.takeFirst({kColumns, kRows})
                                                        : builder.takeFirst({kRows, kColumns}));
  for (unsigned warp = 1; warp < block.warps; warp *= 2)
    builder.layout.warps.push_back(builder.takeFirst({kRows, kColumns}));
  return builder.finish();
}

/// The dimensions of a tile, by those of the product.
constexpr MatrixDimension kOfLhs[] = {MatrixDimension::M, MatrixDimension::K},
                          kOfRhs[] = {MatrixDimension::K, MatrixDimension::N},
                          kOfSums[] = {MatrixDimension::M, MatrixDimension::N};

Bases basesOf(const LayoutBuilder &builder, ArrayRef<MatrixBit> bits, ArrayRef<MatrixDimension> dimensions) {
  Bases bases;
  for (MatrixBit bit : bits) {
    auto found = llvm::find(dimensions, bit.dimension);
    bases.push_back(found == dimensions.end() ? Coordinates(2, 0)
                                              : builder.basis(found - dimensions.begin(), bit.value));
  }
  return bases;
}

void addFragment(LayoutBuilder &builder, const MatrixFragment &fragment, ArrayRef<MatrixDimension> dimensions) {
  builder.layout.registers = basesOf(builder, fragment.registers, dimensions);
  builder.layout.lanes = basesOf(builder, fragment.lanes, dimensions);
}

/// Of the factor that has dimension `kept` of the sums: each thread has all that its sums need. An instruction's
/// registers and lanes replace as many of the sums'; without an instruction, a thread has all of the summed dimension,
/// first if the factor's memory is contiguous along it.
Layout factorLayout(const Layout &sums, const ProductShape &product, unsigned kept,
                    const MatrixInstruction *instruction) {
  SmallVector<int64_t> shape(2, product.k);
  shape[kept] = sums.shape[kept];
  LayoutBuilder builder(shape);
  Layout &layout = builder.layout;
  auto along = [&](ArrayRef<Coordinates> bases, bool copies) {
    Bases result;
    for (const Coordinates &basis : bases)
      if (copies || basis[kept])
        result.push_back(builder.basis(kept, basis[kept]));
    return result;
  };
  auto takeSummed = [&] {
    while (builder.hasBits(1 - kept))
      layout.registers.push_back(builder.take(1 - kept));
  };
  layout.warps = along(sums.warps, true);
  if (!instruction) {
    bool isContiguous = kept == kRows ? !product.lhsTransposed : product.rhsTransposed;
    if (isContiguous)
      takeSummed();
    layout.registers.append(along(sums.registers, false));
    takeSummed();
    layout.lanes = along(sums.lanes, true);
    return layout;
  }
  const MatrixFragment &fragment = kept == kRows ? instruction->a : instruction->b;
  addFragment(builder, fragment, kept == kRows ? ArrayRef(kOfLhs) : ArrayRef(kOfRhs));
  builder.skip(1 - kept, instruction->k);
  takeSummed();
  layout.registers.append(along(ArrayRef(sums.registers).drop_front(instruction->c.registers.size()), false));
  return layout;
}

/// Sums in an instruction's fragments. Warps share rows and columns so that they read few factors, or lie along rows.
Layout instructionLayout(const MatrixInstruction &instruction, int64_t m, int64_t n, BlockShape block, bool rowsFirst) {
  LayoutBuilder builder({m, n});
  addFragment(builder, instruction.c, kOfSums);
  builder.skip(kRows, instruction.m);
  builder.skip(kColumns, instruction.n);
  for (unsigned warp = 1; warp < block.warps; warp *= 2) {
    bool rows = rowsFirst || m >= n;
    builder.layout.warps.push_back(rows ? builder.takeFirst({kRows, kColumns}) : builder.takeFirst({kColumns, kRows}));
    (builder.layout.warps.back()[kRows] ? m : n) /= 2;
  }
  return builder.finish();
}

/// Of `batch` matrices in the places of one: `warps` groups of warps take one at a time, and each of these in turn.
Layout batched(const Layout &matrix, int64_t batch, int64_t warps) {
  Layout all = matrix.withUnitDimension(0);
  all.shape[0] = batch;
  all.repeats[0] = batch / (batch & -batch);
  for (int64_t bit = 1; bit < all.unitSize(0); bit *= 2) {
    Coordinates basis(all.rank(), 0);
    basis[0] = bit;
    (bit < warps ? all.warps : all.registers).push_back(basis);
  }
  return all;
}

std::optional<MatrixType> matrixType(Type type) {
  return type.isBF16()        ? std::optional(MatrixType::BF16)
         : type.isF16()       ? std::optional(MatrixType::F16)
         : type.isF32()       ? std::optional(MatrixType::F32)
         : type.isInteger(8)  ? std::optional(MatrixType::S8)
         : type.isInteger(32) ? std::optional(MatrixType::S32)
                              : std::nullopt;
}

bool multiplies(const MatrixInstruction &instruction, vector::ContractionOp product) {
  auto is = [](Value tile, MatrixType type) { return matrixType(getElementTypeOrSelf(tile.getType())) == type; };
  return is(product.getLhs(), instruction.factors) && is(product.getRhs(), instruction.factors) &&
         is(product.getAcc(), instruction.sums) &&
         (!instruction.rounds || tile::precisionOf(product) == tile::Precision::TF32);
}

bool isMultiple(const ProductShape &shape, const MatrixInstruction &instruction) {
  return shape.m % instruction.m == 0 && shape.n % instruction.n == 0 && shape.k % instruction.k == 0;
}

/// Whether a tile is what one slot of a pipelined loop holds.
bool isReadFromSlot(Value tile) {
  auto read = tile.getDefiningOp<vector::TransferReadOp>();
  return read && isShared(read) && !read.getMask();
}

/// Several instructions in a row are for what is read together from a slot.
const MatrixInstruction *chooseInstruction(vector::ContractionOp product, ProductShape shape,
                                           const TargetInfo &target) {
  bool areRead = isReadFromSlot(product.getLhs()) && isReadFromSlot(product.getRhs());
  for (const MatrixInstruction &each : target.matrixInstructions)
    if (multiplies(each, product) && isMultiple(shape, each) && (each.steps == 1 || areRead))
      return &each;
  return nullptr;
}

/// Whether elementwise ops and changes of shape lead from a value to a product's factor.
bool reachesFactor(Value value, unsigned depth = 0) {
  return depth < 12 && llvm::any_of(
                           value.getUses(),
                           [&](OpOperand &use) {
                             Operation *user = use.getOwner();
                             if (auto product = dyn_cast<vector::ContractionOp>(user))
                               return &use != &product.getAccMutable();
                             return (isElementwise(user) || isa<tile::ConvertOp>(user)) &&
                                    reachesFactor(user->getResult(0), depth + 1);
                           });
}

bool comesFromProduct(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 12)
    return false;
  return isa<vector::ContractionOp>(op) ||
         ((isElementwise(op) || isa<tile::ConvertOp>(op)) && llvm::any_of(op->getOperands(), [&](Value operand) {
            return isTile(operand) && comesFromProduct(operand, depth + 1);
          }));
}

/// In a chain of products a row of one's sums is a row of the next one's factor, and stays in its warp.
bool isInChain(vector::ContractionOp product) {
  return reachesFactor(product.getResult()) || comesFromProduct(product.getLhs());
}
} // namespace

std::optional<ProductShape> productShape(vector::ContractionOp product) {
  SmallVector<AffineMap, 4> maps = product.getIndexingMapsArray();
  unsigned dimensions = maps.front().getNumDims(), leading = dimensions - 3;
  if (dimensions < 3 || dimensions > 4 ||
      llvm::any_of(maps, [&](AffineMap map) { return map.getNumResults() != 2 + leading; }))
    return std::nullopt;
  auto has = [](AffineMap map, unsigned dimension) { return map.isFunctionOfDim(dimension); };
  auto at = [](AffineMap map, unsigned i) { return cast<AffineDimExpr>(map.getResult(i)).getPosition(); };
  int64_t m = -1, n = -1, k = -1, batch = -1;
  for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
    bool a = has(maps[0], dimension), b = has(maps[1], dimension), c = has(maps[2], dimension);
    (a && b && c ? batch : a && c ? m : b && c ? n : k) = dimension;
  }
  bool isBatchFirst = !leading || llvm::all_of(maps, [&](AffineMap map) { return at(map, 0) == batch; });
  if (m < 0 || n < 0 || k < 0 || !isBatchFirst)
    return std::nullopt;
  auto first = [&](AffineMap map) { return at(map, leading); };
  auto size = [&](VectorType type, bool transposed, unsigned i) {
    return type.getDimSize(leading + (transposed ? 1 - i : i));
  };
  ProductShape shape{};
  if (leading)
    shape.batch = product.getLhsType().getDimSize(0);
  shape.lhsTransposed = first(maps[0]) != m;
  shape.rhsTransposed = first(maps[1]) == n;
  shape.resultTransposed = first(maps[2]) != m;
  shape.m = size(product.getLhsType(), shape.lhsTransposed, 0);
  shape.k = size(product.getLhsType(), shape.lhsTransposed, 1);
  shape.n = size(product.getRhsType(), shape.rhsTransposed, 1);
  return shape;
}

ProductLayouts productLayouts(vector::ContractionOp product, const TargetInfo &target, BlockShape block) {
  std::optional<ProductShape> shape = productShape(product);
  assert(shape && "checked before");
  const MatrixInstruction *instruction = chooseInstruction(product, *shape, target);
  bool rowsFirst = isInChain(product) || isOfWarpgroups(product, target, block);
  unsigned batchWarps = shape->batch ? std::min<int64_t>(block.warps, *shape->batch & -*shape->batch) : 1;
  block.warps /= batchWarps;
  Layout sums =
      instruction ? instructionLayout(*instruction, shape->m, shape->n, block, rowsFirst) : gridLayout(*shape, block);
  Layouts layouts{factorLayout(sums, *shape, kRows, instruction), factorLayout(sums, *shape, kColumns, instruction),
                  sums};
  auto turn = [](Layout &layout, bool transposed) {
    if (transposed)
      layout = layout.transposed({1, 0});
  };
  turn(layouts.lhs, shape->lhsTransposed);
  turn(layouts.rhs, shape->rhsTransposed);
  turn(layouts.result, shape->resultTransposed);
  if (shape->batch)
    for (Layout *layout : {&layouts.lhs, &layouts.rhs, &layouts.result})
      *layout = batched(*layout, *shape->batch, batchWarps);
  return layouts;
}

bool isByInstruction(vector::ContractionOp product, const TargetInfo &target) {
  std::optional<ProductShape> shape = productShape(product);
  return shape && chooseInstruction(product, *shape, target);
}

bool multiplies(MatrixType factors, const ProductShape &shape, const TargetInfo &target) {
  return llvm::any_of(target.matrixInstructions, [&](const MatrixInstruction &each) {
    return each.factors == factors && each.sums == MatrixType::F32 && isMultiple(shape, each);
  });
}

const MatrixInstruction *instructionFor(vector::ContractionOp product, const TargetInfo &target, const Layout &lhs,
                                        const Layout &rhs, const Layout &sums) {
  auto consistsOf = [](const Layout &layout, const MatrixFragment &fragment, ArrayRef<MatrixDimension> dimensions) {
    LayoutBuilder builder(layout.shape);
    return layout.lanes == basesOf(builder, fragment.lanes, dimensions) &&
           ArrayRef(layout.registers).take_front(fragment.registers.size()) ==
               ArrayRef(basesOf(builder, fragment.registers, dimensions));
  };
  for (const MatrixInstruction &each : target.matrixInstructions)
    if (multiplies(each, product) && consistsOf(lhs, each.a, kOfLhs) && consistsOf(rhs, each.b, kOfRhs) &&
        consistsOf(sums, each.c, kOfSums))
      return &each;
  return nullptr;
}

bool multipliesRowsByTF32(vector::ContractionOp product, const ProductShape &shape) {
  constexpr int64_t kRowElements = 32, kColumns = 8;
  return product.getLhsType().getElementType().isF32() && product.getRhsType().getElementType().isF32() &&
         tile::precisionOf(product) == tile::Precision::TF32 && !shape.lhsTransposed && shape.rhsTransposed &&
         shape.n % kColumns == 0 && shape.k % kRowElements == 0;
}

bool isOfWarpgroups(vector::ContractionOp product, const TargetInfo &target, BlockShape block) {
  constexpr int64_t kWarps = 4, kRowsOfGroup = 64, kRowElements = 64, kMostColumns = 256;
  std::optional<ProductShape> shape = productShape(product);
  if (!target.has(Ability::Wgmma) || block.warps % kWarps || !shape || shape->batch || shape->resultTransposed)
    return false;
  Type type = getElementTypeOrSelf(product.getLhs().getType());
  if (!isReadFromSlot(product.getRhs()) || product.getRhsType().getElementType() != type ||
      !getElementTypeOrSelf(product.getAcc().getType()).isF32())
    return false;
  if (type.isF32())
    return multipliesRowsByTF32(product, *shape) && readsRowsFromSlot(product) && shape->n <= kMostColumns &&
           shape->m % (kRowsOfGroup * (block.warps / kWarps)) == 0;
  if (!type.isBF16() && !type.isF16())
    return false;
  bool rows = shape->m % (kRowsOfGroup * (block.warps / kWarps)) == 0;
  bool columns =
      shape->n % 8 == 0 && shape->n <= kMostColumns && (shape->rhsTransposed || shape->n % kRowElements == 0);
  return rows && columns && shape->k % kRowElements == 0;
}

bool readsRowsFromSlot(vector::ContractionOp product) { return isReadFromSlot(product.getLhs()); }
} // namespace lispier
