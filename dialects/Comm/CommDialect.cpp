//===- CommDialect.cpp - the comm dialect ---------------------------------===//
#include "lispier/Comm/Comm.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lispier/Comm/CommDialect.cpp.inc"
#include "lispier/Comm/CommEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Comm/CommAttributes.cpp.inc"

namespace {
ParseResult parseCombine(OpAsmParser &parser, lispier::comm::CombineAttr &by) {
  StringRef word;
  auto place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<lispier::comm::Combine> found = lispier::comm::symbolizeCombine(word);
  if (!found)
    return parser.emitError(place, "expected add, mean, max or min");
  by = lispier::comm::CombineAttr::get(parser.getContext(), *found);
  return success();
}

void printCombine(OpAsmPrinter &printer, Operation *, lispier::comm::CombineAttr by) {
  printer << stringifyCombine(by.getValue());
}

/// `in into out`; the results are not written: `out` if that is a tensor.
ParseResult parseTypes(OpAsmParser &parser, Type &in, Type &out, SmallVectorImpl<Type> &results) {
  if (parser.parseType(in) || parser.parseKeyword("into") || parser.parseType(out))
    return failure();
  if (isa<RankedTensorType>(out))
    results.push_back(out);
  return success();
}

void printTypes(OpAsmPrinter &printer, Operation *, Type in, Type out, TypeRange) { printer << in << " into " << out; }
} // namespace

#define GET_OP_CLASSES
#include "lispier/Comm/CommOps.cpp.inc"

namespace lispier::comm {
void CommDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/Comm/CommAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/Comm/CommOps.cpp.inc"
      >();
}

std::optional<SmallVector<Axis>> readMesh(StringRef text) {
  SmallVector<Axis> axes;
  llvm::StringSet<> names;
  for (StringRef part : llvm::split(text, ',')) {
    auto [name, size] = part.split('=');
    Axis axis{name, 0};
    if (name.empty() || !names.insert(name).second ||
        (name.size() != part.size() && (size.getAsInteger(10, axis.size) || axis.size < 1)))
      return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}

SmallVector<Axis> meshOf(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  auto text = op->getAttrOfType<StringAttr>(kMesh);
  return text ? readMesh(text).value_or(SmallVector<Axis>()) : SmallVector<Axis>();
}

LogicalResult CommDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kDigest && isa<ModuleOp>(op) && isa<IntegerAttr>(attribute.getValue()))
    return success();
  if (attribute.getName() == kChecked && isa<ModuleOp>(op) && isa<UnitAttr>(attribute.getValue()))
    return success();
  if (attribute.getName() != kMesh)
    return op->emitOpError() << attribute.getName() << " is no attribute of the dialect";
  auto text = dyn_cast<StringAttr>(attribute.getValue());
  return isa<ModuleOp>(op) && text && readMesh(text)
             ? success()
             : LogicalResult(op->emitOpError(kMesh) << " is a text such as \"dp,tp=2\", on a module");
}

bool isCollective(Operation *op) { return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, OwnPartOp, FromRankOp>(op); }

void addResultTypes(ValueRange operands, SmallVectorImpl<Type> &types) {
  if (operands.size() > kOutOperand && isa<RankedTensorType>(operands[kOutOperand].getType()))
    types.push_back(operands[kOutOperand].getType());
}

LogicalResult addResultShapes(Operation *op, OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  if (op->getNumResults() > 0)
    shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(kOutOperand)));
  return success();
}

namespace {
struct OrderResource : SideEffects::Resource::Base<OrderResource> {
  StringRef getName() final { return "order of collectives"; }
};
} // namespace

void addEffects(Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!isa<OwnPartOp>(op))
    effects.emplace_back(MemoryEffects::Write::get(), OrderResource::get());
  OpOperand &in = op->getOpOperand(kInOperand), &out = op->getOpOperand(kOutOperand);
  if (isa<MemRefType>(in.get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &in);
  if (isa<MemRefType>(out.get().getType()))
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  auto cast = op.getIn().getDefiningOp<tensor::CastOp>();
  if (cast && tensor::canFoldIntoConsumerOp(cast)) { // Of sizes that are known.
    Value part = AssumeOp::create(rewriter, op.getLoc(), cast.getSource().getType(), cast.getSource(),
                                  op.getDimensionAttr(), op.getAxesAttr(), op.getJoinsAttr(), op.getPartialAttr());
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), part);
    return success();
  }
  bool changes = false;
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      rewriter.modifyOpInPlace(dim, [&] { dim.getSourceMutable().assign(op.getIn()); });
      changes = true;
    }
  return success(changes);
}

namespace {
/// Whether the view is one run of memory: all of its source, but perhaps for some of the outermost dimension.
bool isRun(memref::SubViewOp view) {
  MemRefType source = view.getSourceType();
  if (!source.getLayout().isIdentity() || view.getType().getRank() != source.getRank())
    return false;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    OpFoldResult size = view.getMixedSizes()[d];
    auto dim = dyn_cast<Value>(size) ? cast<Value>(size).getDefiningOp<memref::DimOp>() : memref::DimOp();
    bool isAll = dim && dim.getSource() == view.getSource() && dim.getConstantIndex() == d;
    if (auto made = view.getSource().getDefiningOp<memref::AllocOp>())
      isAll |= made.getMixedSizes()[d] == size;
    isAll |= !source.isDynamicDim(d) && isConstantIntValue(size, source.getDimSize(d));
    if (!isConstantIntValue(view.getMixedOffsets()[d], 0) || !isConstantIntValue(view.getMixedStrides()[d], 1) ||
        (d > 0 && !isAll))
      return false;
  }
  return true;
}

/// The memref itself, or contiguous memory with its contents, or for them.
FailureOr<Value> contiguous(RewriterBase &rewriter, Location loc, Value memref,
                            const bufferization::BufferizationOptions &options, bool copies) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getLayout().isIdentity())
    return memref;
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  if (auto view = memref.getDefiningOp<memref::SubViewOp>(); view && isRun(view))
    return memref::CastOp::create(rewriter, loc, plain, memref).getResult();
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(rewriter, loc, memref, d));
  FailureOr<Value> memory = options.createAlloc(rewriter, loc, plain, sizes);
  if (succeeded(memory) && copies && failed(options.createMemCpy(rewriter, loc, memref, *memory)))
    return failure();
  return memory;
}
} // namespace

LogicalResult bufferizeCollective(Operation *op, RewriterBase &rewriter,
                                  const bufferization::BufferizationOptions &options,
                                  bufferization::BufferizationState &state) {
  SmallVector<Value> operands(op->getOperands());
  Value memory;
  for (unsigned number : {kInOperand, kOutOperand}) {
    FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operands[number], options, state);
    if (failed(buffer))
      return failure();
    if (number == kOutOperand)
      memory = *buffer;
    buffer = contiguous(rewriter, op->getLoc(), *buffer, options, /*copies=*/number == kInOperand);
    if (failed(buffer))
      return failure();
    operands[number] = *buffer;
  }
  rewriter.setInsertionPoint(op);
  clone(rewriter, op, TypeRange(), operands);
  if (operands[kOutOperand] != memory && !operands[kOutOperand].getDefiningOp<memref::CastOp>() &&
      failed(options.createMemCpy(rewriter, op->getLoc(), operands[kOutOperand], memory)))
    return failure();
  bufferization::replaceOpWithBufferizedValues(rewriter, op, memory);
  return success();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

namespace {
/// What all collectives demand of their operands; `dimension`: along which the sizes may differ, or -1.
LogicalResult verifyCollective(Operation *op, int64_t dimension) {
  auto in = cast<ShapedType>(op->getOperand(kInOperand).getType());
  auto out = cast<ShapedType>(op->getOperand(kOutOperand).getType());
  if (isa<TensorType>(in) != isa<TensorType>(out))
    return op->emitOpError("takes tensors or memrefs, not both");
  if (op->getNumResults() != (isa<TensorType>(out) ? 1u : 0u))
    return op->emitOpError("has a result if it is on tensors");
  if (in.getElementType() != out.getElementType() || in.getRank() != out.getRank())
    return op->emitOpError("has other numbers or another rank than its operand: ") << out << " of " << in;
  Type element = in.getElementType();
  if (!element.isIndex() && !element.isF64() && !element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isInteger(64) && !element.isInteger(32) && !element.isInteger(8) && !element.isInteger(1))
    return op->emitOpError("exchanges f64, f32, f16, bf16, index, i64, i32, i8 and i1, not ") << element;
  if (dimension >= in.getRank() || (dimension < 0 && dimension != -1))
    return op->emitOpError("has no dimension ") << dimension << ": " << in;
  for (auto [d, a, b] : llvm::enumerate(in.getShape(), out.getShape()))
    if (int64_t(d) != dimension && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b)
      return op->emitOpError("has the sizes ") << a << " and " << b << " of dimension " << d;
  auto axes = op->getAttrOfType<ArrayAttr>("axes");
  if (axes.empty())
    return op->emitOpError("goes over at least one axis");
  return success();
}

LogicalResult verifyMean(Operation *op, Combine by, Value in) {
  if (by == Combine::Mean && !isa<FloatType>(getElementTypeOrSelf(in.getType())))
    return op->emitOpError("takes the mean of floats only");
  return success();
}
} // namespace

LogicalResult AllReduceOp::verify() {
  return failed(verifyMean(*this, getBy(), getIn())) ? failure() : verifyCollective(*this, -1);
}
LogicalResult ReduceScatterOp::verify() {
  return failed(verifyMean(*this, getBy(), getIn())) ? failure() : verifyCollective(*this, getDimension());
}
LogicalResult AllGatherOp::verify() { return verifyCollective(*this, getDimension()); }
LogicalResult OwnPartOp::verify() { return verifyCollective(*this, getDimension()); }
LogicalResult FromRankOp::verify() { return verifyCollective(*this, -1); }

LogicalResult TogetherOp::verifyRegions() {
  for (Operation &op : *getBody())
    if (!isCollective(&op) || op.getNumResults() > 0 || op.getName() != getBody()->front().getName() ||
        op.getAttr("axes") != getBody()->front().getAttr("axes"))
      return op.emitOpError("is not a collective on memrefs as the others of `comm.together`");
  return success();
}
} // namespace lispier::comm
