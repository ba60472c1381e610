//===- WindowViews.cpp - windows as views of memory -----------------------===//
#include "WindowViews.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// What a dimension is read at: the sum of its loops, each times a stride.
using Terms = SmallVector<std::pair<unsigned, int64_t>, 2>;

std::optional<Terms> termsOf(AffineExpr place) {
  if (auto loop = dyn_cast<AffineDimExpr>(place))
    return Terms{{loop.getPosition(), 1}};
  auto both = dyn_cast<AffineBinaryOpExpr>(place);
  if (!both)
    return std::nullopt;
  std::optional<Terms> first = termsOf(both.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
  if (first && factor && both.getKind() == AffineExprKind::Mul && factor.getValue() > 0) {
    for (auto &[loop, stride] : *first)
      stride *= factor.getValue();
    return first;
  }
  std::optional<Terms> second = termsOf(both.getRHS());
  if (!first || !second || both.getKind() != AffineExprKind::Add)
    return std::nullopt;
  llvm::append_range(*first, *second);
  return first;
}

/// The terms of all dimensions; none if the read is of single loops already, or has one of them twice.
SmallVector<Terms> windowOf(AffineMap map) {
  SmallVector<Terms> window;
  llvm::SmallDenseSet<unsigned> used;
  for (AffineExpr place : map.getResults()) {
    std::optional<Terms> terms = termsOf(place);
    if (!terms || !llvm::all_of(*terms, [&](auto &term) { return used.insert(term.first).second; }))
      return {};
    window.push_back(std::move(*terms));
  }
  return map.isProjectedPermutation() ? SmallVector<Terms>() : window;
}

void viewWindow(group::KernelOp kernel, linalg::GenericOp op, OpOperand &read) {
  auto input = dyn_cast<BlockArgument>(read.get());
  Value memory =
      input && input.getArgNumber() < kernel.getInputs().size() ? kernel.getInputs()[input.getArgNumber()] : Value();
  auto type = memory ? dyn_cast<MemRefType>(memory.getType()) : MemRefType();
  SmallVector<Terms> window = windowOf(op.getMatchingIndexingMap(&read));
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type || window.empty() || failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return;
  OpBuilder b(kernel);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), sizes, steps;
  SmallVector<AffineExpr> loops;
  // Places of windows are neighbours in the view, so that they may be one dimension; those in a window follow.
  for (bool isFirst : {true, false})
    for (auto [terms, stride] : llvm::zip(window, strides))
      for (auto [number, term] : llvm::enumerate(terms))
        if ((number == 0) == isFirst) {
          sizes.push_back(ranges[term.first]);
          steps.push_back(term.second * stride);
          loops.push_back(b.getAffineDimExpr(term.first));
        }
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return;
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, steps);
  auto viewed = MemRefType::get(sizes, type.getElementType(), layout, type.getMemorySpace());
  Value view = memref::ReinterpretCastOp::create(b, op.getLoc(), viewed, memory, offset, sizes, steps);
  unsigned number = kernel.getInputs().size();
  kernel.getInputsMutable().append(view);
  read.set(kernel.getBody().front().insertArgument(number, group::KernelOp::argumentTypeOf(viewed), op.getLoc()));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[read.getOperandNumber()] = AffineMap::get(ranges.size(), 0, loops, b.getContext());
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}
} // namespace

void viewWindows(group::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::GenericOp>())
    for (OpOperand *read : op.getDpsInputOperands())
      viewWindow(kernel, op, *read);
  for (unsigned number = kernel.getInputs().size(); number-- > 0;)
    if (body.getArgument(number).use_empty()) {
      body.eraseArgument(number);
      kernel.getInputsMutable().erase(number);
    }
}
} // namespace lispier::tensors
