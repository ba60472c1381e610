//===- MatchKernels.cpp - groups that have a hand-written kernel ----------===//
//
// Before: group.kernel on memrefs. After: nn ops instead of those that one computes, if
// the kernel index has an implementation that is faster than what a schedule would make;
// lispier-select-templates then chooses it. The pass runs before memory is planned, since
// an nn op may need its operands for longer than the groups that it replaces.
//
//===----------------------------------------------------------------------===//
#include "AttentionPattern.h"
#include "CacheAppend.h"
#include "LongSums.h"
#include "MemoryViews.h"
#include "NormFormula.h"
#include "ProductGate.h"
#include "RepeatedHeads.h"
#include "RotatedAttention.h"
#include "RowViews.h"
#include "TensorFormulas.h"
#include "TensorRoles.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/ConstantMemory.h"
#include "lispier/Tensor/KernelChoice.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace lispier {
#define GEN_PASS_DEF_MATCHKERNELS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// The only contraction of the body; null if there are none or several.
linalg::LinalgOp contractionIn(group::KernelOp kernel) {
  linalg::LinalgOp found;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (roleOf(op) != TensorRole::Contraction)
      continue;
    if (found)
      return nullptr;
    found = op;
  }
  return found;
}

bool isFloat(Value memref) { return nn::isFloat(getElementTypeOrSelf(memref)); }
Type typeOf(Value value) { return value ? value.getType() : Type(); }

/// One 32-bit integer in memory as a vector of it; null for other memory.
Value asCell(OpBuilder &b, Location loc, Value memory) {
  auto type = dyn_cast_or_null<MemRefType>(memory ? memory.getType() : Type());
  if (!type || !type.getElementType().isInteger(32))
    return {};
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(b, loc, {1}, memory, {}, {OpFoldResult(b.getIndexAttr(1))});
  return type.getRank() == 1 && type.getDimSize(0) == 1 ? memory : Value();
}

/// Matches the groups of one function.
class KernelMatcher {
public:
  KernelMatcher(const KernelChoice &choice, ConstantMemory &memory, func::FuncOp function)
      : choice(choice), function(function), memory(memory) {}

  void run() {
    function.walk([&](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0 && kernel.getInits().size() == 1)
        kernels.push_back(kernel);
    });
    for (group::KernelOp &kernel : kernels)
      if (!kernel)
        continue;
      else if (kernel.getKind() == group::Kind::Attention)
        matchAttention(kernel);
      else if (kernel.getKind() == group::Kind::Contraction)
        matchLinear(kernel);
      else if (kernel.getKind() == group::Kind::Row && !choice.onGpu)
        matchLayerNorm(kernel);
  }

private:
  void matchAttention(group::KernelOp kernel);
  FailureOr<Value> positionOf(group::KernelOp kernel, const Attention &attention, Value q, Value k);
  Value cellOf(group::KernelOp kernel, Value number);
  Value cellWith(group::KernelOp kernel, Value number);

  void matchLinear(group::KernelOp kernel);
  bool competes(ArrayRef<Value> operands, bool oneRow) const;
  struct Norm;
  static std::optional<Norm> normOf(group::KernelOp kernel);
  bool fuseNorm(nn::LinearOp linear);
  void matchLayerNorm(group::KernelOp kernel);
  std::pair<group::KernelOp, memref::AllocOp> producerOf(nn::LinearOp linear);

  /// What --explain names the op by.
  static void keepName(Operation *op, group::KernelOp kernel) {
    op->setAttr("group.kernel", kernel.getNameAttr());
    if (ArrayAttr apart = kernel.getApartAttr())
      op->setAttr("group.apart", apart);
    if (Attribute cost = kernel->getAttr(kCostAttr)) // Noted for --explain.
      op->setAttr(kCostAttr, cost);
  }

  const KernelChoice &choice;
  func::FuncOp function;
  SmallVector<group::KernelOp> kernels; ///< Null: replaced together with another.
  ConstantMemory &memory;
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

void KernelMatcher::matchAttention(group::KernelOp kernel) {
  Value yielded = kernel.yieldOp().getResults()[0];
  std::optional<Attention> attention;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (!attention && roleOf(op) == TensorRole::Contraction)
      attention = lispier::matchAttention(op);
  if (!attention || !attention->isKernel || attention->scaleValue || attention->result.tensor != yielded)
    return;
  Value memory[3];
  for (auto [i, heads] : llvm::enumerate(ArrayRef<AttentionHeads *>{&attention->q, &attention->k, &attention->v}))
    if (!(memory[i] = memrefOf(kernel, heads->tensor)))
      return;
  std::optional<RepeatedHeads> keys = repeatedHeadsOf(memory[1], attention->k.order[1], kernel);
  std::optional<RepeatedHeads> values = repeatedHeadsOf(memory[2], attention->v.order[1], kernel);
  bool isRepeated = keys && values && attention->q.order.size() == 3 && keys->count == values->count;
  if (isRepeated)
    memory[1] = keys->source, memory[2] = values->source;
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  Value q = asHeads(b, loc, memory[0], attention->q.order), k = asHeads(b, loc, memory[1], attention->k.order);
  Value v = asHeads(b, loc, memory[2], attention->v.order);
  Value out = asHeads(b, loc, kernel.getInits()[0], attention->result.order);
  if (!q || !k || !v || !out)
    return;
  FailureOr<Value> position = positionOf(kernel, *attention, q, k);
  Value window = attention->windowValue ? cellOf(kernel, attention->windowValue) : Value();
  if (failed(position) || (attention->windowValue && !window))
    return;
  if (window && !*position)
    position = cellWith(kernel, arith::ConstantIndexOp::create(b, loc, 0));
  auto op = nn::AttentionOp::create(b, loc, q, k, v, /*key_cache=*/Value(), /*value_cache=*/Value(), *position, window,
                                    out, attention->causal ? nn::Mask::Causal : nn::Mask::None,
                                    attention->window ? b.getI64IntegerAttr(*attention->window) : IntegerAttr(),
                                    attention->scale ? b.getF32FloatAttr(*attention->scale) : FloatAttr());
  keepName(op, kernel);
  kernel.erase();
  if (isRepeated) {
    eraseUnread(keys->copy);
    if (values->copy != keys->copy)
      eraseUnread(values->copy);
  }
  if (nn::AttentionOp cached = appendToCaches(op, choice.onGpu))
    rotateInAttention(cached, choice);
}

/// The first token's position in memory, where kernels read it; null if it is 0.
FailureOr<Value> KernelMatcher::positionOf(group::KernelOp kernel, const Attention &attention, Value q, Value k) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  if (attention.alignedToEnd) {
    int64_t tokens = cast<MemRefType>(q.getType()).getDimSize(0), keys = cast<MemRefType>(k.getType()).getDimSize(0);
    if (tokens == keys && !ShapedType::isDynamic(tokens))
      return Value();
    Value all = memref::DimOp::create(b, loc, k, 0), own = memref::DimOp::create(b, loc, q, 0);
    return cellWith(kernel, arith::SubIOp::create(b, loc, all, own));
  }
  if (!attention.first)
    return attention.firstConstant
               ? cellWith(kernel, arith::ConstantIndexOp::create(b, loc, attention.firstConstant).getResult())
               : Value();
  Value cell = cellOf(kernel, attention.first);
  return cell ? FailureOr<Value>(cell) : FailureOr<Value>(failure());
}

/// An integer, or a tensor of one, that the body has from outside or computes from such: in memory. Null if the
/// tensor's memory has more than one dimension.
Value KernelMatcher::cellOf(group::KernelOp kernel, Value wanted) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto inPlace = [&](Value memory) { return asCell(b, loc, memory); };
  Value number = wanted;
  if (isa<TensorType>(number.getType()))
    return inPlace(memrefOf(kernel, number));
  while (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    number = cast.getIn();
  if (auto extract = number.getDefiningOp<tensor::ExtractOp>())
    if (Value memory = inPlace(memrefOf(kernel, extract.getTensor())))
      return memory;
  IRMapping outside; // The number is computed by ops of the body from its arguments.
  auto copy = [&](auto &self, Value value) -> Value {
    if (outside.contains(value))
      return outside.lookup(value);
    if (Value operand = memrefOf(kernel, value))
      return operand;
    Operation *made = value.getDefiningOp();
    if (!made || made->getBlock() != &kernel.getBody().front())
      return value;
    for (Value operand : made->getOperands())
      if (!isa<TensorType>(operand.getType()))
        outside.map(operand, self(self, operand));
    if (auto dim = dyn_cast<tensor::DimOp>(made))
      return memref::DimOp::create(b, loc, memrefOf(kernel, dim.getSource()), outside.lookup(dim.getIndex()));
    if (auto extract = dyn_cast<tensor::ExtractOp>(made))
      return memref::LoadOp::create(
          b, loc, memrefOf(kernel, extract.getTensor()),
          llvm::map_to_vector(extract.getIndices(), [&](Value index) { return outside.lookup(index); }));
    return b.clone(*made, outside)->getResult(0);
  };
  return cellWith(kernel, copy(copy, wanted));
}

/// Memory of one 32-bit integer, for as long as the kernel runs.
Value KernelMatcher::cellWith(group::KernelOp kernel, Value number) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  Type i32 = b.getI32Type();
  if (number.getType().isIndex())
    number = arith::IndexCastOp::create(b, loc, i32, number);
  else if (number.getType().getIntOrFloatBitWidth() > 32)
    number = arith::TruncIOp::create(b, loc, i32, number);
  else if (number.getType() != i32)
    number = arith::ExtSIOp::create(b, loc, i32, number);
  auto cell = memref::AllocOp::create(b, loc, MemRefType::get({1}, i32), b.getI64IntegerAttr(64));
  cell->setAttr(kIntermediateAttr, b.getUnitAttr());
  linalg::FillOp::create(b, loc, number, cell.getResult());
  b.setInsertionPointAfter(kernel);
  memref::DeallocOp::create(b, loc, cell);
  return cell;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether a product of BF16 gives the multiprocessors of a large GPU two tiles of 128 x 256 each, if the sizes are
/// known: such tiles are faster than the hand-written kernels, as long as nothing else is done to the sums.
static bool isWide(linalg::LinalgOp product, ArrayRef<unsigned> summed) {
  constexpr int64_t kTile = 128 * 256, kTiles = 2 * 132, kElementsOfCopy = 8;
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  bool isNarrow = llvm::all_of(product.getDpsInputs(), [](Value each) { return getElementTypeOrSelf(each).isBF16(); });
  if (!isNarrow || llvm::any_of(sizes, ShapedType::isDynamic) || sizes[summed[0]] % kElementsOfCopy)
    return false;
  int64_t elements = 1;
  for (auto [loop, size] : llvm::enumerate(sizes))
    elements *= loop == summed[0] ? 1 : size;
  return elements >= kTile * kTiles;
}

/// Whether a hand-written kernel for x, weight, bias, residual, out is faster than a generated one.
bool KernelMatcher::competes(ArrayRef<Value> operands, bool oneRow) const {
  kernels::Request request{nn::LinearOp::getOperationName().str(), {}, /*final=*/true};
  for (Value operand : operands)
    request.operands.push_back(typeOf(operand));
  // Products of several rows with F32 weights are as fast when generated.
  bool severalRows = getElementTypeOrSelf(operands[1]).isBF16();
  return (oneRow || severalRows) && choice.has(request);
}

void KernelMatcher::matchLinear(group::KernelOp kernel) {
  linalg::LinalgOp product = contractionIn(kernel);
  FailureOr<linalg::ContractionDimensions> dims = product && !product->hasAttr(tile::kPrecision)
                                                      ? linalg::inferContractionDims(product)
                                                      : FailureOr<linalg::ContractionDimensions>(failure());
  if (failed(dims) || !dims->batch.empty() || dims->k.size() != 1)
    return;
  // The weight has one row for each column of the result, which is its last dimension.
  std::optional<SmallVector<unsigned>> made = loopDimsOf(product, *product.getDpsInitOperand(0));
  if (!made || made->empty())
    return;
  SmallVector<unsigned> rowLoops(ArrayRef(*made).drop_back()), xLoops(rowLoops);
  xLoops.push_back(dims->k[0]);
  SmallVector<unsigned> weightLoops{made->back(), dims->k[0]};
  Value x, weight;
  for (OpOperand *operand : product.getDpsInputOperands()) {
    Value memory = memrefOf(kernel, operand->get());
    std::optional<SmallVector<unsigned>> own = loopDimsOf(product, *operand);
    if (!weight && own == weightLoops)
      weight = memory;
    else if (own == xLoops)
      x = memory;
  }
  std::optional<LinearFormula> formula =
      x && weight ? linearFormulaOf(product->getResult(0), kernel.yieldOp().getResults()[0]) : std::nullopt;
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!formula || !fill || PointEvaluator().number(fill.getInputs()[0]) != 0.0)
    return;
  bool isPlain = !formula->bias && !formula->residual && formula->activation == nn::Activation::None;
  if (isPlain && choice.hasWideTiles && isWide(product, dims->k))
    return;
  if (std::optional<LongSum> sum = choice.onGpu ? longSumOf(kernel) : std::nullopt; sum && sum->isStatic())
    return; // lispier-split-sums makes more programs of it than the hand-written kernel has.
  Value bias = memrefOf(kernel, formula->bias), residual = memrefOf(kernel, formula->residual);
  Value out = kernel.getInits()[0];
  if ((formula->bias && !bias) || (formula->residual && !residual) || !isFloat(x) || !isFloat(weight) ||
      !isFloat(out) || x == out || (bias && getElementTypeOrSelf(bias) != getElementTypeOrSelf(weight)) ||
      (residual && getElementTypeOrSelf(residual) != getElementTypeOrSelf(out)))
    return;

  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  SmallVector<Value> rows;
  for (Value each : {x, residual, out})
    rows.push_back(each ? asRows(b, loc, each) : Value());
  auto eraseViews = [&] {
    for (Value view : rows)
      if (view && view.getDefiningOp() && view.use_empty() && isa<ViewLikeOpInterface>(view.getDefiningOp()))
        view.getDefiningOp()->erase();
  };
  SmallVector<Value> operands{rows[0], weight, bias, rows[1], rows[2]};
  bool isView = rows[0] && rows[2] && (rows[1] || !residual);
  int64_t count = isView ? cast<MemRefType>(rows[0].getType()).getDimSize(0) : 0;
  bool ofSeveral = isView && count != 1 && competes(operands, /*oneRow=*/false);
  bool ofOne = isView && (count == 1 || ShapedType::isDynamic(count)) && competes(operands, /*oneRow=*/true);
  if (!ofSeveral && !ofOne)
    return eraseViews();
  bool constant = memory.isNeverWritten(weight) && (!bias || memory.isNeverWritten(bias));
  if (ofOne && !ofSeveral && count != 1) {
    scf::IfOp choice = ifOneRow(b, rows[0]);
    kernel->moveBefore(choice.elseYield());
    b.setInsertionPointToStart(choice.thenBlock());
    for (unsigned i : {0, 3, 4})
      operands[i] = firstRow(b, operands[i]);
  }
  auto linear = nn::LinearOp::create(b, loc, operands[0], operands[1], operands[2], operands[3], operands[4],
                                     formula->activation, constant, /*several_rows=*/count > 1);
  keepName(linear, kernel);
  if (!ofOne || ofSeveral || count == 1) {
    kernel.erase();
    if (choice.onGpu)
      fuseNorm(linear);
  }
}

//===----------------------------------------------------------------------===//
// Layer normalisation before a product
//===----------------------------------------------------------------------===//

/// The kernel that computes the product's x, if no other op reads a result of it, and the memory of x.
std::pair<group::KernelOp, memref::AllocOp> KernelMatcher::producerOf(nn::LinearOp linear) {
  Value x = rootOf(linear.getX());
  auto alloc = x.getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc->hasAttr(kIntermediateAttr))
    return {};
  group::KernelOp producer;
  SmallVector<Value> aliases{alloc};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(aliases, user->getResults());
      } else if (auto kernel = dyn_cast<group::KernelOp>(user); kernel && !producer) {
        producer = kernel;
      } else if (user != linear && !isa<memref::DeallocOp, memref::DimOp>(user)) {
        return {};
      }
    }
  bool isOnlyResult = producer && producer->getBlock() == linear->getBlock() && producer.getInits().size() == 1 &&
                      producer.getInits()[0] == alloc && !llvm::is_contained(producer.getInputs(), alloc.getResult());
  return isOnlyResult && producer->isBeforeInBlock(linear) ? std::pair(producer, alloc)
                                                           : std::pair<group::KernelOp, memref::AllocOp>();
}

/// The number of columns of the memref, or of what it is a view of; null if the op that makes it does not say.
static OpFoldResult columnsOf(Value memref) {
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes().back();
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  return view ? view.getMixedSizes().back() : OpFoldResult();
}

/// Whether the integer is the number of columns of the memref.
static bool isColumnsOf(Value memref, Value integer) {
  auto value = dyn_cast_if_present<Value>(columnsOf(memref));
  auto cast = value ? value.getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
  return cast && cast.getIn() == integer;
}

/// Whether the integer or index, of the kernel or from outside of it, is the number of columns of the memref.
static bool isColumnCount(group::KernelOp kernel, Value memref, Value index) {
  if (!index.getType().isIndex())
    return isColumnsOf(memref, index);
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  if (auto dim = index.getDefiningOp<tensor::DimOp>())
    return dim.getConstantIndex() == last && memrefOf(kernel, dim.getSource()) == memref;
  if (auto dim = index.getDefiningOp<memref::DimOp>(); dim && dim.getSource() == memref)
    return dim.getConstantIndex() == last;
  return columnsOf(memref) == OpFoldResult(index);
}

/// A normalisation that a group computes, of operands in memory.
struct KernelMatcher::Norm {
  Value x, weight, bias; ///< No bias: an RMS norm.
  double epsilon;
  Value epsilonValue; ///< Null if epsilon is a constant.
};

std::optional<KernelMatcher::Norm> KernelMatcher::normOf(group::KernelOp kernel) {
  std::optional<NormFormula> formula = normFormulaOf(kernel.yieldOp().getResults()[0]);
  if (!formula)
    return std::nullopt;
  Norm norm{memrefOf(kernel, formula->x), memrefOf(kernel, formula->weight),
            formula->bias ? memrefOf(kernel, formula->bias) : Value(), formula->epsilon, formula->epsilonValue};
  if (!norm.x || !norm.weight || !isFloat(norm.x) || !isFloat(norm.weight) ||
      (formula->columns && !isColumnCount(kernel, norm.x, formula->columns)))
    return std::nullopt;
  if (formula->bias && (!norm.bias || getElementTypeOrSelf(norm.weight) != getElementTypeOrSelf(norm.bias)))
    return std::nullopt;
  return norm;
}

/// Computes the normalisation in the product, and a gate of its outputs: launches less where there is one row.
bool KernelMatcher::fuseNorm(nn::LinearOp linear) {
  auto [producer, normed] = producerOf(linear);
  std::optional<Norm> norm = producer && producer.getKind() == group::Kind::Row ? normOf(producer) : std::nullopt;
  if (!norm)
    return false;
  int64_t count = cast<MemRefType>(linear.getX().getType()).getDimSize(0);
  std::optional<ProductGate> gate = count == 1 || ShapedType::isDynamic(count) ? gateOf(linear) : std::nullopt;
  Operation *last = gate ? gate->kernel.getOperation() : linear.getOperation();
  Value out = gate ? gate->kernel.getInits()[0] : linear.getOut();
  // x is read later than before.
  auto between = llvm::make_range(std::next(producer->getIterator()), last->getIterator());
  if (llvm::any_of(between, [&](Operation &op) { return mayWrite(op, norm->x); }) || rootOf(out) == rootOf(norm->x))
    return false;
  OpBuilder b(last);
  Location loc = linear.getLoc();
  Value rows = sameRows(b, norm->x, normed, linear.getX());
  if (!rows)
    return false;
  SmallVector<Value> products{linear.getX(), linear.getWeight(), linear.getBias(), linear.getResidual(), out};
  kernels::Request request{nn::NormLinearOp::getOperationName().str(), {}, /*final=*/true};
  for (Value operand : {rows, norm->weight, norm->bias})
    request.operands.push_back(typeOf(operand));
  request.operands.push_back(b.getF32Type());
  for (Value operand : products)
    request.operands.push_back(typeOf(operand));
  if (!choice.has(request)) {
    eraseUnused(rows, norm->x);
    return false;
  }
  // For several rows the group of an RMS norm is faster than the op's loops, and a gate is a kernel of its own.
  bool keepsGroups = (!norm->bias || gate) && ShapedType::isDynamic(count);
  SmallVector<Operation *> replaced{producer, linear};
  if (gate) {
    replaced.push_back(gate->kernel);
    for (Operation *user : llvm::make_early_inc_range(normed->getUsers())) // Read later than before, too.
      if (isa<memref::DeallocOp>(user) && user->getBlock() == last->getBlock() && user->isBeforeInBlock(last))
        user->moveAfter(last);
  }
  scf::IfOp branch;
  if (keepsGroups) {
    branch = ifOneRow(b, rows);
    b.setInsertionPointToStart(branch.thenBlock());
    rows = firstRow(b, rows);
    for (unsigned i : {0, 3, 4})
      products[i] = firstRow(b, products[i]);
  }
  Value epsilon = norm->epsilonValue ? norm->epsilonValue
                                     : arith::ConstantOp::create(b, loc, b.getF32FloatAttr(norm->epsilon)).getResult();
  bool constant = linear.getConstantWeights() && memory.isNeverWritten(norm->weight) &&
                  (!norm->bias || memory.isNeverWritten(norm->bias));
  auto fused = nn::NormLinearOp::create(b, loc, rows, norm->weight, norm->bias, epsilon, products[0], products[1],
                                        products[2], products[3], products[4],
                                        gate ? gate->activation : linear.getActivation(), constant, gate.has_value());
  fused->setDiscardableAttrs(linear->getDiscardableAttrDictionary());
  if (keepsGroups) {
    for (Operation *op : replaced)
      op->moveBefore(branch.elseYield());
    linear.setSeveralRows(true);
    return true;
  }
  if (gate)
    llvm::replace(kernels, gate->kernel, group::KernelOp());
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return true;
}

/// On a CPU all norms of a program are calls of one function: a model compiles in less time than with loops for each.
void KernelMatcher::matchLayerNorm(group::KernelOp kernel) {
  std::optional<Norm> norm = normOf(kernel);
  Value out = kernel.getInits()[0];
  if (!norm || !norm->bias || !isFloat(out))
    return;
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  Value rows = asRows(b, loc, norm->x), outRows = asRows(b, loc, out);
  kernels::Request request{nn::LayerNormOp::getOperationName().str(), {}, /*final=*/true};
  for (Value operand : {rows, norm->weight, norm->bias, outRows})
    request.operands.push_back(typeOf(operand));
  request.operands.push_back(b.getF32Type());
  if (!rows || !outRows || !choice.has(request) ||
      cast<MemRefType>(rows.getType()).getShape() != cast<MemRefType>(outRows.getType()).getShape()) {
    eraseUnused(rows, norm->x);
    return eraseUnused(outRows, out);
  }
  Value epsilon = norm->epsilonValue ? norm->epsilonValue
                                     : arith::ConstantOp::create(b, loc, b.getF32FloatAttr(norm->epsilon)).getResult();
  keepName(nn::LayerNormOp::create(b, loc, rows, norm->weight, norm->bias, outRows, epsilon), kernel);
  kernel.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct MatchKernels : impl::MatchKernelsBase<MatchKernels> {
  using MatchKernelsBase::MatchKernelsBase;
  explicit MatchKernels(std::shared_ptr<const KernelChoice> given) : choice(std::move(given)) {
    if (!choice)
      return;
    onGpu = choice->onGpu; // A printed pipeline, and a reproducer, show the options.
    wideTiles = choice->hasWideTiles;
  }

  void runOnOperation() override {
    KernelChoice any{[](const kernels::Request &) { return true; }, onGpu, wideTiles};
    ConstantMemory memory(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      markConstantWeights(function, memory); // Of ops that the program has written.
      KernelMatcher(choice ? *choice : any, memory, function).run();
    }
  }

  std::shared_ptr<const KernelChoice> choice; ///< Null: as the options say.
};
} // namespace

std::unique_ptr<Pass> createMatchKernels(std::shared_ptr<const KernelChoice> choice) {
  return std::make_unique<MatchKernels>(std::move(choice));
}
} // namespace lispier
