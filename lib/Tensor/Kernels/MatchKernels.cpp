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
#include "Products.h"
#include "RotatedAttention.h"
#include "RowViews.h"
#include "lispier/Buffers/ConstantMemory.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Formulas/AttentionFormula.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
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
bool isFloat(Value memref) { return nn::isFloat(getElementTypeOrSelf(memref)); }

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
  KernelMatcher(KernelChoice &choice, func::FuncOp function) : choice(choice), function(function) {}

  void run() {
    SmallVector<group::KernelOp> kernels, products;
    function.walk([&](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0 && kernel.getInits().size() == 1)
        kernels.push_back(kernel);
    });
    for (group::KernelOp kernel : kernels)
      if (kernel.getKind() == group::Kind::Attention)
        matchAttention(kernel);
      else if (kernel.getKind() == group::Kind::Contraction)
        products.push_back(kernel);
      else if (kernel.getKind() == group::Kind::Row)
        matchLayerNorm(kernel);
    matchProducts(products, choice);
    eraseUnused();
  }

private:
  /// Erases views and sizes that were made for ops that no implementation computes.
  void eraseUnused() {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      return isa<group::KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : llvm::reverse(ops))
      if (isMemoryEffectFree(op) && isOpTriviallyDead(op))
        op->erase();
  }

  void matchAttention(group::KernelOp kernel);
  bool isWide(const KernelAttention &attention, ValueRange factors) const;
  FailureOr<Value> positionOf(group::KernelOp kernel, const KernelAttention &attention, Value q, Value k);
  Value integerInMemory(group::KernelOp kernel, Value number);
  Value memoryOf(group::KernelOp kernel, Value number);

  void matchLayerNorm(group::KernelOp kernel);

  KernelChoice &choice;
  func::FuncOp function;
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
  bool wide = isWide(*attention, {q, k, v});
  auto kind = wide                         ? nn::GroupKind::WideAttention
              : attention->causal || isOne ? nn::GroupKind::Attention
                                           : nn::GroupKind::WholeAttention;
  if (!choice.has(kind, ArrayRef{q, k, v, Value(), Value(), Value(), Value(), out}, kernel)) {
    if (wide) // As nn.attention rounds weights.
      group::attentionIn(kernel).setRounded(getElementTypeOrSelf(v));
    return;
  }
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
  QueryHeads queries{memory[0], attention->q.order[attention->q.hasTokens ? 1 : 0], attention->q.order.back()};
  if (nn::AttentionOp cached = appendToCaches(op, queries, choice.onGpu()))
    rotateInAttention(cached, choice);
}

/// Whether all tokens, whose number is known, see the positions up to their own, in heads of a size and in so many
/// blocks that generated attention is faster.
bool KernelMatcher::isWide(const KernelAttention &attention, ValueRange factors) const {
  SmallVector<int64_t, 3> wide = choice.wideAttention();
  auto q = cast<MemRefType>(factors.front().getType()); // [tokens heads size]
  Type element = q.getElementType();
  bool isFit = !wide.empty() && q.hasStaticShape() && (element.isBF16() || element.isF16()) &&
               llvm::all_of(factors, [&](Value factor) {
                 auto type = cast<MemRefType>(factor.getType());
                 return type.getElementType() == element && type.getShape() == q.getShape();
               });
  bool isPlain = attention.causal && !attention.first && !attention.firstConstant && !attention.window &&
                 !attention.windowValue && attention.q.fitsKernels() && attention.k.fitsKernels() &&
                 attention.v.fitsKernels();
  return isFit && isPlain && q.getDimSize(0) * q.getDimSize(1) >= wide[0] && q.getDimSize(2) >= wide[1] &&
         q.getDimSize(2) <= wide[2];
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
// Layer normalisation
//===----------------------------------------------------------------------===//

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
      !choice.has(nn::GroupKind::LayerNorm,
                  {rows.getType(), norm->weight.getType(), norm->bias.getType(), outRows.getType(), b.getF32Type()},
                  kernel))
    return;
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
                        {multiprocessors, wideProduct, wideFinishedProduct, llvm::to_vector(wideAttention),
                         llvm::to_vector(groups), match, llvm::to_vector(why)});
    ConstantMemory memory(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      KernelMatcher(choice, function).run();
      markConstantWeights(function, memory); // Also of ops that the program has written.
    }
  }

  std::shared_ptr<KernelSource> source; ///< Null: as the options say.
};
} // namespace

std::unique_ptr<Pass> createMatchKernels(const MatchKernelsOptions &options, std::shared_ptr<KernelSource> source) {
  return std::make_unique<MatchKernels>(options, std::move(source));
}
} // namespace lispier
