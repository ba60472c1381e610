//===- SymbolicSize.cpp - sizes in bytes that only the run knows ----------===//
#include "lispier/Buffers/SymbolicSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace lispier {
namespace {
Value valueOf(const void *pointer) { return Value::getFromOpaquePointer(pointer); }

unsigned depthOf(Block *block) {
  unsigned depth = 0;
  for (Operation *parent = block->getParentOp(); parent; parent = parent->getParentOp())
    ++depth;
  return depth;
}

/// Whether `a` comes first in the program's text. Both are visible at one place. Unlike the order of their addresses,
/// this one is that of each compilation.
bool isBefore(Value a, Value b) {
  Block *blockOfA = a.getParentBlock(), *blockOfB = b.getParentBlock();
  if (blockOfA != blockOfB) {
    unsigned depthOfA = depthOf(blockOfA), depthOfB = depthOf(blockOfB);
    return depthOfA == depthOfB ? blockOfA->computeBlockNumber() < blockOfB->computeBlockNumber() : depthOfA < depthOfB;
  }
  auto argumentA = dyn_cast<BlockArgument>(a), argumentB = dyn_cast<BlockArgument>(b);
  if (argumentA || argumentB)
    return argumentA && (!argumentB || argumentA.getArgNumber() < argumentB.getArgNumber());
  if (a.getDefiningOp() != b.getDefiningOp())
    return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
  return cast<OpResult>(a).getResultNumber() < cast<OpResult>(b).getResultNumber();
}
} // namespace

SymbolicSize SymbolicSize::symbol(const void *symbol) {
  SymbolicSize result;
  result.terms[{symbol}] = 1;
  return result;
}

SymbolicSize SymbolicSize::of(Value value, llvm::function_ref<SymbolicSize(Value)> leaf) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return SymbolicSize(constant.getSExtValue());
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return of(sum.getLhs(), leaf) + of(sum.getRhs(), leaf);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return of(product.getLhs(), leaf) * of(product.getRhs(), leaf);
  return leaf(value);
}

SymbolicSize SymbolicSize::of(Value value) {
  return of(value, [](Value leaf) { return symbol(leaf.getAsOpaquePointer()); });
}

SymbolicSize SymbolicSize::operator+(const SymbolicSize &other) const {
  SymbolicSize result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    if ((result.terms[monomial] += coefficient) == 0)
      result.terms.erase(monomial);
  return result;
}

SymbolicSize SymbolicSize::operator*(const SymbolicSize &other) const {
  SymbolicSize result;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Monomial both;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
      if ((result.terms[both] += a * b) == 0)
        result.terms.erase(both);
    }
  return result;
}

bool SymbolicSize::isAtMost(const SymbolicSize &other) const {
  SymbolicSize difference = other + *this * SymbolicSize(-1);
  return llvm::all_of(difference.terms, [](const auto &term) { return term.second >= 0; });
}

bool SymbolicSize::isMultipleOf(int64_t factor) const {
  return llvm::all_of(terms, [&](const auto &term) { return term.second % factor == 0; });
}

std::optional<int64_t> SymbolicSize::constant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

double SymbolicSize::estimate(double assumed) const {
  double result = 0;
  for (const auto &[monomial, coefficient] : terms)
    result += double(coefficient) * std::pow(assumed, double(monomial.size()));
  return result;
}

SymbolicSize SymbolicSize::replace(llvm::function_ref<SymbolicSize(const void *)> replacement) const {
  SymbolicSize result;
  for (const auto &[monomial, coefficient] : terms) {
    SymbolicSize term(coefficient);
    for (const void *factor : monomial)
      term = term * replacement(factor);
    result = result + term;
  }
  return result;
}

int64_t SymbolicSize::evaluate(llvm::function_ref<int64_t(const void *)> valueOf) const {
  int64_t result = 0;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t term = coefficient;
    for (const void *factor : monomial)
      term *= valueOf(factor);
    result += term;
  }
  return result;
}

bool SymbolicSize::contains(const void *symbol) const {
  return llvm::any_of(terms, [&](const auto &term) { return llvm::is_contained(term.first, symbol); });
}

const void *SymbolicSize::asSymbol() const {
  bool isOne = terms.size() == 1 && terms.begin()->second == 1 && terms.begin()->first.size() == 1;
  return isOne ? terms.begin()->first.front() : nullptr;
}

Value SymbolicSize::emit(OpBuilder &b, Location loc) const {
  SmallVector<std::pair<SmallVector<Value>, int64_t>> ordered;
  for (const auto &[monomial, coefficient] : terms)
    llvm::sort(ordered.emplace_back(llvm::map_to_vector(monomial, valueOf), coefficient).first, isBefore);
  llvm::sort(ordered, [](const auto &a, const auto &b) {
    return std::lexicographical_compare(a.first.begin(), a.first.end(), b.first.begin(), b.first.end(), isBefore);
  });
  Value result;
  for (const auto &[factors, coefficient] : ordered) {
    Value term = arith::ConstantIndexOp::create(b, loc, coefficient);
    for (Value factor : factors)
      term = b.createOrFold<arith::MulIOp>(loc, factor, term);
    result = result ? b.createOrFold<arith::AddIOp>(loc, result, term) : term;
  }
  return result ? result : arith::ConstantIndexOp::create(b, loc, 0).getResult();
}

std::string SymbolicSize::text(llvm::function_ref<std::string(const void *)> nameOf) const {
  SmallVector<std::pair<SmallVector<std::string>, int64_t>> named;
  for (const auto &[monomial, coefficient] : terms)
    llvm::sort(named.emplace_back(llvm::map_to_vector(monomial, nameOf), coefficient).first);
  llvm::sort(named, [](const auto &a, const auto &b) { // A number last.
    return std::tuple(a.first.empty(), a.first, a.second) < std::tuple(b.first.empty(), b.first, b.second);
  });
  std::string result;
  for (const auto &[names, coefficient] : named) {
    result += result.empty() ? "" : " + ";
    bool isUnit = coefficient == 1 && !names.empty();
    result += isUnit ? "" : std::to_string(coefficient);
    for (auto [i, name] : llvm::enumerate(names))
      result += (i == 0 && isUnit ? "" : " ") + name;
  }
  return result.empty() ? "0" : result;
}
} // namespace lispier
