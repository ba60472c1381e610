//===- DecomposeSample.cpp - lower nn.argmax and nn.sample to loops -------===//
//
// The steps, their order and letters are those of nn.sample's description. The
// integer weights q are stored in the scratch memory as f32, which represents each
// of them exactly, since each is a truncated f32.
//
//===----------------------------------------------------------------------===//
#include "DecomposeSample.h"
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace lispier::nn {
namespace {
/// The weight of the most likely token is 2^kWeightBits.
constexpr int kWeightBits = 30;

struct Best {
  Value logit, token; ///< f32; i32
};

/// The first of the largest logits. A NaN is never the largest.
Best best(LoopBuilder &b, Value logits) {
  Value least = b.f32(-std::numeric_limits<float>::infinity());
  SmallVector<Value> found =
      b.fold(b.size(logits, 0), {least, b.i32(0)}, [&](Value i, ValueRange so) -> SmallVector<Value> {
        Value logit = b.load(logits, i);
        Value larger = b.compare(CmpFPredicate::OGT, logit, so[0]);
        Value token = arith::IndexCastOp::create(b, b.getI32Type(), i);
        return {b.select(larger, logit, so[0]), b.select(larger, token, so[1])};
      });
  return {found[0], found[1]};
}

class Sampler {
public:
  Sampler(LoopBuilder &b, SampleOp op) : b(b), op(op), size(b.size(op.getLogits(), 0)) {}

  Value token() {
    Best greedy = best(b, op.getLogits());
    Value warm = b.compare(CmpFPredicate::OGT, op.getTemperature(), b.f32(0));
    return b.choose(warm, b.getI32Type(), [&] { return draw(greedy); }, [&] { return greedy.token; });
  }

private:
  Value draw(const Best &greedy) {
    writeWeights(greedy.logit);
    Value any = b.compare(CmpIPredicate::sgt, weightFrom(b.i64(0)), b.i64(0));
    return b.choose(any, b.getI32Type(), [&] { return drawFrom(topP(topK())); }, [&] { return greedy.token; });
  }

  /// Step 1: scratch[i] = q[i]
  void writeWeights(Value most) {
    b.forEach(size, [&](Value i) {
      Value likely = b.exp(b.div(b.sub(b.load(op.getLogits(), i), most), op.getTemperature()));
      Value number = b.compare(CmpFPredicate::ORD, likely, likely);
      Value scaled = b.mul(b.select(number, likely, b.f32(0)), b.f32(1 << kWeightBits));
      Value weight = arith::FPToSIOp::create(b, b.getI64Type(), scaled);
      b.store(arith::SIToFPOp::create(b, b.getF32Type(), weight), op.getScratch(), i);
    });
  }

  Value weight(Value i) { return arith::FPToSIOp::create(b, b.getI64Type(), b.load(op.getScratch(), i)); }

  /// sum { term(q[i]) : q[i] >= least } in i64
  Value sumFrom(Value least, llvm::function_ref<Value(Value)> term) {
    return b.fold(size, b.i64(0), [&](Value i, ValueRange sum) -> SmallVector<Value> {
      Value q = weight(i);
      Value kept = b.compare(CmpIPredicate::sge, q, least);
      return {b.add(sum[0], b.select(kept, term(q), b.i64(0)))};
    })[0];
  }
  Value countFrom(Value least) {
    return sumFrom(least, [&](Value) { return b.i64(1); });
  }
  Value weightFrom(Value least) {
    return sumFrom(least, [&](Value q) { return q; });
  }

  /// The largest x in 0..2^30 with of(x) >= least, for a non-increasing `of`; determined bit by bit from the highest.
  Value largest(llvm::function_ref<Value(Value)> of, Value least) {
    return b.fold(b.index(kWeightBits + 1), b.i64(0), [&](Value step, ValueRange found) -> SmallVector<Value> {
      Value down = arith::IndexCastOp::create(b, b.getI64Type(), step);
      Value bit = arith::ShRUIOp::create(b, b.i64(1 << kWeightBits), down);
      Value tried = arith::OrIOp::create(b, found[0], bit);
      return {b.select(b.compare(CmpIPredicate::sge, of(tried), least), tried, found[0])};
    })[0];
  }

  /// Step 2: a
  Value topK() {
    Value k = arith::ExtSIOp::create(b, b.getI64Type(), op.getTopK());
    Value all = arith::IndexCastOp::create(b, b.getI64Type(), size);
    Value some =
        arith::AndIOp::create(b, b.compare(CmpIPredicate::sgt, k, b.i64(0)), b.compare(CmpIPredicate::slt, k, all));
    return b.choose(
        some, b.getI64Type(),
        [&]() -> Value {
          Value a = largest([&](Value x) { return countFrom(x); }, k);
          return arith::MaxSIOp::create(b, a, b.i64(1));
        },
        [&] { return b.i64(1); });
  }

  /// Step 3: b, at least a
  Value topP(Value a) {
    Value some = b.compare(CmpFPredicate::OLT, op.getTopP(), b.f32(1));
    return b.choose(
        some, b.getI64Type(),
        [&]() -> Value {
          Value share = arith::ExtFOp::create(b, b.getF64Type(), op.getTopP());
          Value total = arith::SIToFPOp::create(b, b.getF64Type(), weightFrom(a));
          Value part = math::CeilOp::create(b, arith::MulFOp::create(b, share, total));
          Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
          // Compare as floats: a value below the range of i64 must not be converted.
          Value needed = arith::FPToSIOp::create(b, b.getI64Type(), arith::MaximumFOp::create(b, part, one));
          Value found = largest([&](Value x) { return weightFrom(x); }, needed);
          return arith::MaxSIOp::create(b, found, a);
        },
        [&] { return a; });
  }

  /// Step 4: r in 0..total-1
  Value random(Value total) {
    Value zero = b.index(0);
    Value s = memref::LoadOp::create(b, op.getState(), zero);
    s = b.select(b.compare(CmpIPredicate::eq, s, b.i64(0)), b.i64(0x9E3779B97F4A7C15), s);
    auto mix = [&](Value shifted) { s = arith::XOrIOp::create(b, s, shifted); };
    mix(arith::ShRUIOp::create(b, s, b.i64(12)));
    mix(arith::ShLIOp::create(b, s, b.i64(25)));
    mix(arith::ShRUIOp::create(b, s, b.i64(27)));
    memref::StoreOp::create(b, s, op.getState(), zero);
    Value u = b.mul(s, b.i64(0x2545F4914F6CDD1D));
    return arith::MulUIExtendedOp::create(b, u, total).getHigh();
  }

  /// Step 5. Prefix sums never decrease, so the token's index is the number of tokens whose prefix sum is at most r.
  Value drawFrom(Value least) {
    Value r = random(weightFrom(least));
    return b.fold(size, {b.i64(0), b.i32(0)}, [&](Value i, ValueRange so) -> SmallVector<Value> {
      Value q = weight(i);
      Value running = b.add(so[0], b.select(b.compare(CmpIPredicate::sge, q, least), q, b.i64(0)));
      Value passed = b.compare(CmpIPredicate::sle, running, r);
      return {running, b.add(so[1], arith::ExtUIOp::create(b, b.getI32Type(), passed))};
    })[1];
  }

  LoopBuilder &b;
  SampleOp op;
  Value size;
};
} // namespace

void decompose(LoopBuilder &b, ArgmaxOp op) {
  memref::StoreOp::create(b, best(b, op.getLogits()).token, op.getOut(), ValueRange{b.index(0)});
}

void decompose(LoopBuilder &b, SampleOp op) {
  memref::StoreOp::create(b, Sampler(b, op).token(), op.getOut(), ValueRange{b.index(0)});
}
} // namespace lispier::nn
