//===- Print.h - print ------------------- ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_PRINT_H
#define LISPIER_LIB_IRGEN_LANGUAGE_PRINT_H

#include "Generator.h"

namespace lispier {
/// Generates `print`, whose formats are checked.
class PrintGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  mlir::FailureOr<Values> emitPrint(const Form *form, bool newline);
  mlir::FailureOr<Values> emitPrintI64(const Form *form);

private:
  mlir::FailureOr<Values> emitPrintBare(const Form *form, bool newline);
  mlir::Value promoted(const Form *form, const Form *item, mlir::Value value);
  bool checkDirectives(const Form *form, llvm::StringRef format, llvm::MutableArrayRef<mlir::Value> arguments,
                       llvm::ArrayRef<const Form *> places);
  mlir::FailureOr<Values> callPrintf(const Form *form, llvm::StringRef format, llvm::ArrayRef<mlir::Value> arguments);
};
} // namespace lispier
#endif
