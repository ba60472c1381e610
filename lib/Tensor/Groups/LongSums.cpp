//===- LongSums.cpp - sums that are made in parts -------------------------===//
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
std::optional<LongSum> LongSum::inParts(const SumParts &parts) const {
  LongSum result = *this;
  result.each = parts.each;
  result.least = parts.least;
  return parts.each ? std::optional(result) : std::nullopt;
}

namespace {
/// The op of the body that combines elements, if that is one with one result.
linalg::LinalgOp onlyReduction(group::KernelOp kernel) {
  linalg::LinalgOp found;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops() > 0) {
      if (found)
        return {};
      found = op;
    }
  return found && found.getNumDpsInits() == 1 ? found : linalg::LinalgOp();
}

/// What combines the elements with the result so far, if that has a neutral element.
Operation *combiningOp(linalg::LinalgOp op) {
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  bool combines = combiner && combiner->getBlock() == op.getBlock() && combiner->getNumOperands() == 2 &&
                  sofar.hasOneUse() && *sofar.user_begin() == combiner && arith::getNeutralElement(combiner);
  return combines ? combiner : nullptr;
}

/// Whether a kernel of its own can have the op: it reads memory, element by element, and numbers of its own.
bool standsAlone(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return !op.hasIndexSemantics() && llvm::all_of(op.getDpsInputs(), llvm::IsaPred<BlockArgument>) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &each) { return loopDimsOf(op, each).has_value(); }) &&
         llvm::all_of(captured, [](Value each) {
           return each.getDefiningOp() && each.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
         });
}

bool isReduced(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// The summed loop that is cut: one whose size is not known, else the first of a product, the longest of others.
/// Nothing if another size is not known.
std::optional<unsigned> loopToCut(linalg::LinalgOp op, ArrayRef<int64_t> sizes, bool isProduct) {
  std::optional<unsigned> chosen;
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (isReduced(op, loop))
      if (!chosen || ShapedType::isDynamic(size) ||
          (!isProduct && !ShapedType::isDynamic(sizes[*chosen]) && size > sizes[*chosen]))
        chosen = loop;
  bool isOnlyUnknown = chosen && llvm::none_of(llvm::enumerate(sizes), [&](auto each) {
                         return each.index() != *chosen && ShapedType::isDynamic(each.value());
                       });
  return isOnlyUnknown ? chosen : std::nullopt;
}

/// Reductions of rows, or of columns, of which there are few.
std::optional<LongSum> longRows(LongSum sum, ArrayRef<int64_t> sizes, group::KernelOp kernel) {
  RowSizes rows;
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (!isReduced(sum.op, loop))
      rows.kept *= size;
  for (OpOperand *operand : sum.op.getDpsInputOperands()) {
    SmallVector<unsigned> loops = *loopDimsOf(sum.op, *operand);
    if (!llvm::is_contained(loops, sum.loop))
      continue;
    int64_t bytes = llvm::divideCeil(getElementTypeOrSelf(operand->get()).getIntOrFloatBitWidth(), 8);
    for (unsigned loop : loops)
      bytes *= loop == sum.loop ? 1 : sizes[loop];
    rows.bytes += bytes;
    rows.columns = isReduced(sum.op, loops.back()) ? 1 : sizes[loops.back()];
    rows.isInnermost |= loops.back() == sum.loop;
  }
  if (!rows.bytes)
    return std::nullopt;
  // What else the kernel does is of the few results.
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op != sum.op) {
      int64_t elements = 1;
      for (int64_t size : op.getStaticLoopRanges())
        elements = ShapedType::isDynamic(size) ? rows.kept + 1 : elements * size;
      if (elements > rows.kept)
        return std::nullopt;
    }
  return sum.inParts(partsOfRows(rows, sum.length));
}
/// Products of matrices.
std::optional<LongSum> longProduct(LongSum sum, ArrayRef<int64_t> sizes, group::KernelOp kernel,
                                   int64_t multiprocessors) {
  SmallVector<unsigned> a = *loopDimsOf(sum.op, *sum.op.getDpsInputOperand(0)),
                        c = *loopDimsOf(sum.op, *sum.op.getDpsInputOperand(1));
  ProductSizes product{1, 1, 1, 1};
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    bool isRow = llvm::is_contained(a, loop), isColumn = llvm::is_contained(c, loop);
    int64_t &side = isReduced(sum.op, loop) ? product.k
                    : isRow && isColumn     ? product.batch
                    : isRow                 ? product.m
                                            : product.n;
    side *= loop == sum.loop ? 1 : size;
  }
  if (product.m == 1 || product.n == 1)
    return longRows(sum, sizes, kernel);
  return sum.inParts(partsOfProduct(product, sum.length, multiprocessors));
}
} // namespace

std::optional<LongSum> longSumOf(group::KernelOp kernel, int64_t multiprocessors) {
  linalg::LinalgOp op = onlyReduction(kernel);
  bool isProduct = kernel.getKind() == group::Kind::Contraction;
  if (!op || (!isProduct && kernel.getKind() != group::Kind::Row) || !standsAlone(op) || !combiningOp(op))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  std::optional<unsigned> loop = loopToCut(op, sizes, isProduct);
  if (!loop || llvm::is_contained(sizes, 0))
    return std::nullopt;
  LongSum sum{op, combiningOp(op), *loop, sizes[*loop], 0, 0};
  return isProduct && op.getNumDpsInputs() == 2 ? longProduct(sum, sizes, kernel, multiprocessors)
                                                : longRows(sum, sizes, kernel);
}
} // namespace lispier
