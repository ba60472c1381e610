//===- Literals.h - numbers of a known type ---------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LITERALS_H
#define LISPIER_LIB_IRGEN_LITERALS_H

#include "Part.h"

namespace lispier {
/// Converts number and boolean literals of a known type to attributes and constants.
class LiteralReader : public Part {
public:
  using Part::Part;
  /// Whether `form` is a number, a boolean, or one of inf +inf -inf nan where no name of the program is meant.
  bool isLiteral(const Form *form);
  mlir::TypedAttr literal(const Form *form, mlir::Type type);
  mlir::Attribute plainNumber(const Form *form);
  mlir::Value constant(const Form *form, mlir::Type type);
  mlir::Value constantInt(const Form *form, mlir::Type type, int64_t value);
  std::optional<int64_t> integerOf(const Form *form);
};
} // namespace lispier
#endif
