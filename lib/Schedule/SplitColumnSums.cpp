//===- SplitColumnSums.cpp - kernels of rows that sum columns -------------===//
//
// Before: a kernel, on memrefs, that reduces rows and also sums along these, which no
// schedule has at once. After: the same of operands with a dimension for parts of the
// rows, whose sums are of these parts only, and a kernel that adds them and does what
// follows. A program then has a part, row by row, and its sums in registers. Each sum is
// added in one order, whatever order the programs run in.
//
//===----------------------------------------------------------------------===//
#include "SplitColumnSums.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
class ColumnSumSplitter {
public:
  ColumnSumSplitter(group::KernelOp kernel, const ColumnSums &found)
      : kernel(kernel), found(found), b(kernel), loc(kernel.getLoc()) {}

  void split() {
    for (linalg::LinalgOp sum : found.sums)
      parts.push_back(memoryOf(sum));
    makeRows();
    makeSums();
    for (Value memory : parts)
      memref::DeallocOp::create(b, loc, memory);
    kernel.erase();
  }

private:
  /// A tensor of the body, and which of its dimensions has parts.
  using Part = std::pair<Value, std::optional<unsigned>>;

  unsigned dimension() const { return found.parts.dimension; }
  unsigned loopInParts(linalg::LinalgOp op) const { return found.rowLoops.find(op)->second[dimension()]; }
  bool isSum(linalg::LinalgOp op) const { return llvm::is_contained(found.sums, op); }
  Part partOf(OpOperand &operand) const;
  SmallVector<int64_t> shapeInParts(ArrayRef<int64_t> shape, unsigned position) const;
  Value memoryOf(linalg::LinalgOp sum);
  Value memrefInParts(Part part);
  Value destination(OpBuilder &inside, OpOperand &init);
  void makeRows();
  void cloneRow(OpBuilder &inside, linalg::LinalgOp op);
  void makeSums();
  bool isAfterRows(Operation &op) const;
  llvm::SetVector<Value> usedAfterRows(Operation &op) const;
  Value addParts(OpBuilder &inside, linalg::LinalgOp op, Value memory, IRMapping &mapping);
  std::optional<unsigned> resultOf(Value made);

  group::KernelOp kernel;
  const ColumnSums &found;
  OpBuilder b;
  Location loc;
  SmallVector<Value> parts;             ///< Of each sum: the memory of the sums of all parts.
  llvm::DenseMap<Part, Value> views;    ///< Of the kernel's operands.
  llvm::MapVector<Part, Value> tensors; ///< In the body of the kernel of rows.
};

/// The tensor, which ops on rows have in parts along the position where they walk the rows that are cut.
ColumnSumSplitter::Part ColumnSumSplitter::partOf(OpOperand &operand) const {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  SmallVector<unsigned> loops = *loopDimsOf(op, operand);
  auto *at = llvm::find(loops, loopInParts(op));
  return {operand.get(), at == loops.end() ? std::nullopt : std::optional<unsigned>(at - loops.begin())};
}

SmallVector<int64_t> ColumnSumSplitter::shapeInParts(ArrayRef<int64_t> shape, unsigned position) const {
  SmallVector<int64_t> all(shape);
  all[position] = found.parts.each;
  all.insert(all.begin() + position, shape[position] / found.parts.each);
  return all;
}

/// Memory for the sums of all parts: dimensions of these, then the columns.
Value ColumnSumSplitter::memoryOf(linalg::LinalgOp sum) {
  SmallVector<int64_t> sizes = sum.getStaticLoopRanges(), shape;
  ArrayRef<unsigned> rows = found.rowLoops.find(sum)->second;
  for (unsigned row : rows.take_front(dimension()))
    shape.push_back(sizes[row]);
  shape.push_back(sizes[rows[dimension()]] / found.parts.each);
  auto type = cast<RankedTensorType>(sum->getResult(0).getType());
  llvm::append_range(shape, type.getShape());
  Value memory = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()), ValueRange(),
                                         b.getI64IntegerAttr(64));
  memory.getDefiningOp()->setAttr(kIntermediateAttr, b.getUnitAttr());
  return memory;
}

/// The operand of which the tensor is an argument, with a dimension for the parts.
Value ColumnSumSplitter::memrefInParts(Part part) {
  Value memory = kernel->getOperand(cast<BlockArgument>(part.first).getArgNumber());
  if (!part.second)
    return memory;
  Value &view = views[part];
  if (view)
    return view;
  unsigned position = *part.second;
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<ReassociationIndices> pieces;
  for (int64_t d = 0, next = 0; d < type.getRank(); ++d) {
    ReassociationIndices &piece = pieces.emplace_back();
    for (int64_t each = 0; each < (d == position ? 2 : 1); ++each)
      piece.push_back(next++);
  }
  return view = memref::ExpandShapeOp::create(b, loc, shapeInParts(type.getShape(), position), memory, pieces);
}

/// Which of the kernel's results a tensor of the body is.
std::optional<unsigned> ColumnSumSplitter::resultOf(Value made) {
  ValueRange yielded = kernel.yieldOp().getResults();
  auto at = llvm::find(yielded, made);
  return at == yielded.end() ? std::nullopt : std::optional<unsigned>(at - yielded.begin());
}

//===----------------------------------------------------------------------===//
// The rows, and the sums of parts
//===----------------------------------------------------------------------===//

void ColumnSumSplitter::makeRows() {
  Block &old = kernel.getBody().front();
  unsigned numInputs = kernel.getInputs().size();
  llvm::SmallSetVector<Part, 8> inputs, inits;
  for (auto &[op, rows] : found.rowLoops)
    for (OpOperand &operand : op->getOpOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand.get()); argument && argument.getArgNumber() < numInputs)
        inputs.insert(isa<RankedTensorType>(argument.getType()) ? partOf(operand) : Part{argument, std::nullopt});
  llvm::SetVector<Value> captured;
  for (auto &[op, rows] : found.rowLoops)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value each : captured)
    if (isa<BlockArgument>(each))
      inputs.insert({each, std::nullopt});
  SmallVector<Value> results; // In the old body.
  for (auto [number, made] : llvm::enumerate(kernel.yieldOp().getResults())) {
    auto op = made.getDefiningOp<linalg::LinalgOp>();
    if (!op || isSum(op) || !found.rowLoops.contains(op))
      continue;
    OpOperand *init = op.getDpsInitOperand(cast<OpResult>(made).getResultNumber());
    inits.insert({kernel.initArgument(number), partOf(*init).second});
    results.push_back(made);
  }
  auto memrefs = [&](ArrayRef<Part> all) {
    return llvm::map_to_vector(all, [&](Part each) { return memrefInParts(each); });
  };
  SmallVector<Value> destinations = memrefs(inits.getArrayRef());
  llvm::append_range(destinations, parts);
  auto rows =
      group::KernelOp::create(b, loc, kernel.getName(), kernel.getKind(), memrefs(inputs.getArrayRef()), destinations);
  if (ArrayAttr reasons = kernel.getApartAttr())
    rows.setApartAttr(reasons);
  Block &body = rows.getBody().front();
  for (auto [part, argument] : llvm::zip(inputs, body.getArguments()))
    tensors[part] = argument;
  for (auto [i, part] : llvm::enumerate(inits))
    tensors[part] = rows.initArgument(i);
  unsigned next = inits.size();
  for (linalg::LinalgOp sum : found.sums)
    tensors[{sum->getResult(0), std::nullopt}] = rows.initArgument(next++);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  for (auto op : old.getOps<linalg::LinalgOp>())
    if (found.rowLoops.contains(op))
      cloneRow(inside, op);
  SmallVector<Value> made;
  for (auto [value, part] : llvm::zip(results, inits))
    made.push_back(tensors.lookup({value, part.second}));
  for (linalg::LinalgOp sum : found.sums)
    made.push_back(tensors.lookup({sum->getResult(0), std::nullopt}));
  group::YieldOp::create(inside, loc, made);
}

/// The tensor that an op on rows begins with: the memory of a result, or what has no meaning.
Value ColumnSumSplitter::destination(OpBuilder &inside, OpOperand &init) {
  Part part = partOf(init);
  if (auto known = tensors.find(part); known != tensors.end())
    return known->second;
  auto type = cast<RankedTensorType>(init.get().getType());
  SmallVector<int64_t> shape(type.getShape());
  if (part.second)
    shape = shapeInParts(shape, *part.second);
  return tensors[part] = tensor::EmptyOp::create(inside, loc, shape, type.getElementType());
}

/// An op on rows, or a sum, with a loop for the parts in front of the one that is cut.
void ColumnSumSplitter::cloneRow(OpBuilder &inside, linalg::LinalgOp op) {
  unsigned cut = loopInParts(op);
  MLIRContext *context = b.getContext();
  auto widened = [&](AffineMap map) {
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(result).getPosition();
      if (loop == cut)
        results.push_back(getAffineDimExpr(loop, context));
      results.push_back(getAffineDimExpr(loop + (loop >= cut ? 1 : 0), context));
    }
    return AffineMap::get(map.getNumDims() + 1, 0, results, context);
  };
  IRMapping mapping;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  auto scalar = [&](Value value) -> Value {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return tensors.lookup({argument, std::nullopt});
    return inside.clone(*value.getDefiningOp())->getResult(0);
  };
  for (Value value : captured)
    mapping.map(value, scalar(value));
  SmallVector<Value> inputs, inits;
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(isa<RankedTensorType>(operand->get().getType()) ? tensors.lookup(partOf(*operand))
                                                                     : scalar(operand->get()));
  auto kinds = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = llvm::map_to_vector(op.getIndexingMapsArray(), widened);
  kinds.insert(kinds.begin() + cut, utils::IteratorType::parallel);
  if (isSum(op)) {
    SmallVector<AffineExpr> results;
    for (unsigned row : ArrayRef(found.rowLoops.find(op)->second).take_front(dimension())) {
      unsigned own = row + (row >= cut ? 1 : 0);
      kinds[own] = utils::IteratorType::parallel;
      results.push_back(getAffineDimExpr(own, context));
    }
    results.push_back(getAffineDimExpr(cut, context));
    llvm::append_range(results, maps.back().getResults());
    maps.back() = AffineMap::get(maps.back().getNumDims(), 0, results, context);
    Value neutral = arith::ConstantOp::create(inside, loc, *arith::getNeutralElement(combiningOp(op)));
    Value begin = tensors.lookup({op->getResult(0), std::nullopt}); // Its memory, until it is made.
    inits.push_back(linalg::FillOp::create(inside, loc, neutral, begin).getResult(0));
  } else {
    for (OpOperand &init : op.getDpsInitsMutable())
      inits.push_back(destination(inside, init));
  }
  Operation *made;
  if (isa<linalg::FillOp>(op.getOperation())) {
    made = linalg::FillOp::create(inside, loc, inputs, inits);
  } else {
    auto generic =
        linalg::GenericOp::create(inside, op.getLoc(), TypeRange(ValueRange(inits)), inputs, inits, maps, kinds);
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    generic->walk([&](linalg::IndexOp index) {
      if (index.getDim() >= cut)
        index.setDim(index.getDim() + 1);
    });
    made = generic;
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    OpResult result = op.getTiedOpResult(&init);
    Part part{result, isSum(op) ? std::nullopt : partOf(init).second};
    tensors[part] = made->getResult(result.getResultNumber());
  }
}

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

/// The op, which adds what the parts have.
Value ColumnSumSplitter::addParts(OpBuilder &inside, linalg::LinalgOp op, Value memory, IRMapping &mapping) {
  int64_t rank = cast<RankedTensorType>(memory.getType()).getRank();
  AffineMap all = inside.getMultiDimIdentityMap(rank);
  AffineMap columns = AffineMap::get(rank, 0, getAffineDimExpr(rank - 1, b.getContext()));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::reduction);
  kinds.back() = utils::IteratorType::parallel;
  Operation *combiner = combiningOp(op);
  BlockArgument sofar = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  return linalg::GenericOp::create(inside, loc, op->getResultTypes(), ValueRange(memory),
                                   ValueRange(mapping.lookup(op.getDpsInits()[0])), {all, columns}, kinds,
                                   [&](OpBuilder &nested, Location, ValueRange numbers) {
                                     IRMapping own;
                                     for (Value operand : combiner->getOperands())
                                       own.map(operand, numbers[operand == sofar ? 1 : 0]);
                                     linalg::YieldOp::create(nested, loc, nested.clone(*combiner, own)->getResults());
                                   })
      .getResult(0);
}

/// Whether the op is a sum, or made of these.
bool ColumnSumSplitter::isAfterRows(Operation &op) const {
  return found.behind.contains(&op) || (isa<linalg::LinalgOp>(op) && isSum(cast<linalg::LinalgOp>(op)));
}

/// What the second kernel needs for the op: of a sum, only what it begins with.
llvm::SetVector<Value> ColumnSumSplitter::usedAfterRows(Operation &op) const {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getRegions(), used);
  if (found.behind.contains(&op))
    used.insert_range(op.getOperands());
  else
    used.insert(cast<linalg::LinalgOp>(op).getDpsInits()[0]);
  return used;
}

void ColumnSumSplitter::makeSums() {
  Block &old = kernel.getBody().front();
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results, operands(parts), destinations;
  SmallVector<unsigned> inits;
  for (Operation &op : old) {
    if (!isAfterRows(op))
      continue;
    for (Value each : usedAfterRows(op))
      if (auto argument = dyn_cast<BlockArgument>(each);
          argument && argument.getOwner() == &old && argument.getArgNumber() < kernel.getInputs().size())
        inputs.insert(argument);
    for (Value made : op.getResults())
      if (std::optional<unsigned> number = resultOf(made)) {
        results.push_back(made);
        inits.push_back(*number);
        destinations.push_back(kernel.getInits()[*number]);
      }
  }
  for (Value input : inputs)
    operands.push_back(kernel->getOperand(cast<BlockArgument>(input).getArgNumber()));
  std::string name = kernel.getName().str();
  auto sums = group::KernelOp::create(b, loc, name + "_sums", group::Kind::Row, operands, destinations);
  sums.setApartAttr(b.getStrArrayAttr({"not in " + name + ": each of its programs sums a part of the rows"}));
  Block &body = sums.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  for (auto [i, input] : llvm::enumerate(inputs))
    mapping.map(input, body.getArgument(parts.size() + i));
  for (auto [i, number] : llvm::enumerate(inits))
    mapping.map(kernel.initArgument(number), sums.initArgument(i));
  std::function<void(Value)> require = [&](Value value) {
    Operation *made = value.getDefiningOp();
    if (!made || mapping.contains(value) || made->getBlock() != &old)
      return;
    llvm::for_each(made->getOperands(), require);
    inside.clone(*made, mapping);
  };
  for (Operation &op : old) {
    if (!isAfterRows(op))
      continue;
    llvm::for_each(usedAfterRows(op), require);
    if (found.behind.contains(&op)) {
      inside.clone(op, mapping);
      continue;
    }
    auto sum = cast<linalg::LinalgOp>(op);
    Value memory = body.getArgument(llvm::find(found.sums, sum) - found.sums.begin());
    mapping.map(op.getResult(0), addParts(inside, sum, memory, mapping));
  }
  group::YieldOp::create(inside, loc, llvm::map_to_vector(results, [&](Value each) { return mapping.lookup(each); }));
}
} // namespace

void splitColumnSums(group::KernelOp kernel, const ColumnSums &sums) { ColumnSumSplitter(kernel, sums).split(); }
} // namespace lispier
