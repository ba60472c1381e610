//===- ProductChains.cpp - products of what products make -----------------===//
#include "ProductChains.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// A product that sums at most so many numbers is computed again: it takes two operations for each where a result of
/// its own costs 4 to 8 bytes of memory.
constexpr int64_t kMostSummedAgain = 128;
/// Columns of the chain's result, all of which a tile has.
constexpr int64_t kMostColumns = 128;
/// Wider factors are multiplied without matrix instructions, so that computing them again takes longer than reading.
constexpr unsigned kMostFactorBits = 16;
/// Sums that one program can have beside each other.
constexpr size_t kMostSums = 2;

/// Dimensions of a tensor in the order of its own: `row` is kept by the product at the chain's end, `summed` is not,
/// nor are those of `outer`, of each of which a tile has one element.
struct Sides {
  unsigned row, summed;
  SmallVector<unsigned, 2> outer;
  bool operator==(const Sides &other) const = default;
};

/// The product at the end of a chain, and what makes its operand.
struct End {
  linalg::LinalgOp product;
  unsigned operand = 0;
  /// What makes the operand, with the sides of its result.
  llvm::MapVector<Operation *, Sides> made;
};

bool isLarge(int64_t size, int64_t than) { return ShapedType::isDynamic(size) || size > than; }

/// The loops of a product of two matrices, which may have batch dimensions besides. m are those of operand `first`.
struct ProductLoops {
  SmallVector<unsigned, 2> m, n, k;
};
std::optional<ProductLoops> loopsOf(linalg::LinalgOp op, unsigned first) {
  if (roleOf(op) != TensorRole::Contraction || !isa<linalg::GenericOp, linalg::ContractOp>(op.getOperation()))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> found = linalg::inferContractionDims(op);
  if (failed(found) || found->m.empty() || found->n.empty() || found->k.empty())
    return std::nullopt;
  return first == 0 ? ProductLoops{found->m, found->n, found->k} : ProductLoops{found->n, found->m, found->k};
}

/// The product of the loops' sizes; kDynamic if one is not known.
int64_t sizeOf(ArrayRef<unsigned> loops, ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (unsigned loop : loops)
    product = ShapedType::isDynamic(sizes[loop]) || ShapedType::isDynamic(product) ? ShapedType::kDynamic
                                                                                   : product * sizes[loop];
  return product;
}

/// Takes the loop with the most iterations from `loops`. A size that only the call knows counts as large.
unsigned takeLargest(SmallVector<unsigned, 2> &loops, ArrayRef<int64_t> sizes) {
  auto *largest = loops.begin();
  for (auto *each = loops.begin(); each != loops.end(); ++each)
    if (ShapedType::isDynamic(sizes[*each]) ||
        (!ShapedType::isDynamic(sizes[*largest]) && sizes[*each] >= sizes[*largest]))
      largest = each;
  unsigned loop = *largest;
  loops.erase(largest);
  return loop;
}

std::optional<unsigned> positionOf(linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
  std::optional<SmallVector<unsigned>> loops = loopDimsOf(op, operand);
  if (!loops)
    return std::nullopt;
  auto *at = llvm::find(*loops, loop);
  return at == loops->end() ? std::nullopt : std::optional<unsigned>(at - loops->begin());
}

/// The operand's dimensions of these loops. Nothing if it lacks one.
std::optional<Sides> sidesOf(linalg::LinalgOp op, OpOperand &operand, unsigned row, unsigned summed,
                             ArrayRef<unsigned> outer) {
  std::optional<unsigned> rowAt = positionOf(op, operand, row), summedAt = positionOf(op, operand, summed);
  if (!rowAt || !summedAt)
    return std::nullopt;
  Sides sides{*rowAt, *summedAt, {}};
  for (unsigned loop : outer)
    if (std::optional<unsigned> at = positionOf(op, operand, loop))
      sides.outer.push_back(*at);
  llvm::sort(sides.outer);
  return sides.outer.size() == outer.size() ? std::optional(sides) : std::nullopt;
}

class ChainFinder {
public:
  ChainFinder(Block &block, RewriterBase &rewriter) : block(block), rewriter(rewriter) {}

  SmallVector<ProductChain> run() {
    findEnds();
    dropStored();
    for (End &end : ends)
      separate(end);
    for (Operation *op : llvm::reverse(replaced)) {
      auto fill = cast<linalg::LinalgOp>(op).getDpsInits()[0].getDefiningOp<linalg::FillOp>();
      for (Operation *each : {op, fill ? fill.getOperation() : nullptr})
        if (each && isOpTriviallyDead(each))
          rewriter.eraseOp(each);
    }
    return std::move(chains);
  }

private:
  struct Copy {
    Operation *op = nullptr;
    Sides sides; ///< Of what is copied.
    /// Whether the row and the summed dimension of its result are exchanged.
    bool isSwapped() const { return sides.summed < sides.row; }
  };
  /// Of a chain: the copy of each op.
  struct Copies {
    llvm::DenseMap<Operation *, Copy> made;
  };

  void findEnds();
  bool collect(Value value, const Sides &sides, End &end, bool &hasProduct);
  bool isProductAgain(linalg::LinalgOp op, unsigned row, unsigned column) const;
  void dropStored();
  void separate(End &end);
  bool canShare(const End &end, const ProductChain &chain, const Copies &copies) const;
  Operation *copy(Operation *op, const Sides &sides, Copies &copies);

  Block &block;
  RewriterBase &rewriter;
  SmallVector<End> ends;
  SmallVector<ProductChain> chains;
  SmallVector<Copies> copiesOf; ///< By chain.
  llvm::SetVector<Operation *> replaced;
};

/// A product of which the two loops are sides. Few numbers are summed, and the result has more elements than either
/// factor.
bool ChainFinder::isProductAgain(linalg::LinalgOp op, unsigned row, unsigned column) const {
  std::optional<ProductLoops> loops = loopsOf(op, 0);
  if (!loops || loops->k.size() != 1 || !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return false;
  auto areSides = [&](unsigned one, unsigned other) {
    return llvm::is_contained(loops->m, one) && llvm::is_contained(loops->n, other);
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t summed = sizes[loops->k[0]];
  bool isNarrow = llvm::all_of(op.getDpsInputs(), [](Value factor) {
    Type element = getElementTypeOrSelf(factor);
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= kMostFactorBits;
  });
  return isNarrow && !ShapedType::isDynamic(summed) && summed <= kMostSummedAgain &&
         isLarge(sizeOf(loops->m, sizes), summed) && isLarge(sizeOf(loops->n, sizes), summed) &&
         (areSides(row, column) || areSides(column, row));
}

/// Adds what makes `value` to the end's ops. False if it is no part of a chain, but a tensor that is read.
bool ChainFinder::collect(Value value, const Sides &sides, End &end, bool &hasProduct) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getBlock() != &block || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return false;
  if (auto known = end.made.find(op); known != end.made.end())
    return known->second == sides;
  OpOperand *init = op.getDpsInitOperand(0);
  std::optional<SmallVector<unsigned>> written = loopDimsOf(op, *init);
  if (!written)
    return false;
  unsigned row = (*written)[sides.row], summed = (*written)[sides.summed];
  if (roleOf(op) == TensorRole::Contraction) {
    bool isProduct = isProductAgain(op, row, summed);
    if (isProduct)
      end.made.insert({op, sides});
    hasProduct |= isProduct;
    return isProduct;
  }
  if (roleOf(op) != TensorRole::Elementwise || !isa<linalg::GenericOp>(op.getOperation()) ||
      written->size() != op.getNumLoops())
    return false;
  bool isOfProducts = false;
  auto outer = llvm::map_to_vector(sides.outer, [&](unsigned dimension) { return (*written)[dimension]; });
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<Sides> own = sidesOf(op, *operand, row, summed, outer);
    if (own && op.getMatchingIndexingMap(operand).isPermutation())
      collect(operand->get(), *own, end, isOfProducts);
  }
  // What no product makes is read, if it is not made of indices alone.
  bool isPart = isOfProducts || op.getNumDpsInputs() == 0;
  if (isPart)
    end.made.insert({op, sides});
  hasProduct |= isOfProducts;
  return isPart;
}

void ChainFinder::findEnds() {
  for (auto op : block.getOps<linalg::LinalgOp>())
    for (unsigned operand : {0u, 1u}) {
      std::optional<ProductLoops> loops = op.hasPureTensorSemantics() ? loopsOf(op, operand) : std::nullopt;
      if (!loops)
        break;
      SmallVector<int64_t> sizes = op.getStaticLoopRanges();
      OpOperand &made = op->getOpOperand(operand);
      unsigned row = takeLargest(loops->m, sizes), summed = takeLargest(loops->k, sizes);
      std::optional<Sides> sides = sidesOf(op, made, row, summed, loops->k);
      int64_t columns = sizes[loops->n[0]];
      if (!sides || loops->n.size() != 1 || ShapedType::isDynamic(columns) || columns > kMostColumns)
        continue;
      End end{op, operand, {}};
      bool hasProduct = false;
      if (collect(made.get(), *sides, end, hasProduct) && hasProduct &&
          !end.made.contains(op->getOperand(1 - operand).getDefiningOp())) {
        ends.push_back(std::move(end));
        break;
      }
    }
}

/// What else uses the operand of an end reads it from memory, where it is for the product, too.
void ChainFinder::dropStored() {
  llvm::DenseMap<Value, unsigned> uses;
  for (End &end : ends)
    ++uses[end.product->getOperand(end.operand)];
  llvm::erase_if(ends, [&](End &end) {
    Value operand = end.product->getOperand(end.operand);
    auto isWork = [](Operation *user) { return !isa<tensor::DimOp>(user); };
    return unsigned(llvm::count_if(operand.getUsers(), isWork)) != uses[operand];
  });
}

/// Whether the end can be in the chain: they have a product in common, along the same rows, and what this one reads is
/// there before the first product of the other.
bool ChainFinder::canShare(const End &end, const ProductChain &chain, const Copies &copies) const {
  if (chain.last.size() == kMostSums)
    return false;
  bool shares = false;
  for (auto [op, sides] : end.made) {
    auto found = copies.made.find(op);
    if (found != copies.made.end() && found->second.sides != sides)
      return false;
    shares |= found != copies.made.end() && roleOf(cast<linalg::LinalgOp>(op)) == TensorRole::Contraction;
  }
  Operation *first = chain.last.front();
  auto isBefore = [&](Value value) {
    Operation *made = value.getDefiningOp();
    return !made || made->getBlock() != &block || end.made.contains(made) || made->isBeforeInBlock(first) ||
           isa<linalg::FillOp, tensor::EmptyOp>(made);
  };
  auto readsBefore = [&](Operation *op) { return llvm::all_of(op->getOperands(), isBefore); };
  return shares && readsBefore(end.product) && llvm::all_of(llvm::make_first_range(end.made), readsBefore);
}

AffineMap withSwapped(AffineMap map, const Sides &sides) {
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results[sides.row], results[sides.summed]);
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

/// Exchanges two parallel loops of an op.
void exchangeLoops(linalg::GenericOp op, unsigned one, unsigned other, RewriterBase &rewriter) {
  auto exchanged = [&](unsigned loop) { return loop == one ? other : loop == other ? one : loop; };
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(rewriter.getAffineDimExpr(exchanged(loop)));
  AffineMap order = AffineMap::get(op.getNumLoops(), 0, loops, rewriter.getContext());
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(
      llvm::map_to_vector(op.getIndexingMapsArray(), [&](AffineMap map) { return map.compose(order); })));
  for (linalg::IndexOp index : op.getBody()->getOps<linalg::IndexOp>())
    index.setDim(exchanged(index.getDim()));
}

/// The op for one chain alone, before the rewriter's place, with a destination of its own. Its result has the summed
/// dimension behind the row.
Operation *ChainFinder::copy(Operation *op, const Sides &sides, Copies &copies) {
  auto source = cast<linalg::LinalgOp>(op);
  OpOperand *init = source.getDpsInitOperand(0);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes = sizesMadeWith(init->get());
  if (sizes.empty())
    sizes = tensor::getMixedSizes(rewriter, loc, init->get());
  SmallVector<AffineMap> maps = source.getIndexingMapsArray();
  SmallVector<Value> operands(op->getOperands());
  for (OpOperand *operand : source.getDpsInputOperands()) {
    auto found = operand->get().getDefiningOp() ? copies.made.find(operand->get().getDefiningOp()) : copies.made.end();
    if (found == copies.made.end())
      continue;
    unsigned number = operand->getOperandNumber();
    operands[number] = found->second.op->getResult(0);
    if (found->second.isSwapped())
      maps[number] = withSwapped(maps[number], found->second.sides);
  }
  bool swaps = sides.summed < sides.row;
  if (swaps) {
    maps[init->getOperandNumber()] = withSwapped(maps[init->getOperandNumber()], sides);
    std::swap(sizes[sides.row], sizes[sides.summed]);
  }
  Value place = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  if (auto fill = init->get().getDefiningOp<linalg::FillOp>())
    place = linalg::FillOp::create(rewriter, loc, fill.value(), place)->getResult(0);
  operands[init->getOperandNumber()] = place;
  auto copied = clone(rewriter, op, place.getType(), operands);
  copied->setAttr("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  if (auto generic = dyn_cast<linalg::GenericOp>(copied); generic && swaps && generic.getNumReductionLoops() == 0) {
    SmallVector<unsigned> written = *loopDimsOf(source, *init);
    exchangeLoops(generic, written[sides.row], written[sides.summed], rewriter);
  }
  copies.made[op] = {copied, sides};
  replaced.insert(op);
  return copied;
}

void ChainFinder::separate(End &end) {
  unsigned at = 0;
  while (at < chains.size() && !canShare(end, chains[at], copiesOf[at]))
    ++at;
  if (at == chains.size()) {
    chains.emplace_back();
    copiesOf.emplace_back();
  }
  ProductChain &chain = chains[at];
  Copies &copies = copiesOf[at];
  linalg::LinalgOp product = end.product;
  rewriter.setInsertionPoint(product);
  for (auto [op, sides] : end.made) { // Operands first.
    if (copies.made.contains(op))     // The other product's.
      continue;
    auto copied = cast<linalg::LinalgOp>(copy(op, sides, copies));
    if (auto fill = copied.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
      chain.ops.push_back(cast<linalg::LinalgOp>(fill.getOperation()));
    chain.ops.push_back(copied);
  }
  OpOperand &operand = product->getOpOperand(end.operand);
  const Copy &made = copies.made.at(operand.get().getDefiningOp());
  rewriter.modifyOpInPlace(product, [&] {
    operand.set(made.op->getResult(0));
    if (made.isSwapped()) {
      SmallVector<AffineMap> maps = product.getIndexingMapsArray();
      maps[end.operand] = withSwapped(maps[end.operand], made.sides);
      product->setAttr("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
    }
  });
  chain.last.push_back(product);
}
} // namespace

SmallVector<ProductChain> separateChains(Block &block, RewriterBase &rewriter) {
  return ChainFinder(block, rewriter).run();
}
} // namespace lispier
