//===- PackFactors.cpp - factors in the order of a product's tiles --------===//
//
// Before: a product that sums several dimensions, such as a convolution, and whose
// smaller factor, its weights, is contiguous along one that no tile has, so that each
// element of a tile is in a line of memory of its own. After: a kernel copies them to
// memory in which a tile's elements are contiguous, and the product reads that.
//
// Likewise large products by TF32 of which a factor is by columns: groups of four warps
// multiply factors of 32 bits by rows only. And those whose rows do not begin at
// multiples of 16 bytes, so that each element would be copied by itself: in the copy they
// do, and end with zeros.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PACKFACTORS
#include "lispier/Schedule/Passes.h.inc"

namespace {
/// Results for each element of the factor: so many more reads does its copy save.
constexpr int64_t kLeastUses = 16;

/// A factor, an input of the kernel, and the order in which its dimensions are to be in memory.
struct PackedFactor {
  linalg::LinalgOp product;
  OpOperand *read;
  SmallVector<int64_t> order;
  int64_t multiple = 1; ///< Of so many elements is the last dimension made.
};

/// The order in which what a tile has is last: the longest summed dimension, and of the others the factor's own one.
/// None if the factor's last one is one of these.
SmallVector<int64_t> orderOf(linalg::LinalgOp product, ArrayRef<unsigned> factor, ArrayRef<unsigned> other) {
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  SmallVector<utils::IteratorType> loops = product.getIteratorTypesArray();
  std::optional<unsigned> summed, own;
  for (auto [position, loop] : llvm::enumerate(factor)) {
    bool isSummed = loops[loop] == utils::IteratorType::reduction;
    std::optional<unsigned> &longest = isSummed ? summed : own;
    if (isSummed == llvm::is_contained(other, loop) && (!longest || sizes[loop] >= sizes[factor[*longest]]))
      longest = position;
  }
  unsigned last = factor.size() - 1;
  if (!summed || !own || *summed == last || *own == last)
    return {};
  SmallVector<int64_t> order;
  for (unsigned position = 0; position <= last; ++position)
    if (position != *summed && position != *own)
      order.push_back(position);
  order.append({*summed, *own});
  return order;
}

/// A factor in memory of known sizes, an input of the kernel that nothing else reads.
struct FactorRead {
  OpOperand *read;
  MemRefType memory;
  SmallVector<unsigned> own, other; ///< The loops of this factor's dimensions, and of the other one's.
};

std::optional<FactorRead> factorRead(group::KernelOp kernel, linalg::LinalgOp product, unsigned number) {
  OpOperand *read = product.getDpsInputOperand(number);
  auto input = dyn_cast<BlockArgument>(read->get());
  std::optional<SmallVector<unsigned>> own = loopDimsOf(product, *read),
                                       other = loopDimsOf(product, *product.getDpsInputOperand(1 - number));
  if (!input || !input.hasOneUse() || input.getArgNumber() >= kernel.getInputs().size() || !own || !other)
    return std::nullopt;
  auto memory = dyn_cast<MemRefType>(kernel.getInputs()[input.getArgNumber()].getType());
  if (!memory || !memory.hasStaticShape())
    return std::nullopt;
  return FactorRead{read, memory, *own, *other};
}

std::optional<PackedFactor> packedFactorOf(group::KernelOp kernel) {
  for (auto product : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (roleOf(product) != TensorRole::Contraction || product.getNumReductionLoops() < 2 ||
        product.getNumDpsInputs() != 2 || product.hasDynamicShape())
      continue;
    int64_t results = cast<ShapedType>(product->getResult(0).getType()).getNumElements();
    for (unsigned number : {0, 1}) {
      std::optional<FactorRead> factor = factorRead(kernel, product, number);
      if (!factor || factor->memory.getNumElements() * kLeastUses > results)
        continue;
      if (SmallVector<int64_t> order = orderOf(product, factor->own, factor->other); !order.empty())
        return PackedFactor{product, factor->read, order};
    }
  }
  return std::nullopt;
}

/// The order in which the summed dimension is last.
SmallVector<int64_t> rowsFirst(ArrayRef<unsigned> factor, unsigned summed) {
  SmallVector<int64_t> order;
  for (auto [position, loop] : llvm::enumerate(factor))
    if (loop != summed)
      order.push_back(position);
  order.push_back(llvm::find(factor, summed) - factor.begin());
  return order;
}

/// Factors that are to be by rows of the summed dimension, of a product that is alone in its kernel and large: those by
/// columns, if `rows` and the product rounds to TF32; those by columns that begin anywhere; and both, where rows of one
/// would begin anywhere.
SmallVector<PackedFactor> factorsByRows(group::KernelOp kernel, bool rows) {
  // The copy takes 2 to 3 ps for each element, and saves 5 to 8 fs for each of its uses.
  constexpr int64_t kLeastUses = 1024, kLeastSummed = 128, kAccessBytes = 16;
  auto isProduct = [](linalg::LinalgOp op) { return roleOf(op) == TensorRole::Contraction; };
  auto products = llvm::filter_to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>(), isProduct);
  linalg::LinalgOp product = products.size() == 1 ? products.front() : linalg::LinalgOp();
  if (!product || product.getNumReductionLoops() != 1 || product.getNumDpsInputs() != 2 || product.hasDynamicShape())
    return {};
  Type element = getElementTypeOrSelf(product.getDpsInputs()[0]);
  if (!isa<FloatType>(element) || getElementTypeOrSelf(product.getDpsInputs()[1]) != element)
    return {};
  rows &= tile::precisionOf(product) == tile::Precision::TF32 && element.isF32();
  SmallVector<unsigned> reduced;
  product.getReductionDims(reduced);
  unsigned summed = reduced.front();
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  int64_t multiple = std::max<int64_t>(1, kAccessBytes * 8 / element.getIntOrFloatBitWidth());
  bool isAnywhere = sizes[summed] % multiple != 0;
  SmallVector<PackedFactor> found;
  for (unsigned number : {0, 1}) {
    std::optional<FactorRead> made = factorRead(kernel, product, number);
    if (!made || !llvm::is_contained(made->own, summed) || sizes[summed] < kLeastSummed)
      return {};
    const SmallVector<unsigned> &factor = made->own, &other = made->other;
    int64_t uses = 1;
    for (unsigned loop : other)
      uses *= llvm::is_contained(factor, loop) ? 1 : sizes[loop];
    bool isByColumns = factor.back() != summed && (rows || sizes[factor.back()] % multiple != 0);
    if (uses < kLeastUses && isAnywhere)
      return {};
    if (isAnywhere || (uses >= kLeastUses && isByColumns))
      found.push_back({product, made->read, rowsFirst(factor, summed), multiple});
  }
  return found;
}

/// A kernel of one op, which reads `from`, if there is one, and makes all of `to`.
void makeKernel(OpBuilder &b, Location loc, const Twine &name, Value from, Value to, AffineMap read) {
  auto made =
      group::KernelOp::create(b, loc, name.str(), group::Kind::Elementwise, from ? ValueRange(from) : ValueRange(), to);
  OpBuilder inside = OpBuilder::atBlockEnd(&made.getBody().front());
  Value init = made.initArgument(0);
  if (!from) {
    Value zero = arith::ConstantOp::create(inside, loc, inside.getZeroAttr(getElementTypeOrSelf(to.getType())));
    group::YieldOp::create(inside, loc, linalg::FillOp::create(inside, loc, zero, init).getResults());
    return;
  }
  int64_t rank = cast<MemRefType>(to.getType()).getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(inside, loc, init.getType(), ValueRange(made.getBody().front().getArgument(0)),
                                        ValueRange(init), {read, b.getMultiDimIdentityMap(rank)}, loops,
                                        [](OpBuilder &nested, Location place, ValueRange numbers) {
                                          linalg::YieldOp::create(nested, place, numbers[0]);
                                        });
  group::YieldOp::create(inside, loc, copy->getResults());
}

/// What is in the last dimension from `begin` on.
Value lastFrom(OpBuilder &b, Location loc, Value memory, int64_t begin, int64_t count) {
  SmallVector<int64_t> sizes(cast<MemRefType>(memory.getType()).getShape()), offsets(sizes.size(), 0);
  SmallVector<int64_t> strides(sizes.size(), 1);
  offsets.back() = begin;
  sizes.back() = count;
  auto fold = [&](ArrayRef<int64_t> all) { return getAsIndexOpFoldResult(b.getContext(), all); };
  return memref::SubViewOp::create(b, loc, memory, fold(offsets), fold(sizes), fold(strides));
}

/// Lets the product read a copy of the factor in that order. Its last dimension ends with zeros if need be.
void pack(group::KernelOp kernel, PackedFactor packed) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto input = cast<BlockArgument>(packed.read->get());
  Value given = kernel.getInputs()[input.getArgNumber()];
  auto type = cast<MemRefType>(given.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), packed.order);
  int64_t last = shape.back(), whole = llvm::alignTo(last, packed.multiple);
  shape.back() = whole;
  Value memory = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()), ValueRange(),
                                         b.getI64IntegerAttr(64));
  memory.getDefiningOp()->setAttr(kIntermediateAttr, b.getUnitAttr());
  AffineMap read = inversePermutation(AffineMap::getPermutationMap(packed.order, b.getContext()));
  Value copied = whole == last ? memory : lastFrom(b, loc, memory, 0, last);
  makeKernel(b, loc, kernel.getName() + "_packed", given, copied, read);
  if (whole != last)
    makeKernel(b, loc, kernel.getName() + "_end", Value(), lastFrom(b, loc, memory, last, whole - last), AffineMap());

  kernel.getInputsMutable().slice(input.getArgNumber(), 1).assign(memory);
  input.setType(cast<RankedTensorType>(group::KernelOp::argumentTypeOf(memory.getType())));
  SmallVector<AffineMap> maps = packed.product.getIndexingMapsArray();
  AffineMap &map = maps[packed.read->getOperandNumber()];
  SmallVector<AffineExpr> places(map.getResults());
  map = AffineMap::get(map.getNumDims(), 0, applyPermutation(places, packed.order), b.getContext());
  packed.product->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
  b.setInsertionPointAfter(kernel);
  memref::DeallocOp::create(b, loc, memory);
}

struct PackFactors : impl::PackFactorsBase<PackFactors> {
  using PackFactorsBase::PackFactorsBase;

  void runOnOperation() override {
    SmallVector<group::KernelOp> kernels;
    getOperation()->walk([&](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0)
        kernels.push_back(kernel);
    });
    for (group::KernelOp kernel : kernels)
      if (std::optional<PackedFactor> packed = packedFactorOf(kernel))
        pack(kernel, *packed);
    for (group::KernelOp kernel : kernels)
      for (const PackedFactor &packed : factorsByRows(kernel, rows))
        pack(kernel, packed);
  }
};
} // namespace
} // namespace lispier
