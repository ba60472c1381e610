//===- Arithmetic.h - ops chosen by their operands' types -------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_ARITHMETIC_H
#define LISPIER_LIB_IRGEN_VALUES_ARITHMETIC_H

#include "Core/RecordTypes.h"
#include "ValueParts.h"

namespace lispier {
/// Generates `+`, `<`, `exp`, `cast` and others whose op depends on the types of the operands: scalars, vectors (which
/// are the tiles of tile programs), tensors. Vectors are broadcast as NumPy does.
class Arithmetic : public ValuePart {
public:
  using ValuePart::ValuePart;
  mlir::FailureOr<Values> emitArithmetic(const Form *form, SpecialForm kind, mlir::Type hint);
  /// `bit-and`, `shift-left` ...: integers, or vectors and tensors of them.
  mlir::FailureOr<Values> emitBits(const Form *form, SpecialForm kind, mlir::Type hint);
  mlir::FailureOr<Values> emitBitsOf(const Form *form);
  mlir::FailureOr<Values> emitBitWidth(const Form *form);
  mlir::FailureOr<Values> emitComparison(const Form *form, SpecialForm kind);
  /// `exp`, `tanh`, `pow` ...: floats, or vectors and tensors of them; `abs` takes integers, too.
  mlir::FailureOr<Values> emitElementary(const Form *form, SpecialForm kind, mlir::Type hint);
  /// `and`, `or` of `operands`: a scalar condition decides whether the rest is evaluated; tiles and tensors are
  /// combined element by element, all evaluated.
  mlir::FailureOr<Values> emitJunction(const Form *form, llvm::ArrayRef<const Form *> operands, SpecialForm kind);
  mlir::FailureOr<Values> emitNot(const Form *form);
  mlir::FailureOr<Values> emitWhere(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitCast(const Form *form);
  /// Converts as `cast` does: floats to integers truncate towards zero and saturate, NaN becomes 0; i1 is 0 or 1. Null
  /// after an error.
  mlir::Value convert(mlir::Value value, mlir::Type type, const Form *form);

  /// Emits operands that must have one type: literals take the type of the others, vectors and scalars are broadcast to
  /// one shape, and of two float widths beside a vector the wider is taken. Beside a tensor, operands keep their shapes
  /// and float widths, and `out` has null for a literal, which the caller creates. False after an error.
  bool operandsOfOneType(llvm::ArrayRef<const Form *> forms, mlir::Type hint, llvm::SmallVectorImpl<mlir::Value> &out,
                         const Form *form);
  /// Broadcasts scalars and vectors to one shape; element types stay. `places`: the forms of the values. False after an
  /// error.
  bool toOneShape(const Form *form, llvm::ArrayRef<const Form *> places, llvm::MutableArrayRef<mlir::Value> values);
  /// Broadcasts a scalar or a vector to `shape`, which must be possible; the value itself if it has that shape.
  mlir::Value toShape(const Form *form, mlir::Value value, llvm::ArrayRef<int64_t> shape);

private:
  mlir::Value castFloats(const Form *form, mlir::Value value, RecordType record, mlir::Type type);
  mlir::Value arithmetic(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b);
  mlir::Value elementary(const Form *form, SpecialForm kind, mlir::ValueRange values);
  bool isGiven(mlir::Value value);
  bool settleLiterals(llvm::ArrayRef<const Form *> forms, mlir::Type hint, llvm::MutableArrayRef<mlir::Value> values,
                      mlir::Type &type);
  void warnOfWidening(const Form *form, llvm::ArrayRef<const Form *> forms, llvm::ArrayRef<mlir::Value> values,
                      size_t widest);
  bool tilesOfOneType(const Form *form, llvm::ArrayRef<const Form *> forms, llvm::MutableArrayRef<mlir::Value> values);
  bool tensorsOfOneElement(const Form *form, llvm::ArrayRef<const Form *> forms,
                           llvm::MutableArrayRef<mlir::Value> values);
  bool toOneElement(const Form *form, llvm::ArrayRef<const Form *> forms, llvm::MutableArrayRef<mlir::Value> values);
  mlir::Value condition(const Form *place, const Form *form, mlir::Value value);
  mlir::FailureOr<Values> arithmeticOfTensors(const Form *form, SpecialForm kind, llvm::ArrayRef<mlir::Value> values);
  mlir::Value bits(const Form *form, SpecialForm kind, mlir::ValueRange numbers);
  mlir::Value numbersOf(const Form *form);
  mlir::Value shifted(const Form *form, SpecialForm kind, mlir::Value value, mlir::Value count);
  mlir::Value negated(const Form *form, mlir::Value value);
  mlir::Value compared(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b);
  mlir::Value truncated(const llvm::APFloat &number, mlir::Type type, const Form *form);
  mlir::Value saturated(mlir::Value value, mlir::Type type, const Form *form);
};
} // namespace lispier
#endif
