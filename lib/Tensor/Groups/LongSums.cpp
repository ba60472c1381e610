//===- LongSums.cpp - sums that are made in parts -------------------------===//
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
std::optional<LongSums> LongSums::inParts(const SumParts &parts) const {
  LongSums result = *this;
  result.each = parts.each;
  result.least = parts.least;
  return parts.each ? std::optional(result) : std::nullopt;
}

Operation *combiningOp(linalg::LinalgOp op) {
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  bool combines = combiner && combiner->getBlock() == op.getBlock() && combiner->getNumOperands() == 2 &&
                  sofar.hasOneUse() && *sofar.user_begin() == combiner && arith::getNeutralElement(combiner);
  return combines ? combiner : nullptr;
}

namespace {
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

/// The sizes of all reductions of a kernel, of rows or of columns; nothing if they have different numbers of results.
std::optional<RowSizes> rowSizesOf(ArrayRef<CutSum> sums) {
  RowSizes rows;
  llvm::SmallPtrSet<Value, 4> counted;
  for (const CutSum &sum : sums) {
    SmallVector<int64_t> sizes = linalg::LinalgOp(sum.op).getStaticLoopRanges();
    int64_t kept = 1;
    for (auto [loop, size] : llvm::enumerate(sizes))
      kept *= isReduced(sum.op, loop) ? 1 : size;
    if (!counted.empty() && kept != rows.kept)
      return std::nullopt;
    rows.kept = kept;
    for (OpOperand *operand : linalg::LinalgOp(sum.op).getDpsInputOperands()) {
      SmallVector<unsigned> loops = *loopDimsOf(sum.op, *operand);
      if (!llvm::is_contained(loops, sum.loop) || !counted.insert(operand->get()).second)
        continue;
      int64_t bytes = llvm::divideCeil(getElementTypeOrSelf(operand->get()).getIntOrFloatBitWidth(), 8);
      rows.element = rows.bytes ? std::min(rows.element, bytes) : bytes;
      for (unsigned loop : loops)
        bytes *= loop == sum.loop ? 1 : sizes[loop];
      rows.bytes += bytes;
      rows.columns = std::max(rows.columns, isReduced(sum.op, loops.back()) ? 1 : sizes[loops.back()]);
      rows.isInnermost |= loops.back() == sum.loop;
    }
  }
  return rows.bytes ? std::optional(rows) : std::nullopt;
}

/// Reductions of rows, or of columns, of which there are few.
std::optional<LongSums> longRows(const LongSums &found, group::KernelOp kernel) {
  std::optional<RowSizes> rows = rowSizesOf(found.sums);
  if (!rows)
    return std::nullopt;
  // What else the kernel does is of the few results.
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (op.getNumReductionLoops() == 0) {
      int64_t elements = 1;
      for (int64_t size : op.getStaticLoopRanges())
        elements = ShapedType::isDynamic(size) ? rows->kept + 1 : elements * size;
      if (elements > rows->kept)
        return std::nullopt;
    }
  return found.inParts(partsOfRows(*rows, found.length));
}

/// Products of matrices.
std::optional<LongSums> longProduct(const LongSums &found, group::KernelOp kernel, int64_t multiprocessors) {
  linalg::LinalgOp op = found.sums.front().op;
  SmallVector<unsigned> a = *loopDimsOf(op, *op.getDpsInputOperand(0)), c = *loopDimsOf(op, *op.getDpsInputOperand(1));
  ProductSizes product{1, 1, 1, 1};
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool isRow = llvm::is_contained(a, loop), isColumn = llvm::is_contained(c, loop);
    int64_t &side = isReduced(op, loop) ? product.k : isRow && isColumn ? product.batch : isRow ? product.m : product.n;
    side *= loop == found.sums.front().loop ? 1 : size;
  }
  if (product.m == 1 || product.n == 1)
    return longRows(found, kernel);
  // Of rows of both factors tiles are larger.
  product.isExact = !(isReduced(op, a.back()) && isReduced(op, c.back())) && !op->hasAttr(tile::kPrecision) &&
                    llvm::all_of(op.getDpsInputs(), [](Value factor) {
                      return getElementTypeOrSelf(factor).isF32() || getElementTypeOrSelf(factor).isF64();
                    });
  return found.inParts(partsOfProduct(product, found.length, multiprocessors));
}
} // namespace

std::optional<LongSums> longSumsOf(group::KernelOp kernel, int64_t multiprocessors) {
  bool isProduct = kernel.getKind() == group::Kind::Contraction;
  if (!isProduct && kernel.getKind() != group::Kind::Row)
    return std::nullopt;
  LongSums found{{}, 0, 0, 0};
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    std::optional<unsigned> loop = loopToCut(op, sizes, isProduct);
    if (op.getNumDpsInits() != 1 || !standsAlone(op) || !combiningOp(op) || !loop || llvm::is_contained(sizes, 0) ||
        (!found.sums.empty() && (isProduct || sizes[*loop] != found.length)))
      return std::nullopt;
    found.sums.push_back({op, combiningOp(op), *loop});
    found.length = sizes[*loop];
  }
  if (found.sums.empty())
    return std::nullopt;
  return isProduct && found.sums.front().op.getNumDpsInputs() == 2 ? longProduct(found, kernel, multiprocessors)
                                                                   : longRows(found, kernel);
}
} // namespace lispier
