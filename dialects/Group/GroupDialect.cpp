//===- GroupDialect.cpp - the group dialect -------------------------------===//
#include "lispier/Group/EntryAttributes.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lispier/Group/GroupDialect.cpp.inc"
#include "lispier/Group/GroupEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Group/GroupAttributes.cpp.inc"

namespace lispier::group {
/// The kind as a bare word: the printer of attributes would put a space before it.
static ParseResult parseKind(OpAsmParser &parser, KindAttr &kind) {
  FailureOr<Kind> value = FieldParser<Kind>::parse(parser);
  if (failed(value))
    return failure();
  kind = KindAttr::get(parser.getContext(), *value);
  return success();
}

static void printKind(OpAsmPrinter &printer, Operation *, KindAttr kind) {
  printer.getStream() << stringifyKind(kind.getValue());
}
} // namespace lispier::group

/// `<add>`, or nothing.
static ParseResult parseCombination(OpAsmParser &parser, vector::CombiningKindAttr &kind) {
  if (failed(parser.parseOptionalLess()))
    return success();
  StringRef name;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&name) || parser.parseGreater())
    return failure();
  std::optional<vector::CombiningKind> known = vector::symbolizeCombiningKind(name);
  if (!known)
    return parser.emitError(place, "is no kind of combination of vector");
  kind = vector::CombiningKindAttr::get(parser.getContext(), *known);
  return success();
}

static void printCombination(OpAsmPrinter &printer, Operation *, vector::CombiningKindAttr kind) {
  if (kind)
    printer << '<' << vector::stringifyCombiningKind(kind.getValue()) << '>';
}

#define GET_OP_CLASSES
#include "lispier/Group/GroupOps.cpp.inc"

namespace lispier::group {
void GroupDialect::initialize() {
  getContext()->loadDialect<vector::VectorDialect>(); // Kinds of scans are its attributes.
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/Group/GroupAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/Group/GroupOps.cpp.inc"
      >();
}

LogicalResult GroupDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kIntermediateAttr)
    return isa<UnitAttr>(attribute.getValue()) && op->getNumResults() == 1 &&
                   isa<BaseMemRefType>(op->getResult(0).getType())
               ? success()
               : LogicalResult(op->emitOpError(name) << " is a unit attribute, on an op whose result is a memref");
  if (name == kOwnedResultsAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    auto owned = dyn_cast<DenseBoolArrayAttr>(attribute.getValue());
    return function && owned ? success()
                             : LogicalResult(op->emitOpError(name) << " is an array of booleans, on a function");
  }
  if (name == kApartAttr || name == kRoundedAttr) {
    auto reasons = dyn_cast<ArrayAttr>(attribute.getValue());
    return reasons && llvm::all_of(reasons, llvm::IsaPred<StringAttr>)
               ? success()
               : LogicalResult(op->emitOpError(name) << " is an array of strings");
  }
  if (name == kCostAttr) {
    auto cost = dyn_cast<ArrayAttr>(attribute.getValue());
    bool isCost = cost && cost.size() % 2 == 1;
    for (unsigned i = 0; isCost && i < cost.size(); ++i)
      isCost = i < 5 || i % 2 == 0 ? isa<StringAttr>(cost[i]) : isa<IntegerAttr>(cost[i]);
    return isCost && cost.size() >= 5
               ? success()
               : LogicalResult(op->emitOpError(name) << " is five strings, and pairs of an integer and a string");
  }
  if (name == kLargeAttr)
    return isa<UnitAttr>(attribute.getValue()) && isa<KernelOp>(op)
               ? success()
               : LogicalResult(op->emitOpError(name) << " is a unit attribute, on a kernel");
  if (name == kEffectsAttr)
    return isa<UnitAttr>(attribute.getValue()) && isa<CallOpInterface>(op)
               ? success()
               : LogicalResult(op->emitOpError(name) << " is a unit attribute, on a call");
  if (name == kEntryAttr)
    return isa<DictionaryAttr>(attribute.getValue()) && isa<FunctionOpInterface>(op)
               ? success()
               : LogicalResult(op->emitOpError(name) << " is a dictionary, on a function");
  if (name == kUnscheduledAttr || name == kKernelNameAttr || name == kMemoryPlanAttr)
    return isa<StringAttr>(attribute.getValue()) ? success() : LogicalResult(op->emitOpError(name) << " is a string");
  return op->emitOpError("the group dialect has no attribute `") << name << "`";
}

LogicalResult GroupDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                     NamedAttribute attribute) {
  if (attribute.getName() != kInoutAttr && attribute.getName() != kOutAttr)
    return op->emitOpError("the group dialect has no attribute `") << attribute.getName() << "` of arguments";
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function && isa<ShapedType>(function.getArgumentTypes()[argument]) && isa<UnitAttr>(attribute.getValue())
             ? success()
             : LogicalResult(op->emitOpError(attribute.getName().strref())
                             << " is a unit attribute of a function's argument, a tensor or its memory");
}

/// Nothing is yielded.
void YieldOp::build(OpBuilder &, OperationState &) {}

/// The body has a block with arguments, and no terminator yet.
void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, Kind kind, ValueRange inputs,
                     ValueRange inits) {
  SmallVector<Type> results;
  for (Type type : inits.getTypes())
    if (isa<TensorType>(type))
      results.push_back(type);
  build(builder, state, results, name, kind, inputs, inits, /*apart=*/nullptr);
  Block &block = state.regions.front()->emplaceBlock();
  for (ValueRange operands : {inputs, inits})
    for (Value operand : operands)
      block.addArgument(argumentTypeOf(operand.getType()), operand.getLoc());
}

YieldOp KernelOp::yieldOp() { return cast<YieldOp>(getBody().front().getTerminator()); }

Type KernelOp::argumentTypeOf(Type operand) {
  if (auto memref = dyn_cast<MemRefType>(operand))
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  return operand;
}

/// Memory of which a cast has forgotten where its elements are is taken as it was: programs of known strides access
/// several elements at once.
LogicalResult KernelOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  bool isChanged = false;
  for (OpOperand &operand : (*this)->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<memref::CastOp>();
    auto from = cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
    if (!from || from.getShape() != llvm::cast<ShapedType>(cast.getType()).getShape())
      continue;
    operand.set(cast.getSource());
    isChanged = true;
  }
  return success(isChanged);
}

LogicalResult KernelOp::verify() {
  auto count = [&](auto isa) { return llvm::count_if(getOperandTypes(), isa); };
  if (count(llvm::IsaPred<TensorType>) && count(llvm::IsaPred<BaseMemRefType>))
    return emitOpError("has tensors or memrefs as operands, not both");
  for (Type type : getInputs().getTypes())
    if (!isa<RankedTensorType, MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("has an input of type ") << type << "; inputs are tensors, memrefs, indices and numbers";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError("has ") << getNumOperands() << " operands and a body with " << block.getNumArguments()
                               << " arguments";
  for (auto [i, operand, argument] : llvm::enumerate(getOperandTypes(), block.getArgumentTypes()))
    if (argument != argumentTypeOf(operand))
      return emitOpError("has operand ") << i << " of type " << operand << ", so that argument " << i
                                         << " of its body is a " << argumentTypeOf(operand) << ", not " << argument;
  SmallVector<Type> expected = llvm::map_to_vector(getInits().getTypes(), argumentTypeOf);
  YieldOp yield = yieldOp();
  if (!llvm::equal(yield.getOperandTypes(), expected))
    return yield.emitOpError("has values of types ") << yield.getOperandTypes() << ", expected " << TypeRange(expected);
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("has side effects; the body of a kernel computes with values");
  return success();
}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : getInits())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init));
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// Whether `use` takes sizes or a place for a result only.
bool usesNoElements(OpOperand &use) {
  if (isa<tensor::DimOp>(use.getOwner()))
    return true;
  if (auto attention = dyn_cast<AttentionOp>(use.getOwner()))
    return attention.isDpsInit(&use);
  if (auto scan = dyn_cast<ScanOp>(use.getOwner()))
    return scan.isDpsInit(&use);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return linalgOp && linalgOp.isDpsInit(&use) && !linalgOp.payloadUsesValueFromOperand(&use);
}

/// The op that computes `value` if all elements of its results are computed by themselves, at the same place of each.
linalg::LinalgOp elementwiseProducer(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumParallelLoops() != op.getNumLoops())
    return nullptr;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isIdentity())
      return nullptr;
  return op;
}
} // namespace

bool KernelOp::reads(OpOperand &operand) { return !llvm::all_of(argumentOf(operand).getUses(), usesNoElements); }

bool KernelOp::readsBeforeWriting(OpOperand &operand) {
  // With several ops, one could write what the next one reads: only the one op that makes all results decides.
  ValueRange yielded = yieldOp().getResults();
  linalg::LinalgOp op = yielded.empty() ? nullptr : elementwiseProducer(yielded.front());
  if (!op || llvm::any_of(yielded, [&](Value value) { return value.getDefiningOp() != op; }))
    return false;
  return llvm::all_of(argumentOf(operand).getUses(), [&](OpOperand &use) {
    return usesNoElements(use) || (use.getOwner() == op && op.getMatchingIndexingMap(&use).isIdentity());
  });
}

void KernelOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (reads(operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

using namespace bufferization;

bool KernelOp::hasTensorSemantics() { return llvm::any_of(getOperandTypes(), llvm::IsaPred<TensorType>); }

bool KernelOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) { return reads(operand); }

bool KernelOp::bufferizesToMemoryWrite(OpOperand &operand, const AnalysisState &) { return isDpsInit(&operand); }

bool KernelOp::bufferizesToElementwiseAccess(const AnalysisState &, ArrayRef<OpOperand *> operands) {
  return llvm::all_of(operands, [&](OpOperand *operand) { return readsBeforeWriting(*operand); });
}

AliasingValueList KernelOp::getAliasingValues(OpOperand &operand, const AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
}

LogicalResult KernelOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                  BufferizationState &state) {
  SmallVector<Value> inputs, inits;
  auto append = [&](ValueRange operands, SmallVector<Value> &buffers) {
    for (Value operand : operands) {
      FailureOr<Value> buffer = operand;
      if (isa<TensorType>(operand.getType()))
        buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    return success();
  };
  if (failed(append(getInputs(), inputs)) || failed(append(getInits(), inits)))
    return failure();
  rewriter.setInsertionPoint(*this);
  auto kernel = KernelOp::create(rewriter, getLoc(), TypeRange(), getName(), getKind(), inputs, inits, getApartAttr());
  kernel->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  kernel.getBody().takeBody(getBody());
  replaceOpWithBufferizedValues(rewriter, *this, inits);
  return success();
}

void keepBodies(BufferizationOptions &options) {
  options.opFilter.denyOperation([](Operation *op) { return op->getParentOfType<KernelOp>() != nullptr; });
}
} // namespace lispier::group
