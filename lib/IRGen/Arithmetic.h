//===- Arithmetic.h - ops chosen by their operands' types -------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_ARITHMETIC_H
#define LISPIER_LIB_IRGEN_ARITHMETIC_H

#include "Part.h"

namespace lispier {
/// Generates `+`, `<`, `cast` and others whose op depends on the types of the operands.
class Arithmetic : public Part {
public:
  using Part::Part;
  mlir::FailureOr<Values> emitArithmetic(const Form *form, SpecialForm kind, mlir::Type hint);
  mlir::FailureOr<Values> emitComparison(const Form *form, SpecialForm kind);
  /// `exp`, `tanh`, `pow` ...: floats or shapes of them; `abs` takes integers, too.
  mlir::FailureOr<Values> emitElementary(const Form *form, SpecialForm kind, mlir::Type hint);
  mlir::FailureOr<Values> emitCast(const Form *form);
  mlir::Value convert(mlir::Value value, mlir::Type type, const Form *form);

private:
  mlir::Value arithmetic(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b);
  mlir::Value elementary(const Form *form, SpecialForm kind, mlir::ValueRange values);
  bool operandsOfOneType(llvm::ArrayRef<const Form *> forms, mlir::Type hint, llvm::SmallVectorImpl<mlir::Value> &out,
                         const Form *form);
  mlir::Value truncated(const llvm::APFloat &number, mlir::Type type, const Form *form);
  mlir::Value saturated(mlir::Value value, mlir::Type type, const Form *form);
};
} // namespace lispier
#endif
