//===- SymbolicSize.h - sizes in bytes that only the run knows -*- C++ -*-===//
//
// A polynomial with integer coefficients in index values, which are not negative.
// Two are compared without the values: a <= b if no coefficient of b - a is
// negative.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_BUFFERS_SYMBOLICSIZE_H
#define LISPIER_BUFFERS_SYMBOLICSIZE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <map>
#include <optional>

namespace lispier {
class SymbolicSize {
public:
  /// A product of symbols, in the order of their addresses, which no result depends on; the empty one is 1. A symbol is
  /// a value, or whatever else stands for a size.
  using Monomial = std::vector<const void *>;

  SymbolicSize(int64_t constant = 0) {
    if (constant)
      terms[{}] = constant;
  }
  /// The polynomial that `value` is, through additions and products of what `leaf` gives.
  static SymbolicSize of(mlir::Value value, llvm::function_ref<SymbolicSize(mlir::Value)> leaf);
  /// As above, with values as symbols.
  static SymbolicSize of(mlir::Value value);
  static SymbolicSize symbol(const void *symbol);

  SymbolicSize operator+(const SymbolicSize &other) const;
  SymbolicSize operator*(const SymbolicSize &other) const;
  bool operator==(const SymbolicSize &other) const { return terms == other.terms; }

  /// Whether this is at most `other` for all values.
  bool isAtMost(const SymbolicSize &other) const;
  /// Whether it is a multiple of `factor` for all values.
  bool isMultipleOf(int64_t factor) const;
  std::optional<int64_t> constant() const;
  /// The size if each value is `assumed`, to choose an order by.
  double estimate(double assumed) const;
  /// The size where each symbol is what `valueOf` says.
  int64_t evaluate(llvm::function_ref<int64_t(const void *)> valueOf) const;
  /// The size with what `replacement` gives in place of each symbol.
  SymbolicSize replace(llvm::function_ref<SymbolicSize(const void *)> replacement) const;
  bool contains(const void *symbol) const;
  /// The symbol that the size is, or null.
  const void *asSymbol() const;

  /// Emits the size, of which the symbols are values, as an index value.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The size as text, such as "3072 n + 64"; `nameOf` names a symbol.
  std::string text(llvm::function_ref<std::string(const void *)> nameOf) const;

private:
  std::map<Monomial, int64_t> terms;
};
} // namespace lispier
#endif
