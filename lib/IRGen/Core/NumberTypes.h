//===- NumberTypes.h - the types that bare numbers take ---------*- C++ -*-===//
//
// The rules of README.md, "Types of numbers", on forms and types. Whether a value is
// made of bare numbers, and what it is in another type, LiteralValues knows; the type
// variables of loops are in OpenTypes.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_NUMBERTYPES_H
#define LISPIER_LIB_IRGEN_CORE_NUMBERTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lispier {
class Form;

/// Whether `number` is an integer that needs more than 64 bits. Without a type from its context that is an error; it is
/// not rounded to a float.
bool isTooLarge(const Form *number);
/// Whether `number` defaults to f64 where its context gives no type; the default is i64 otherwise.
bool isFraction(const Form *number);

/// The type of a number whose context gives none.
mlir::Type defaultType(bool isFraction, mlir::Builder &builder);
/// A number as an attribute whose op gives no type: i64 if it is a whole number (1.0 and 1e3, too), else f64.
mlir::Attribute plainNumber(const Form *number, mlir::Builder &builder);
/// The type of a literal: `hint`, what the context expects, if that is of numbers, else the default. A boolean is an
/// i1.
mlir::Type literalType(const Form *literal, mlir::Type hint, mlir::Builder &builder);
/// Whether a bare number can have this type, which may be null: an integer may become a float, a fraction never an
/// integer.
bool canHold(mlir::Type type, bool isFraction);
/// Whether both are float types, and `other` is the wider one.
bool isWiderFloat(mlir::Type other, mlir::Type type);
/// The element type of numbers among themselves: the widest float, or else the first. Null for none.
mlir::Type jointType(llvm::ArrayRef<mlir::Type> elements);
/// The type of a number beside a tensor: f32 beside 16-bit floats, which are computed in f32.
mlir::Type typeBesideTensor(mlir::Type element);
/// The type of the operands of arithmetic of bare numbers alone: `hint` if it is of numbers that can hold them.
mlir::Type typeOfNumbers(llvm::ArrayRef<const Form *> literals, mlir::Type hint, mlir::Builder &builder);

/// What bare numbers among the arguments of a call take where parameters have no types: the element type of the first
/// other argument that can hold them, else of what the context expects.
class ArgumentNumbers {
public:
  /// A further type, null for none. `integers`: whether it is one for integers, too.
  void consider(mlir::Type type, bool integers = true);
  /// The type for a fraction, or for an integer; null if none was found.
  mlir::Type typeFor(bool isFraction) const { return isFraction ? anyFloat : anyNumber; }

private:
  mlir::Type anyNumber, anyFloat;
};
} // namespace lispier
#endif
