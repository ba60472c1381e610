//===- StringGlobals.h - globals that hold strings --------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_STRINGGLOBALS_H
#define LISPIER_LIB_IRGEN_CORE_STRINGGLOBALS_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Generates the private NUL-terminated globals that hold the program's strings.
class StringGlobals : public Part {
public:
  using Part::Part;
  /// The address of the global with this text, one for each text.
  mlir::Value address(llvm::StringRef text, const Form *form);
  mlir::Value addressOf(mlir::Operation *global, const Form *form);
  /// (def-string name "text")
  void define(const Form *form);

  llvm::StringMap<mlir::Operation *> named; ///< The global of each (def-string name text), by name.
  unsigned count = 0;                       ///< Number of string globals, which come first in the module.

private:
  mlir::Operation *global(llvm::StringRef name, llvm::StringRef text, const Form *form);

  llvm::StringMap<mlir::Operation *> byText; ///< Those of `address`; not of def-string.
};
} // namespace lispier
#endif
