//===- Print.h - print ------------------- ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_PRINT_H
#define LISPIER_LIB_IRGEN_LANGUAGE_PRINT_H

#include "Generator.h"

namespace lispier {
/// Generates `print`, whose formats are checked. A value alone needs no format.
class PrintGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  mlir::FailureOr<Values> emitPrint(const Form *form, bool newline);
  mlir::FailureOr<Values> emitPrintI64(const Form *form);
  /// Prints the tensors and memrefs among `values`, of the expression `form`, and returns the others.
  mlir::FailureOr<Values> printShaped(const Form *form, mlir::ValueRange values);

private:
  mlir::FailureOr<Values> emitPrintBare(const Form *form, bool newline);
  std::optional<unsigned> digitsOf(const Form *given);
  mlir::FailureOr<Values> printNumber(const Form *form, mlir::Value value, mlir::Value promoted, unsigned digits,
                                      llvm::StringRef end);
  mlir::FailureOr<Values> printTensor(const Form *form, mlir::Value value, unsigned digits);
  bool isShaped(mlir::Value value);
  mlir::Value promoted(const Form *form, const Form *item, mlir::Value value);
  bool checkDirectives(const Form *form, std::string &format, llvm::MutableArrayRef<mlir::Value> arguments,
                       llvm::ArrayRef<const Form *> places);
  mlir::FailureOr<Values> callPrintf(const Form *form, llvm::StringRef format, llvm::ArrayRef<mlir::Value> arguments);
};
} // namespace lispier
#endif
