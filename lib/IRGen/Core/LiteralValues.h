//===- LiteralValues.h - values made of bare numbers ------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_LITERALVALUES_H
#define LISPIER_LIB_IRGEN_CORE_LITERALVALUES_H

#include "Part.h"

namespace lispier {
/// Values that follow from bare numbers alone, such as 0.5, (/ 1.0 (sqrt 8.0)), (where c 1.0 0.0) and names of them.
/// Their type is only what they had where nothing else gave one; beside other values they take the others' type, as a
/// bare number does. README.md, "Types of numbers", has the rules.
class LiteralValues : public Part {
public:
  using Part::Part;
  /// Creates the constant of a bare number. Null after an error. A boolean has its type.
  mlir::Value constant(const Form *number, mlir::Type type);
  /// Creates a constant that the value beside it determines, as the 1 of 1 / (1 + exp(-x)).
  mlir::Value constant(const Form *form, mlir::Type type, int64_t number);
  /// Gives `copy`, the same number in another shape, what is known of `constant`.
  void inherit(mlir::arith::ConstantOp copy, mlir::arith::ConstantOp constant);
  /// Whether the value follows from bare numbers alone. Conditions of `if` and `where` may be anything.
  bool isLiteral(mlir::Value value) const;
  /// Whether it can have this element type: integers can be floats, but not if they are a quotient.
  bool fits(mlir::Value value, mlir::Type element) const;
  /// The value with another element type, computed in it; the value itself if it is not a literal or does not fit.
  /// Null after an error: a number is out of range.
  mlir::Value as(mlir::Value value, mlir::Type element);
  /// As `as`, of the elements of a type that a context expects, which may be null. Conditions expect i1, which only
  /// booleans and comparisons are.
  mlir::Value asExpected(mlir::Value value, mlir::Type type);
  /// Gives those of `values` that are literals the element type of the others, the widest float of these; null values
  /// stay. False after an error.
  bool agree(llvm::MutableArrayRef<mlir::Value> values);
  /// Gives those of an op's operands that are literals the types that `typeOf` says while only the others are known:
  /// null for no type.
  bool agreeWith(llvm::MutableArrayRef<mlir::Value> operands, llvm::function_ref<mlir::Type(size_t)> typeOf);
  /// The element type for literals among themselves: `hint` if all fit it, else the widest float or the first integer.
  mlir::Type joint(llvm::ArrayRef<mlir::Value> literals, mlir::Type hint) const;
  /// The result of a function whose body is nothing but a literal, computed at the insertion point; null for others.
  mlir::Value resultOf(mlir::func::FuncOp function);
  /// The number, computed in f64, if the value is one scalar number whatever conditions hold.
  std::optional<double> number(mlir::Value value) const;
  /// Removes what marks literals from the finished module.
  void dropMarks();

private:
  class Rebuilder;
  /// The number of a marked constant, as a constant of `type` at the insertion point; null after an error.
  mlir::Value spelled(mlir::arith::ConstantOp constant, mlir::Type type);

  FormArena arena;
};
} // namespace lispier
#endif
