//===- ScanOp.cpp - group.scan --------------------------------------------===//
#include "lispier/Group/ScanLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace lispier::group {
void ScanOp::build(OpBuilder &b, OperationState &state, std::optional<vector::CombiningKind> kind, Value source,
                   int64_t dimension, Value start, bool reverse, bool exclusive, Value init) {
  Type result = isa<RankedTensorType>(init.getType()) ? init.getType() : Type();
  auto attribute = kind ? vector::CombiningKindAttr::get(b.getContext(), *kind) : vector::CombiningKindAttr();
  build(b, state, result, attribute, source, dimension, start, reverse, exclusive, init);
}

LogicalResult ScanOp::verify() {
  auto type = cast<ShapedType>(getSource().getType()), place = cast<ShapedType>(getInit().getType());
  bool isTensor = isa<RankedTensorType>(type);
  if (type.getElementType() != place.getElementType() || type.getShape() != place.getShape() ||
      isTensor != isa<RankedTensorType>(place))
    return emitOpError() << "scans " << type << " into " << place << ", which has other elements or sizes";
  if (isTensor != bool(getResult()) || (isTensor && getResult().getType() != place))
    return emitOpError("has a result on tensors, of the type of `init`, and none on memrefs");
  if (getKind().has_value() == hasStep())
    return emitOpError("combines by a kind, or by a step");
  if (hasStep()) {
    Type element = type.getElementType();
    bool isOfElements = getStep().hasOneBlock() && isa<NextOp>(getStep().front().getTerminator()) &&
                        llvm::equal(getStep().front().getArgumentTypes(), ArrayRef<Type>{element, element}) &&
                        getStep().front().getTerminator()->getOperand(0).getType() == element;
    if (!isOfElements)
      return emitOpError() << "has a step that makes a number of another type than " << element << ", of two";
    for (Operation &op : getStep().front().without_terminator())
      if (!isPure(&op) || (!op.hasTrait<OpTrait::ConstantLike>() && !OpTrait::hasElementwiseMappableTraits(&op)))
        return emitOpError() << "has a step with `" << op.getName() << "`, which is not elementwise";
  }
  if (int64_t dimension = getDimension(); dimension < 0 || dimension >= type.getRank())
    return emitOpError("is along dimension ") << dimension << " of " << type.getRank();
  return success();
}

void ScanOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<RankedTensorType>(getInit().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getInitMutable());
}

bool ScanOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) { return !isDpsInit(&operand); }

bool ScanOp::bufferizesToMemoryWrite(OpOperand &operand, const AnalysisState &) { return isDpsInit(&operand); }

/// Each element is read before what it makes is written in its place.
bool ScanOp::bufferizesToElementwiseAccess(const AnalysisState &, ArrayRef<OpOperand *>) { return true; }

AliasingValueList ScanOp::getAliasingValues(OpOperand &operand, const AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
}

LogicalResult ScanOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                BufferizationState &state) {
  FailureOr<Value> source = getBuffer(rewriter, getSource(), options, state),
                   init = getBuffer(rewriter, getInit(), options, state);
  if (failed(source) || failed(init))
    return failure();
  auto scan = ScanOp::create(rewriter, getLoc(), getKind(), *source, getDimension(), getStart(), getReverse(),
                             getExclusive(), *init);
  scan.getStep().takeBody(getStep());
  replaceOpWithBufferizedValues(rewriter, *this, *init);
  return success();
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInit()));
  return success();
}

Value computeStep(ScanOp op, OpBuilder &b, Value sofar, Value next, llvm::function_ref<Value(Value)> outer) {
  auto shape = dyn_cast<VectorType>(next.getType());
  Block &block = op.getStep().front();
  IRMapping mapping;
  mapping.map(block.getArguments(), ValueRange{sofar, next});
  auto there = [&](Value value) -> Value {
    if (value.getParentBlock() != &block && !mapping.contains(value))
      mapping.map(value, outer(value));
    Value known = mapping.lookup(value);
    if (!known || !shape || isa<VectorType>(known.getType()))
      return known;
    return vector::BroadcastOp::create(b, op.getLoc(), shape.clone(value.getType()), known);
  };
  for (Operation &inside : block.without_terminator()) {
    IRMapping operands;
    for (Value operand : inside.getOperands()) {
      operands.map(operand, there(operand));
      if (!operands.lookup(operand))
        return {};
    }
    Operation *made = b.clone(inside, operands);
    mapping.map(inside.getResults(), made->getResults());
    if (shape && !inside.hasTrait<OpTrait::ConstantLike>())
      for (OpResult result : made->getResults())
        result.setType(shape.clone(result.getType()));
  }
  return there(block.getTerminator()->getOperand(0));
}

ScanOp scanIn(KernelOp kernel) {
  auto found = kernel.getBody().front().getOps<ScanOp>();
  return found.empty() ? ScanOp() : *found.begin();
}

void expandScan(ScanOp op) {
  IRRewriter b(op.getContext());
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getSource().getType());
  int64_t rank = type.getRank(), along = op.getDimension();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, op.getSource());
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  Value count = getValueOrCreateConstantIndexOp(b, loc, sizes[along]);
  sizes[along] = b.getIndexAttr(1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value start = linalg::FillOp::create(b, loc, op.getStart(), empty).getResult(0);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto step = [&](OpBuilder &at, Location, Value i, ValueRange carried) {
    offsets[along] = i;
    if (op.getReverse())
      offsets[along] = arith::SubIOp::create(at, loc, arith::SubIOp::create(at, loc, count, one), i).getResult();
    auto slice = tensor::ExtractSliceOp::create(at, loc, cast<RankedTensorType>(start.getType()), op.getSource(),
                                                offsets, sizes, strides);
    auto combine = [&](OpBuilder &inner, Location, ValueRange elements) {
      Value sum = op.hasStep() ? computeStep(op, inner, elements[1], elements[0], [](Value outer) { return outer; })
                               : vector::makeArithReduction(inner, loc, *op.getKind(), elements[1], elements[0]);
      linalg::YieldOp::create(inner, loc, sum);
    };
    auto insert = [&](Value part) -> Value {
      return tensor::InsertSliceOp::create(at, loc, part, carried[0], offsets, sizes, strides);
    };
    // Before the next sum, which is in the same memory.
    Value made = op.getExclusive() ? insert(carried[1]) : Value();
    Value next = linalg::GenericOp::create(at, loc, start.getType(), ValueRange{slice}, ValueRange{carried[1]}, maps,
                                           iterators, combine)
                     .getResult(0);
    if (!made)
      made = insert(next);
    scf::YieldOp::create(at, loc, ValueRange{made, next});
  };
  auto loop = scf::ForOp::create(b, loc, zero, count, one, ValueRange{op.getInit(), start}, step);
  b.replaceOp(op, loop.getResult(0));
}
} // namespace lispier::group
