//===- Print.h - print, and string globals ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_PRINT_H
#define LISPIER_LIB_IRGEN_PRINT_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Generates `print` and the globals that hold strings.
class PrintGenerator : public Part {
public:
  using Part::Part;
  mlir::FailureOr<Values> emitPrint(const Form *form, bool newline);
  mlir::FailureOr<Values> emitPrintI64(const Form *form);
  /// The address of a private NUL-terminated global with this text, one for each text.
  mlir::Value stringAddress(llvm::StringRef text, const Form *form);
  mlir::Value addressOf(mlir::Operation *global, const Form *form);
  /// (def-string name "text")
  void defString(const Form *form);

  llvm::StringMap<mlir::Operation *> stringNames; ///< The global of each (def-string name text), by name.
  unsigned stringCount = 0;                       ///< Number of string globals, which come first in the module.

private:
  mlir::FailureOr<Values> emitPrintBare(const Form *form, bool newline);
  mlir::Value promoted(const Form *form, const Form *item, mlir::Value value);
  bool checkDirectives(const Form *form, llvm::StringRef format, llvm::MutableArrayRef<mlir::Value> arguments,
                       llvm::ArrayRef<const Form *> places);
  mlir::FailureOr<Values> callPrintf(const Form *form, llvm::StringRef format, llvm::ArrayRef<mlir::Value> arguments);
  mlir::Operation *stringGlobal(llvm::StringRef name, llvm::StringRef text, const Form *form);

  llvm::StringMap<mlir::Operation *> stringGlobals; ///< By text, those of stringAddress; not of def-string.
};
} // namespace lispier
#endif
