//===- DoubleMath.cpp - double-double arithmetic --------------------------===//
#include "lispier/Math/DoubleMath.h"

using namespace mlir;

namespace lispier {
Pair DoubleMath::select(Value condition, Pair yes, Pair no) {
  return {select(condition, yes.high, no.high), select(condition, yes.low, no.low)};
}

Pair DoubleMath::fastSum(Value a, Value b) {
  Value s = add(a, b);
  return {s, sub(b, sub(s, a))};
}

Pair DoubleMath::sum(Value a, Value b) {
  Value s = add(a, b), bInSum = sub(s, a), aInSum = sub(s, bInSum);
  return {s, add(sub(a, aInSum), sub(b, bInSum))};
}

Pair DoubleMath::product(Value a, Value b) {
  Value p = mul(a, b);
  return {p, fma(a, b, negate(p))};
}

Pair DoubleMath::add(Pair a, Pair b) {
  Pair s = fastSum(a.high, b.high);
  return fastSum(s.high, add(s.low, add(a.low, b.low)));
}

Pair DoubleMath::mul(Pair a, Pair b) {
  Pair p = product(a.high, b.high);
  return fastSum(p.high, add(p.low, fma(a.high, b.low, mul(a.low, b.high))));
}

Pair DoubleMath::div(Pair a, Pair b) {
  Value q = div(a.high, b.high);
  Value rest = fma(negate(q), b.high, a.high); // exact
  rest = fma(negate(q), b.low, add(rest, a.low));
  return fastSum(q, div(rest, b.high));
}

Pair DoubleMath::sqrt(Pair x) {
  Value root = sqrt(x.high);
  Value rest = add(fma(negate(root), root, x.high), x.low);
  Value correction = div(rest, add(root, root));
  // The root of 0 is exact; its correction would be 0/0.
  return fastSum(root, select(greater(root, f(0.0)), correction, f(0.0)));
}
} // namespace lispier
