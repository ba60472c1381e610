//===- ValueFfi.h - macro values in compiled code ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_VALUEFFI_H
#define LISPIER_LIB_IRGEN_LANGUAGE_VALUEFFI_H

#include "Generator.h"

namespace lispier {
/// Generates calls of the value_* runtime functions, with which compiled macros build and inspect forms.
class ValueFfi : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Checks (extern :value-ffi), which declares nothing: the first call of a value_* function adds its declaration.
  void declareValueFfi(const Form *form);
  mlir::FailureOr<Values> emitQuasiquote(const Form *form);

private:
  mlir::Value quasi(const Form *form, unsigned depth);
  void pushAll(mlir::Value list, mlir::Value items, mlir::Value low, mlir::Value high, mlir::Value step,
               const Form *form);
  mlir::Value ffiCall(llvm::StringRef name, mlir::ValueRange arguments, const Form *form);
};
} // namespace lispier
#endif
