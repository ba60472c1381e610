//===- WindowViews.cpp - windows as views of memory -----------------------===//
#include "WindowViews.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

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

/// The operand of the kernel that a tensor of its body is; null for others.
Value memoryOf(group::KernelOp kernel, Value tensor) {
  auto input = dyn_cast<BlockArgument>(tensor);
  return input && input.getOwner() == &kernel.getBody().front() && input.getArgNumber() < kernel.getInputs().size()
             ? kernel.getInputs()[input.getArgNumber()]
             : Value();
}

/// Makes the op read a new input, of that type, at single loops.
BlockArgument readView(group::KernelOp kernel, linalg::GenericOp op, OpOperand &read, Value view,
                       ArrayRef<AffineExpr> loops) {
  unsigned number = kernel.getInputs().size();
  kernel.getInputsMutable().append(view);
  BlockArgument argument =
      kernel.getBody().front().insertArgument(number, group::KernelOp::argumentTypeOf(view.getType()), op.getLoc());
  read.set(argument);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[read.getOperandNumber()] = AffineMap::get(op.getNumLoops(), 0, loops, op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return argument;
}

/// The dimensions of memory that a reduction of windows of a padded input reads; empty if it is none.
SmallVector<PaddedDimension> paddedDimensions(linalg::GenericOp op, OpOperand &read, tensor::PadOp pad,
                                              MemRefType type) {
  SmallVector<Terms> window = windowOf(op.getMatchingIndexingMap(&read));
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (window.empty() || failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic) || !type.hasStaticShape() || !pad.getConstantPaddingValue() ||
      llvm::any_of(pad.getStaticLow(), ShapedType::isDynamic) ||
      llvm::any_of(pad.getStaticHigh(), ShapedType::isDynamic) ||
      llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return {};
  SmallVector<PaddedDimension> found;
  unsigned position = 0;
  for (auto [i, terms] : llvm::enumerate(window)) {
    bool hasWindow = terms.size() > 1;
    PaddedDimension dimension{position + hasWindow,
                              std::nullopt,
                              terms[0].second,
                              0,
                              pad.getStaticLow()[i],
                              type.getDimSize(i),
                              strides[i],
                              pad.getStaticLow()[i] != 0 || pad.getStaticHigh()[i] != 0};
    if (hasWindow) {
      dimension.window = position;
      dimension.dilation = terms[1].second;
    }
    position += terms.size();
    bool isWindow = terms.size() == 2 && linalg::isParallelIterator(op.getIteratorTypesArray()[terms[0].first]) &&
                    linalg::isReductionIterator(op.getIteratorTypesArray()[terms[1].first]) &&
                    op.getStaticLoopRanges()[terms[1].first] > 1;
    if (!isWindow && (terms.size() != 1 || dimension.isPadded || dimension.stride != 1))
      return {};
    found.push_back(dimension);
  }
  return found;
}

void viewPadded(group::KernelOp kernel, linalg::GenericOp op, OpOperand &read, PaddedReads &reads) {
  auto pad = read.get().getDefiningOp<tensor::PadOp>();
  Value memory = pad ? memoryOf(kernel, pad.getSource()) : Value();
  auto type = memory ? dyn_cast<MemRefType>(memory.getType()) : MemRefType();
  SmallVector<PaddedDimension> padded = type ? paddedDimensions(op, read, pad, type) : SmallVector<PaddedDimension>();
  Attribute value;
  if (padded.empty() || !matchPattern(pad.getConstantPaddingValue(), m_Constant(&value)))
    return;
  OpBuilder b(kernel);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), sizes, steps;
  SmallVector<AffineExpr> loops;
  // A window is before its places, so that these are one dimension with no other.
  for (auto [terms, dimension] : llvm::zip(windowOf(op.getMatchingIndexingMap(&read)), padded))
    for (auto [loop, stride] : llvm::reverse(terms)) {
      sizes.push_back(ranges[loop]);
      steps.push_back(stride * dimension.step);
      loops.push_back(b.getAffineDimExpr(loop));
    }
  auto [strides, offset] = type.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, steps);
  auto viewed = MemRefType::get(sizes, type.getElementType(), layout, type.getMemorySpace());
  Value view = memref::ReinterpretCastOp::create(b, op.getLoc(), viewed, memory, offset, sizes, steps);
  reads[readView(kernel, op, read, view, loops)] = {padded, cast<TypedAttr>(value)};
  if (pad.use_empty())
    pad.erase();
}

/// The number of steps of the op's loop, which the host computes where only a call knows it; null if it cannot.
OpFoldResult sizeOfLoop(OpBuilder &b, group::KernelOp kernel, linalg::GenericOp op, unsigned loop) {
  if (int64_t size = op.getStaticLoopRanges()[loop]; !ShapedType::isDynamic(size))
    return b.getIndexAttr(size);
  auto dimOf = [&](Value memory, int64_t position) {
    return OpFoldResult(memref::DimOp::create(b, op.getLoc(), memory, position).getResult());
  };
  OpOperand &init = op.getDpsInitsMutable()[0];
  std::optional<SmallVector<unsigned>> loops = loopDimsOf(op, init);
  auto *own = loops ? llvm::find(*loops, loop) : nullptr;
  if (!loops || own == loops->end())
    return {};
  int64_t position = own - loops->begin();
  for (auto [argument, result] :
       llvm::zip(kernel.getBody().front().getArguments().take_back(kernel.getInits().size()), kernel.getInits()))
    if (init.get() == argument)
      return dimOf(result, position);
  SmallVector<OpFoldResult> made = sizesMadeWith(init.get());
  auto size = made.empty() ? Value() : dyn_cast<Value>(made[position]);
  if (size)
    if (Value number = memoryOf(kernel, size))
      return number;
  auto dim = size ? size.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  Value memory = dim && dim.getConstantIndex() ? memoryOf(kernel, dim.getSource()) : Value();
  return memory ? dimOf(memory, *dim.getConstantIndex()) : OpFoldResult();
}

void viewWindow(group::KernelOp kernel, linalg::GenericOp op, OpOperand &read) {
  Value memory = memoryOf(kernel, read.get());
  auto type = memory ? dyn_cast<MemRefType>(memory.getType()) : MemRefType();
  SmallVector<Terms> window = windowOf(op.getMatchingIndexingMap(&read));
  SmallVector<int64_t> known;
  int64_t offset = 0;
  if (!type || window.empty() || failed(type.getStridesAndOffset(known, offset)))
    return;
  OpBuilder b(kernel);
  Location loc = op.getLoc();
  bool isKnown = !ShapedType::isDynamic(offset) && llvm::none_of(known, ShapedType::isDynamic);
  auto data = isKnown ? memref::ExtractStridedMetadataOp() : memref::ExtractStridedMetadataOp::create(b, loc, memory);
  SmallVector<OpFoldResult> sizes, steps;
  SmallVector<AffineExpr> loops;
  // Places of windows are neighbours in the view, so that they may be one dimension; those in a window follow.
  for (bool isFirst : {true, false})
    for (auto [position, terms] : llvm::enumerate(window))
      for (auto [number, term] : llvm::enumerate(terms)) {
        if ((number == 0) != isFirst)
          continue;
        sizes.push_back(sizeOfLoop(b, kernel, op, term.first));
        if (!sizes.back())
          return;
        bool isStatic = !ShapedType::isDynamic(known[position]);
        steps.push_back(
            isStatic ? OpFoldResult(b.getIndexAttr(term.second * known[position]))
                     : OpFoldResult(b.createOrFold<arith::MulIOp>(
                           loc, data.getStrides()[position], arith::ConstantIndexOp::create(b, loc, term.second))));
        loops.push_back(b.getAffineDimExpr(term.first));
      }
  OpFoldResult begin = ShapedType::isDynamic(offset) ? OpFoldResult(data.getOffset()) : b.getIndexAttr(offset);
  SmallVector<int64_t> staticSizes, staticSteps;
  SmallVector<Value> unused;
  dispatchIndexOpFoldResults(sizes, unused, staticSizes);
  dispatchIndexOpFoldResults(steps, unused, staticSteps);
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, staticSteps);
  auto viewed = MemRefType::get(staticSizes, type.getElementType(), layout, type.getMemorySpace());
  Value view = memref::ReinterpretCastOp::create(b, loc, viewed, memory, begin, sizes, steps);
  readView(kernel, op, read, view, loops);
}
} // namespace

PaddedReads viewWindows(group::KernelOp kernel) {
  PaddedReads padded;
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::GenericOp>())
    for (OpOperand *read : op.getDpsInputOperands()) {
      viewWindow(kernel, op, *read);
      viewPadded(kernel, op, *read, padded);
    }
  for (unsigned number = kernel.getInputs().size(); number-- > 0;)
    if (body.getArgument(number).use_empty()) {
      body.eraseArgument(number);
      kernel.getInputsMutable().erase(number);
    }
  return padded;
}

void expandPlaces(group::KernelOp kernel) {
  kernel.walk([](affine::AffineApplyOp apply) {
    OpBuilder b(apply);
    auto places = affine::expandAffineMap(b, apply.getLoc(), apply.getAffineMap(), apply.getMapOperands());
    apply.getResult().replaceAllUsesWith(places->front());
    apply.erase();
  });
}
} // namespace lispier::tensors
