//===- ValueForms.h - forms on tiles and tensors alike ----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_VALUEFORMS_H
#define LISPIER_LIB_IRGEN_VALUES_VALUEFORMS_H

#include "ValueKind.h"

namespace lispier {
/// Generates the forms that both tiles and tensors have: reads their operands, whose kinds choose the ValueKind that
/// generates the ops. Arithmetic has the forms that numbers have, too.
class ValueForms : public ValuePart {
public:
  using ValuePart::ValuePart;
  ValueKind &kindOf(mlir::Value value);
  /// The kind of what is computed elementwise of several: a tensor if one of them is.
  ValueKind &kindOf(mlir::ValueRange values);
  /// The kind of what a form makes from nothing, such as `zeros`: a tile in kernels and tile programs, in functions of
  /// vectors, and where a vector is expected, else a tensor.
  ValueKind &kindOfNew(mlir::Type hint = {});

  /// (sum tile :axis n :keep true); also mean, min, max, any, all.
  mlir::FailureOr<Values> emitReduction(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitScan(const Form *form, SpecialForm kind);
  /// argmax and argmin.
  mlir::FailureOr<Values> emitArgExtreme(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitFull(const Form *form, SpecialForm kind, mlir::Type hint);
  mlir::FailureOr<Values> emitIota(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitReshape(const Form *form);
  mlir::FailureOr<Values> emitBroadcast(const Form *form);
  mlir::FailureOr<Values> emitTranspose(const Form *form);
  mlir::FailureOr<Values> emitLoad(const Form *form);
  mlir::FailureOr<Values> emitStore(const Form *form);
  mlir::FailureOr<Values> emitGather(const Form *form);

  /// An axis of a tile of `shape`, counted from the end if negative. Reports one that is outside or not constant.
  std::optional<int64_t> axis(const Form *form, llvm::ArrayRef<int64_t> shape, llvm::StringRef what = "tile");
  /// The number, or the vector whose elements all are the number, that changes nothing.
  mlir::Value neutral(const Form *form, mlir::vector::CombiningKind kind, mlir::Type type);
  /// The operand of a form that takes a memref of numbers; null after an error. `value`: its value, if that has been
  /// generated.
  mlir::Value memref(const Form *form, const Form *place, mlir::Value value = {});
  /// What a keyword says that is true or false, and false if it is not given. nullopt after an error.
  std::optional<bool> flag(const KeywordOperands &call, llvm::StringRef key);
  /// See kindOfNew.
  bool makesTiles(mlir::Type hint = {}) const;

private:
  mlir::Value operand(const Form *form, const Form *place);
  mlir::Value reducedOperand(const Form *form, const Form *place);
  std::optional<llvm::SmallVector<int64_t>> axes(const Form *form, const KeywordOperands &call, mlir::Value value);
};
} // namespace lispier
#endif
