//===- LoopBuilder.cpp - builder for loops over f32 values ----------------===//
#include "LoopBuilder.h"
#include <limits>

using namespace mlir;

namespace lispier::nn {
void LoopBuilder::forAll(ValueRange sizes, llvm::function_ref<void(ValueRange)> body) {
  SmallVector<Value> zeros(sizes.size(), index(0)), ones(sizes.size(), index(1));
  auto loop = scf::ParallelOp::create(*this, zeros, sizes, ones);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars());
}

SmallVector<Value> LoopBuilder::fold(Value size, ValueRange initial,
                                     llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, index(0), size, index(1), initial);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // Without carried values the builder has already created the terminator.
  if (!initial.empty())
    scf::YieldOp::create(*this, next);
  return SmallVector<Value>(loop.getResults());
}

void LoopBuilder::forEach(Value size, llvm::function_ref<void(Value)> body) {
  fold(size, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

Value LoopBuilder::sum(Value size, llvm::function_ref<Value(Value)> term) {
  return fold(size, f32(0),
              [&](Value i, ValueRange total) -> SmallVector<Value> { return {add(total[0], term(i))}; })[0];
}

Value LoopBuilder::max(Value size, llvm::function_ref<Value(Value)> term) {
  Value least = f32(-std::numeric_limits<float>::infinity());
  return fold(size, least, [&](Value i, ValueRange most) -> SmallVector<Value> { return {max(most[0], term(i))}; })[0];
}

Value LoopBuilder::choose(Value condition, Type type, llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  auto branch = scf::IfOp::create(*this, type, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, yes());
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, no());
  return branch.getResult(0);
}
} // namespace lispier::nn
