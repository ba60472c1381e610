//===- StepOrder.cpp - when a step of a loop multiplies -------------------===//
#include "StepOrder.h"
#include "ProductLayouts.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace lispier {
namespace {
using Ops = llvm::DenseSet<Operation *>;

Block *bodyOf(StepProducts products) { return products.front()->getBlock(); }

/// The products, and what depends on one in the same step.
Ops madeOf(StepProducts products) {
  Ops made;
  for (Operation &op : *bodyOf(products))
    if (isa<vector::ContractionOp>(op) ||
        llvm::any_of(op.getOperands(), [&](Value operand) { return made.contains(operand.getDefiningOp()); }))
      made.insert(&op);
  return made;
}

bool needsProduct(vector::ContractionOp product, const Ops &made) {
  return llvm::any_of(product->getOperands(), [&](Value operand) { return made.contains(operand.getDefiningOp()); });
}

/// Those ops of the step that the values need.
Ops sourcesOf(Block *body, SmallVector<Value> values) {
  Ops sources;
  while (!values.empty())
    if (Operation *op = values.pop_back_val().getDefiningOp();
        op && op->getBlock() == body && sources.insert(op).second)
      llvm::append_range(values, op->getOperands());
  return sources;
}

void moveToFront(Block *body, SmallVector<Value> values) {
  Ops sources = sourcesOf(body, std::move(values));
  SmallVector<Operation *> moved;
  for (Operation &op : *body)
    if (sources.contains(&op))
      moved.push_back(&op);
  for (Operation *op : llvm::reverse(moved))
    op->moveBefore(body, body->begin());
}
} // namespace

bool isChain(StepProducts products) {
  Ops made = madeOf(products);
  return llvm::any_of(products, [&](vector::ContractionOp product) { return needsProduct(product, made); });
}

/// Where no product needs another one, and they take about as long as what is computed of the first one: else nothing
/// waits for products, and a turn is one more barrier. Microseconds of attention on an H100, with turns and without:
/// heads of 64 (128 multiply-adds for a score) 152, 152; 130, 126; of 128 (256) 201, 230; 256, 268.
bool takesTurns(StepProducts products, int64_t groups) {
  constexpr int64_t kLeastMultiplied = 192;
  if (groups == 1 || products.size() < 2 || isChain(products))
    return false;
  int64_t multiplied = 0;
  for (vector::ContractionOp product : products) {
    ProductShape shape = *productShape(product);
    multiplied += shape.m * shape.n * shape.k;
  }
  vector::ContractionOp first = products.front();
  return multiplied >= kLeastMultiplied * cast<VectorType>(first.getType()).getNumElements();
}

SmallVector<Operation *> productsFirst(StepProducts products) {
  Block *body = bodyOf(products);
  SmallVector<Value> factors;
  for (vector::ContractionOp product : products)
    llvm::append_range(factors, product->getOperands());
  Ops first = sourcesOf(body, std::move(factors));
  SmallVector<Operation *> ordered;
  for (Operation &op : *body)
    if (first.contains(&op))
      ordered.push_back(&op);
  llvm::append_range(ordered, products);
  for (Operation &op : *body)
    if (!first.contains(&op) && !isa<vector::ContractionOp>(op))
      ordered.push_back(&op);
  return ordered;
}

void orderChain(StepProducts products) {
  Block *body = bodyOf(products);
  Ops made = madeOf(products);
  auto feedsProducts = [](Operation *read) {
    return llvm::any_of(read->getUsers(), llvm::IsaPred<vector::ContractionOp>);
  };
  SmallVector<Value> reads, independent;
  for (auto read : body->getOps<vector::TransferReadOp>())
    if (!feedsProducts(read))
      reads.push_back(read.getVector());
  for (vector::ContractionOp product : products)
    if (!needsProduct(product, made))
      independent.push_back(product.getResult());
  moveToFront(body, std::move(reads));
  moveToFront(body, std::move(independent)); // Which run while the reads are on their way.
  auto isSum = [&](Operation *user) { return user == body->getTerminator(); };
  for (vector::ContractionOp product : products)
    if (needsProduct(product, made) && llvm::all_of(product->getUsers(), isSum))
      product->moveBefore(body->getTerminator());
}
} // namespace lispier
