//===- MatchKernels.cpp - groups that have a hand-written kernel ----------===//
//
// Before: group.kernel on memrefs. After: nn ops instead of those that one computes, if
// the kernel index has an implementation that competes for groups of this kind;
// lispier-select-templates then chooses it. Which is faster is not decided here. The pass
// runs before memory is planned, since an nn op may need its operands for longer than the
// groups that it replaces.
//
//===----------------------------------------------------------------------===//
#include "CacheAppend.h"
#include "Formulas/TensorFormulas.h"
#include "GroupNorm.h"
#include "JoinProducts.h"
#include "KernelChoice.h"
#include "ProductGate.h"
#include "RotatedAttention.h"
#include "RowViews.h"
#include "lispier/Buffers/ConstantMemory.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Formulas/AttentionFormula.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
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
Value asVectorOfOne(OpBuilder &b, Location loc, Value memory) {
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
  KernelMatcher(KernelChoice &choice, ConstantMemory &memory, func::FuncOp function)
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
      else if (kernel.getKind() == group::Kind::Row)
        matchLayerNorm(kernel);
    joinProducts(function, choice, memory);
  }

private:
  void matchAttention(group::KernelOp kernel);
  FailureOr<Value> positionOf(group::KernelOp kernel, const KernelAttention &attention, Value q, Value k);
  Value integerInMemory(group::KernelOp kernel, Value number);
  Value memoryOf(group::KernelOp kernel, Value number);

  void matchLinear(group::KernelOp kernel);
  bool isWide(linalg::LinalgOp product, ArrayRef<unsigned> summed) const;
  bool normHasKernel(const NormFormula &norm, Value rows, ArrayRef<Value> products, bool isGated,
                     Operation *group) const;
  bool fuseNorm(nn::LinearOp linear);
  void matchLayerNorm(group::KernelOp kernel);

  /// Whether the group, which is of this kind, has a hand-written kernel: types of operands, null for absent ones.
  bool hasKernel(nn::GroupKind kind, ArrayRef<Type> operands, Operation *group) const {
    return choice.has({nn::describe(kind).op.str(), llvm::to_vector(operands), /*final=*/true, kind}, group);
  }
  bool hasKernel(nn::GroupKind kind, ArrayRef<Value> operands, Operation *group) const {
    return hasKernel(kind, llvm::map_to_vector(operands, typeOf), group);
  }

  /// What --explain names the op by.
  static void keepName(Operation *op, group::KernelOp kernel) {
    op->setAttr(kKernelNameAttr, kernel.getNameAttr());
    if (ArrayAttr apart = kernel.getApartAttr())
      op->setAttr(kApartAttr, apart);
    for (StringRef noted : {kCostAttr, kRoundedAttr}) // For --explain.
      if (Attribute value = kernel->getAttr(noted))
        op->setAttr(noted, value);
  }

  KernelChoice &choice;
  func::FuncOp function;
  SmallVector<group::KernelOp> kernels; ///< Null: replaced together with another.
  ConstantMemory &memory;
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

void KernelMatcher::matchAttention(group::KernelOp kernel) {
  std::optional<KernelAttention> attention = kernelAttentionOf(group::attentionIn(kernel));
  if (!attention || attention->scaleValue)
    return;
  Value memory[3];
  for (auto [i, heads] : llvm::enumerate(ArrayRef<AttentionHeads *>{&attention->q, &attention->k, &attention->v}))
    if (!(memory[i] = memrefOf(kernel, heads->tensor)))
      return;
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto headsIn = [&](Value memory, const AttentionHeads &heads) {
    if (heads.hasTokens)
      return asHeads(b, loc, memory, heads.order);
    SmallVector<unsigned> order{0};
    for (unsigned dimension : heads.order)
      order.push_back(dimension + 1);
    return asHeads(b, loc, withOneToken(b, loc, memory), order);
  };
  Value q = headsIn(memory[0], attention->q), k = headsIn(memory[1], attention->k);
  Value v = headsIn(memory[2], attention->v), out = headsIn(kernel.getInits()[0], attention->result);
  if (!q || !k || !v || !out)
    return;
  // Whether there are caches, a position or a window is found below. Implementations take any of them.
  bool isOne = cast<MemRefType>(q.getType()).getDimSize(0) == 1;
  auto kind = attention->causal || isOne ? nn::GroupKind::Attention : nn::GroupKind::WholeAttention;
  if (!hasKernel(kind, {q, k, v, Value(), Value(), Value(), Value(), out}, kernel))
    return;
  FailureOr<Value> position = positionOf(kernel, *attention, q, k);
  Value window = attention->windowValue ? integerInMemory(kernel, attention->windowValue) : Value();
  if (failed(position) || (attention->windowValue && !window))
    return;
  if (window && !*position)
    position = memoryOf(kernel, arith::ConstantIndexOp::create(b, loc, 0));
  auto op = nn::AttentionOp::create(b, loc, q, k, v, /*key_cache=*/Value(), /*value_cache=*/Value(), *position, window,
                                    out, attention->causal ? nn::Mask::Causal : nn::Mask::None,
                                    attention->window ? b.getI64IntegerAttr(*attention->window) : IntegerAttr(),
                                    attention->scale ? b.getF32FloatAttr(*attention->scale) : FloatAttr());
  keepName(op, kernel);
  kernel.erase();
  if (nn::AttentionOp cached = appendToCaches(op, choice.onGpu()))
    rotateInAttention(cached, choice);
}

/// The first token's position in memory, where kernels read it; null if it is 0.
FailureOr<Value> KernelMatcher::positionOf(group::KernelOp kernel, const KernelAttention &attention, Value q, Value k) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  if (attention.alignedToEnd) {
    int64_t tokens = cast<MemRefType>(q.getType()).getDimSize(0), keys = cast<MemRefType>(k.getType()).getDimSize(0);
    if (tokens == keys && !ShapedType::isDynamic(tokens))
      return Value();
    Value all = memref::DimOp::create(b, loc, k, 0), own = memref::DimOp::create(b, loc, q, 0);
    return memoryOf(kernel, arith::SubIOp::create(b, loc, all, own));
  }
  if (!attention.first)
    return attention.firstConstant
               ? memoryOf(kernel, arith::ConstantIndexOp::create(b, loc, attention.firstConstant).getResult())
               : Value();
  Value position = integerInMemory(kernel, attention.first);
  return position ? FailureOr<Value>(position) : FailureOr<Value>(failure());
}

/// An integer, or a tensor of one, that the body has from outside or computes from such: in memory. Null if the
/// tensor's memory has more than one dimension.
Value KernelMatcher::integerInMemory(group::KernelOp kernel, Value wanted) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto inPlace = [&](Value memory) { return asVectorOfOne(b, loc, memory); };
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
  return memoryOf(kernel, copy(copy, wanted));
}

/// Memory of one 32-bit integer, for as long as the kernel runs.
Value KernelMatcher::memoryOf(group::KernelOp kernel, Value number) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  Type i32 = b.getI32Type();
  if (number.getType().isIndex())
    number = arith::IndexCastOp::create(b, loc, i32, number);
  else if (number.getType().getIntOrFloatBitWidth() > 32)
    number = arith::TruncIOp::create(b, loc, i32, number);
  else if (number.getType() != i32)
    number = arith::ExtSIOp::create(b, loc, i32, number);
  auto memory = memref::AllocOp::create(b, loc, MemRefType::get({1}, i32), b.getI64IntegerAttr(64));
  memory->setAttr(kIntermediateAttr, b.getUnitAttr());
  linalg::FillOp::create(b, loc, number, memory.getResult());
  b.setInsertionPointAfter(kernel);
  memref::DeallocOp::create(b, loc, memory);
  return memory;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether a product of 16-bit factors of known sizes has as many results as a wide one; its tiles are copied 16 bytes
/// at a time.
bool KernelMatcher::isWide(linalg::LinalgOp product, ArrayRef<unsigned> summed) const {
  constexpr int64_t kElementsOfCopy = 8;
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  bool isNarrow = llvm::all_of(product.getDpsInputs(), [](Value each) { return getElementTypeOrSelf(each).isBF16(); });
  if (!isNarrow || llvm::any_of(sizes, ShapedType::isDynamic) || sizes[summed[0]] % kElementsOfCopy)
    return false;
  int64_t elements = 1;
  for (auto [loop, size] : llvm::enumerate(sizes))
    elements *= loop == summed[0] ? 1 : size;
  int64_t least = choice.wideProduct();
  return least > 0 && elements >= least;
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
  if (!formula || !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return;
  bool isPlain = !formula->bias && !formula->residual && formula->activation == nn::Activation::None;
  if (std::optional<LongSums> sums = choice.onGpu() ? longSumsOf(kernel, choice.multiprocessors) : std::nullopt;
      sums && sums->isStatic())
    return; // lispier-split-sums makes more programs of it than the hand-written kernel has.
  auto severalRows = isPlain && isWide(product, dims->k) ? nn::GroupKind::WideProduct : nn::GroupKind::Product;
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
  bool ofSeveral = isView && count != 1 && hasKernel(severalRows, operands, kernel);
  bool ofOne = isView && (count == 1 || ShapedType::isDynamic(count)) &&
               hasKernel(nn::GroupKind::OneRowProduct, operands, kernel);
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
    fuseNorm(linear);
  }
}

//===----------------------------------------------------------------------===//
// Layer normalisation before a product
//===----------------------------------------------------------------------===//

/// Whether one kernel computes the normalisation of `rows`, the product, and the gate of its outputs for one row.
bool KernelMatcher::normHasKernel(const NormFormula &norm, Value rows, ArrayRef<Value> products, bool isGated,
                                  Operation *group) const {
  SmallVector<Type> types{rows.getType(), typeOf(norm.weight), typeOf(norm.bias), Float32Type::get(rows.getContext())};
  llvm::append_range(types, llvm::map_range(products, typeOf));
  return hasKernel(isGated ? nn::GroupKind::GatedOneRowProduct : nn::GroupKind::NormedOneRowProduct, types, group);
}

/// Computes the normalisation in the product, and a gate of its outputs: launches less where there is one row.
bool KernelMatcher::fuseNorm(nn::LinearOp linear) {
  auto [producer, normed] = producerOf(linear.getX(), linear.getOperation());
  std::optional<NormFormula> norm = groupNormOf(producer);
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
  Value outRows = asRows(b, loc, out);
  SmallVector<Value> products{linear.getX(), linear.getWeight(), linear.getBias(), linear.getResidual(), outRows};
  // Of several rows the op is a layer norm and the product.
  bool mayBeOne = count == 1 || ShapedType::isDynamic(count);
  bool ofOne = mayBeOne && normHasKernel(*norm, rows, products, gate.has_value(), linear);
  bool ofSeveral =
      count != 1 && !gate && norm->bias &&
      hasKernel(nn::GroupKind::LayerNormBeforeProduct,
                {rows.getType(), typeOf(norm->weight), typeOf(norm->bias), products[0].getType(), b.getF32Type()},
                linear);
  if (!(mayBeOne ? ofOne : ofSeveral)) {
    eraseUnused(rows, norm->x);
    eraseUnused(outRows, out);
    return false;
  }
  bool keepsGroups = count != 1 && !ofSeveral;
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
  Value epsilon = epsilonOf(*norm, b, loc);
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

void KernelMatcher::matchLayerNorm(group::KernelOp kernel) {
  std::optional<NormFormula> norm = groupNormOf(kernel);
  Value out = kernel.getInits()[0];
  if (!norm || !norm->bias || !isFloat(out))
    return;
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  Value rows = asRows(b, loc, norm->x), outRows = asRows(b, loc, out);
  bool isOfRows =
      rows && outRows && cast<MemRefType>(rows.getType()).getShape() == cast<MemRefType>(outRows.getType()).getShape();
  if (!isOfRows ||
      !hasKernel(nn::GroupKind::LayerNorm,
                 {rows.getType(), typeOf(norm->weight), typeOf(norm->bias), outRows.getType(), b.getF32Type()},
                 kernel)) {
    eraseUnused(rows, norm->x);
    return eraseUnused(outRows, out);
  }
  keepName(nn::LayerNormOp::create(b, loc, rows, norm->weight, norm->bias, outRows, epsilonOf(*norm, b, loc)), kernel);
  kernel.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct MatchKernels : impl::MatchKernelsBase<MatchKernels> {
  using MatchKernelsBase::MatchKernelsBase;
  MatchKernels(const MatchKernelsOptions &options, std::shared_ptr<KernelSource> source)
      : MatchKernelsBase(options), source(std::move(source)) {}

  void runOnOperation() override {
    KernelChoice choice(getOperation(), source.get(),
                        {multiprocessors, wideProduct, llvm::to_vector(groups), match, llvm::to_vector(why)});
    ConstantMemory memory(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      markConstantWeights(function, memory); // Of ops that the program has written.
      KernelMatcher(choice, memory, function).run();
    }
  }

  std::shared_ptr<KernelSource> source; ///< Null: as the options say.
};
} // namespace

std::unique_ptr<Pass> createMatchKernels(const MatchKernelsOptions &options, std::shared_ptr<KernelSource> source) {
  return std::make_unique<MatchKernels>(options, std::move(source));
}
} // namespace lispier
