//===- DecomposeNN.cpp - lower nn ops to loops on memrefs -----------------===//
//
// Before: nn ops for which no kernel implementation was selected. After: scf,
// linalg, math and arith on the same memrefs. Each function below implements the
// formula in the op's description and is the reference for testing kernels, so it
// is written for readability, without tiling or vectors.
//
#include "DecomposeAddAt.h"
#include "DecomposeArgsort.h"
#include "DecomposeSample.h"
#include "LoopBuilder.h"
#include "SplitNormLinear.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <limits>
#include <numbers>

namespace lispier {
#define GEN_PASS_DEF_DECOMPOSENN
#include "lispier/NN/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using namespace lispier::nn;

namespace {
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
Value geluTanh(LoopBuilder &b, Value x) {
  Value cube = b.mul(b.mul(x, x), x);
  Value inner = b.mul(b.f32(std::sqrt(2 / std::numbers::pi)), b.add(x, b.mul(b.f32(0.044715), cube)));
  return b.mul(b.mul(b.f32(0.5), x), b.add(b.f32(1), b.tanh(inner)));
}

Value activate(LoopBuilder &b, Activation activation, Value x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::GeluTanh:
    return geluTanh(b, x);
  case Activation::Relu:
    return b.max(x, b.f32(0));
  case Activation::Rectify:
    return b.select(arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, b.f32(0)), x, b.f32(0));
  case Activation::Silu:
    return b.div(x, b.add(b.f32(1), b.exp(b.sub(b.f32(0), x))));
  }
  llvm_unreachable("every activation has a formula");
}

/// Normalises row t of x: what the result returns for a column, with the weights of the norm.
std::function<Value(Value)> normalisedRow(LoopBuilder &b, Value x, Value weight, Value bias, Value epsilon, Value t) {
  Value channels = b.size(x, 1);
  Value count = b.toF32(channels);
  // The mean is rounded: what it leaves over is subtracted, too.
  Value mean = b.div(b.sum(channels, [&](Value c) { return b.load(x, {t, c}); }), count);
  auto nearly = [&b, x, t, mean](Value c) { return b.sub(b.load(x, {t, c}), mean); };
  Value rest = b.div(b.sum(channels, nearly), count);
  auto centred = [&b, nearly, rest](Value c) { return b.sub(nearly(c), rest); };
  Value squares = b.sum(channels, [&](Value c) {
    Value difference = centred(c);
    return b.mul(difference, difference);
  });
  Value deviation = b.sqrt(b.add(b.div(squares, count), epsilon));
  return [&b, centred, deviation, weight, bias](Value c) {
    Value scaled = b.mul(b.div(centred(c), deviation), b.load(weight, c));
    return b.add(scaled, b.load(bias, c));
  };
}

void decompose(LoopBuilder &b, LayerNormOp op) {
  b.forAll(b.size(op.getX(), 0), [&](ValueRange at) {
    auto normed = normalisedRow(b, op.getX(), op.getWeight(), op.getBias(), op.getEpsilon(), at[0]);
    b.forEach(b.size(op.getX(), 1), [&](Value c) { b.store(normed(c), op.getOut(), {at[0], c}); });
  });
}

/// Stores a product's element at `t`, `n` with the op's bias, activation and residual.
template <typename Op> void storeProduct(LoopBuilder &b, Op op, Value product, Value t, Value n) {
  if (op.getBias())
    product = b.add(product, b.load(op.getBias(), n));
  product = activate(b, op.getActivation(), product);
  if (op.getResidual())
    product = b.add(product, b.load(op.getResidual(), {t, n}));
  b.store(product, op.getOut(), {t, n});
}

void decompose(LoopBuilder &b, NormProductOp op) {
  b.forAll(b.size(op.getX(), 0), [&](ValueRange at) {
    Value t = at[0];
    auto normed = normalisedRow(b, op.getX(), op.getNormWeight(), op.getNormBias(), op.getEpsilon(), t);
    b.forEach(b.size(op.getOut(), 1), [&](Value n) {
      auto product = [&](Value k) { return b.mul(normed(k), b.load(op.getWeight(), {n, k})); };
      storeProduct(b, op, b.sum(b.size(op.getX(), 1), product), t, n);
    });
  });
}

void decompose(LoopBuilder &b, LinearOp op) {
  Value inner = b.size(op.getX(), 1);
  b.forAll({b.size(op.getOut(), 0), b.size(op.getOut(), 1)}, [&](ValueRange at) {
    Value t = at[0], n = at[1];
    auto product = [&](Value k) { return b.mul(b.load(op.getX(), {t, k}), b.load(op.getWeight(), {n, k})); };
    storeProduct(b, op, b.sum(inner, product), t, n);
  });
}

void gatedProduct(LoopBuilder &b, NormLinearOp op) {
  Value inner = b.size(op.getX(), 1), half = b.size(op.getOut(), 1);
  b.forAll({b.size(op.getOut(), 0), half}, [&](ValueRange at) {
    Value t = at[0], n = at[1];
    auto output = [&](Value row) {
      Value sum = b.sum(
          inner, [&](Value k) { return b.mul(b.load(op.getNormed(), {t, k}), b.load(op.getWeight(), {row, k})); });
      return op.getBias() ? b.add(sum, b.load(op.getBias(), row)) : sum;
    };
    Value gate = activate(b, op.getActivation(), output(n));
    Value result = b.mul(gate, output(b.add(half, n)));
    if (op.getResidual())
      result = b.add(result, b.load(op.getResidual(), {t, n}));
    b.store(result, op.getOut(), {t, n});
  });
}

void decompose(LoopBuilder &b, NormLinearOp op) {
  LayerNormOp norm;
  if (op.getGated()) {
    norm = createNorm(b, op);
    gatedProduct(b, op);
  } else {
    LinearOp linear;
    std::tie(norm, linear) = split(b, op);
    b.setInsertionPoint(linear);
    decompose(b, linear);
    linear.erase();
  }
  if (!norm)
    return;
  b.setInsertionPoint(norm);
  decompose(b, norm);
  norm.erase();
}

/// The products of a LinearsOp or NormLinearsOp, of `x`.
template <typename Op> void decomposeProducts(LoopBuilder &b, Op op, Value x) {
  auto decomposeProduct = [&](Value weight, Value bias, Value out) {
    if (!weight)
      return;
    auto linear = LinearOp::create(b, x, weight, bias, /*residual=*/Value(), out, Activation::None,
                                   op.getConstantWeights(), /*several_rows=*/false);
    b.setInsertionPoint(linear);
    decompose(b, linear);
    b.setInsertionPointAfter(linear);
    linear.erase();
  };
  decomposeProduct(op.getWeight(), op.getBias(), op.getOut());
  decomposeProduct(op.getWeight2(), op.getBias2(), op.getOut2());
  decomposeProduct(op.getWeight3(), op.getBias3(), op.getOut3());
}

void decompose(LoopBuilder &b, LinearsOp op) { decomposeProducts(b, op, op.getX()); }

void decompose(LoopBuilder &b, NormLinearsOp op) {
  if (LayerNormOp norm = createNorm(b, op)) {
    b.setInsertionPoint(norm);
    decompose(b, norm);
    b.setInsertionPointAfter(norm);
    norm.erase();
  }
  decomposeProducts(b, op, op.getNormed());
}

/// The position of the first token. Loaded where it is used: the memory may be on a device, where only kernels can
/// read.
Value firstPosition(LoopBuilder &b, AttentionOp op) {
  return op.getPosition() ? b.loadIndex(op.getPosition(), b.index(0)) : b.index(0);
}

/// Stores k and v of the new tokens in the caches.
void fillCaches(LoopBuilder &b, AttentionOp op) {
  b.forAll({b.size(op.getK(), 0), b.size(op.getK(), 1), b.size(op.getK(), 2)}, [&](ValueRange at) {
    Value t = at[0], g = at[1], d = at[2];
    Value place = b.add(firstPosition(b, op), t);
    b.store(b.load(op.getK(), {t, g, d}), op.getKeyCache(), {g, place, d});
    b.store(b.load(op.getV(), {t, g, d}), op.getValueCache(), {g, place, d});
  });
}

/// The positions that token t attends to: the first one, and the one after the last.
std::pair<Value, Value> seenBy(LoopBuilder &b, AttentionOp op, Value t) {
  Value first = b.index(0), start = firstPosition(b, op);
  Value length = op.getKeyCache() ? b.add(start, b.size(op.getQ(), 0)) : b.size(op.getK(), 0);
  if (op.getMask() == Mask::None)
    return {first, length};
  Value next = b.add(b.add(start, t), b.index(1));
  if (std::optional<uint64_t> window = op.getWindow())
    first = b.max(first, b.sub(next, b.index(*window)));
  else if (op.getWindowSize())
    first = b.max(first, b.sub(next, b.loadIndex(op.getWindowSize(), b.index(0))));
  return {first, b.min(next, length)};
}

void decompose(LoopBuilder &b, AttentionOp op) {
  bool cached = bool(op.getKeyCache());
  Value tokens = b.size(op.getQ(), 0), heads = b.size(op.getQ(), 1), headSize = b.size(op.getQ(), 2);
  Value sharing = b.quotient(heads, b.size(op.getK(), 1));
  if (cached)
    fillCaches(b, op);
  auto load = [&](Value cache, Value rows, Value g, Value p, Value d) {
    return cached ? b.load(cache, {g, p, d}) : b.load(rows, {p, g, d});
  };
  // One row of scores for each token and head. Its length is that of the cache rather than position + T, because the
  // position may be in device memory.
  Value positions = cached ? b.size(op.getKeyCache(), 1) : b.size(op.getK(), 0);
  auto scoresType = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic, ShapedType::kDynamic}, b.getF32Type());
  Value scores = memref::AllocOp::create(b, scoresType, ValueRange{tokens, heads, positions});
  Value scale = op.getScale() ? b.f32(op.getScale()->convertToFloat()) : b.div(b.f32(1), b.sqrt(b.toF32(headSize)));
  b.forAll({tokens, heads}, [&](ValueRange at) {
    Value t = at[0], h = at[1], g = b.quotient(h, sharing);
    auto [first, end] = seenBy(b, op, t);
    Value seen = b.sub(end, first);
    auto place = [&, first = first](Value i) { return b.add(first, i); };
    Value most = b.max(seen, [&](Value i) {
      Value dot = b.sum(headSize, [&](Value e) {
        return b.mul(b.load(op.getQ(), {t, h, e}), load(op.getKeyCache(), op.getK(), g, place(i), e));
      });
      Value score = b.mul(dot, scale);
      b.store(score, scores, {t, h, i});
      return score;
    });
    Value total = b.sum(seen, [&](Value i) {
      Value weight = b.exp(b.sub(b.load(scores, {t, h, i}), most));
      b.store(weight, scores, {t, h, i});
      return weight;
    });
    b.forEach(headSize, [&](Value d) {
      Value weighted = b.sum(seen, [&](Value i) {
        return b.mul(b.load(scores, {t, h, i}), load(op.getValueCache(), op.getV(), g, place(i), d));
      });
      b.store(b.div(weighted, total), op.getOut(), {t, h, d});
    });
  });
  memref::DeallocOp::create(b, scores);
}

/// rotated[0, from + n] = heads[0, n], of which the pairs (i, i + D/2) are turned.
void rotate(LoopBuilder &b, RotatedAttentionOp op, Value heads, Value from) {
  Value half = b.size(op.getCosines(), 1);
  b.forAll({b.size(heads, 1), half}, [&](ValueRange at) {
    Value zero = b.index(0), n = at[0], i = at[1], j = b.add(i, half), to = b.add(from, n);
    Value first = b.load(heads, {zero, n, i}), second = b.load(heads, {zero, n, j});
    Value cosine = b.load(op.getCosines(), {zero, i}), sine = b.load(op.getSines(), {zero, i});
    b.store(b.sub(b.mul(first, cosine), b.mul(second, sine)), op.getRotated(), {zero, to, i});
    b.store(b.add(b.mul(second, cosine), b.mul(first, sine)), op.getRotated(), {zero, to, j});
  });
}

void decompose(LoopBuilder &b, RotatedAttentionOp op) {
  auto part = [&](Value heads, Value from) -> Value {
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets{zero, from, zero}, sizes{one, b.size(heads, 1), b.size(heads, 2)};
    return memref::SubViewOp::create(b, op.getRotated(), offsets, sizes, {one, one, one});
  };
  Value first = b.index(0), heads = b.size(op.getQ(), 1);
  rotate(b, op, op.getQ(), first);
  rotate(b, op, op.getK(), heads);
  auto attention = AttentionOp::create(b, part(op.getQ(), first), part(op.getK(), heads), op.getV(), op.getKeyCache(),
                                       op.getValueCache(), op.getPosition(), op.getWindowSize(), op.getOut(),
                                       Mask::Causal, op.getWindowAttr(), op.getScaleAttr());
  decompose(b, attention);
  attention.erase();
}

/// A formula of elements in f32; the last one is the result's, before.
using Formula = llvm::function_ref<Value(LoopBuilder &, ValueRange)>;

/// out = formula(inputs, out), over the dimensions of the first input. Memrefs of fewer dimensions have the leading
/// ones; such a result is a reduction over the others.
void generic(LoopBuilder &b, ValueRange inputs, Value out, Formula formula) {
  auto rankOf = [](Value memref) { return cast<MemRefType>(memref.getType()).getRank(); };
  int64_t rank = rankOf(inputs.front());
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(b.getMultiDimIdentityMap(rank).getMajorSubMap(rankOf(input)));
  maps.push_back(b.getMultiDimIdentityMap(rank).getMajorSubMap(rankOf(out)));
  SmallVector<utils::IteratorType> loops(rankOf(out), utils::IteratorType::parallel);
  loops.append(rank - rankOf(out), utils::IteratorType::reduction);
  linalg::GenericOp::create(b, inputs, ValueRange(out), maps, loops,
                            [&](OpBuilder &inside, Location loc, ValueRange at) {
                              LoopBuilder formulas(loc, inside);
                              bool reads = rankOf(out) < rank;
                              SmallVector<Value> wide;
                              for (Value element : reads ? at : at.drop_back())
                                wide.push_back(formulas.widen(element));
                              Value result = formulas.narrow(formula(formulas, wide), getElementTypeOrSelf(out));
                              linalg::YieldOp::create(formulas, result);
                            });
}

/// Linalg ops rather than a loop over rows: those are vectors on a CPU, and many threads on a GPU. They compute each
/// exponential twice, since `out` may be too narrow to keep it.
void decompose(LoopBuilder &b, SoftmaxOp op) {
  Value x = op.getX();
  auto perRow = [&](float initial) {
    int64_t count = cast<MemRefType>(x.getType()).getDimSize(0);
    SmallVector<Value> sizes;
    if (ShapedType::isDynamic(count))
      sizes.push_back(b.size(x, 0));
    Value rows = memref::AllocOp::create(b, MemRefType::get({count}, b.getF32Type()), sizes);
    linalg::FillOp::create(b, b.f32(initial), rows);
    return rows;
  };
  auto weight = [](LoopBuilder &b, ValueRange at) { return b.exp(b.sub(at[0], at[1])); };
  Value most = perRow(-std::numeric_limits<float>::infinity()), total = perRow(0);
  generic(b, x, most, [](LoopBuilder &b, ValueRange at) { return b.max(at[1], at[0]); });
  generic(b, {x, most}, total, [&](LoopBuilder &b, ValueRange at) { return b.add(at[2], weight(b, at)); });
  generic(b, {x, most, total}, op.getOut(), [&](LoopBuilder &b, ValueRange at) { return b.div(weight(b, at), at[2]); });
  memref::DeallocOp::create(b, most);
  memref::DeallocOp::create(b, total);
}

void decompose(LoopBuilder &b, GeluOp op) {
  generic(b, op.getX(), op.getOut(), [](LoopBuilder &b, ValueRange x) { return geluTanh(b, x[0]); });
}

void decompose(LoopBuilder &b, AddOp op) {
  generic(b, {op.getA(), op.getB()}, op.getOut(), [](LoopBuilder &b, ValueRange x) { return b.add(x[0], x[1]); });
}

template <typename Op> struct Decompose : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    LoopBuilder builder(op.getLoc(), rewriter);
    decompose(builder, op);
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename... Ops> void addDecompositions(RewritePatternSet &patterns) {
  patterns.add<Decompose<Ops>...>(patterns.getContext());
}

struct DecomposeNN : lispier::impl::DecomposeNNBase<DecomposeNN> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addDecompositions< // Of every op: one without a formula does not compile.
#define GET_OP_LIST
#include "lispier/NN/NNOps.cpp.inc"
        >(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
