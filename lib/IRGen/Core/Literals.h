//===- Literals.h - numbers of a known type ---------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_LITERALS_H
#define LISPIER_LIB_IRGEN_CORE_LITERALS_H

#include "Part.h"

namespace lispier {
/// Converts number and boolean literals of a known type to attributes and constants.
class LiteralReader : public Part {
public:
  using Part::Part;
  /// Whether `form` is a number, a boolean, or one of inf +inf -inf nan where no name of the program is meant.
  bool isLiteral(const Form *form);
  // A null result means that an error has been reported.

  /// Returns a literal as an attribute of `type`: a scalar type, or a shaped type, of which all elements have that
  /// value.
  mlir::TypedAttr literal(const Form *form, mlir::Type type);
  /// Creates an arith.constant of a literal.
  mlir::Value constant(const Form *form, mlir::Type type);
  /// Creates an arith.constant of an integer, located at `form`.
  mlir::Value constantInt(const Form *form, mlir::Type type, int64_t value);
  /// Returns the number that is spelled `text`, nullopt if none is.
  std::optional<double> realOf(llvm::StringRef text);
  /// Returns the value of an integer literal that fits into 64 bits, else nullopt without an error.
  std::optional<int64_t> integerOf(const Form *form);
};
} // namespace lispier
#endif
