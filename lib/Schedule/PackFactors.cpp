//===- PackFactors.cpp - factors in the order of a product's tiles --------===//
//
// Before: a product that sums several dimensions, such as a convolution, and whose
// smaller factor, its weights, is contiguous along one that no tile has, so that each
// element of a tile is in a line of memory of its own. After: a kernel copies them to
// memory in which a tile's elements are contiguous, and the product reads that.
//
// Likewise large products by TF32 of which a factor is by columns: groups of four warps
// multiply factors of 32 bits by rows only.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
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

std::optional<PackedFactor> packedFactorOf(group::KernelOp kernel) {
  for (auto product : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (roleOf(product) != TensorRole::Contraction || product.getNumReductionLoops() < 2 ||
        product.getNumDpsInputs() != 2 || product.hasDynamicShape())
      continue;
    int64_t results = cast<ShapedType>(product->getResult(0).getType()).getNumElements();
    for (unsigned number : {0, 1}) {
      OpOperand *read = product.getDpsInputOperand(number);
      auto input = dyn_cast<BlockArgument>(read->get());
      std::optional<SmallVector<unsigned>> factor = loopDimsOf(product, *read),
                                           other = loopDimsOf(product, *product.getDpsInputOperand(1 - number));
      if (!input || !input.hasOneUse() || input.getArgNumber() >= kernel.getInputs().size() || !factor || !other)
        continue;
      auto memory = dyn_cast<MemRefType>(kernel.getInputs()[input.getArgNumber()].getType());
      if (!memory || !memory.hasStaticShape() || memory.getNumElements() * kLeastUses > results)
        continue;
      if (SmallVector<int64_t> order = orderOf(product, *factor, *other); !order.empty())
        return PackedFactor{product, read, order};
    }
  }
  return std::nullopt;
}

/// The factor by columns of a product that is alone in its kernel, and rounds to TF32 what many results use.
std::optional<PackedFactor> factorByColumns(group::KernelOp kernel) {
  // The copy takes 2 to 3 ps for each element, and saves about 5 fs for each of its uses.
  constexpr int64_t kLeastRows = 1024, kLeastSummed = 128;
  auto isProduct = [](linalg::LinalgOp op) { return roleOf(op) == TensorRole::Contraction; };
  auto products = llvm::filter_to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>(), isProduct);
  linalg::LinalgOp product = products.size() == 1 ? products.front() : linalg::LinalgOp();
  if (!product || product.getNumReductionLoops() != 1 || product.getNumDpsInputs() != 2 || product.hasDynamicShape() ||
      tile::precisionOf(product) != tile::Precision::TF32 ||
      !llvm::all_of(product.getDpsInputs(), [](Value factor) { return getElementTypeOrSelf(factor).isF32(); }))
    return std::nullopt;
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  SmallVector<utils::IteratorType> loops = product.getIteratorTypesArray();
  for (unsigned number : {0, 1}) {
    OpOperand *read = product.getDpsInputOperand(number);
    auto input = dyn_cast<BlockArgument>(read->get());
    std::optional<SmallVector<unsigned>> factor = loopDimsOf(product, *read),
                                         other = loopDimsOf(product, *product.getDpsInputOperand(1 - number));
    if (!input || !input.hasOneUse() || input.getArgNumber() >= kernel.getInputs().size() || !factor || !other)
      return std::nullopt;
    auto memory = dyn_cast<MemRefType>(kernel.getInputs()[input.getArgNumber()].getType());
    auto summed = llvm::find_if(*factor, [&](unsigned loop) { return loops[loop] == utils::IteratorType::reduction; });
    if (!memory || !memory.hasStaticShape() || summed == factor->end() || sizes[*summed] < kLeastSummed)
      return std::nullopt;
    int64_t uses = 1;
    for (unsigned loop : *other)
      if (!llvm::is_contained(*factor, loop))
        uses *= sizes[loop];
    if (uses < kLeastRows || summed == std::prev(factor->end()))
      continue;
    SmallVector<int64_t> order;
    for (unsigned position = 0; position < factor->size(); ++position)
      if ((*factor)[position] != *summed)
        order.push_back(position);
    order.push_back(summed - factor->begin());
    return PackedFactor{product, read, order};
  }
  return std::nullopt;
}

void pack(group::KernelOp kernel, PackedFactor packed) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto input = cast<BlockArgument>(packed.read->get());
  Value given = kernel.getInputs()[input.getArgNumber()];
  auto type = cast<MemRefType>(given.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), packed.order);
  Value memory = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()), ValueRange(),
                                         b.getI64IntegerAttr(64));
  memory.getDefiningOp()->setAttr(kIntermediateAttr, b.getUnitAttr());
  std::string name = (kernel.getName() + "_packed").str();
  auto copy = group::KernelOp::create(b, loc, name, group::Kind::Elementwise, given, memory);
  OpBuilder inside = OpBuilder::atBlockEnd(&copy.getBody().front());
  AffineMap all = b.getMultiDimIdentityMap(shape.size());
  AffineMap read = inversePermutation(AffineMap::getPermutationMap(packed.order, b.getContext()));
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      inside, loc, copy.initArgument(0).getType(), ValueRange(copy.getBody().front().getArgument(0)),
      ValueRange(copy.initArgument(0)), {read, all}, loops, [](OpBuilder &nested, Location place, ValueRange numbers) {
        linalg::YieldOp::create(nested, place, numbers[0]);
      });
  group::YieldOp::create(inside, loc, made->getResults());

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
      while (std::optional<PackedFactor> packed = rows ? factorByColumns(kernel) : std::nullopt)
        pack(kernel, *packed);
  }
};
} // namespace
} // namespace lispier
